/* Reads a graph's packed form (packed.h has a drawing).
**
**     each section    reads its bytes; all threads check checksums and numbers of chunks
**     the graph       derives rows, bounds and an index of ids from the sections;
**                     checks the sections against one another
**
** The caller need not trust the bytes. In a graph that passes the checks every number is
** in range, and the type of distances can hold the length of every path. */
#include "packed.h"
#include "base/run.h"
#include "graph/copy.h"
#include "ids/ids.h"
#include "update/update.h"

#include <string.h>

typedef struct reader {
    gpugraph_run *run;
    const gpugraph_stream *from;
    uint64_t at;
    packed_header header;
    gpugraph_graph *graph;
    /* Sums over all sections. */
    uint64_t largest, total; /* weights; each counts at most 2^32 - 1 */
    uint64_t integer_ends;   /* ends of edges that are INTEGER vertices */
} reader;

/* Fails the run because the graph is damaged. name: the section, or NULL. */
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
        (h->flags & PACKED_EQUAL_EDGE_IDS && !(h->flags & PACKED_EDGE_IDS)))
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
    /* The last of consecutive ids must be an INTEGER, too. */
    bool listed = h->flags & PACKED_INTEGERS;
    if (!listed && h->integer_count &&
        (int64_t)h->first_integer > INT64_MAX - (int64_t)(h->integer_count - 1))
        return false;
    return !listed || h->integer_count;
}

/* Returns the number of sections; 0 after an error. */
static int read_header(reader *r, uint64_t size, packed_section *list) {
    packed_header *h = &r->header;
    if (size < sizeof *h) {
        refuse(r, "it is cut short", NULL);
        return 0;
    }
    if (!read_bytes(r, h, sizeof *h))
        return 0;
    if (memcmp(h->magic, "gpugraph", sizeof h->magic) != 0)
        refuse(r, "it does not begin like a packed graph", NULL);
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
        return 0;
    const int sections = gg_packed_sections(h, r->graph, list);
    if (h->size == size && gg_packed_total(list, sections) == size)
        return sections;
    refuse(r, "its size is not what its header says", NULL);
    return 0;
}

/* ---- a chunk: its checksum and its numbers ---- */

static void add_to(uint64_t *sum, uint64_t more) {
    if (more)
        __atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
}

/* Returns true if all vertex numbers are below the limit. Also counts the numbers of
** INTEGER vertices. */
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

/* Returns true if no weight is negative, or 2^32 - 1 in 32 bits, which is the distance of
** a vertex that is not reached. */
static bool integers_good(reader *r, const void *weight, size_t size, uint64_t count) {
    const uint32_t *narrow = size == sizeof *narrow ? weight : NULL;
    const uint64_t *wide = weight;
    uint64_t top = 0, sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t here = narrow ? narrow[i] : wide[i];
        top = here > top ? here : top;
        sum += here < UINT32_MAX ? here : UINT32_MAX;
    }
    gg_raise(&r->largest, top < UINT32_MAX ? top : UINT32_MAX);
    add_to(&r->total, sum);
    return top < (narrow ? UINT32_MAX : (uint64_t)INT64_MAX + 1);
}

/* Returns true if no number is negative, infinite or NaN. As integers, the bits of such
** numbers are larger than the bits of all other numbers. */
static bool reals_good(const uint64_t *bits, uint64_t count) {
    uint64_t top = 0;
    for (uint64_t i = 0; i < count; i++)
        top = bits[i] > top ? bits[i] : top;
    return top < 0x7ff0000000000000u;
}

/* Checks entries first .. first + count - 1 of a section. */
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

/* The check of a section that was read. */
typedef struct section_check {
    reader *r;
    const packed_section *section;
    uint64_t *sum; /* checksum of each chunk */
    bool bad;      /* the section has a number that is not allowed */
} section_check;

/* Checks chunk number `which` of a section, in any thread. */
static void check_chunk(void *of, uint64_t which) {
    section_check *c = of;
    const packed_section *s = c->section;
    uint64_t bytes = s->count * s->size, at = which * PACKED_CHUNK;
    uint64_t count = bytes - at < PACKED_CHUNK ? bytes - at : PACKED_CHUNK;
    if (gg_pause(c->r->run))
        return;
    c->sum[which] = gg_chunk_checksum((const char *)*s->array + at, count, which);
    if (!numbers_good(c->r, s, at / s->size, count / s->size))
        __atomic_store_n(&c->bad, true, __ATOMIC_RELAXED);
}

/* ---- sections ---- */

/* Reads the bytes of a section and its padding to 8 bytes, which must be 0. */
static bool read_array(reader *r, const packed_section *s) {
    const uint64_t bytes = gg_packed_bytes(s);
    char *block = *s->array = gg_alloc_slack(r->run, bytes, 1);
    for (uint64_t at = 0, count; block && at < bytes; at += count) {
        count = bytes - at < PACKED_CHUNK ? bytes - at : PACKED_CHUNK;
        if (!read_bytes(r, block + at, count))
            return false;
    }
    for (uint64_t k = s->count * s->size; block && k < bytes; k++)
        if (block[k])
            refuse(r, "is not filled up with 0", s->name);
    return !gg_stopping(r->run);
}

static void read_section(reader *r, const packed_section *s) {
    const uint64_t bytes = s->count * s->size,
                   chunks = (bytes + PACKED_CHUNK - 1) / PACKED_CHUNK;
    section_check check = {.r = r, .section = s};
    uint64_t sum = 0, wanted;
    if (!read_array(r, s) || !read_bytes(r, &wanted, sizeof wanted) ||
        !(check.sum = gg_alloc(r->run, chunks, sizeof *check.sum)))
        return;
    gg_parts(gg_threads(r->run, bytes / sizeof(uint32_t)), chunks, check_chunk, &check);
    for (uint64_t which = 0; which < chunks && !gg_stopping(r->run); which++)
        sum = gg_mix_checksums(sum, check.sum[which]);
    if (!gg_stopping(r->run) && sum != wanted)
        refuse(r, "does not match its checksum", s->name);
    if (!gg_stopping(r->run) && check.bad)
        refuse(r, "has numbers that are out of range", s->name);
    gg_release(check.sum);
}

