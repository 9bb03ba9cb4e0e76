/* Reading a graph's packed form (packed.h draws it).
**
**     calling thread   reads chunk 0   reads chunk 1   reads chunk 2 ...
**     other threads    clear pages     check chunk 0   check chunk 1 ...
**
** The kernel's clearing of pages costs as much as the reading: it is done ahead.
** A chunk is checked while it is still in the cache: its checksum, and that its numbers
** are what they may be. Whether checksums are right is known at the end; until then nothing
** is done with the numbers, which may be anything.
**
** The bytes may come from anywhere, so a graph that passes has no number out of range and
** no path that its type of distances cannot hold, whoever made it. */
#define _GNU_SOURCE
#include "packed.h"

#include <omp.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

typedef struct reader {
    gpugraph_run *run;
    const gpugraph_stream *from;
    uint64_t at;
    packed_header header;
    gpugraph_graph *graph;
    packed_section list[PACKED_SECTIONS];
    uint64_t *sums[PACKED_SECTIONS]; /* of chunks */
    uint64_t want[PACKED_SECTIONS];  /* checksums as read */
    int sections;
    uint64_t first_chunk[PACKED_SECTIONS + 1],
        chunks; /* of each section, numbered through */
    /* chunks that are read, cleared for reading, and taken to be checked */
    uint64_t ready, cleared, checked;
    /* found by the threads that check */
    int bad; /* a section, from 1, with a number that may not be */
    uint64_t largest, total, integer_ends;
} reader;

static void refuse(reader *r, const char *what, const char *name) {
    gg_fail(r->run, GPUGRAPH_INVALID, "the packed graph is damaged: %s%s%s",
            name ? name : "", name ? " " : "", what);
}

static bool read_bytes(reader *r, void *bytes, uint64_t count) {
    if (gg_poll(r->run))
        return false;
    if (r->from->transfer(r->from->context, bytes, count, r->at) != 0) {
        if (!gg_poll(r->run))
            gg_fail(r->run, GPUGRAPH_INVALID,
                    "the packed graph could not be read, at byte %llu",
                    (unsigned long long)r->at);
        return false;
    }
    r->at += count;
    return true;
}

/* ---- the header ---- */

static bool kinds_fit(const packed_header *h) {
    bool real = h->weight_type == GPUGRAPH_REAL_WEIGHTS;
    if (h->weight_type > GPUGRAPH_REAL_WEIGHTS || h->distance_type > GPUGRAPH_REAL ||
        h->flags & ~(uint64_t)PACKED_FLAGS ||
        (h->flags & PACKED_EQUAL_EDGE_IDS && !(h->flags & PACKED_EDGE_IDS)) ||
        (h->flags & PACKED_ROWS_SORTED && !(h->flags & PACKED_IN_ORDER)))
        return false;
    if (real != (h->distance_type == GPUGRAPH_REAL))
        return false;
    return h->weight_type || h->distance_type == GPUGRAPH_UINT32;
}

static bool counts_fit(const packed_header *h, uint64_t size) {
    if (h->n >= GPUGRAPH_NONE || h->m > size / sizeof(uint32_t) ||
        h->integer_count > h->n || h->texts != h->n - h->integer_count ||
        h->text_bytes > size || (!h->texts && h->text_bytes))
        return false;
    /* The last of consecutive ids is an INTEGER, too. */
    bool listed = h->flags & PACKED_INTEGERS;
    if (!listed && h->integer_count &&
        (int64_t)h->first_integer > INT64_MAX - (int64_t)(h->integer_count - 1))
        return false;
    return !listed || h->integer_count;
}

