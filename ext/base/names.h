/* Sentences of errors, and names in them: quoted as SQL needs them, and the nearest name to
** a misspelt one.
**
**     my roads             append_sql_name    "my roads"
**     aux, my roads        table_as_sql       aux."my roads"
**     rods among roads, links             "; the nearest name is 'roads'" */
#ifndef GPUGRAPH_NAMES_H
#define GPUGRAPH_NAMES_H

#include "ext.h"

/* Appends the name, in double quotes where SQL needs them. */
void append_sql_name(sqlite3_str *sql, const char *name);
/* The table with its schema, unless that is NULL or main (sqlite3_free); NULL: no memory. */
char *table_as_sql(const char *schema, const char *table);

/* SQLITE_ERROR with the sentence in *error (sqlite3_free), or SQLITE_NOMEM. */
int fail_with(char **error, const char *format, ...);

/* The nearest of some names to a misspelt one. */
typedef struct nearest {
    const char *given; /* NULL: no name was misspelt */
    int edits;         /* from `given` to the name found */
    char told[160];    /* the end of a sentence that names it; "": none is near */
} nearest;

/* Compares another name. typed: what the sentence shows in its place. */
void nearest_look(nearest *n, const char *name, const char *typed);

#endif
