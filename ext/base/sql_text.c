/* Tokens of SQL text: see sql_text.h. */
#include "ext.h"
#include "sql_text.h"
#include <string.h>

static bool begins_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

bool sql_in_word(char c) {
    return begins_word(c) || (c >= '0' && c <= '9') || c == '$';
}

const char *sql_skip_space(const char *at, const char *end) {
    while (at < end) {
        if (*at == ' ' || (*at >= '\t' && *at <= '\r' && *at != '\v')) {
            at++;
        } else if (end - at >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) {
            at += 3; /* a byte order mark is space to SQLite, wherever it stands */
        } else if (end - at >= 2 && at[0] == '-' && at[1] == '-') {
            while (at < end && *at != '\n')
                at++;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
            at += 2;
            while (at < end && !(at[0] == '*' && end - at >= 2 && at[1] == '/'))
                at++;
            at = at < end ? at + 2 : end;
        } else {
            break;
        }
    }
    return at;
}

static char closing(char c) {
    return c == '[' ? ']' : c == '\'' || c == '"' || c == '`' ? c : 0;
}

const char *sql_next(const char *at, const char *end, sql_token *token) {
    at = sql_skip_space(at, end);
    token->start = at;
    if (at == end) {
        token->kind = SQL_END;
    } else if (begins_word(*at)) {
        token->kind = SQL_WORD;
        while (at < end && sql_in_word(*at))
            at++;
    } else if (closing(*at)) {
        char mark = closing(*at);
        token->kind = SQL_UNFINISHED;
        for (at++; at < end && token->kind == SQL_UNFINISHED; at++) {
            if (*at != mark)
                continue;
            if (mark != ']' && end - at >= 2 && at[1] == mark)
                at++;
            else
                token->kind = SQL_QUOTED;
        }
    } else {
        token->kind = SQL_OTHER;
        bool number = *at >= '0' && *at <= '9';
        for (at++; number && at < end && sql_in_word(*at);)
            at++;
    }
    token->end = at;
    return at;
}

bool sql_word_is(const char *at, const char *end, const char *keyword) {
    sql_token token;
    sql_next(at, end, &token);
    size_t length = strlen(keyword);
    return token.kind == SQL_WORD && (size_t)(token.end - token.start) == length &&
           sqlite3_strnicmp(token.start, keyword, (int)length) == 0;
}

const char *sql_find_word(const char *at, const char *end, const char *keyword,
                          sql_token *token) {
    do {
        at = sql_next(at, end, token);
    } while (token->kind != SQL_END && !sql_word_is(token->start, token->end, keyword));
    return at;
}

/* Returns the next byte of the value that the token stands for, or -1 after the last one.
** *at is NULL before the first one. */
static int next_byte(const sql_token *token, const char **at) {
    const char mark = token->kind == SQL_QUOTED ? closing(*token->start) : 0;
    const int quotes = mark != 0;
    *at = *at ? *at : token->start + quotes;
    if (*at >= token->end - quotes)
        return -1;
    *at += mark && **at == mark; /* a doubled mark stands for one */
    return (unsigned char)*(*at)++;
}

char *sql_unquote(const sql_token *token) {
    const char *at = NULL;
    char *name = sqlite3_malloc64((sqlite3_uint64)(token->end - token->start) + 1);
    int count = 0;
    for (int c; name && (c = next_byte(token, &at)) >= 0; name[count++] = (char)c)
        ;
    if (name)
        name[count] = 0;
    return name;
}

bool sql_token_is(const sql_token *token, const char *value) {
    const char *at = NULL;
    int c;
    while ((c = next_byte(token, &at)) >= 0)
        if (c != (unsigned char)*value++ || c == 0)
            return false;
    return *value == 0;
}

static int lower(int c) {
    return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c;
}

bool sql_same_token(const sql_token *one, const sql_token *other) {
    const char *at = NULL, *other_at = NULL;
    for (;;) {
        int a = lower(next_byte(one, &at)), b = lower(next_byte(other, &other_at));
        if (a != b || a < 0)
            return a == b;
    }
}

static bool is_name(const sql_token *token) {
    return token->kind == SQL_WORD || token->kind == SQL_QUOTED;
}

bool sql_same_name(const sql_token *one, const sql_token *other) {
    return is_name(one) && is_name(other) && sql_same_token(one, other);
}

bool sql_names(const sql_token *token, const char *name) {
    return sql_same_name(token, &(sql_token){SQL_WORD, name, name + strlen(name)});
}
