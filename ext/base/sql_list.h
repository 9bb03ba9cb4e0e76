/* SQL text as a list of tokens in which brackets know their partners, and parameters their
** values.
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
    sql_token value; /* of a parameter: what is bound, as a literal; else the token */
    int partner;     /* of a round bracket; else -1 */
} sql_item;

typedef struct sql_list {
    sql_item *item;
    int count, parameters;
} sql_list;

/* Cuts the text, which must outlive the list. false: no memory. */
bool sql_list_make(sql_list *list, const char *sql);
/* Finds the values of parameters in the same text as sqlite3_expanded_sql writes it.
** Where the two texts do not go together, no parameter has a value. */
void sql_list_bind(sql_list *list, const char *expanded);
void sql_list_clear(sql_list *list);

/* Of places outside the list all are false. */
bool sql_mark_at(const sql_list *list, int place, char mark);
/* The bare word, given in capitals. */
bool sql_word_at(const sql_list *list, int place, const char *word);
/* The name, bare or quoted. */
bool sql_name_at(const sql_list *list, int place, const char *name);
/* Any name that stands for a column: '..' does not. */
bool sql_column_at(const sql_list *list, int place);
/* ?, ?1, :name, @name or $name. */
bool sql_parameter_at(const sql_list *list, int place);
/* SELECT, WITH or VALUES. */
bool sql_select_at(const sql_list *list, int place);
/* A call of the function, whose bracket follows; not a table or a view of that name with its
** columns, nor what WITH defines. */
bool sql_call_at(const sql_list *list, int place, const char *function);
/* name AS (SELECT ...) and name(columns) AS (SELECT ...), as in WITH. */
bool sql_definition_at(const sql_list *list, int place);
/* The place after this one that is in the same brackets. */
int sql_step(const sql_list *list, int place);
/* A string literal, or a parameter that holds a text, which is exactly this. */
bool sql_text_at(const sql_list *list, int place, const char *text);

#endif
