/* Dynamic graphs: the public functions and the course of a batch. Where the slabs are, and
** who runs the steps: dynamic_cpu.c, dynamic.cu.
**
**     insert    announce -> (sum bases) -> rehash -> insert -> claim -> settle
**     delete    delete
**     vertices  rows -> delete the edges back, one lane for each -> clear
**     clean     list dead -> rehash
**
** Where the arena ends in the middle of a batch the steps leave the rest undone and say so;
** the arena is made larger and the batch runs again, which is harmless. Slabs hold numbers
** of sectors, not addresses: a larger arena is a copy. */
#include "dynamic.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

/* Sectors an arena may have: their numbers stay clear of SLAB_NONE. */
#define MOST_SECTORS 0xf0000000u

enum { FILTER_WORDS = SLAB_FILTER_BITS / 32 };

/* Arrays of a batch that are kept for the next one. */
#define KEPT_SCRATCH ((uint64_t)128 << 20)

/* ---- memory ---- */

static bool going(const gpugraph_dynamic *d) {
    return d->run->status == GPUGRAPH_OK;
}

/* What kernels see of the blocks. */
static void look_again(gpugraph_dynamic *d) {
    struct slab_graph *g = &d->slabs;
    g->vertex = d->vertex.block;
    g->word = d->arena.block;
    g->incoming = d->incoming.block;
    g->filter = d->incoming.block; /* the first part of one block: emptied together */
    g->incoming = (uint32_t *)d->incoming.block + FILTER_WORDS;
    g->growing = d->growing.block;
    g->huge = d->huge.block;
    g->pool = d->pool.block;
    for (int kind = 0; kind < SLAB_LISTS; kind++) {
        g->list[kind] = d->list[kind].block;
        g->room[kind] = (uint32_t)(d->list[kind].bytes / sizeof *g->list[kind]);
    }
    g->capacity = (uint32_t)(d->arena.bytes / (SLAB_WORDS * sizeof *g->word));
}

static void drop(gpugraph_dynamic *d, struct held *h) {
    if (h->block)
        d->place->give(d, h->block, h->bytes);
    *h = (struct held){NULL, 0};
}

/* The block has room for that many bytes; new ones are all `byte`. */
static void enlarge(gpugraph_dynamic *d, struct held *h, uint64_t bytes, int byte) {
    if (!going(d) || bytes <= h->bytes)
        return;
    struct held larger = {d->place->take(d, bytes), bytes};
    if (!larger.block)
        return;
    if (h->bytes > 0)
        d->place->copy(d, larger.block, h->block, h->bytes);
    d->place->fill(d, (char *)larger.block + h->bytes, byte, bytes - h->bytes);
    drop(d, h);
    *h = larger;
    look_again(d);
}

static struct slab_pool get_pool(gpugraph_dynamic *d) {
    struct slab_pool pool = {0};
    d->place->download(d, &pool, d->slabs.pool, sizeof pool);
    d->end = pool.end;
    return pool;
}

/* A list of free pieces with room for that many: a ring, which is put straight. */
static void enlarge_list(gpugraph_dynamic *d, int kind, uint64_t pieces) {
    const uint64_t entry = sizeof(uint32_t);
    struct held *h = &d->list[kind];
    if (!going(d) || pieces * entry <= h->bytes)
        return;
    struct slab_pool pool = get_pool(d);
    struct held larger = {d->place->take(d, pieces * entry), pieces * entry};
    if (!larger.block)
        return;
    uint64_t room = h->bytes / entry, first = pool.first[kind], count = pool.count[kind];
    uint64_t straight = count < room - first ? count : room - first;
    uint32_t *from = h->block, *to = larger.block;
    d->place->copy(d, to, from + first, straight * entry);
    d->place->copy(d, to + straight, from, (count - straight) * entry);
    pool.first[kind] = 0;
    d->place->upload(d, &d->slabs.pool->first, pool.first, sizeof pool.first);
    drop(d, h);
    *h = larger;
    look_again(d);
}

