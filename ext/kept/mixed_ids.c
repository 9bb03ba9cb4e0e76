/* Ids that are a number in one column and a text in another one.
**
**     INTEGERs  1 2 3      TEXTs  '02' '3' 'x'      3 and '3' are such an id
**
** A TEXT column stores numbers as texts and a numeric column stores texts of numbers as numbers. So
** where one column is TEXT and another one numeric, two vertices 3 and '3' have come from these two. */
#include "cache.h"
#include "base/vertex_id.h"
#include <string.h>

/* Is the INTEGER a vertex, and a text that is written so, too? */
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

static bool note_if_mixed(graph_ref *g, sqlite3_int64 id) {
    char text[WRITTEN_ID];
    if (!is_mixed(g->graph, id, text))
        return false;
    g->has_mixed_id = true;
    g->mixed_id = id;
    return true;
}

static int look_at_all(connection *c, graph_ref *g) {
    enum { PATIENCE = 1 << 20 }; /* texts between two questions whether to stop */
    const gpugraph_texts *texts = &gpugraph_vertex_ids(g->graph)->texts;
    sqlite3_int64 id;
    uint64_t length;
    for (int64_t t = 0; t < texts->count; t++) {
        const char *text = gpugraph_text(texts, (uint64_t)t, &length);
        if (id_is_written(text, (size_t)length, &id) && note_if_mixed(g, id))
            return SQLITE_OK;
        if (t % PATIENCE == PATIENCE - 1 && connection_interrupted(c))
            return SQLITE_INTERRUPT;
    }
    g->ids_checked = true;
    return SQLITE_OK;
}

int mixed_ids_check(connection *c, graph_ref *g, char **fault) {
    char text[WRITTEN_ID];
    int rc = SQLITE_OK;
    *fault = NULL;
    if (!g->ids.mixed || g->ids_checked)
        return SQLITE_OK;
    if (!g->has_mixed_id || !is_mixed(g->graph, g->mixed_id, text)) {
        g->has_mixed_id = false;
        rc = look_at_all(c, g);
    }
    if (rc || !g->has_mixed_id)
        return rc;
    is_mixed(g->graph, g->mixed_id, text); /* writes the text */
    *fault = sqlite3_mprintf("%lld and '%s' %s", g->mixed_id, text, g->ids.mixed);
    return *fault ? SQLITE_ERROR : SQLITE_NOMEM;
}

static bool look_at_column(graph_ref *g, const gpugraph_id_column *column, int64_t count,
                           const gpugraph_texts *texts) {
    bool mixed = false;
    for (int64_t i = 0; i < count && !mixed; i++) {
        sqlite3_int64 id = column->value[i];
        uint64_t length;
        bool number = true;
        if (column->is_text && column->is_text[i / 8] >> i % 8 & 1) {
            const char *text = gpugraph_text(texts, (uint64_t)id, &length);
            number = id_is_written(text, (size_t)length, &id);
        }
        mixed = number && note_if_mixed(g, id);
    }
    return mixed;
}

void mixed_ids_added(graph_ref *g, const gpugraph_edges *added) {
    if (!g->ids.mixed || !g->ids_checked || !added)
        return;
    if (look_at_column(g, &added->source, added->count, &added->texts) ||
        look_at_column(g, &added->target, added->count, &added->texts) ||
        look_at_column(g, &added->vertex, added->vertex_count, &added->texts))
        g->ids_checked = false;
}
