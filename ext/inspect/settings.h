/* What gpugraph_config sets and gpugraph_settings lists: one table of settings, of which
** both read. */
#ifndef GPUGRAPH_SETTINGS_H
#define GPUGRAPH_SETTINGS_H

#include "base/connection.h"

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
