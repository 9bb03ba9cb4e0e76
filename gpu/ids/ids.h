/* The inside of the mapping from ids to vertex numbers, for the files that share it: ids.c
** (the way of a column, ids close together, texts), sparse.c (ids far apart), and on a
** device the .cu files beside these (ids.cuh). */
#ifndef GPUGRAPH_IDS_H
#define GPUGRAPH_IDS_H

#include "graph_data.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GG_SIGN_BIT ((uint64_t)1 << 63) /* flipped: signed order becomes unsigned order */

enum { ID_COLUMNS = 3 }; /* source, target, further vertices */

enum integer_mode { IDS_CONSECUTIVE, IDS_BITMAP, IDS_SPARSE };

struct id_source { /* a column */
    gpugraph_id_column ids;
    uint64_t count;
    gpugraph_id_column *given; /* freed once read; NULL: kept */
    uint32_t **result;         /* NULL: nobody wants the numbers */
    uint32_t *number;          /* NULL until they are needed */
};

typedef struct id_mapper {
    gpugraph_graph *graph;
    gpugraph_run *run;
    const gpugraph_texts *texts;
    struct gg_cells *cells; /* the ends are there, not in column; or NULL */
    bool stay;              /* a device may keep the numbers to itself */
    struct id_source column[ID_COLUMNS];
    uint64_t integers, texts_used; /* entries; distinct ones */
    int64_t first, last;           /* smallest and largest INTEGER */
    enum integer_mode mode;
    uint8_t *text_used;
    uint32_t *text_rank;
    double moved_ms; /* of a device's phases "upload" and "download" */
} id_mapper;

static inline bool gg_id_is_text(const gpugraph_id_column *ids, uint64_t i) {
    return ids->is_text && (ids->is_text[i / 8] >> (i % 8) & 1);
}

/* Maps the ids on the device. After a failure in run->status, true means that the columns are unchanged,
** so that the host can map them. (ids.cu) */
bool gg_cuda_map_ids(id_mapper *m);
/* gg_cuda_map_ids for the host's code; NULL in a build without nvcc. */
extern bool (*const gg_device_mapper)(struct id_mapper *);
/* Numbers the integers of all columns, whatever they are: fills graph->id.integer and
** ids.integer_count, and puts each entry's vertex number in column.number, or, where the
** column was given away, in the place of its id. (sparse.c) */
void gg_number_sparse_ids(id_mapper *m);

/* Predicted, of INTEGER ids: on the host, on a device whose context is open. (where.c) */
double gg_map_host_ms(uint64_t edges, int threads);
double gg_map_device_ms(uint64_t edges);
/* Predicted, with a device that is open in so many ms: do the edges lie there earlier if the host numbers their ends
** meanwhile? */
bool gg_host_maps_sooner(uint64_t edges, int threads, double left_ms);
/* That the first search of such a graph takes longer on the CPU. */
double gg_first_search_gain_ms(uint64_t edges, int threads);

/* ---- what folders above use ---- */

typedef struct id_mapping { /* how it went */
    bool on_device;         /* given: try there; then: it was done there */
    const char *note;       /* a static phrase for the phase */
    double moved_ms;        /* told already, as phases of their own */
} id_mapping;
/* Fills source, target, n and the ids of a new graph from id columns; gg_free_ids gives
** back what belongs to the ids. With edges->take_over their columns are gone afterwards,
** and NULL. On a device the numbers stay there too: they are the edges' ends, as long as
** nobody changes the order of edges. */
gpugraph_status gg_map_ids(gpugraph_graph *graph, gpugraph_edges *edges,
                           gpugraph_run *run, id_mapping *how);
void gg_free_ids(gpugraph_graph *graph);
/* As gpugraph_find_integer and gpugraph_find_text, which do not find tombstones; these do.
** (ids/find.c, ids/find_text.c) */
uint32_t gg_number_of_integer(const gpugraph_graph *graph, int64_t id);
uint32_t gg_number_of_text(const gpugraph_graph *graph, const char *bytes, size_t length);
/* How many of texts in order come before that one. (ids/find_text.c) */
uint64_t gg_texts_below(const gpugraph_texts *texts, const char *bytes, uint64_t length);

/* ---- ids/later.c ---- */

