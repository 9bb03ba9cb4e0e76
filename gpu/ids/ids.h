/* The inside of the mapping from ids to vertex numbers, for the files that share it: ids.c
** (the way of a column, ids close together, texts), sparse.c (ids far apart), and on a
** device the .cu files beside these (ids.cuh). */
#ifndef GPUGRAPH_IDS_H
#define GPUGRAPH_IDS_H

#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GG_SIGN_BIT ((uint64_t)1 << 63) /* flipped: signed order becomes unsigned order */

enum { ID_COLUMNS = 3 }; /* source, target, further vertices */

enum integer_mode { CONSECUTIVE, BITMAP, SPARSE };

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
    double moved_ms; /* of a device: its phases "upload" and "download" */
} id_mapper;

static inline bool gg_id_is_text(const gpugraph_id_column *ids, uint64_t i) {
    return ids->is_text && (ids->is_text[i / 8] >> (i % 8) & 1);
}

/* All of it on the device: true when the columns are as they were, so that the host can do
** it instead where run->status tells of a failure. (ids.cu) */
bool gg_cuda_map_ids(id_mapper *m);
/* The same, for the host; NULL where there is no nvcc. False: the host must do it. */
extern bool (*const gg_device_mapper)(struct id_mapper *);
/* Numbers the integers of all columns, whatever they are: fills graph->id_integer and
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

#ifdef __cplusplus
}
#endif
#endif
