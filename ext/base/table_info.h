/* A table, its kind and its columns, by the schema. */
#ifndef GPUGRAPH_TABLE_INFO_H
#define GPUGRAPH_TABLE_INFO_H

#include "base/names.h"

/* kind: 't' rowid table, 'w' WITHOUT ROWID, 'v' view, 'x' virtual table, 'g' virtual
** table USING gpugraph. */
typedef struct table_info {
    char *schema, *name; /* as stored; table_info_clear frees them */
    char kind;
    bool strict;
    int columns;
    char **column, **type; /* visible columns in order, with their declared types */
    /* rowid, oid or _rowid_: the first that no column hides; "": none */
    char rowid_name[8];
    int integer_primary_key; /* the column that is the rowid, or -1 */
    char *key_index;         /* WITHOUT ROWID: the index that holds the rows */
    /* the ORDER BY that gives the stored order, if SQLite would read backwards; else
    ** NULL */
    char *key_order;
} table_info;

/* Finds a table. schema NULL: in temp, main and the attached databases, in SQLite's
** order. On SQLITE_ERROR the sentence has no function name and lists the tables. */
int table_find(sqlite3 *db, const char *schema, const char *table, table_info *info,
               char **error);
void table_info_clear(table_info *info);
/* False for SQLite's own tables and for the log, the marks and the view of a followed
** graph. */
bool table_is_of_user(sqlite3 *db, const char *schema, const char *name);
int table_add_column(table_info *info, const char *name, const char *type);
/* The position of a column by its name, case-insensitive as in SQL; -1: none. */
int table_column(const table_info *info, const char *name);
/* The affinity of a declared type (may be NULL) by SQLite's rules: 'A' BLOB, 'B' TEXT,
** 'C' NUMERIC, 'D' INTEGER, 'E' REAL. */
char affinity_of_type(const char *declared_type);
/* True if SQLite sorts texts by their UTF-8 bytes; false for UTF-16 databases. */
bool texts_sort_as_utf8(sqlite3 *db);
/* name_list_add appends a name to a list that has `count` names so far. name_list_end
** ends the list: "a, b, c and 9 more". */
void name_list_add(sqlite3_str *list, int count, const char *name);
void name_list_end(sqlite3_str *list, int count);
/* Appends a table's name as SQL writes it (schema NULL: any name), and compares the name
** with the misspelt name in `near`. Returns SQLITE_OK or SQLITE_NOMEM. */
int name_list_add_table(sqlite3_str *list, int count, const char *schema,
                        const char *table, nearest *near);
/* Makes "SENTENCE; the nearest name is 'x' (WHAT: a, b, x)". Frees the sentence and the
** list. NULL: no memory. */
char *say_with_names(char *sentence, const nearest *near, const char *what,
                     sqlite3_str *list);

#endif
