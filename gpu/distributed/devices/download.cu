/* Downloads answers: segments of places become one array by vertex number.
**
**     member 0    stage 0 1 2 3 0 ...  --.
**     member 1    stage 0 1 2 3 0 ...  --+--> blocks, copied to their positions
**
** All buses work at once: a round takes a piece from every member. A piece is a multiple
** of blocks, each of which is contiguous by place and by number. */
#include "several.cuh"

#include <string.h>

struct bringing {
    struct several_team *team;
    const struct several_places *places;
    const void *const *segment;
    size_t entry;
    char *to;
    /* the current piece */
    uint32_t owner, first, count; /* places within the owner's segment */
    const char *from;
};

/* Copies blocks low .. high - 1 of the piece. */
static void copy_blocks(void *job, uint64_t low, uint64_t high) {
    const struct bringing *b = (const struct bringing *)job;
    const uint32_t size = 1u << b->places->shift;
    for (uint64_t i = low; i < high; i++) {
        const uint32_t local = b->first + (uint32_t)i * size;
        const uint32_t rest = b->first + b->count - local,
                       some = rest < size ? rest : size;
        const uint64_t number = several_number_of(b->places, b->owner, local);
        memcpy(b->to + number * b->entry, b->from + i * size * b->entry, some * b->entry);
    }
}

static uint32_t places_of_piece(const struct bringing *b) {
    return (uint32_t)(GG_STAGE_BYTES / b->entry);
}

/* Sets first and count. False if the owner has no such piece. */
static bool find_piece(struct bringing *b, int member, uint64_t piece) {
    const uint64_t all = several_vertices(b->places, (uint32_t)member);
    const uint64_t first = piece * places_of_piece(b);
    if (first >= all)
        return false;
    b->owner = (uint32_t)member;
    b->first = (uint32_t)first;
    b->count =
        all - first < places_of_piece(b) ? (uint32_t)(all - first) : places_of_piece(b);
    return true;
}

static void queue_piece(struct bringing *b, int member, uint64_t piece) {
    if (!find_piece(b, member, piece))
        return;
    gg_queue_download(gg_several_on(b->team, member), (int)(piece % GG_STAGES),
                      (const char *)b->segment[member] + b->first * b->entry,
                      b->count * b->entry);
}

static bool take_piece(struct bringing *b, int member, uint64_t piece) {
    if (!find_piece(b, member, piece))
        return true;
    struct cuda_job *job = gg_several_on(b->team, member);
    const int stage = (int)(piece % GG_STAGES);
    if (!gg_wait_for(job, job->device->staged[stage]))
        return gg_several_going(b->team);
    const uint32_t size = 1u << b->places->shift;
    b->from = (const char *)job->device->stage[stage];
    gg_slices(gg_threads(b->team->run, b->count), (b->count + size - 1) / size,
              copy_blocks, b);
    return true;
}

/* Members first .. end - 1, which have different devices. */
static bool bring_members(struct bringing *b, int first, int end) {
    const uint64_t pieces = b->places->stride / places_of_piece(b) + 1;
    for (uint64_t piece = 0; piece < pieces + GG_STAGES - 1; piece++)
        for (int p = first; p < end; p++) {
            const bool full = piece >= GG_STAGES - 1;
            if (!gg_several_going(b->team))
                return false;
            queue_piece(b, p, piece);
            if (full && !take_piece(b, p, piece - (GG_STAGES - 1)))
                return false;
        }
    return gg_several_going(b->team);
}

bool gg_several_download_bytes(struct several_team *team,
                               const struct several_places *places,
                               const void *const segment[SEVERAL_MOST], size_t entry,
                               void *to) {
    struct bringing b = {team, places, segment, entry, (char *)to, 0, 0, 0, NULL};
    bool apart = true;
    if (team->rank)
        return gg_download(gg_several_on(team, team->first), to, segment[team->first],
                           several_vertices(places, (uint32_t)team->first) * entry);
    for (int p = 0; p < team->parts; p++)
        apart = apart && team->member[p].lead == p;
    if (apart)
        return bring_members(&b, 0, team->parts);
    for (int p = 0; p < team->parts; p++)
        if (!bring_members(&b, p, p + 1))
            return false;
    return true;
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
