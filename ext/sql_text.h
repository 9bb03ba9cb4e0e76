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
/* Is the word at this place this keyword (given in capitals)? */
bool sql_word_is(const char *at, const char *end, const char *keyword);
/* The name or the string that a word or quoted token means; NULL: no memory.
** sqlite3_free. */
char *sql_unquote(const sql_token *token);
/* Does the text contain a literal ('..' or "..") whose value is exactly this? */
bool sql_has_literal(const char *sql, const char *value);

#endif