static bool read_header(reader *r, uint64_t size) {
    packed_header *h = &r->header;
    if (size < sizeof *h) {
        refuse(r, "it is cut short", NULL);
        return false;
    }
    if (!read_bytes(r, h, sizeof *h))
        return false;
    if (memcmp(h->magic, "gpugraph", sizeof h->magic) != 0)
        refuse(r, "it is no packed graph", NULL);
    else if (h->byte_order != 0x0102030405060708u)
        refuse(r, "it was written with another byte order", NULL);
    else if (h->version != PACKED_VERSION)
        gg_fail(r->run, GPUGRAPH_INVALID,
                "the packed graph has format version %llu, and this library reads %d",
                (unsigned long long)h->version, PACKED_VERSION);
    else if (h->checksum != gg_header_checksum(h))
        refuse(r, "its header does not match its checksum", NULL);
    else if (!kinds_fit(h) || !counts_fit(h, size))
        refuse(r, "its header is inconsistent", NULL);
    if (gg_stopping(r->run))
        return false;
    r->sections = gg_packed_sections(h, r->graph, r->list);
    if (h->size != size || gg_packed_total(r->list, r->sections) != size) {
        refuse(r, "its size is not what its header says", NULL);
        return false;
    }
    return true;
}

/* ---- checks of a chunk ---- */

static void add_to(uint64_t *sum, uint64_t more) {
    if (more)
        __atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
}

