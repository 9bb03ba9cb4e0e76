/* Writes a graph's packed form (packed.h has a drawing). unpack.c shares the helpers. */
#include "packed.h"
#include "graph/graph.h"
#include "ids/ids.h"

#include <string.h>

/* ---- checksums ---- */

#define LANE_FACTOR 0x9e3779b97f4a7c15u

static inline uint64_t turn(uint64_t lane, uint64_t word) {
    lane = (lane ^ word) * LANE_FACTOR;
    return lane << 29 | lane >> 35;
}

/* Each of four lanes takes every fourth word, so the products of four words overlap. If
** one word of a lane changes, the lane's value always changes. */
uint64_t gg_chunk_checksum(const void *bytes, uint64_t count, uint64_t which) {
    uint64_t lane[4] = {gg_fixed_hash(which + 1), gg_fixed_hash(which + 2),
                        gg_fixed_hash(which + 3), gg_fixed_hash(which + 4)};
    const char *at = bytes;
    uint64_t words = count / 8, word[4], i = 0;
    for (; i + 4 <= words; i += 4) {
        memcpy(word, at + i * 8, sizeof word);
        for (int k = 0; k < 4; k++)
            lane[k] = turn(lane[k], word[k]);
    }
    for (int k = 0; i < words; i++, k++) {
        memcpy(word, at + i * 8, sizeof *word);
        lane[k] = turn(lane[k], *word);
    }
    word[0] = 0;
    if (count % 8)
        memcpy(word, at + words * 8, count % 8);
    uint64_t sum = gg_fixed_hash(count ^ gg_fixed_hash(word[0]));
    for (int k = 0; k < 4; k++)
        sum = gg_mix_checksums(sum, lane[k]);
    return sum;
}

uint64_t gg_mix_checksums(uint64_t before, uint64_t next) {
    return gg_fixed_hash((before << 7 | before >> 57) ^
                         gg_fixed_hash(next + LANE_FACTOR));
}

uint64_t gg_header_checksum(const packed_header *header) {
    return gg_chunk_checksum(header, offsetof(packed_header, checksum), 0);
}

/* ---- sections ---- */

int gg_packed_sections(const packed_header *h, gpugraph_graph *graph,
                       packed_section *list) {
    const bool ordered = h->flags & PACKED_IN_ORDER;
    const enum packed_numbers ids =
        h->flags & PACKED_EQUAL_EDGE_IDS ? PACKED_NOT_FALLING : PACKED_RISING;
    const size_t weight = gg_distance_size((gpugraph_distance_type)h->distance_type);
    const uint64_t m = h->m, texts = h->texts;
    struct graph_ids *id = &graph->id;
    const struct {
        bool present;
        packed_section section;
    } all[PACKED_SECTIONS] = {
        {!ordered, {"source", (void **)&graph->source, m, 4, PACKED_VERTICES, h->n}},
        {true, {"target", (void **)&graph->target, m, 4, PACKED_VERTICES, h->n}},
        {h->weight_type, {"weight", &graph->weight, m, weight, PACKED_WEIGHTS, 0}},
        {h->flags & PACKED_EDGE_IDS, {"edge_id", (void **)&graph->edge_id, m, 8, ids, 0}},
        {ordered,
         {"offset", (void **)&graph->csr[CSR_OUT].offset, h->n + 1, 8, PACKED_OFFSETS,
          m}},
        {h->flags & PACKED_INTEGERS,
         {"id", (void **)&id->integer, h->integer_count, 8, PACKED_RISING, 0}},
        {texts,
         {"text offset", (void **)&id->text_offset, texts + 1, 8, PACKED_OFFSETS,
          h->text_bytes}},
        {texts, {"text", (void **)&id->text_bytes, h->text_bytes, 1, PACKED_BYTES, 0}}};
    int n = 0;
    for (int i = 0; i < PACKED_SECTIONS; i++)
        if (all[i].present)
            list[n++] = all[i].section;
    return n;
}

uint64_t gg_packed_bytes(const packed_section *section) {
    return (section->count * section->size + 7) / 8 * 8;
}

uint64_t gg_packed_total(const packed_section *list, int count) {
    uint64_t bytes = sizeof(packed_header);
    for (int i = 0; i < count; i++)
        bytes += gg_packed_bytes(&list[i]) + sizeof(uint64_t);
    return bytes;
}

/* ---- the header ---- */

static bool sources_ascend(const gpugraph_graph *graph) {
    for (uint64_t e = 1; e < graph->m; e++)
        if (graph->source[e - 1] > graph->source[e])
            return false;
    return true;
}

