/* Internals of the mapping from ids to vertex numbers: ids.c (columns, texts, integers
** close together), sparse.c (integers far apart), and the .cu files for devices
** (ids.cuh). */
#ifndef GPUGRAPH_IDS_H
#define GPUGRAPH_IDS_H

#include "graph_data.h"

GG_BEGIN_C

/* Flipping this bit turns signed order into unsigned order. */
#define GG_SIGN_BIT ((uint64_t)1 << 63)

enum { ID_COLUMNS = 3 }; /* source, target, further vertices */

enum integer_mode { IDS_CONSECUTIVE, IDS_BITMAP, IDS_SPARSE };

struct id_source { /* a column */
    gpugraph_id_column ids;
    uint64_t count;
    gpugraph_id_column *given; /* the caller's column, to free after use; NULL: keep it */
    uint32_t **result;         /* NULL: the caller does not need the numbers */
    uint32_t *number;          /* vertex numbers; NULL before numbering */
};

typedef struct id_mapper {
    gpugraph_graph *graph;
    gpugraph_run *run;
    const gpugraph_texts *texts;
    /* If not NULL, these device cells hold the ends, and `column` is unused. */
    struct gg_cells *cells;
    struct id_source column[ID_COLUMNS];
    uint64_t integers, texts_used; /* INTEGER entries; distinct texts */
    int64_t first, last;           /* smallest and largest INTEGER */
    enum integer_mode mode;
    uint8_t *text_used;
    uint32_t *text_rank;
    double moved_ms; /* time of a device's phase "upload" */
} id_mapper;

static inline bool gg_id_is_text(const gpugraph_id_column *ids, uint64_t i) {
    return ids->is_text && (ids->is_text[i / 8] >> (i % 8) & 1);
}

/* Maps the ids on the device. The columns are unchanged after a failure, unless the graph
** is device-resident. NULL in a build without nvcc. (ids.cu) */
extern void (*const gg_device_mapper)(struct id_mapper *);
/* Numbers the INTEGER ids of all columns by hashing: fills graph->id.integer and
** ids.integer_count, and writes each entry's vertex number to column.number, or over its
** id if the column was given away. (sparse.c) */
void gg_number_sparse_ids(id_mapper *m);

/* Predicts the times to map INTEGER ids on the host and on an open device; `ahead` is
** the time that the graph's first search saves on a device. (where.c) */
struct stakes gg_map_stakes(uint64_t edges, int threads);
/* left_ms: the time until the device is open. Returns true if the edges arrive there
** earlier when the host numbers their ends than when the device does. */
bool gg_host_maps_sooner(uint64_t edges, int threads, double left_ms);

/* ---- what folders above use ---- */

typedef struct id_mapping { /* the result of gg_map_ids */
    bool on_device;         /* in: try the device; out: the device mapped the ids */
    const char *note;       /* a static text for the phase "map" */
    double moved_ms;        /* time that other phases have reported already */
} id_mapping;
/* Fills source, target, n and the ids of a new graph from id columns; gg_free_ids frees
** the ids. With edges->take_over, the columns are freed and become NULL. If a device maps
** the ids, the edges are device-resident afterwards. */
gpugraph_status gg_map_ids(gpugraph_graph *graph, gpugraph_edges *edges,
                           gpugraph_run *run, id_mapping *how);
void gg_free_ids(gpugraph_graph *graph);
void gg_free_later(struct later_ids *later);
/* Returns the vertex number of an id, also of a tombstone, or NONE. (ids/find.c) */
uint32_t gg_number_of(const gpugraph_graph *graph, const gpugraph_id *id);

/* ---- ids/later.c ---- */

