/* Sentences of errors and the names in them: quoted as SQL needs them, and the nearest
** name to a misspelt one.
**
**     my roads                    append_sql_name    "my roads"
**     aux, my roads               table_as_sql       aux."my roads"
**     rods among roads, links     nearest_look       "; the nearest name is 'roads'"
**/
#ifndef GPUGRAPH_NAMES_H
#define GPUGRAPH_NAMES_H

#include "ext.h"

/* Appends the name, in double quotes if SQL needs them. */
void append_sql_name(sqlite3_str *sql, const char *name);
/* The table's name, after its schema unless that is NULL or main (sqlite3_free); NULL: no
** memory. */
char *table_as_sql(const char *schema, const char *table);

/* Returns SQLITE_ERROR with the sentence in *error (sqlite3_free), or SQLITE_NOMEM. */
int fail_with(char **error, const char *format, ...);

/* The name nearest to a misspelt one. */
typedef struct nearest {
    const char *given; /* the misspelt name; NULL: none */
    int edits;         /* edits from `given` to the nearest name */
    char told[160];    /* the end of a sentence with that name; "": no name is near */
} nearest;

/* Compares another name. typed: the name as the sentence shows it. */
void nearest_look(nearest *n, const char *name, const char *typed);

#endif
