/* SQL text as a list of tokens, with the partner of each bracket and the value of each
** parameter.
**
**     place      0      1 2    3       4 5  6 7 8
**     token      SELECT * FROM gpu_bfs ( :q , 1 )
**     partner                          8        4
**     value                              'SELECT a, b FROM t'
**/
#ifndef GPUGRAPH_SQL_LIST_H
#define GPUGRAPH_SQL_LIST_H

#include "sql_text.h"

typedef struct sql_item {
    sql_token token;
    sql_token value; /* of a parameter: the bound value as a literal; else the token */
    int partner;     /* the place of a round bracket's partner; else -1 */
} sql_item;

typedef struct sql_list {
    sql_item *item;
    int count, parameters;
} sql_list;

/* Cuts the text, which must outlive the list. False: no memory. */
bool sql_list_make(sql_list *list, const char *sql);
/* Finds the values of parameters in the text that sqlite3_expanded_sql makes of the
** statement. If the two texts do not match, no parameter has a value. */
void sql_list_bind(sql_list *list, const char *expanded);
void sql_list_clear(sql_list *list);

/* The following functions are false for places outside the list. */
bool sql_mark_at(const sql_list *list, int place, char mark);
/* The bare word, which is given in capitals. */
bool sql_word_at(const sql_list *list, int place, const char *word);
/* The name, bare or quoted. */
bool sql_name_at(const sql_list *list, int place, const char *name);
/* A name that may stand for a column; '..' may not. */
bool sql_column_at(const sql_list *list, int place);
/* ?, ?1, :name, @name or $name. */
bool sql_parameter_at(const sql_list *list, int place);
/* SELECT, WITH or VALUES. */
bool sql_select_at(const sql_list *list, int place);
/* A call of the function, followed by its bracket; not a table or view of that name with
** its columns, nor a name that WITH defines. */
bool sql_call_at(const sql_list *list, int place, const char *function);
/* name AS (SELECT ...) and name(columns) AS (SELECT ...), as in WITH. */
bool sql_definition_at(const sql_list *list, int place);
/* The next place within the same brackets. */
int sql_step(const sql_list *list, int place);
/* A string literal, or a parameter that holds a text, equal to `text`. */
bool sql_text_at(const sql_list *list, int place, const char *text);

#endif
