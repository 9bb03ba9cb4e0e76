/* The cells of a list. */
#include "inspect.h"
#include "base/room.h"

#include <string.h>

static cell *grid_add(grid *g, int type) {
    if (g->rc != SQLITE_OK)
        return NULL;
    if (!room_for_one(&g->cell, g->count, &g->room, sizeof *g->cell)) {
        g->rc = SQLITE_NOMEM;
        return NULL;
    }
    cell *added = &g->cell[g->count++];
    *added = (cell){.type = type};
    return added;
}

void add_text(grid *g, const char *text) {
    cell *added = grid_add(g, text ? SQLITE_TEXT : SQLITE_NULL);
    if (!added || !text)
        return;
    added->text = sqlite3_mprintf("%s", text);
    if (!added->text)
        g->rc = SQLITE_NOMEM;
}

void add_integer(grid *g, sqlite3_int64 integer) {
    cell *added = grid_add(g, SQLITE_INTEGER);
    if (added)
        added->integer = integer;
}

void add_real(grid *g, double real) {
    cell *added = grid_add(g, SQLITE_FLOAT);
    if (added)
        added->real = real;
}

void grid_clear(grid *g) {
    for (sqlite3_int64 i = 0; i < g->count; i++)
        sqlite3_free(g->cell[i].text);
    sqlite3_free(g->cell);
    sqlite3_free(g->error);
    memset(g, 0, sizeof *g);
}
