/* Functions and tables that look inside. */
#ifndef GPUGRAPH_INSPECT_H
#define GPUGRAPH_INSPECT_H

#include "base/connection.h"

/* gpugraph_version, _triangles, and those below */
int inspect_register(connection *c);

/* ---- lists.c: gpugraph_settings, _devices, _methods, _graphs, _timings, _estimate ---- */

int lists_register(connection *c);

/* ---- settings.c: one table of settings, which gpugraph_config sets and gpugraph_settings lists ---- */

/* A setting as it now holds. */
typedef struct setting_row {
    const char *name;
    char meaning[100];
    const char *text; /* NULL: the value is the integer */
    sqlite3_int64 integer;
} setting_row;

/* Setting number i; false past the last. */
bool setting_at(connection *c, int i, setting_row *row);
/* All settings get their defaults. */
void settings_reset(connection *c);
/* gpugraph_config */
int settings_register(connection *c);

#endif