static packed_header header_of(const gpugraph_graph *graph) {
    packed_section list[PACKED_SECTIONS];
    const gpugraph_ids *ids = &graph->ids;
    packed_header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, "gpugraph", sizeof h.magic);
    h.version = PACKED_VERSION;
    h.byte_order = 0x0102030405060708u;
    h.n = graph->n;
    h.m = graph->m;
    h.weight_type = graph->edges.weight_type;
    h.distance_type = graph->distance_type;
    h.integer_count = ids->integer_count;
    h.first_integer = (uint64_t)ids->first_integer;
    h.texts = (uint64_t)ids->texts.count;
    h.text_bytes = gg_text_bytes(&ids->texts);
    h.flags |= graph->edge_id ? PACKED_EDGE_IDS : 0;
    h.flags |=
        graph->edge_id && graph->known.has_equal_edge_ids ? PACKED_EQUAL_EDGE_IDS : 0;
    h.flags |= graph->id.integer ? PACKED_INTEGERS : 0;
    h.flags |= sources_ascend(graph) ? PACKED_IN_ORDER : 0;
    /* The list only borrows the graph's arrays. */
    int count = gg_packed_sections(&h, (gpugraph_graph *)graph, list);
    h.size = gg_packed_total(list, count);
    return h;
}

uint64_t gpugraph_packed_size(const gpugraph_graph *graph) {
    return header_of(graph).size;
}

/* ---- writing ---- */

typedef struct writer {
    gpugraph_run *run;
    const gpugraph_stream *to;
    uint64_t at;
} writer;

static void write_bytes(writer *w, const void *bytes, uint64_t count) {
    if (gg_poll(w->run))
        return;
    if (w->to->transfer(w->to->context, (void *)bytes, count, w->at) != 0 &&
        !gg_poll(w->run))
        gg_fail(w->run, GPUGRAPH_INVALID,
                "the packed graph could not be written, at byte %llu",
                (unsigned long long)w->at);
    w->at += count;
}

static void write_section(writer *w, const packed_section *section) {
    uint64_t bytes = section->count * section->size, sum = 0;
    uint64_t rest = gg_packed_bytes(section) - bytes;
    const char *from = *section->array, zero[8] = {0};
    for (uint64_t at = 0, count; at < bytes && !gg_stopping(w->run); at += count) {
        count = bytes - at < PACKED_CHUNK ? bytes - at : PACKED_CHUNK;
        sum =
            gg_mix_checksums(sum, gg_chunk_checksum(from + at, count, at / PACKED_CHUNK));
        write_bytes(w, from + at, count);
    }
    if (rest)
        write_bytes(w, zero, rest);
    write_bytes(w, &sum, sizeof sum);
}

/* Returns where the edges of each vertex begin, for edges in the order of their sources.
** NULL if the run must end. */
static uint64_t *offsets_of_sources(const gpugraph_graph *graph, gpugraph_run *run) {
    uint64_t *offset = gg_alloc(run, (uint64_t)graph->n + 1, sizeof *offset), e = 0;
    for (uint64_t v = 0; offset && v <= graph->n; v++) {
        while (e < graph->m && graph->source[e] < v)
            e++;
        offset[v] = e;
    }
    return offset;
}

bool gg_stream_works(const gpugraph_stream *stream, gpugraph_run *run) {
    if (gg_needs(run, stream, 1, "stream") && !stream->transfer)
        gg_fail(run, GPUGRAPH_INVALID, "stream.transfer is NULL");
    return run->status == GPUGRAPH_OK;
}

gpugraph_status gpugraph_pack(gpugraph_graph *graph, gpugraph_run *run,
                              const gpugraph_stream *to) {
    packed_section list[PACKED_SECTIONS];
    writer w = {run, to, 0};
    uint64_t *offset = NULL;
    double start = gg_now_ms();
    gg_begin(run);
    if (!gg_stream_works(to, run) || gg_bring_edges(graph, run))
        return run->status;
    if (graph->id.tombstones.count + graph->id.later.count > 0) {
        gg_fail(run, GPUGRAPH_INVALID,
                "the graph is not compact: call gpugraph_compact first");
        return run->status;
    }
    packed_header header = header_of(graph);
    bool ordered = header.flags & PACKED_IN_ORDER;
    if (ordered && !(offset = offsets_of_sources(graph, run)))
        return run->status;
    header.checksum = gg_header_checksum(&header);
    int count = gg_packed_sections(&header, graph, list);
    write_bytes(&w, &header, sizeof header);
    for (int i = 0; i < count && !gg_stopping(run); i++) {
        if (list[i].array == (void **)&graph->csr[CSR_OUT].offset)
            list[i].array = (void **)&offset; /* the graph's own rows may have slack */
        write_section(&w, &list[i]);
    }
    gg_release(offset);
    if (gg_stopping(run))
        return gg_stopped(run);
    gg_phase(run, "pack", start, (int64_t)graph->m, "%llu bytes",
             (unsigned long long)w.at);
    return run->status;
}
