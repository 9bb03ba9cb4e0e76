/* SQL text as a list of tokens, with the partner of each parenthesis and the value of
** each parameter.
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
    sql_token value; /* a parameter's bound value as a literal; otherwise the token */
    int partner;     /* a parenthesis: the place of the other one; -1: another token */
} sql_item;

typedef struct sql_list {
    sql_item *item;
    int count, parameters;
} sql_list;

/* Cuts the text into tokens. The text must outlive the list. False: no memory. */
bool sql_list_make(sql_list *list, const char *sql);
/* Finds the values of parameters in the text that sqlite3_expanded_sql makes of the
** statement. If the two texts do not match, no parameter has a value. */
void sql_list_bind(sql_list *list, const char *expanded);
void sql_list_clear(sql_list *list);

/* These functions check the token at a place. They return false for places outside the
** list. word: a bare word, in capitals. name: a name, bare or quoted. */
bool sql_mark_at(const sql_list *list, int place, char mark);
bool sql_word_at(const sql_list *list, int place, const char *word);
bool sql_name_at(const sql_list *list, int place, const char *name);
/* True for a name that may be a column: '..' may not. */
bool sql_column_at(const sql_list *list, int place);
/* The next place within the same parentheses. */
int sql_step(const sql_list *list, int place);
/* True if a string literal, or the value of a parameter, equals `text`. */
bool sql_text_at(const sql_list *list, int place, const char *text);

#endif
