/* SQL text cut into tokens: as much of SQLite's grammar as tells names, literals and
** comments apart.
**
**     SELECT  'it''s'  -- why      word, quoted, (skipped), ...
**/
#ifndef GPUGRAPH_SQL_TEXT_H
#define GPUGRAPH_SQL_TEXT_H

#include <stdbool.h>

enum sql_token_kind {
    SQL_END,
    SQL_WORD,       /* a bare name or keyword */
    SQL_QUOTED,     /* '..', "..", `..` or [..] */
    SQL_UNFINISHED, /* a quotation mark without its end */
    SQL_OTHER       /* one byte of anything else, or a number */
};

typedef struct sql_token {
    enum sql_token_kind kind;
    const char *start, *end;
} sql_token;

/* Past white space and comments. */
const char *sql_skip_space(const char *at, const char *end);
/* The next token after space; returns where it ends. */
const char *sql_next(const char *at, const char *end, sql_token *token);
/* Goes on to the next token that is this keyword, or to the end; returns where it ends. */
const char *sql_find_word(const char *at, const char *end, const char *keyword,
                          sql_token *token);
/* Is the word at this place this keyword (given in capitals)? */
bool sql_word_is(const char *at, const char *end, const char *keyword);
/* The name or the string that a word or quoted token means; NULL: no memory.
** sqlite3_free. */
char *sql_unquote(const sql_token *token);
/* Is the value of a '..' or ".." token exactly this? */
bool sql_token_is(const sql_token *token, const char *value);
/* Is the token, bare or quoted, this name? */
bool sql_names(const sql_token *token, const char *name);
/* Are both names, bare or quoted, and the same one? */
bool sql_same_name(const sql_token *one, const sql_token *other);
/* Are they the same, however they are quoted? */
bool sql_same_token(const sql_token *one, const sql_token *other);

#endif