/* The arena has room for `sectors` more. */
static void grow_arena(gpugraph_dynamic *d, uint64_t sectors) {
    const uint64_t sector = SLAB_WORDS * sizeof(uint32_t);
    uint64_t end = d->end < d->slabs.capacity ? d->end : d->slabs.capacity;
    if (end + sectors > MOST_SECTORS) {
        gg_fail(d->run, GPUGRAPH_TOO_LARGE,
                "a dynamic graph has room for %u sectors of 32 bytes, and needs %llu",
                MOST_SECTORS, (unsigned long long)(end + sectors));
        return;
    }
    enlarge_list(d, 2, (end + sectors) / SLAB_SECTORS + 1);
    enlarge(d, &d->huge, ((end + sectors) / SLAB_HUGE + 1) * sizeof(uint32_t), 0);
    enlarge(d, &d->arena, (end + sectors) * sector, 0xff);
    if (going(d) && d->end != end) { /* takers have overshot */
        d->end = (uint32_t)end;
        d->place->upload(d, &d->slabs.pool->end, &d->end, sizeof d->end);
    }
}

/* Free short bases: no more than there are vertices. Only who frees any needs the lists. */
static void make_short_lists(gpugraph_dynamic *d) {
    for (int kind = 0; kind < 2; kind++)
        enlarge_list(d, kind, d->vertex.bytes / sizeof(struct slab_vertex));
}

/* The dictionary has room for that many vertices: `growing` comes last, so its length is
** the room. */
static void grow_dictionary(gpugraph_dynamic *d, uint32_t vertices) {
    uint64_t room = d->growing.bytes / sizeof(uint32_t);
    if (vertices <= room)
        return;
    room += room / 2;
    room = room < vertices ? vertices : room;
    room = room > SLAB_MOST_VERTICES ? SLAB_MOST_VERTICES : room;
    enlarge(d, &d->vertex, room * sizeof(struct slab_vertex), 0);
    enlarge(d, &d->incoming, (FILTER_WORDS + room) * sizeof(uint32_t), 0);
    if (d->list[0].bytes > 0)
        make_short_lists(d);
    enlarge(d, &d->growing, room * sizeof(uint32_t), 0);
}

/* ---- create and free ---- */

static bool open_place(gpugraph_dynamic *d, gpugraph_run *run) {
    d->run = run;
    gg_begin(run);
    run->used_backend = d->place == &gg_cpu_dynamic ? "cpu" : "cuda";
    return d->place->open(d, run);
}

static gpugraph_status close_place(gpugraph_dynamic *d) {
    gpugraph_run *run = d->run;
    d->place->close(d, run);
    d->run = NULL;
    return run->status;
}

static const dynamic_place *choose_place(gpugraph_run *run) {
    bool usable = gg_cuda_dynamic && gpugraph_cuda_usable(NULL);
    if (run->backend == GPUGRAPH_CPU || (run->backend == GPUGRAPH_AUTO && !usable))
        return &gg_cpu_dynamic;
    if (!usable) {
        const char *why = "";
        gpugraph_cuda_usable(&why);
        gg_fail(run, GPUGRAPH_NO_DEVICE,
                "no CUDA device can be used: %s; use backend 'cpu' or 'auto'", why);
        return NULL;
    }
    return gg_cuda_dynamic;
}

