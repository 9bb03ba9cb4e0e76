/* The SQL that makes a followed graph's log and triggers: sql/follow, with names put in. */
#ifndef GPUGRAPH_FOLLOW_SQL_H
#define GPUGRAPH_FOLLOW_SQL_H

#include "follow.h"

/* Triggers that a graph needs, or that are in the database. */
typedef struct trigger_list {
    struct trigger {
        char *name; /* what it is there for, in words, where it is needed */
        char *sql;  /* CREATE TRIGGER ... */
        /* in the database: the table, and the row of sqlite_schema */
        char *table;
        sqlite3_int64 row;
    } * item;
    int count;
    int64_t room;
} trigger_list;

/* One trigger more, all empty; NULL: no memory. */
struct trigger *trigger_list_add(trigger_list *list);

/* CREATE TABLE for the log and its marks; NULL: no memory. */
char *follow_log_sql(const definition *d);
/* For the packed graph: its table; the view that stands after the triggers. */
char *follow_blocks_sql(const definition *d);
char *follow_saved_sql(const definition *d);
/* Every trigger that the table needs as it is now: one for each way to change a row, two
** for each of its UNIQUE keys. Sets d->rowid, d->key and d->reads. *error: a sentence without a
** function's name about the condition; NULL where the table is gone. */
int follow_triggers(sqlite3 *db, definition *d, trigger_list *made, char **error);
void trigger_list_clear(trigger_list *list);
/* keys.c: the condition on rows that a new one would take the place of, for the sake
** of a UNIQUE index. *match NULL (else sqlite3_free): nothing is known of them. */
int key_match(sqlite3 *db, const definition *d, const char *index, bool partial,
              char **match);
/* Do two triggers of the definition's table do the same? Names of triggers do not matter,
** nor how names of others are quoted, nor by which name the rowid goes. */
bool trigger_same(const definition *d, const char *sql, const char *other);
/* Is a trigger one of those that write or tend this log? By its name and by what it does,
** since others may speak of the log, too. */
bool trigger_is_own(const char *name, const char *sql, const char *log);
/* The columns that trigger `moved` carries: column[EDGE_COLUMNS], each sqlite3_free. Returns how
** many; 0: it carries none; -1: no memory. */
int trigger_columns(const char *sql, char **column);

/* ---- schema.c: steps of reading a definition, for make.c too ---- */

/* Every trigger of the schema that writes or tends the log. */
int present_read(sqlite3 *db, const char *schema, const char *log, trigger_list *list);

/* Names alone. */
int definition_start(definition *d, const char *schema, const char *name);
/* Takes the arguments over: options, and the source until triggers say otherwise. */
int definition_take(definition *d, graph_arguments *arguments);
/* Reads what a renamed graph follows. sqlite_schema has the new name already; log and triggers
** still have the old one. Leaves the new names in d. */
int definition_read_renamed(sqlite3 *db, const char *log, definition *d, char **error);

#endif
