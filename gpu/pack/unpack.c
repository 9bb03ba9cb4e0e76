/* Reads a graph's packed form (packed.h has a drawing), section by section: first the
** bytes, then the checks of its chunks on all threads. The numbers of a section are used
** only after its checksum has matched.
**
** The bytes may come from anywhere. A graph that passes has no number out of range, and
** no path that its type of distances cannot hold. */
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

/* Returns the number of sections; 0: the header was refused. */
static int read_header(reader *r, uint64_t size, packed_section *list) {
    packed_header *h = &r->header;
    if (size < sizeof *h) {
        gg_unpack_refuse(r, "it is cut short", NULL);
        return 0;
    }
    if (!read_bytes(r, h, sizeof *h))
        return 0;
    if (memcmp(h->magic, "gpugraph", sizeof h->magic) != 0)
        gg_unpack_refuse(r, "it does not begin like a packed graph", NULL);
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
        return 0;
    const int sections = gg_packed_sections(h, r->graph, list);
    if (h->size == size && gg_packed_total(list, sections) == size)
        return sections;
    gg_unpack_refuse(r, "its size is not what its header says", NULL);
    return 0;
}

/* ---- sections ---- */

/* Reads the bytes of a section, and those that fill up the last 8, which must be 0. */
static bool read_array(reader *r, const packed_section *s) {
    const uint64_t bytes = gg_packed_bytes(s);
    char *block = *s->array = gg_alloc_roomy(r->run, bytes, 1);
    for (uint64_t at = 0, count; block && at < bytes; at += count) {
        count = bytes - at < PACKED_CHUNK ? bytes - at : PACKED_CHUNK;
        if (!read_bytes(r, block + at, count))
            return false;
    }
    for (uint64_t k = s->count * s->size; block && k < bytes; k++)
        if (block[k])
            gg_unpack_refuse(r, "is not filled up with 0", s->name);
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
    gg_parts(gg_threads(r->run, bytes / sizeof(uint32_t)), chunks, gg_unpack_check,
             &check);
    for (uint64_t which = 0; which < chunks && !gg_stopping(r->run); which++)
        sum = gg_mix_checksums(sum, check.sum[which]);
    if (!gg_stopping(r->run) && sum != wanted)
        gg_unpack_refuse(r, "does not match its checksum", s->name);
    if (!gg_stopping(r->run) && check.bad)
        gg_unpack_refuse(r, "has numbers that are out of range", s->name);
    gg_release(check.sum);
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
        gg_unpack_derive(&r);
    if (gg_stopping(run)) {
        gpugraph_free(r.graph);
        return gg_stopped(run);
    }
    *graph = r.graph;
    gg_phase(run, "unpack", start, (int64_t)r.graph->m, "%llu bytes",
             (unsigned long long)size);
    return run->status;
}
