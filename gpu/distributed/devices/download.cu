/* Downloads answers: segments of places become one array by vertex number. Each piece of
** a segment consists of whole blocks. A block is contiguous by place and by number.
** Threads copy blocks to their positions while the bus brings the next piece. */
#include "several.cuh"

#include <string.h>

struct download {
    const struct several_places *places;
    size_t entry;
    char *to;
    uint32_t owner;
    /* the current piece: places within the owner's segment */
    uint32_t first, count;
    const char *piece;
};

/* Copies blocks low .. high - 1 of the piece. */
static void copy_blocks(void *context, uint64_t low, uint64_t high) {
    const struct download *d = (const struct download *)context;
    const uint32_t size = 1u << d->places->shift;
    for (uint64_t i = low; i < high; i++) {
        const uint32_t at = (uint32_t)i * size, rest = d->count - at;
        const uint64_t number = several_number_of(d->places, d->owner, d->first + at);
        memcpy(d->to + number * d->entry, d->piece + at * d->entry,
               (rest < size ? rest : size) * d->entry);
    }
}

static void copy_piece_of_segment(void *context, struct cuda_job *job, uint64_t at,
                                  const void *piece, size_t bytes) {
    struct download *d = (struct download *)context;
    const uint32_t size = 1u << d->places->shift;
    d->first = (uint32_t)(at / d->entry);
    d->count = (uint32_t)(bytes / d->entry);
    d->piece = (const char *)piece;
    gg_slices(gg_threads(job->run, d->count), (d->count + size - 1) / size, copy_blocks,
              d);
}

bool gg_several_download_bytes(struct several_team *team,
                               const struct several_places *places,
                               const void *const segment[SEVERAL_MOST], size_t entry,
                               void *to, const char *what) {
    const double started = gg_now_ms();
    struct download d = {places, entry, (char *)to, 0, 0, 0, NULL};
    for (int p = team->first; p < team->end && gg_several_going(team); p++) {
        struct cuda_job *job = gg_several_on(team, p);
        const uint64_t bytes = several_vertices(places, (uint32_t)p) * entry;
        d.owner = (uint32_t)p;
        if (team->rank)
            gg_download(job, to, segment[p], bytes);
        else
            gg_download_pieces(job, segment[p], bytes, copy_piece_of_segment, &d);
    }
    if (gg_several_going(team))
        gg_phase(team->run, "download", started, (int64_t)places->n, "%s", what);
    return gg_several_going(team);
}

/* ---- ends of a search ---- */

uint32_t *gg_several_ends(struct several_team *team, const struct several_places *places,
                          gpugraph_search *search) {
    const uint64_t count = (uint64_t)search->source_count + search->target_count;
    uint32_t *ends = (uint32_t *)gg_alloc(team->run, count + 1, sizeof *ends);
    for (uint64_t i = 0; ends && i < count; i++) {
        const uint32_t v = i < search->source_count
                               ? search->source[i]
                               : search->target[i - search->source_count];
        ends[i] = team->rank ? several_first(places, (uint32_t)team->first) + v
                             : several_place(places, v);
    }
    search->source = ends;
    search->target = ends ? ends + search->source_count : NULL;
    return ends;
}