static void raise_to(uint64_t *top, uint64_t value) {
    uint64_t old = __atomic_load_n(top, __ATOMIC_RELAXED);
    while (old < value && !__atomic_compare_exchange_n(
                              top, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* All below the limit? Also counts those that are INTEGER vertices. */
static bool vertices_good(reader *r, const packed_section *s, const uint32_t *v,
                          uint64_t count) {
    uint32_t top = 0, integers = (uint32_t)r->header.integer_count;
    uint32_t below = 0;
    for (uint64_t i = 0; i < count; i++) {
        top = v[i] > top ? v[i] : top;
        below += v[i] < integers;
    }
    add_to(&r->integer_ends, below);
    return top < s->limit;
}

static bool offsets_good(const packed_section *s, const uint64_t *offset, uint64_t first,
                         uint64_t count) {
    int falls = 0;
    for (uint64_t i = first ? 0 : 1; i < count; i++)
        falls |= offset[first + i - 1] > offset[first + i];
    if (first == 0 && offset[0] != 0)
        return false;
    return !falls && (first + count < s->count || offset[s->count - 1] == s->limit);
}

static bool rising(const int64_t *id, uint64_t first, uint64_t count, bool strictly) {
    int falls = 0;
    for (uint64_t i = first ? 0 : 1; i < count; i++)
        falls |= id[first + i - 1] > id[first + i] ||
                 (strictly && id[first + i - 1] == id[first + i]);
    return !falls;
}

static bool integers_good(reader *r, const void *weight, size_t size, uint64_t count) {
    uint64_t top = 0, sum = 0;
    int negative = 0;
    if (size == sizeof(uint32_t)) {
        const uint32_t *narrow = weight;
        uint32_t largest = 0;
        for (uint64_t i = 0; i < count; i++)
            largest = narrow[i] > largest ? narrow[i] : largest;
        for (uint64_t i = 0; i < count; i++)
            sum += narrow[i];
        top = largest;
        negative = top == UINT32_MAX;
    } else {
        const int64_t *wide = weight;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t here = wide[i] < UINT32_MAX ? (uint64_t)wide[i] : UINT32_MAX;
            negative |= wide[i] < 0;
            top = here > top ? here : top;
            sum += here;
        }
    }
    raise_to(&r->largest, top);
    add_to(&r->total, sum);
    return !negative;
}

/* Not negative, not infinite, not NaN: the bits of those are larger than these. */
static bool reals_good(const uint64_t *bits, uint64_t count) {
    uint64_t top = 0;
    for (uint64_t i = 0; i < count; i++)
        top = bits[i] > top ? bits[i] : top;
    return top < 0x7ff0000000000000u;
}

/* Entries first .. first + count - 1 of a section. */
static bool numbers_good(reader *r, const packed_section *s, uint64_t first,
                         uint64_t count) {
    const char *at = (const char *)*s->array + first * s->size;
    switch (s->numbers) {
    case PACKED_VERTICES:
        return vertices_good(r, s, (const uint32_t *)at, count);
    case PACKED_OFFSETS:
        return offsets_good(s, *s->array, first, count);
    case PACKED_RISING:
    case PACKED_NOT_FALLING:
        return rising(*s->array, first, count, s->numbers == PACKED_RISING);
    case PACKED_WEIGHTS:
        if (r->header.weight_type == GPUGRAPH_REAL_WEIGHTS)
            return reals_good((const uint64_t *)at, count);
        return integers_good(r, at, s->size, count);
    case PACKED_BYTES:
        break;
    }
    return true;
}

static void check_chunk(reader *r, int i, uint64_t which) {
    const packed_section *s = &r->list[i];
    uint64_t bytes = s->count * s->size, at = which * PACKED_CHUNK;
    uint64_t count = bytes - at < PACKED_CHUNK ? bytes - at : PACKED_CHUNK;
    r->sums[i][which] = gg_chunk_checksum((const char *)*s->array + at, count, which);
    if (!numbers_good(r, s, at / s->size, count / s->size))
        __atomic_store_n(&r->bad, i + 1, __ATOMIC_RELAXED);
}

/* ---- sections ---- */

static uint64_t chunks_of(const packed_section *s) {
    return (s->count * s->size + PACKED_CHUNK - 1) / PACKED_CHUNK;
}

static bool take_sections(reader *r) {
    for (int i = 0; i < r->sections; i++) {
        packed_section *s = &r->list[i];
        *s->array = gg_alloc_roomy(r->run, gg_packed_bytes(s), 1);
        if (*s->array)
            r->sums[i] = gg_alloc(r->run, chunks_of(s), sizeof *r->sums[i]);
        if (gg_stopping(r->run))
            return false;
    }
    return true;
}

/* ---- chunks of all sections, numbered through ---- */

static int section_of(const reader *r, uint64_t chunk, uint64_t *which) {
    int i = 0;
    while (chunk >= r->first_chunk[i + 1])
        i++;
    *which = chunk - r->first_chunk[i];
    return i;
}

/* Has the kernel clear a chunk's pages before somebody writes there. */
static void clear_pages(const reader *r, uint64_t chunk) {
#ifdef MADV_POPULATE_WRITE
    uint64_t which, bytes;
    const packed_section *s = &r->list[section_of(r, chunk, &which)];
    bytes = gg_packed_bytes(s);
    uint64_t at = which * PACKED_CHUNK;
    uintptr_t begin = (uintptr_t)*s->array + at, end = begin;
    end += bytes - at < PACKED_CHUNK ? bytes - at : PACKED_CHUNK;
    begin = (begin + GG_PAGE - 1) / GG_PAGE * GG_PAGE;
    end = end / GG_PAGE * GG_PAGE;
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
#else
    (void)r;
    (void)chunk;
#endif
}

/* While there is nothing to check: the next chunk that nobody has cleared, a little ahead of
** the one that is being read. */
static void clear_ahead(reader *r, uint64_t reading) {
    uint64_t cleared = __atomic_load_n(&r->cleared, __ATOMIC_RELAXED);
    uint64_t chunk = cleared > reading ? cleared : reading + 1;
    if (chunk < r->chunks && chunk <= reading + GG_CLEAR_CHUNKS &&
        __atomic_compare_exchange_n(&r->cleared, &cleared, chunk + 1, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        clear_pages(r, chunk);
    else
        sched_yield();
}

static void read_section(reader *r, int i) {
    const packed_section *s = &r->list[i];
    uint64_t bytes = gg_packed_bytes(s), chunk = r->first_chunk[i];
    char *block = *s->array;
    for (uint64_t at = 0; at < bytes; at += PACKED_CHUNK) {
        uint64_t count = bytes - at < PACKED_CHUNK ? bytes - at : PACKED_CHUNK;
        if (!read_bytes(r, block + at, count))
            return;
        __atomic_store_n(&r->ready, ++chunk, __ATOMIC_RELEASE);
    }
    for (uint64_t k = s->count * s->size; k < bytes; k++)
        if (block[k])
            __atomic_store_n(&r->bad, i + 1, __ATOMIC_RELAXED);
    read_bytes(r, &r->want[i], sizeof r->want[i]);
}

/* Checks chunks as they are read, until there are no more. */
static void check_chunks(reader *r) {
    for (;;) {
        uint64_t which, ready, chunk;
        chunk = __atomic_fetch_add(&r->checked, 1, __ATOMIC_RELAXED);
        if (chunk >= r->chunks)
            return;
        while ((ready = __atomic_load_n(&r->ready, __ATOMIC_ACQUIRE)) <= chunk) {
            if (gg_stopping(r->run))
                return;
            clear_ahead(r, ready);
        }
        int i = section_of(r, chunk, &which);
        check_chunk(r, i, which);
    }
}

static void compare_checksums(reader *r) {
    for (int i = 0; i < r->sections && !gg_stopping(r->run); i++) {
        uint64_t sum = 0;
        for (uint64_t which = 0; which < chunks_of(&r->list[i]); which++)
            sum = gg_mix_checksums(sum, r->sums[i][which]);
        if (sum != r->want[i])
            refuse(r, "does not match its checksum", r->list[i].name);
    }
    if (!gg_stopping(r->run) && r->bad)
        refuse(r, "has numbers that are out of range", r->list[r->bad - 1].name);
}

static void read_sections(reader *r) {
    int threads = gg_threads(r->run, r->header.size / sizeof(uint32_t));
    for (int i = 0; i < r->sections; i++)
        r->first_chunk[i + 1] = r->first_chunk[i] + chunks_of(&r->list[i]);
    r->chunks = r->first_chunk[r->sections];
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() == 0)
            for (int i = 0; i < r->sections && !gg_stopping(r->run); i++)
                read_section(r, i);
        if (!gg_stopping(r->run))
            check_chunks(r);
    }
    if (!gg_stopping(r->run))
        compare_checksums(r);
}

/* ---- what follows from the sections ---- */

/* Edges in the order of their sources are the rows themselves: targets serve for both. Weights
** of the rows are left for the first search that needs them: then they are one copy (csr.c). */
static void derive_rows(reader *r) {
    gpugraph_graph *graph = r->graph;
    struct csr_slot *out = &graph->csr[CSR_OUT];
    uint64_t n = r->header.n, m = r->header.m;
    graph->source = gg_alloc_roomy(r->run, m, sizeof *graph->source);
    out->target = graph->target;
    if (gg_stopping(r->run))
        return;
    int threads = gg_threads(r->run, m);
    uint64_t ends = 0, integers = r->header.integer_count;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096)
    for (uint64_t v = 0; v < n; v++)
        for (uint64_t e = out->offset[v]; e < out->offset[v + 1]; e++)
            graph->source[e] = (uint32_t)v;
    ends = n ? out->offset[integers] : 0;
    r->integer_ends += ends;
    out->m = m;
    out->made = true;
    out->sorted = r->header.flags & PACKED_ROWS_SORTED;
    if (!gg_stopping(r->run) && out->sorted && !gg_rows_sorted(r->run, out, graph->n))
        refuse(r, "is not in order", "target");
}

/* The bounds of gpugraph_create (graph.c). Narrow weights must show that they are. */
static void bound_paths(reader *r) {
    gpugraph_graph *graph = r->graph;
    uint64_t by_largest = r->largest * r->header.n;
    graph->path_low = r->largest;
    graph->path_high = UINT64_MAX;
    if (r->header.weight_type != GPUGRAPH_INTEGER_WEIGHTS)
        return;
    if (r->largest < UINT32_MAX && by_largest < UINT32_MAX)
        graph->path_high = by_largest;
    else if (r->largest < UINT32_MAX && gg_sum_holds(r->header.m, r->largest) &&
             r->total < UINT32_MAX / 2)
        graph->path_high = 2 * r->total;
    else if (graph->distance_type == GPUGRAPH_UINT32)
        graph->path_low = graph->path_high = gg_longest_path(graph, r->run);
    if (graph->distance_type == GPUGRAPH_UINT32 && graph->path_high >= UINT32_MAX &&
        !gg_stopping(r->run))
        refuse(r, "is too large for the type of distances", "weight");
}

static void point_ids(reader *r) {
    gpugraph_graph *graph = r->graph;
    const packed_header *h = &r->header;
    graph->ids.integer_count = (uint32_t)h->integer_count;
    graph->ids.first_integer = h->flags & PACKED_INTEGERS ? 0 : (int64_t)h->first_integer;
    graph->ids.integer = graph->id_integer;
    graph->ids.texts =
        (gpugraph_texts){(int64_t)h->texts, graph->id_text_offset, graph->id_text_bytes};
    if (h->flags & PACKED_INTEGERS)
        gg_index_integers(r->run, graph, r->integer_ends);
    else
        graph->id_span = h->integer_count;
    graph->integer_ends = r->integer_ends;
}

static void check_texts(reader *r) {
    const gpugraph_texts *texts = &r->graph->ids.texts;
    int falls = 0, threads = gg_threads(r->run, (uint64_t)texts->count);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : falls)
    for (int64_t t = 1; t < texts->count; t++) {
        const uint64_t *at = &texts->offset[t - 1];
        if (!gg_leave(r->run, (uint64_t)t))
            falls |= gg_compare_texts(texts->bytes + at[0], at[1] - at[0],
                                      texts->bytes + at[1], at[2] - at[1]) >= 0;
    }
    if (falls && !gg_stopping(r->run))
        refuse(r, "is not in order", "text");
}