/* Vertices that lie in order of ids: numbers from this one on are those of later ones. */
static inline uint32_t gg_ids_in_order(const gpugraph_graph *graph) {
    return graph->ids.integer_count + (uint32_t)graph->ids.texts.count;
}
/* Below 0, 0, above 0: INTEGERs before TEXTs. */
int gg_compare_ids(const gpugraph_id *a, const gpugraph_id *b);
/* How many ids in order, or later ones, come before that one. */
uint64_t gg_ids_below(const gpugraph_ids *ids, const gpugraph_id *id);
uint64_t gg_later_below(const struct later_ids *later, const gpugraph_id *id);
/* The number of a later vertex, or GPUGRAPH_NONE. */
uint32_t gg_find_later(const gpugraph_graph *graph, const gpugraph_id *id);
void gg_free_later(struct later_ids *later);
/* label[v] is the smallest number among the vertices that share it; it becomes the vertex among
** them whose id comes first. */
gpugraph_status gg_label_by_id(const gpugraph_graph *graph, gpugraph_run *run,
                               uint32_t *label);
/* True if v is a tombstone; *place: where it is among them, or would be. */
bool gg_find_tombstone(const gpugraph_graph *graph, uint32_t v, uint64_t *place);

/* The bitmap of to->id.integer (ids.integer_count of them), where gpugraph_create would
** make one for that many INTEGER ends; first_integer and id.span, too. (ids/find.c) */
void gg_index_integers(gpugraph_run *run, gpugraph_graph *to, uint64_t ends);
/* A bitmap numbers INTEGER ids where it has at most 8 bits for each id that occurs, and
** in any case up to 1,024 bits; hashing numbers the others. */
enum { GG_DIRECT_SPREAD = 8, GG_DIRECT_FREE = 1024 };
/* Are that many ends between INTEGERs first and last numbered by a bitmap? */
static inline bool gg_close_together(uint64_t ends, int64_t first, int64_t last) {
    uint64_t distance = (uint64_t)last - (uint64_t)first;
    return distance / GG_DIRECT_SPREAD < ends || distance < GG_DIRECT_FREE;
}
/* The vertex number of the INTEGER first_integer + place, which is in the bitmap. */
static inline uint32_t gg_id_rank(const gpugraph_graph *graph, uint64_t place) {
    uint64_t below = ((uint64_t)1 << (place % 64)) - 1;
    return graph->id.rank[place / 64] +
           (uint32_t)gg_count_bits(graph->id.present[place / 64] & below);
}
/* Entry i of a column, of either width: an INTEGER, or the number of a text. */
static inline int64_t gg_id_at(const gpugraph_id_column *ids, uint64_t i) {
    return ids->value32 ? ids->value32[i] : ids->value[i];
}
/* Sorts `count` numbers of texts by the bytes of the texts, a prefix first. (ids/texts.c) */
gpugraph_status gg_sort_texts(gpugraph_run *run, const gpugraph_texts *texts,
                              uint32_t *number, uint64_t count);
/* As memcmp, a prefix first. */
int gg_compare_texts(const char *a, uint64_t a_length, const char *b, uint64_t b_length);

/* The hash table of the TEXTs goes before they change; a text that comes behind all others
** is added to it afterwards. (ids/find_text.c) */
void gg_drop_text_index(gpugraph_graph *graph);
uint64_t gg_text_index_bytes(const gpugraph_graph *graph);
void gg_text_index_add(gpugraph_graph *graph, uint32_t t);

/* Bytes of all texts. */
static inline uint64_t gg_text_bytes(const gpugraph_texts *texts) {
    return texts->count > 0 ? texts->offset[texts->count] - texts->offset[0] : 0;
}
/* A hash of 64 bits of a text's bytes. (ids/hash.c) */
uint64_t gg_fixed_hash_text(const char *bytes, uint64_t length, uint64_t seed);
/* hash[v] of id and seed for every vertex: of the id's value, not of its number, so
** that a vertex keeps its hash whatever else is in the graph. */
gpugraph_status gg_hash_ids(const gpugraph_graph *graph, int64_t seed, gpugraph_run *run,
                            uint32_t *hash);

/* Should the device number the ids of these edges? It is, where run->backend says so, or auto predicts
** that it is faster, and its context is open, or soon will be. Opens the context. */
bool gg_map_on_device(gpugraph_graph *graph, const gpugraph_edges *edges,
                      gpugraph_run *run);

#ifdef __cplusplus
}
#endif
#endif