/* ---- the rest of the graph ---- */

static void list_sources(void *of, uint64_t low, uint64_t high) {
    gpugraph_graph *graph = of;
    const uint64_t *offset = graph->csr[CSR_OUT].offset;
    for (uint64_t v = low; v < high; v++)
        for (uint64_t e = offset[v]; e < offset[v + 1]; e++)
            graph->source[e] = (uint32_t)v;
}

/* If edges are in the order of their sources, the rows OUT share the edges' targets. The
** first search that needs weights of the rows copies the edges' weights (graph/csr.c). */
static void derive_rows(reader *r) {
    gpugraph_graph *graph = r->graph;
    struct csr_slot *out = &graph->csr[CSR_OUT];
    uint64_t n = r->header.n, m = r->header.m;
    enum { ROWS = 4096 }; /* rows that a thread takes at a time */
    graph->source = gg_alloc_slack(r->run, m, sizeof *graph->source);
    out->target = graph->target;
    if (gg_stopping(r->run))
        return;
    gg_chunks(gg_threads(r->run, m), n, ROWS, list_sources, graph);
    r->integer_ends += n ? out->offset[r->header.integer_count] : 0;
    out->m = m;
    out->made = true;
    if (!gg_stopping(r->run))
        out->sorted = gg_rows_sorted(r->run, out, graph->n);
}

static uint64_t longest_path(const void *of) {
    const reader *r = of;
    return gg_longest_path(r->graph, r->run);
}

/* Computes the bounds of gpugraph_create (graph/weights.c), and refuses narrow weights
** that paths can exceed. */
static void bound_paths(reader *r) {
    gpugraph_graph *graph = r->graph;
    const gpugraph_distance_type type = graph->distance_type;
    if (r->header.weight_type != GPUGRAPH_INTEGER_WEIGHTS)
        return;
    gg_choose_width(graph, r->largest, r->total, longest_path, r);
    if (graph->distance_type > type && !gg_stopping(r->run))
        refuse(r, "is too large for the type of distances", "weight");
    graph->distance_type = type;
}

static void point_ids(reader *r) {
    gpugraph_graph *graph = r->graph;
    const packed_header *h = &r->header;
    graph->ids.integer_count = (uint32_t)h->integer_count;
    graph->ids.first_integer = h->flags & PACKED_INTEGERS ? 0 : (int64_t)h->first_integer;
    graph->ids.integer = graph->id.integer;
    graph->ids.texts = (gpugraph_texts){.count = (int64_t)h->texts,
                                        .offset = graph->id.text_offset,
                                        .bytes = graph->id.text_bytes};
    if (h->flags & PACKED_INTEGERS)
        gg_index_integers(r->run, graph, r->integer_ends);
    else
        graph->id.span = h->integer_count;
}

typedef struct text_look {
    reader *r;
    bool falls; /* a text is not larger than the previous text */
} text_look;

static void compare_some_texts(void *look, uint64_t low, uint64_t high) {
    text_look *l = look;
    const gpugraph_texts *texts = &l->r->graph->ids.texts;
    bool falls = false;
    for (uint64_t t = low ? low : 1; t < high && !gg_leave(l->r->run, t); t++) {
        const uint64_t *at = &texts->offset[t - 1];
        falls |= gg_compare_texts(texts->bytes + at[0], at[1] - at[0],
                                  texts->bytes + at[1], at[2] - at[1]) >= 0;
    }
    if (falls)
        __atomic_store_n(&l->falls, true, __ATOMIC_RELAXED);
}

static void check_texts(reader *r) {
    uint64_t count = (uint64_t)r->graph->ids.texts.count;
    text_look look = {r, false};
    gg_slices(gg_threads(r->run, count), count, compare_some_texts, &look);
    if (look.falls && !gg_stopping(r->run))
        refuse(r, "is not in order", "text");
}

/* Fills the rest of the graph after all sections have passed their checks. */
static void derive_graph(reader *r) {
    gpugraph_graph *graph = r->graph;
    const packed_header *h = &r->header;
    graph->n = (uint32_t)h->n;
    graph->m = h->m;
    graph->wide = gg_is_wide(h->m);
    graph->distance_type = (gpugraph_distance_type)h->distance_type;
    graph->known.has_equal_edge_ids = h->flags & PACKED_EQUAL_EDGE_IDS;
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
    packed_section list[PACKED_SECTIONS];
    double start = gg_now_ms();
    gg_begin(run);
    if (!gg_needs(run, graph, 1, "graph"))
        return run->status;
    *graph = NULL;
    if (!gg_stream_works(from, run))
        return run->status;
    r.graph = gg_alloc_zero(run, 1, sizeof *r.graph);
    if (!r.graph)
        return run->status;
    const int sections = read_header(&r, size, list);
    for (int i = 0; i < sections && !gg_stopping(run); i++)
        read_section(&r, &list[i]);
    if (!gg_stopping(run))
        derive_graph(&r);
    if (gg_stopping(run)) {
        gpugraph_free(r.graph);
        return gg_stopped(run);
    }
    *graph = r.graph;
    gg_phase(run, "unpack", start, (int64_t)r.graph->m, "%llu bytes",
             (unsigned long long)size);
    return run->status;
}
