/* Maps ids to vertex numbers on the device, with the results of ids.c, if the device
** needs the edges anyway:
**
**     columns  --upload-->  id  | source | target | further vertices |
**                            |
**        close together      |  sets a bit for each integer of the span;
**                            |  prefix sum of bits before each word: the rank
**        far apart           |  stable radix sort of (id, entry), by as many bits as ids
**                            |  differ in; the first entry of each id counts one
**                            v
**     device                  source[m] target[m]
**     host     <--download--  ids in order
**
** The host downloads the numbers on demand (graph/device_resident.c). The columns do not
** change before the numbers are complete, so the host can map the ids after a failure.
** The host handles texts, since a sort of texts is most of the work. */
#include "ids.cuh"
#include "cells/cells.cuh"

#include <cub/device/device_scan.cuh>

#include <stdlib.h>

/* ---- the columns ---- */

struct id_range {
    long long first, last;
};

/* One thread per id, one atomic for each warp. */
static __global__ void find_range(const int64_t *id, uint64_t count, id_range *range) {
    long long first = INT64_MAX, last = INT64_MIN;
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        first = id[i] < first ? id[i] : first;
        last = id[i] > last ? id[i] : last;
    }
    for (int lanes = GG_WARP / 2; lanes > 0; lanes /= 2) {
        long long a = __shfl_down_sync(0xffffffff, first, lanes);
        long long b = __shfl_down_sync(0xffffffff, last, lanes);
        first = a < first ? a : first;
        last = b > last ? b : last;
    }
    if (threadIdx.x % GG_WARP == 0 && first <= last) {
        atomicMin(&range->first, first);
        atomicMax(&range->last, last);
    }
}

/* Uses the ends that are already on the device. */
static bool borrow_ends(struct id_job *w) {
    int ordinal;
    w->id = gg_cell_ends(w->mapper->cells, &ordinal);
    if (ordinal != w->job.device->ordinal)
        gg_fail(w->job.run, GPUGRAPH_DEVICE_FAILED, "the edges are on another device");
    return gg_going(&w->job);
}

/* One thread per id. */
static __global__ void widen_ids(const int32_t *from, uint64_t count, int64_t *id) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        id[i] = from[i];
}

/* Uploads 4-byte ids and widens them. Waits before it frees memory for reuse. */
static bool upload_narrow(struct id_job *w, const struct id_source *c, int64_t *to) {
    const size_t bytes = c->count * sizeof(int32_t);
    int32_t *narrow = c->count ? (int32_t *)gg_take(&w->job, bytes) : NULL;
    if (!narrow)
        return gg_going(&w->job);
    if (gg_upload(&w->job, narrow, c->ids.value32, bytes))
        GG_LAUNCH(&w->job, widen_ids, gg_grid(&w->job, c->count, 16), narrow, c->count,
                  to);
    gg_wait(&w->job);
    gg_give(&w->job, narrow, bytes);
    return gg_going(&w->job);
}

static bool upload_columns(struct id_job *w) {
    if (w->mapper->cells)
        return borrow_ends(w);
    uint64_t at = 0, bytes = 0;
    double started = gg_now_ms();
    w->id_bytes = w->entries * sizeof *w->id;
    w->id = (int64_t *)gg_take(&w->job, w->id_bytes);
    for (int i = 0; i < ID_COLUMNS && gg_going(&w->job); i++) {
        const struct id_source *c = &w->mapper->column[i];
        if (c->ids.value32)
            upload_narrow(w, c, w->id + at);
        else
            gg_upload(&w->job, w->id + at, c->ids.value, c->count * sizeof *w->id);
        bytes += c->count * (c->ids.value32 ? sizeof(int32_t) : sizeof *w->id);
        at += c->count;
    }
    double ms = gg_now_ms() - started;
    if (gg_going(&w->job))
        gg_phase(w->job.run, "upload", started, (int64_t)w->m,
                 "%llu bytes of ids to device %d, at %.1f GB/s",
                 (unsigned long long)bytes, w->job.device->ordinal,
                 (double)bytes * 1e-6 / (ms + 1e-3));
    w->moved_ms += ms;
    return gg_going(&w->job);
}