gpugraph_status gpugraph_dynamic_create(const gpugraph_dynamic_options *options,
                                        gpugraph_run *run, gpugraph_dynamic **graph) {
    *graph = NULL;
    gg_begin(run);
    if (options->vertices > SLAB_MOST_VERTICES || options->load < 0 || options->load > 8)
        return gg_fail(run, GPUGRAPH_INVALID,
                       "a dynamic graph has at most %u vertices (%u are asked for) and a "
                       "load of 0 to 8 (%g)",
                       SLAB_MOST_VERTICES, options->vertices, options->load);
    const dynamic_place *place = choose_place(run);
    gpugraph_dynamic *d = place ? calloc(1, sizeof *d) : NULL;
    if (place && !d)
        gg_fail(run, GPUGRAPH_NO_MEMORY, "memory for a dynamic graph is exhausted");
    if (!d)
        return run->status;
    d->place = place;
    d->valued = options->valued;
    d->slabs.load = options->load > 0 ? (float)options->load : (float)GG_SLAB_LOAD;
    d->slabs.n = options->vertices;
    if (open_place(d, run)) {
        enlarge(d, &d->pool, sizeof(struct slab_pool), 0);
        grow_dictionary(d, options->vertices > 0 ? options->vertices : 1);
        close_place(d);
    }
    d->run = NULL;
    if (run->status) {
        gpugraph_dynamic_free(d);
        return run->status;
    }
    *graph = d;
    return GPUGRAPH_OK;
}

void gpugraph_dynamic_free(gpugraph_dynamic *d) {
    gpugraph_run run = {0};
    if (!d)
        return;
    d->run = &run;
    d->place->open(d, &run);
    struct held *const all[] = {&d->arena,   &d->vertex,  &d->incoming, &d->growing,
                                &d->list[0], &d->list[1], &d->list[2],  &d->pool,
                                &d->scratch, &d->rows,    &d->huge};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        drop(d, all[i]);
    d->place->close(d, &run);
    free(d->free_vertex);
    free(d);
}

uint32_t gpugraph_dynamic_vertex_count(const gpugraph_dynamic *d) {
    return d->slabs.n;
}

uint64_t gpugraph_dynamic_edge_count(const gpugraph_dynamic *d) {
    return d->edges;
}

int64_t gpugraph_dynamic_bytes(const gpugraph_dynamic *d) {
    return (int64_t)(d->arena.bytes + d->vertex.bytes + d->incoming.bytes +
                     d->growing.bytes + d->list[0].bytes + d->list[1].bytes +
                     d->list[2].bytes + d->pool.bytes + d->scratch.bytes + d->rows.bytes);
}

/* ---- vertices ---- */

gpugraph_status gpugraph_dynamic_reserve(gpugraph_dynamic *d, uint32_t vertices,
                                         gpugraph_run *run) {
    if (vertices > SLAB_MOST_VERTICES) {
        gg_begin(run);
        return gg_fail(run, GPUGRAPH_TOO_LARGE,
                       "a dynamic graph has at most %u vertices; %u are asked for",
                       SLAB_MOST_VERTICES, vertices);
    }
    if (!open_place(d, run))
        return close_place(d);
    grow_dictionary(d, vertices);
    if (going(d) && vertices > d->slabs.n)
        d->slabs.n = vertices;
    return close_place(d);
}

gpugraph_status gpugraph_dynamic_add_vertex(gpugraph_dynamic *d, gpugraph_run *run,
                                            uint32_t *vertex) {
    gg_begin(run);
    *vertex = GPUGRAPH_NONE;
    if (d->free_count > 0) {
        *vertex = d->free_vertex[--d->free_count];
        return GPUGRAPH_OK;
    }
    uint32_t next = d->slabs.n;
    if (gpugraph_dynamic_reserve(d, next + 1, run) == GPUGRAPH_OK)
        *vertex = next;
    return run->status;
}

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The numbers of deleted vertices are free, each once. */
static void free_numbers(gpugraph_dynamic *d, uint64_t count, const uint32_t *vertex) {
    uint64_t room = d->free_count + count, kept = 0;
    uint32_t *larger = realloc(d->free_vertex, (room ? room : 1) * sizeof *larger);
    if (!larger) /* they stay unused: no harm */
        return;
    d->free_vertex = larger;
    memcpy(larger + d->free_count, vertex, count * sizeof *larger);
    qsort(larger, room, sizeof *larger, ascending);
    for (uint64_t i = 0; i < room; i++)
        if (kept == 0 || larger[kept - 1] != larger[i])
            larger[kept++] = larger[i];
    d->free_count = (uint32_t)kept;
}

/* ---- batches ---- */

