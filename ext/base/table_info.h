/* What the schema says of a table. */
#ifndef GPUGRAPH_TABLE_INFO_H
#define GPUGRAPH_TABLE_INFO_H

#include "base/names.h"

/* kind: 't' rowid table, 'w' WITHOUT ROWID, 'v' view, 'x' virtual table, 'g' virtual
** table USING gpugraph. */
typedef struct table_info {
    char *schema, *name; /* as stored; sqlite3_free through table_info_clear */
    char kind;
    bool strict;
    int columns;
    char **column, **type;   /* visible columns in order, with their declared types */
    char rowid_name[8];      /* rowid, oid or _rowid_, whichever no column hides; "" when
                             ** none works */
    int integer_primary_key; /* the column that is the rowid, or -1 */
    char *key_index;         /* WITHOUT ROWID: the index that holds the rows */
    char *key_order; /* ORDER BY of the rows as they are held, where SQLite would go the
                     ** other way; else NULL */
} table_info;

/* schema NULL: temp, main, then attached ones, as SQLite looks. SQLITE_ERROR with a
** sentence (no function name) that lists the tables there are. */
int table_find(sqlite3 *db, const char *schema, const char *table, table_info *info,
               char **error);
void table_info_clear(table_info *info);
/* Not SQLite's own, nor the log, the marks and the view of a followed graph. */
bool table_is_of_user(sqlite3 *db, const char *schema, const char *name);
int table_add_column(table_info *info, const char *name, const char *type);
/* Case-insensitive, as SQL is; -1: none. */
int table_column(const table_info *info, const char *name);
/* SQLite's affinity rules for a declared type (may be NULL): 'A' .. 'E' as in
** graph_ref. */
char affinity_of_type(const char *declared_type);
/* Does SQLite sort texts as their UTF-8 bytes do? Not where databases hold UTF-16. */
bool texts_sort_as_utf8(sqlite3 *db);
/* Name number `count` of a list for a sentence, then its end: "a, b, c and 9 more". */
void name_list_add(sqlite3_str *list, int count, const char *name);
void name_list_end(sqlite3_str *list, int count);
/* Add a name, or a table's name, as SQL writes it, and compare it with the misspelt one.
** SQLITE_OK or SQLITE_NOMEM. */
int name_list_add_name(sqlite3_str *list, int count, const char *name, nearest *near);
int name_list_add_table(sqlite3_str *list, int count, const char *schema,
                        const char *table, nearest *near);
/* "SENTENCE; the nearest name is 'x' (WHAT: a, b, x)". Frees the sentence and the list. NULL: no
** memory. */
char *say_with_names(char *sentence, const nearest *near, const char *what,
                     sqlite3_str *list);

#endif
