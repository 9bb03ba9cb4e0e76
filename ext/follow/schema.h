/* Steps of reading a definition, for make.c too: schema.c. */
#ifndef GPUGRAPH_FOLLOW_SCHEMA_H
#define GPUGRAPH_FOLLOW_SCHEMA_H

#include "sql.h"

/* Every trigger of the schema that writes or tends the log. */
int present_read(sqlite3 *db, const char *schema, const char *log, trigger_list *list);

/* Names alone. */
int definition_start(definition *d, const char *schema, const char *name);
/* Takes the arguments over: options, and the source until triggers say otherwise. */
int definition_take(definition *d, graph_arguments *arguments);
/* What is followed, when sqlite_schema has the new name already and log and triggers the
** old one. Leaves the new names in d. */
int definition_read_renamed(sqlite3 *db, const char *log, definition *d, char **error);

#endif