static bool vertices_fit(gpugraph_dynamic *d, uint64_t count, const uint32_t *vertex) {
    uint32_t largest = 0;
    for (uint64_t i = 0; i < count; i++)
        largest = vertex[i] > largest ? vertex[i] : largest;
    if (count == 0 || largest < d->slabs.n)
        return true;
    gg_fail(d->run, GPUGRAPH_INVALID,
            "vertex %u is named and the graph has %u: reserve it first", largest,
            d->slabs.n);
    return false;
}

/* The block has room for that many bytes; what was in it is gone. */
static bool make_room(gpugraph_dynamic *d, struct held *h, uint64_t bytes) {
    if (h->bytes < bytes) {
        drop(d, h);
        enlarge(d, h, bytes, 0);
    }
    return going(d);
}

static void new_report(gpugraph_dynamic *d) {
    d->place->fill(d, &d->slabs.pool->report, 0, sizeof d->slabs.pool->report);
}

/* No insertions are announced, and the filter is empty. */
static void forget_announcements(gpugraph_dynamic *d) {
    d->place->fill(d, d->incoming.block, 0,
                   ((uint64_t)FILTER_WORDS + d->slabs.n) * sizeof(uint32_t));
}

/* Begins a batch: place, arrays, an empty report. */
static bool begin_batch(gpugraph_dynamic *d, gpugraph_run *run, uint64_t count,
                        const uint32_t *source, const uint32_t *target,
                        const uint32_t *value, struct dynamic_batch *b) {
    const uint32_t *from[3] = {source, target, value};
    const uint32_t **to[3] = {&b->source, &b->target, &b->value};
    uint64_t bytes = count * sizeof(uint32_t), unit = (bytes + 255) / 256 * 256;
    memset(b, 0, sizeof *b);
    if (!open_place(d, run))
        return false;
    if (count > UINT32_MAX - 1)
        gg_fail(run, GPUGRAPH_TOO_LARGE, "a batch has at most %u items; this has %llu",
                UINT32_MAX - 1, (unsigned long long)count);
    if (!going(d) || !vertices_fit(d, count, source) ||
        (target && !vertices_fit(d, count, target)))
        return false;
    if (!make_room(d, &d->scratch, 4 * unit))
        return false;
    double started = gg_now_ms();
    char *scratch = d->scratch.block;
    for (int i = 0; i < 3; i++, scratch += unit) {
        *to[i] = d->place->host || !from[i] ? from[i] : (uint32_t *)scratch;
        if (from[i] && !d->place->host)
            d->place->upload(d, scratch, from[i], bytes);
    }
    b->result = (uint32_t *)scratch;
    b->count = count;
    if (!d->place->host)
        gg_phase(run, "upload", started, (int64_t)count, "a batch");
    new_report(d);
    return going(d);
}

static void step(gpugraph_dynamic *d, enum dynamic_step which,
                 const struct dynamic_batch *b) {
    d->place->step(d, which, b);
}

static gpugraph_status end_batch(gpugraph_dynamic *d, const char *name, double ms,
                                 uint64_t items) {
    gg_phase(d->run, name, gg_now_ms() - ms, (int64_t)items, "%s",
             d->valued ? "map" : "set");
    struct held *const scratch[] = {&d->scratch, &d->rows, &d->huge};
    for (int i = 0; i < 2; i++)
        if (scratch[i]->bytes > KEPT_SCRATCH)
            drop(d, scratch[i]);
    return close_place(d);
}

/* Sectors of bases and the chains that they will have. */
static uint64_t with_chains(const gpugraph_dynamic *d, uint64_t bases) {
    double chains = d->slabs.load > 0.75 ? d->slabs.load + 0.5 : 1.0 / GG_SLAB_CHAINS;
    return bases + (uint64_t)((double)bases * chains);
}

