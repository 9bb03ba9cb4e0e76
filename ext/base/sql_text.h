/* SQL text cut into tokens: the part of SQLite's grammar that separates names, literals
** and comments.
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
    SQL_UNFINISHED, /* a quotation mark without a closing one */
    SQL_OTHER       /* one byte of anything else, or a number */
};

typedef struct sql_token {
    enum sql_token_kind kind;
    const char *start, *end;
} sql_token;

/* True for a byte that may continue a name. */
bool sql_in_word(char c);
static inline const char *skip_digits(const char *at, const char *end) {
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}
/* Skips white space and comments. */
const char *sql_skip_space(const char *at, const char *end);
/* Reads the next token after white space; returns its end. */
const char *sql_next(const char *at, const char *end, sql_token *token);
/* Skips to the next token that is this keyword, or to the end; returns the token's
** end. */
const char *sql_find_word(const char *at, const char *end, const char *keyword,
                          sql_token *token);
/* True if the word at this place is the keyword, which is given in capitals. */
bool sql_word_is(const char *at, const char *end, const char *keyword);
/* The name or string that a word or quoted token stands for (sqlite3_free); NULL: no
** memory. */
char *sql_unquote(const sql_token *token);
/* True if the value of a '..' or ".." token equals `value`. */
bool sql_token_is(const sql_token *token, const char *value);
/* True if the token, bare or quoted, is this name. */
bool sql_names(const sql_token *token, const char *name);
/* True if both tokens, bare or quoted, are one name. */
bool sql_same_name(const sql_token *one, const sql_token *other);
/* True if both tokens are equal, however they are quoted. */
bool sql_same_token(const sql_token *one, const sql_token *other);

#endif