static void finish(reader *r) {
    gpugraph_graph *graph = r->graph;
    const packed_header *h = &r->header;
    graph->n = (uint32_t)h->n;
    graph->m = h->m;
    graph->wide = gg_is_wide(h->m);
    graph->distance_type = (gpugraph_distance_type)h->distance_type;
    graph->has_equal_edge_ids = h->flags & PACKED_EQUAL_EDGE_IDS;
    if (h->flags & PACKED_IN_ORDER)
        derive_rows(r);
    if (!gg_stopping(r->run))
        gg_bound_degrees(graph, 0, r->run);
    if (!gg_stopping(r->run))
        bound_paths(r);
    if (!gg_stopping(r->run))
        point_ids(r);
    if (!gg_stopping(r->run))
        check_texts(r);
    gg_point_edges(graph, (gpugraph_weight_type)h->weight_type);
    graph->host_bytes = gg_graph_bytes(graph);
}

gpugraph_status gpugraph_unpack(gpugraph_run *run, const gpugraph_stream *from,
                                uint64_t size, gpugraph_graph **graph) {
    reader r = {.run = run, .from = from};
    double start = gg_now_ms();
    gg_begin(run);
    *graph = NULL;
    r.graph = gg_alloc_zero(run, 1, sizeof *r.graph);
    if (!r.graph)
        return run->status;
    if (read_header(&r, size) && take_sections(&r))
        read_sections(&r);
    if (!gg_stopping(run))
        finish(&r);
    for (int i = 0; i < r.sections; i++)
        gg_release(r.sums[i]);
    if (gg_stopping(run)) {
        gpugraph_free(r.graph);
        return gg_stopped(run);
    }
    *graph = r.graph;
    gg_phase(run, "unpack", start, (int64_t)r.graph->m, "%llu bytes",
             (unsigned long long)size);
    return run->status;
}
