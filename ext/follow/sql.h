/* The SQL that makes a followed graph's log and triggers: the templates of sql/follow
** with names filled in. */
#ifndef GPUGRAPH_FOLLOW_SQL_H
#define GPUGRAPH_FOLLOW_SQL_H

#include "follow.h"

/* Triggers that a graph needs, or that the database has. */
typedef struct trigger_list {
    struct trigger {
        char *name; /* a needed trigger has its purpose here, for sentences */
        char *sql;  /* CREATE TRIGGER ... */
        /* a trigger in the database: its table and its rowid in sqlite_schema */
        char *table;
        sqlite3_int64 row;
    } * item;
    int count;
    int64_t room;
} trigger_list;

/* Adds an empty trigger; NULL: no memory. */
struct trigger *trigger_list_add(trigger_list *list);

/* CREATE TABLE for the log and the marks or for the blocks, or CREATE VIEW for the view
** that follows the triggers (sqlite3_free); NULL: no memory. */
enum follow_part { FOLLOW_LOG, FOLLOW_BLOCKS, FOLLOW_SAVED };
char *follow_sql(const definition *d, enum follow_part part);
/* Lists every trigger that the present table needs: one for each way to change a row, two
** for each of its UNIQUE keys. Sets d->rowid, d->key and d->reads. *error: a sentence
** about the condition, without a function's name; NULL: the table does not exist. */
int follow_triggers(sqlite3 *db, definition *d, trigger_list *made, char **error);
void trigger_list_clear(trigger_list *list);
/* keys.c: the condition on the rows that REPLACE deletes for a UNIQUE index when a new
** row comes. *match (sqlite3_free) NULL: any row may be deleted. */
int key_match(sqlite3 *db, const definition *d, const char *index, bool partial,
              char **match);
/* True if two triggers of the definition's table have equal effects. Names of the
** triggers, quotation marks and the name of the rowid may differ. */
bool trigger_same(const definition *d, const char *sql, const char *other);
/* True if the trigger is one that the extension made to write or trim this log. Both its
** name and its body decide, since other triggers may name the log. */
bool trigger_is_own(const char *name, const char *sql, const char *log);
/* The columns that the trigger `moved` lists: column[EDGE_COLUMNS], each for
** sqlite3_free. Returns their number; 0: none; -1: no memory. */
int trigger_columns(const char *sql, char **column);

/* ---- schema.c: steps of reading a definition, for make.c too ---- */

/* Lists every trigger of the schema that writes or trims the log. */
int present_read(sqlite3 *db, const char *schema, const char *log, trigger_list *list);

/* Sets the names alone. */
int definition_start(definition *d, const char *schema, const char *name);
/* Sets the schema of the table: it is that of the graph. */
int definition_set_schema(definition *d);
/* Reads the definition of a graph that is being renamed: sqlite_schema has the new name
** already, log and triggers still have the old one. d gets the new names. */
int definition_read_renamed(sqlite3 *db, const char *log, definition *d, char **error);

#endif
