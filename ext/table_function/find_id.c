/* Ids among those of a graph. */
#include "find_id.h"
#include "base/vertex_id.h"

typedef struct lookup {
    const gpugraph_graph *graph;
    uint32_t vertex;
} lookup;

static bool is_vertex(void *of, sqlite3_int64 integer, const char *text, size_t bytes) {
    lookup *l = of;
    l->vertex = text ? gpugraph_find_text(l->graph, text, bytes)
                     : gpugraph_find_integer(l->graph, integer);
    return l->vertex != GPUGRAPH_NONE;
}

int find_vertex(const gpugraph_graph *graph, char affinity, sqlite3_value *value,
                uint32_t *vertex) {
    lookup l = {graph, GPUGRAPH_NONE};
    bool found;
    int rc = column_id_find(value, affinity, is_vertex, &l, &found);
    *vertex = l.vertex;
    return rc;
}

int find_id(const gpugraph_graph *graph, const char affinity[2], sqlite3_value *id,
            uint32_t *vertex, char **fault) {
    lookup l = {graph, GPUGRAPH_NONE};
    bool found;
    *fault = NULL;
    int rc = argument_id_find(id, affinity, is_vertex, &l, &found);
    *vertex = l.vertex;
    if (rc == SQLITE_OK && !found)
        rc = argument_id_fault(id, affinity, fault);
    return *fault ? SQLITE_ERROR : rc;
}

int find_other_type(const gpugraph_graph *graph, sqlite3_value *id, const char **type) {
    const bool text = sqlite3_value_type(id) == SQLITE_TEXT;
    uint32_t other;
    int rc = find_vertex(graph, text ? 'C' : 'B', id, &other);
    *type = other == GPUGRAPH_NONE ? NULL : text ? "INTEGER" : "TEXT";
    return rc;
}
