/* The expected graph, by an oracle that shares no code with gpu/: it sorts (id, row)
** records with qsort and looks ids up with bsearch. */
#ifndef TEST_GRAPH_ORACLE_H
#define TEST_GRAPH_ORACLE_H

#include "edge_input.h"

typedef struct id {
    bool text;
    int64_t integer; /* or the number of the text */
    const char *bytes;
    uint64_t length;
} id;

typedef struct arc {
    uint32_t row, column;
    double weight;
} arc;

typedef struct edge {
    int64_t edge_id, row;
    uint32_t source, target;
} edge;

typedef struct oracle {
    id *ids;
    uint32_t n;
    edge *edges;
} oracle;

static id id_of(const input *in, const gpugraph_id_column *column, int64_t i) {
    id result = {.text = column->is_text && (column->is_text[i / 8] >> i % 8 & 1),
                 .integer = column->value[i]};
    if (result.text) {
        result.bytes = in->text_bytes + in->text_offset[result.integer];
        result.length =
            in->text_offset[result.integer + 1] - in->text_offset[result.integer];
    }
    return result;
}

static int compare_ids(const void *a, const void *b) {
    const id *x = a, *y = b;
    if (x->text != y->text)
        return x->text ? 1 : -1;
    if (x->text)
        return compare_bytes(x->bytes, x->length, y->bytes, y->length);
    return x->integer < y->integer ? -1 : x->integer > y->integer;
}

static int compare_edges(const void *a, const void *b) {
    const edge *x = a, *y = b;
    if (x->edge_id != y->edge_id)
        return x->edge_id < y->edge_id ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static uint32_t oracle_find(const oracle *o, id wanted) {
    const id *found = bsearch(&wanted, o->ids, o->n, sizeof wanted, compare_ids);
    return found ? (uint32_t)(found - o->ids) : GPUGRAPH_NONE;
}

static oracle make_oracle(const input *in) {
    int64_t m = in->edges.count, extra = in->edges.vertex_count;
    oracle o = {calloc((size_t)(2 * m + extra) + 1, sizeof(id)), 0,
                calloc((size_t)m + 1, sizeof(edge))};
    for (int64_t i = 0; i < m; i++) {
        o.ids[2 * i] = id_of(in, &in->edges.source, i);
        o.ids[2 * i + 1] = id_of(in, &in->edges.target, i);
    }
    for (int64_t i = 0; i < extra; i++)
        o.ids[2 * m + i] = id_of(in, &in->edges.vertex, i);
    qsort(o.ids, (size_t)(2 * m + extra), sizeof(id), compare_ids);
    for (int64_t i = 0; i < 2 * m + extra; i++)
        if (o.n == 0 || compare_ids(&o.ids[i], &o.ids[o.n - 1]) != 0)
            o.ids[o.n++] = o.ids[i];
    for (int64_t i = 0; i < m; i++)
        o.edges[i] = (edge){in->edge_id ? in->edge_id[i] : i + 1, i,
                            oracle_find(&o, id_of(in, &in->edges.source, i)),
                            oracle_find(&o, id_of(in, &in->edges.target, i))};
    qsort(o.edges, (size_t)m, sizeof(edge), compare_edges);
    return o;
}

static void free_oracle(oracle *o) {
    free(o->ids);
    free(o->edges);
}

static gpugraph_distance_type oracle_type(const input *in, const oracle *o) {
    const int64_t *weight = in->weight;
    if (in->edges.weight_type != GPUGRAPH_INTEGER_WEIGHTS)
        return in->edges.weight_type == GPUGRAPH_REAL_WEIGHTS ? GPUGRAPH_REAL
                                                              : GPUGRAPH_UINT32;
    uint64_t *top = calloc((size_t)o->n + 1, sizeof *top);
    long double sum = 0;
    for (int64_t e = 0; e < in->edges.count; e++) {
        uint64_t w = (uint64_t)weight[o->edges[e].row];
        uint32_t ends[] = {o->edges[e].source, o->edges[e].target};
        for (int i = 0; i < 2; i++)
            top[ends[i]] = w > top[ends[i]] ? w : top[ends[i]];
    }
    for (uint32_t v = 0; v < o->n; v++)
        sum += (long double)top[v];
    free(top);
    return sum < 4294967295.0L ? GPUGRAPH_UINT32 : GPUGRAPH_UINT64;
}

static double stored_weight(gpugraph_distance_type type, const void *weight, uint64_t i) {
    if (!weight)
        return 0;
    return type == GPUGRAPH_REAL     ? ((const double *)weight)[i]
           : type == GPUGRAPH_UINT64 ? (double)((const int64_t *)weight)[i]
                                     : (double)((const uint32_t *)weight)[i];
}

#endif