/* Number of vertices in order of ids, which is the number of the first later vertex. */
static inline uint32_t gg_ids_in_order(const gpugraph_graph *graph) {
    return graph->ids.integer_count + (uint32_t)graph->ids.texts.count;
}
/* Returns a negative number, 0 or a positive number; INTEGERs are less than TEXTs. */
int gg_compare_ids(const gpugraph_id *a, const gpugraph_id *b);
/* Each returns how many texts in order, ids in order, or later ids are less than the
** argument. */
uint64_t gg_texts_below(const gpugraph_texts *texts, const char *bytes, uint64_t length);
uint64_t gg_ids_below(const gpugraph_ids *ids, const gpugraph_id *id);
uint64_t gg_later_below(const struct later_ids *later, const gpugraph_id *id);
/* label[v] is the smallest number among the vertices with this label; the function
** replaces it by the vertex among them with the smallest id. */
void gg_label_by_id(const gpugraph_graph *graph, uint32_t *label);
/* True if v is a tombstone; *place: the position of v, or of the next tombstone. */
bool gg_find_tombstone(const gpugraph_graph *graph, uint32_t v, uint64_t *place);

/* Makes the bitmap of to->id.integer (ids.integer_count entries) if gpugraph_create would
** make one for `ends` INTEGER ends; also sets first_integer and id.span. (ids/find.c) */
void gg_index_integers(gpugraph_run *run, gpugraph_graph *to, uint64_t ends);
/* A bitmap numbers INTEGER ids if it has at most 8 bits for each entry, or at most 1,024
** bits; otherwise hashing numbers them. */
enum { GG_DIRECT_SPREAD = 8, GG_DIRECT_FREE = 1024 };
/* True if a bitmap numbers this many ends between `first` and `last`. */
static inline bool gg_close_together(uint64_t ends, int64_t first, int64_t last) {
    uint64_t distance = (uint64_t)last - (uint64_t)first;
    return distance / GG_DIRECT_SPREAD < ends || distance < GG_DIRECT_FREE;
}
/* Returns the vertex number of first_integer + place, an INTEGER in the bitmap. */
static inline uint32_t gg_id_rank(const gpugraph_graph *graph, uint64_t place) {
    uint64_t below = ((uint64_t)1 << (place % 64)) - 1;
    return graph->id.rank[place / 64] +
           (uint32_t)gg_count_bits(graph->id.present[place / 64] & below);
}
/* Returns entry i of a column of 4 or 8 bytes: an INTEGER, or the number of a text. */
static inline int64_t gg_id_at(const gpugraph_id_column *ids, uint64_t i) {
    return ids->value32 ? ids->value32[i] : ids->value[i];
}
/* Sorts `count` numbers of texts by gg_compare_texts. (ids/texts.c) */
gpugraph_status gg_sort_texts(gpugraph_run *run, const gpugraph_texts *texts,
                              uint32_t *number, uint64_t count);
/* Returns a value like memcmp; a prefix of a text is less than the text. */
int gg_compare_texts(const char *a, uint64_t a_length, const char *b, uint64_t b_length);

/* The hash table of TEXTs: the first function returns its bytes, the second adds text t,
** the last one. No other thread may use the graph meanwhile. (ids/find.c) */
uint64_t gg_text_index_bytes(const gpugraph_graph *graph);
void gg_text_index_add(gpugraph_graph *graph, uint32_t t);

/* Bytes of all texts. */
static inline uint64_t gg_text_bytes(const gpugraph_texts *texts) {
    return texts->count > 0 ? texts->offset[texts->count] - texts->offset[0] : 0;
}
/* A 64-bit hash of a text's bytes. (ids/hash.c) */
uint64_t gg_fixed_hash_text(const char *bytes, uint64_t length, uint64_t seed);
/* hash[v]: a hash of the id of v and the seed. It does not depend on the vertex number,
** so a vertex keeps its hash when other vertices change. */
gpugraph_status gg_hash_ids(const gpugraph_graph *graph, int64_t seed, gpugraph_run *run,
                            uint32_t *hash);

/* Returns true, with the device open, if the device numbers these ids: run->backend is
** cuda, or auto predicts that the device is faster and open, or open soon. */
bool gg_map_on_device(gpugraph_graph *graph, const gpugraph_edges *edges,
                      gpugraph_run *run);

GG_END_C
#endif