static bool learn_range(struct id_job *w) {
    struct cuda_job *job = &w->job;
    id_range range = {INT64_MAX, INT64_MIN}, *found;
    if (!gg_take_arrays(job, [&](workspace *s) { found = gg_carve<id_range>(s, 1); }) ||
        !gg_upload(job, found, &range, sizeof range) ||
        !GG_LAUNCH(job, find_range, gg_grid(job, w->entries, 8), w->id, w->entries,
                   found) ||
        !gg_fetch(job, &range, found, sizeof range))
        return false;
    w->first = range.first;
    w->span = (uint64_t)range.last - (uint64_t)range.first + 1; /* 0: all integers */
    return true;
}

/* ---- arrays of numbers ---- */

static void drop_ends(gpugraph_graph *, struct device_part *part, unsigned) {
    struct device_ends *ends = (struct device_ends *)part;
    give(part, ends->source, ends->m, sizeof *ends->source);
    give(part, ends->target, ends->m, sizeof *ends->target);
    give(part, ends->weight, ends->m, ends->weight_size);
    ends->source = ends->target = NULL;
    ends->weight = NULL;
}

static const struct device_part_kind ends_kind = {
    "ends of edges for ids", sizeof(struct device_ends), PART_ON_EDGES | PART_ON_VERTICES,
    drop_ends};

struct device_ends *gg_device_ends(const gpugraph_graph *graph) {
    return (struct device_ends *)gg_device_part_of(graph, &ends_kind);
}

bool gg_make_ends(struct id_job *w, uint64_t n) {
    gpugraph_graph *graph = w->job.graph;
    graph->n = (uint32_t)n;
    graph->ids.integer_count = (uint32_t)n;
    struct device_ends *ends = (struct device_ends *)gg_device_part(&w->job, &ends_kind);
    if (!ends)
        return false;
    ends->m = w->m;
    w->ends = ends;
    return take(&w->job, &ends->part, &ends->source, w->m, sizeof *ends->source) &&
           take(&w->job, &ends->part, &ends->target, w->m, sizeof *ends->target);
}

/* ---- ids close together ---- */

/* One thread per id. Most bits are set early, and a read is cheaper than an atomic. */
static __global__ void mark_present(const int64_t *id, uint64_t count, int64_t first,
                                    uint32_t *present) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        uint64_t place = (uint64_t)id[i] - (uint64_t)first;
        uint32_t bit = 1u << (place % 32);
        if (!(present[place / 32] & bit))
            atomicOr(&present[place / 32], bit);
    }
}

/* One thread per word, and one for the end. */
static __global__ void count_words(const uint64_t *present, uint64_t words,
                                   uint32_t *rank) {
    for (uint64_t w = gg_thread(); w <= words; w += gg_threads_of_grid())
        rank[w] = w < words ? (uint32_t)__popcll(present[w]) : 0;
}

/* One thread per word. */
static __global__ void list_present(const uint64_t *present, const uint32_t *rank,
                                    uint64_t words, int64_t first, int64_t *integer) {
    for (uint64_t w = gg_thread(); w < words; w += gg_threads_of_grid()) {
        uint32_t v = rank[w];
        for (uint64_t bits = present[w]; bits; bits &= bits - 1)
            integer[v++] = (int64_t)((uint64_t)first + w * 64 + (__ffsll(bits) - 1));
    }
}

/* One thread per edge; rank NULL: the ids are consecutive. */
static __global__ void take_ranks(const int64_t *id, uint64_t count, int64_t first,
                                  const uint64_t *present, const uint32_t *rank,
                                  uint32_t *number) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid()) {
        uint64_t place = (uint64_t)id[i] - (uint64_t)first;
        uint64_t below = ((uint64_t)1 << (place % 64)) - 1;
        number[i] = rank ? rank[place / 64] + __popcll(present[place / 64] & below)
                         : (uint32_t)place;
    }
}

struct bitmap_scratch {
    uint64_t *present; /* words */
    uint32_t *rank;    /* words + 1 */
    int64_t *integer;  /* as many as the span or the entries */
    unsigned char *cub;
    size_t cub_bytes;
};

static void carve_bitmap(struct workspace *space, uint64_t words, uint64_t most,
                         struct bitmap_scratch *s) {
    uint32_t *rank = NULL;
    cub::DeviceScan::ExclusiveSum(NULL, s->cub_bytes, rank, rank, (int64_t)words + 1);
    s->present = gg_carve<uint64_t>(space, words);
    s->rank = gg_carve<uint32_t>(space, words + 1);
    s->integer = gg_carve<int64_t>(space, most);
    s->cub = gg_carve<unsigned char>(space, s->cub_bytes);
}

