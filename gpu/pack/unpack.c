/* Reading a graph's packed form (packed.h draws it).
**
**     calling thread   reads chunk 0   reads chunk 1   reads chunk 2 ...
**     other threads                    check chunk 0   check chunk 1 ...
**
** A chunk is checked while it is still in the cache: its checksum, and that its numbers
** are what they may be. Whether checksums are right is known at the end; until then nothing
** is done with the numbers, which may be anything.
**
** The bytes may come from anywhere, so a graph that passes has no number out of range and
** no path that its type of distances cannot hold, whoever made it. */
#include "unpack.h"
#include "graph_data.h"

#include <string.h>

void gg_unpack_refuse(reader *r, const char *what, const char *name) {
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
        gg_unpack_refuse(r, "it is cut short", NULL);
        return false;
    }
    if (!read_bytes(r, h, sizeof *h))
        return false;
    if (memcmp(h->magic, "gpugraph", sizeof h->magic) != 0)
        gg_unpack_refuse(r, "it is no packed graph", NULL);
    else if (h->byte_order != 0x0102030405060708u)
        gg_unpack_refuse(r, "it was written with another byte order", NULL);
    else if (h->version != PACKED_VERSION)
        gg_fail(r->run, GPUGRAPH_INVALID,
                "the packed graph has format version %llu, and this library reads %d",
                (unsigned long long)h->version, PACKED_VERSION);
    else if (h->checksum != gg_header_checksum(h))
        gg_unpack_refuse(r, "its header does not match its checksum", NULL);
    else if (!kinds_fit(h) || !counts_fit(h, size))
        gg_unpack_refuse(r, "its header is inconsistent", NULL);
    if (gg_stopping(r->run))
        return false;
    r->sections = gg_packed_sections(h, r->graph, r->list);
    if (h->size != size || gg_packed_total(r->list, r->sections) != size) {
        gg_unpack_refuse(r, "its size is not what its header says", NULL);
        return false;
    }
    return true;
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
        uint64_t which, chunk;
        chunk = __atomic_fetch_add(&r->checked, 1, __ATOMIC_RELAXED);
        if (chunk >= r->chunks)
            return;
        while (__atomic_load_n(&r->ready, __ATOMIC_ACQUIRE) <= chunk) {
            if (gg_stopping(r->run))
                return;
            gg_yield();
        }
        int i = section_of(r, chunk, &which);
        gg_unpack_check(r, i, which);
    }
}

static void compare_checksums(reader *r) {
    for (int i = 0; i < r->sections && !gg_stopping(r->run); i++) {
        uint64_t sum = 0;
        for (uint64_t which = 0; which < chunks_of(&r->list[i]); which++)
            sum = gg_mix_checksums(sum, r->sums[i][which]);
        if (sum != r->want[i])
            gg_unpack_refuse(r, "does not match its checksum", r->list[i].name);
    }
    if (!gg_stopping(r->run) && r->bad)
        gg_unpack_refuse(r, "has numbers that are out of range",
                         r->list[r->bad - 1].name);
}

/* The caller reads, the others check; and then all check what is left. */
static void read_and_check(void *of, int member, int team) {
    reader *r = of;
    (void)team;
    for (int i = 0; member == 0 && i < r->sections && !gg_stopping(r->run); i++)
        read_section(r, i);
    if (!gg_stopping(r->run))
        check_chunks(r);
}

static void read_sections(reader *r) {
    int threads = gg_threads(r->run, r->header.size / sizeof(uint32_t));
    for (int i = 0; i < r->sections; i++)
        r->first_chunk[i + 1] = r->first_chunk[i] + chunks_of(&r->list[i]);
    r->chunks = r->first_chunk[r->sections];
    gg_team(threads, read_and_check, r);
    if (!gg_stopping(r->run))
        compare_checksums(r);
}

gpugraph_status gpugraph_unpack(gpugraph_run *run, const gpugraph_stream *from,
                                uint64_t size, gpugraph_graph **graph) {
    reader r = {.run = run, .from = from};
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
    if (read_header(&r, size) && take_sections(&r))
        read_sections(&r);
    if (!gg_stopping(run))
        gg_unpack_derive(&r);
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
