/* Ids that are a number in one column and a text in another one.
**
**     INTEGERs  1 2 3      TEXTs  '02' '3' 'x'      3 and '3' are such an id
**
** A TEXT column stores numbers as texts, and a numeric column stores texts of numbers as
** numbers. So if one column is TEXT and the other one numeric, an id may become two
** vertices, 3 and '3'. */
#include "cache.h"
#include "base/vertex_id.h"
#include <string.h>

/* True if the INTEGER and a text that spells it are both vertices. */
static bool is_mixed(const gpugraph_graph *graph, sqlite3_int64 id,
                     char text[WRITTEN_ID]) {
    bool found = false;
    if (gpugraph_find_integer(graph, id) == GPUGRAPH_NONE)
        return false;
    for (int place = 0; place < 2 && !found; place++) {
        id_write(id, place, text);
        found = gpugraph_find_text(graph, text, strlen(text)) != GPUGRAPH_NONE;
    }
    return found;
}

/* Looks at every TEXT vertex. *found: the TEXT spells the INTEGER *id, which is a vertex,
** too. */
static int look_at_all(connection *c, const graph_ref *g, sqlite3_int64 *id,
                       char text[WRITTEN_ID], bool *found) {
    enum { PATIENCE = 1 << 20 }; /* vertices between two polls for an interrupt */
    const gpugraph_ids *ids = gpugraph_vertex_ids(g->graph);
    const uint32_t n = gpugraph_vertex_count(g->graph);
    *found = false;
    for (uint32_t v = ids->integer_count; v < n && !*found; v++) {
        const gpugraph_id of = gpugraph_id_of(ids, v);
        *found = of.is_text && id_is_written(of.text, (size_t)of.length, id) &&
                 is_mixed(g->graph, *id, text);
        if (v % PATIENCE == PATIENCE - 1 && connection_interrupted(c))
            return SQLITE_INTERRUPT;
    }
    return SQLITE_OK;
}

int mixed_ids_check(connection *c, graph_ref *g, char **fault) {
    char text[WRITTEN_ID];
    sqlite3_int64 id;
    bool found;
    *fault = NULL;
    if (!g->ids.mixed || g->ids_checked)
        return SQLITE_OK;
    int rc = look_at_all(c, g, &id, text, &found);
    g->ids_checked = rc == SQLITE_OK && !found;
    if (rc || !found)
        return rc;
    return fail_with(fault, "%lld and '%s' %s", id, text, g->ids.mixed);
}

static bool is_mixed_column(const graph_ref *g, const gpugraph_id_column *column,
                            int64_t count, const gpugraph_texts *texts) {
    char written[WRITTEN_ID];
    bool mixed = false;
    for (int64_t i = 0; i < count && !mixed; i++) {
        sqlite3_int64 id = column->value[i];
        uint64_t length;
        bool number = true;
        if (column->is_text && column->is_text[i / 8] >> i % 8 & 1) {
            const char *text = gpugraph_text(texts, (uint64_t)id, &length);
            number = id_is_written(text, (size_t)length, &id);
        }
        mixed = number && is_mixed(g->graph, id, written);
    }
    return mixed;
}

void mixed_ids_added(graph_ref *g, const gpugraph_edges *added) {
    if (!g->ids.mixed || !g->ids_checked || !added)
        return;
    g->ids_checked =
        !is_mixed_column(g, &added->source, added->count, &added->texts) &&
        !is_mixed_column(g, &added->target, added->count, &added->texts) &&
        !is_mixed_column(g, &added->vertex, added->vertex_count, &added->texts);
}