/* Takes every table over into an arena of its own, as small as may be, in place of one that
** is mostly free pieces. `extra`: sectors to be left over. */
static void compact(gpugraph_dynamic *d, const struct dynamic_batch *b, uint64_t extra) {
    const uint64_t sector = SLAB_WORDS * sizeof(uint32_t);
    struct dynamic_batch moving = *b;
    struct held arena = d->arena, vertex = d->vertex;
    struct slab_pool pool = get_pool(d), before = pool;
    moving.old = d->slabs;
    pool.end = 0;
    memset(pool.first, 0, sizeof pool.first);
    memset(pool.count, 0, sizeof pool.count);
    memset(pool.growing, 0, sizeof pool.growing);
    pool.report.sectors = 0;
    d->place->upload(d, d->slabs.pool, &pool, sizeof pool);
    step(d, STEP_LIST_ALL, b);
    step(d, STEP_SUM_BASES, b);
    uint64_t sectors = get_pool(d).report.sectors;
    sectors = with_chains(d, sectors) + extra + SLAB_SECTORS;
    d->arena = d->vertex = (struct held){NULL, 0};
    d->end = 0;
    if (sectors > MOST_SECTORS)
        sectors = MOST_SECTORS;
    enlarge(d, &d->arena, sectors * sector, 0xff);
    enlarge(d, &d->vertex, vertex.bytes, 0);
    enlarge(d, &d->huge, (sectors / SLAB_HUGE + 1) * sizeof(uint32_t), 0);
    step(d, STEP_REHASH, &moving);
    pool = get_pool(d);
    bool moved = going(d) && !pool.report.full;
    drop(d, moved ? &arena : &d->arena);
    drop(d, moved ? &vertex : &d->vertex);
    if (!moved) { /* all is as it was; the step that wants room will ask again */
        d->arena = arena;
        d->vertex = vertex;
        before.report.full = 1;
        memset(before.growing, 0, sizeof before.growing);
        d->end = before.end;
        d->place->upload(d, d->slabs.pool, &before, sizeof before);
    }
    look_again(d);
}

static bool has_room(const gpugraph_dynamic *d, uint64_t sectors) {
    return d->end <= d->slabs.capacity && d->slabs.capacity - d->end >= sectors;
}

/* Rehashes the vertices that are listed, with room for it. `most`: sectors that it takes
** at most. */
static void rehash(gpugraph_dynamic *d, struct dynamic_batch *b, uint64_t most) {
    if (!has_room(d, most)) {
        step(d, STEP_SUM_BASES, b);
        struct slab_pool pool = get_pool(d);
        uint64_t chains = b->count / GG_SLAB_CHAINS + SLAB_SECTORS;
        uint64_t wanted = with_chains(d, pool.report.sectors) + chains;
        uint64_t free = pool.count[0] + 2 * (uint64_t)pool.count[1] +
                        SLAB_SECTORS * (uint64_t)pool.count[2];
        if (!has_room(d, wanted) && free > wanted && free > d->end / 2) {
            compact(d, b, chains);
            return;
        }
        if (!has_room(d, wanted))
            grow_arena(d, wanted);
    }
    b->old = d->slabs;
    step(d, STEP_REHASH, b);
}

static void insert_once(gpugraph_dynamic *d, struct dynamic_batch *b) {
    forget_announcements(d);
    step(d, STEP_ANNOUNCE, b);
    rehash(d, b, 4 * b->count);
    step(d, STEP_INSERT, b);
    if (d->valued)
        step(d, STEP_CLAIM, b);
    step(d, STEP_SETTLE, b);
}

gpugraph_status gpugraph_dynamic_insert(gpugraph_dynamic *d, uint64_t count,
                                        const uint32_t *source, const uint32_t *target,
                                        const uint32_t *value, gpugraph_run *run,
                                        uint64_t *added) {
    struct dynamic_batch b;
    double ms = 0;
    uint64_t sum = 0;
    if (added)
        *added = 0;
    if (!begin_batch(d, run, count, source, target, d->valued ? value : NULL, &b))
        return close_place(d);
    for (bool full = true; full && going(d);) {
        if (d->edges + sum > 0)
            make_short_lists(d);
        d->place->mark(d, 0);
        insert_once(d, &b);
        d->place->mark(d, 1);
        struct slab_pool pool = get_pool(d);
        ms += d->place->elapsed(d);
        sum += pool.report.added;
        full = pool.report.full;
        if (full) {
            grow_arena(d, d->slabs.capacity / 2 + b.count / 2 + SLAB_SECTORS);
            new_report(d);
        }
    }
    d->edges += sum;
    if (added)
        *added = sum;
    return end_batch(d, "insert", ms, count);
}