static bool fill_bitmap(struct id_job *w, const struct bitmap_scratch *s, uint64_t words,
                        uint32_t *distinct) {
    struct cuda_job *job = &w->job;
    size_t bytes = s->cub_bytes;
    gg_fill(job, s->present, 0, words * sizeof *s->present);
    GG_LAUNCH(job, mark_present, gg_grid(job, w->entries, 16), w->id, w->entries,
              w->first, (uint32_t *)s->present);
    if (GG_LAUNCH(job, count_words, gg_grid(job, words + 1, 16), s->present, words,
                  s->rank))
        gg_note(job,
                cub::DeviceScan::ExclusiveSum(s->cub, bytes, s->rank, s->rank,
                                              (int64_t)words + 1, job->stream),
                "add up ids");
    return gg_fetch(job, distinct, s->rank + words, sizeof *distinct);
}

/* Downloads the graph's own tables, in which the host looks up ids. */
static bool bring_bitmap(struct id_job *w, const struct bitmap_scratch *s, uint64_t words,
                         uint32_t distinct) {
    struct cuda_job *job = &w->job;
    gpugraph_graph *graph = job->graph;
    return GG_LAUNCH(job, list_present, gg_grid(job, words, 16), s->present, s->rank,
                     words, w->first, s->integer) &&
           bring(w, &graph->id.present, s->present, words) &&
           bring(w, &graph->id.rank, s->rank, words) &&
           bring(w, &graph->id.integer, s->integer, distinct);
}

static void number_by_bitmap(struct id_job *w) {
    struct cuda_job *job = &w->job;
    struct bitmap_scratch s;
    uint64_t words = (w->span + 63) / 64;
    uint64_t most = w->span < w->entries ? w->span : w->entries;
    uint32_t distinct;
    if (!gg_take_arrays(job, [&](workspace *to) { carve_bitmap(to, words, most, &s); }) ||
        !fill_bitmap(w, &s, words, &distinct) || !gg_make_ends(w, distinct))
        return;
    bool consecutive = distinct == w->span;
    job->graph->ids.first_integer = w->first;
    job->graph->id.span = w->span;
    w->mapper->mode = consecutive ? IDS_CONSECUTIVE : IDS_BITMAP;
    uint32_t *number[] = {w->ends->source, w->ends->target};
    for (int i = 0; i < 2; i++)
        GG_LAUNCH(job, take_ranks, gg_grid(job, w->m, 16), w->id + (uint64_t)i * w->m,
                  w->m, w->first, s.present, consecutive ? NULL : s.rank, number[i]);
    if (!consecutive)
        bring_bitmap(w, &s, words, distinct);
    gg_wait(job);
}

/* ---- the end ---- */

/* Keeps the numbers only on the device, and frees the ids from which they were made. */
static void leave_columns(struct id_job *w) {
    for (int i = 0; i < 2; i++) {
        gpugraph_id_column *given = w->mapper->column[i].given;
        if (given) {
            free((void *)given->value);
            free((void *)given->value32);
            free((void *)given->is_text);
            *given = gpugraph_id_column();
        }
    }
    w->mapper->graph->device_resident = true;
}

/* After a failure: removes all results of the mapping. */
static void forget(struct id_job *w) {
    gpugraph_graph *graph = w->job.graph;
    gg_device_graph_free(graph, false);
    gg_free_ids(graph);
    graph->ids = gpugraph_ids();
    graph->device_resident = false;
    graph->n = 0;
}

static void map_ids_there(struct id_mapper *mapper) {
    struct id_job w = id_job();
    w.mapper = mapper;
    w.m = mapper->column[0].count;
    w.entries = 2 * w.m + mapper->column[2].count;
    if (!gg_job_open(&w.job, mapper->graph, mapper->run))
        return;
    if (upload_columns(&w) && learn_range(&w)) {
        if (w.span != 0 && gg_close_together(w.entries, 0, (int64_t)(w.span - 1)))
            number_by_bitmap(&w);
        else
            gg_number_by_sorting(&w);
    }
    w.job.working = false;
    if (gg_going(&w.job))
        leave_columns(&w);
    else
        forget(&w);
    gg_drop_workspace(&w.job);
    if (w.id && !mapper->cells)
        gg_give(&w.job, w.id, w.id_bytes);
    gg_job_close(&w.job);
    mapper->integers = w.entries;
    mapper->moved_ms = w.moved_ms;
}

extern "C" void (*const gg_device_mapper)(struct id_mapper *) = map_ids_there;