gpugraph_status gpugraph_dynamic_delete(gpugraph_dynamic *d, uint64_t count,
                                        const uint32_t *source, const uint32_t *target,
                                        gpugraph_run *run, uint64_t *removed) {
    struct dynamic_batch b;
    if (removed)
        *removed = 0;
    if (!begin_batch(d, run, count, source, target, NULL, &b))
        return close_place(d);
    d->place->mark(d, 0);
    step(d, STEP_DELETE, &b);
    d->place->mark(d, 1);
    struct slab_pool pool = get_pool(d);
    d->edges -= pool.report.removed;
    if (removed)
        *removed = pool.report.removed;
    return end_batch(d, "delete", d->place->elapsed(d), count);
}

gpugraph_status gpugraph_dynamic_query(gpugraph_dynamic *d, uint64_t count,
                                       const uint32_t *source, const uint32_t *target,
                                       gpugraph_run *run, uint32_t *value) {
    struct dynamic_batch b;
    if (!begin_batch(d, run, count, source, target, NULL, &b))
        return close_place(d);
    d->place->mark(d, 0);
    step(d, STEP_QUERY, &b);
    d->place->mark(d, 1);
    d->place->download(d, value, b.result, count * sizeof *value);
    return end_batch(d, "query", d->place->elapsed(d), count);
}

gpugraph_status gpugraph_dynamic_clean(gpugraph_dynamic *d, gpugraph_run *run) {
    struct dynamic_batch b = {0};
    double ms = 0;
    if (!open_place(d, run))
        return close_place(d);
    make_short_lists(d);
    for (bool full = true; full && going(d);) {
        new_report(d);
        forget_announcements(d);
        d->place->mark(d, 0);
        step(d, STEP_LIST_DEAD, &b);
        rehash(d, &b, UINT64_MAX);
        step(d, STEP_END, &b);
        d->place->mark(d, 1);
        full = get_pool(d).report.full;
        ms += d->place->elapsed(d);
        if (full)
            grow_arena(d, d->slabs.capacity / 2 + SLAB_SECTORS);
    }
    return end_batch(d, "clean", ms, d->slabs.n);
}

/* ---- rows ---- */

static uint64_t aligned(uint64_t bytes) {
    return (bytes + 255) / 256 * 256;
}

/* Rows of the batch's vertices, where the slabs are; offsets alone unless there are edges
** to fill in. */
static bool make_rows(gpugraph_dynamic *d, struct held *block, uint64_t edges,
                      bool values, struct dynamic_batch *b) {
    uint64_t n = b->count, entry = sizeof(uint32_t);
    uint64_t counts = aligned((n + 1) * entry), offsets = aligned((n + 1) * 8);
    uint64_t targets = aligned(edges * entry);
    if (!make_room(d, block, counts + offsets + targets + (values ? targets : 0)))
        return false;
    char *at = block->block;
    b->row_offset = (uint64_t *)at;
    b->row_count = (uint32_t *)(at + offsets);
    b->row_target = (uint32_t *)(at + offsets + counts);
    b->row_value = values ? (uint32_t *)(at + offsets + counts + targets) : NULL;
    step(d, STEP_COUNT_ROWS, b);
    d->place->offsets(d, b);
    if (edges > 0)
        step(d, STEP_FILL_ROWS, b);
    return going(d);
}

gpugraph_status gpugraph_dynamic_rows(gpugraph_dynamic *d, gpugraph_run *run,
                                      uint64_t *offset, uint32_t *target,
                                      uint32_t *value) {
    struct dynamic_batch b = {.count = d->slabs.n};
    bool values = value && target && d->valued;
    double ms = 0;
    if (!open_place(d, run))
        return close_place(d);
    d->place->mark(d, 0);
    if (make_rows(d, &d->rows, target ? d->edges : 0, values, &b)) {
        d->place->mark(d, 1);
        ms = d->place->elapsed(d);
        d->place->download(d, offset, b.row_offset,
                           ((uint64_t)d->slabs.n + 1) * sizeof *offset);
        if (target)
            d->place->download(d, target, b.row_target, d->edges * sizeof *target);
        if (values)
            d->place->download(d, value, b.row_value, d->edges * sizeof *value);
    }
    return end_batch(d, "rows", ms, d->edges);
}

gpugraph_status gpugraph_dynamic_triangles(gpugraph_dynamic *d, gpugraph_run *run,
                                           uint64_t *count) {
    struct dynamic_batch b = {.count = d->slabs.n};
    double ms = 0;
    *count = 0;
    if (!open_place(d, run))
        return close_place(d);
    new_report(d);
    d->place->mark(d, 0);
    if (make_rows(d, &d->rows, d->edges, false, &b)) {
        step(d, STEP_TRIANGLES, &b);
        d->place->mark(d, 1);
        *count = get_pool(d).report.triangles;
        ms = d->place->elapsed(d);
    }
    return end_batch(d, "triangles", ms, d->edges);
}

/* ---- vertices of a batch ---- */

/* How many edges the batch's vertices have. */
static uint64_t count_edges(gpugraph_dynamic *d, const struct dynamic_batch *b) {
    struct dynamic_batch rows = *b;
    uint64_t sum = 0;
    if (make_rows(d, &d->rows, 0, false, &rows))
        d->place->download(d, &sum, rows.row_offset + b->count, sizeof sum);
    return sum;
}

/* From the other direction's tables deletes what leads back to the vertices. */
static void unlink_vertices(gpugraph_dynamic *d, gpugraph_dynamic *other,
                            const struct dynamic_batch *b) {
    struct dynamic_batch rows = *b, edges = {0};
    rows.name_rows = true;
    edges.count = count_edges(d, b);
    if (edges.count == 0 || !make_rows(d, &d->rows, edges.count, true, &rows))
        return;
    edges.source = rows.row_target;
    edges.target = rows.row_value;
    step(other, STEP_DELETE, &edges);
}

gpugraph_status gpugraph_dynamic_delete_vertices(gpugraph_dynamic *d,
                                                 gpugraph_dynamic *reverse,
                                                 uint64_t count, const uint32_t *vertex,
                                                 gpugraph_run *run) {
    struct dynamic_batch b;
    bool directed = reverse && reverse != d;
    gpugraph_dynamic *const side[2] = {d, directed ? reverse : d};
    if (side[1]->place != d->place || side[1]->slabs.n != d->slabs.n) {
        gg_begin(run);
        return gg_fail(run, GPUGRAPH_INVALID,
                       "a graph and its reverse have the same backend and vertices");
    }
    if (!begin_batch(d, run, count, vertex, NULL, NULL, &b))
        return close_place(d);
    b.vertex = b.source;
    for (int i = 0; i <= directed; i++) {
        side[i]->run = run;
        side[i]->job = d->job;
        make_short_lists(side[i]);
        new_report(side[i]);
    }
    d->place->mark(d, 0);
    for (int i = 0; i <= directed; i++)
        unlink_vertices(side[i], side[1 - i], &b);
    for (int i = 0; i <= directed; i++) {
        step(side[i], STEP_CLEAR, &b);
        step(side[i], STEP_END, &b);
    }
    d->place->mark(d, 1);
    double ms = d->place->elapsed(d);
    for (int i = 0; i <= directed; i++)
        side[i]->edges -= get_pool(side[i]).report.removed;
    if (directed) {
        drop(reverse, &reverse->rows);
        reverse->run = NULL;
        reverse->job = NULL;
    }
    if (going(d))
        free_numbers(d, count, vertex);
    return end_batch(d, "delete vertices", ms, count);
}
