/* SQL text as a list of tokens: see sql_list.h. */
#include "ext.h"
#include "sql_list.h"
#include "room.h"

#include <string.h>

/* ---- parameters ---- */

/* ":a(b)" and "$a::b(c)" are single parameters: SQLite allows names of Tcl after each of
** its three marks. */
static const char *name_end(const char *at, const char *end) {
    const char *first = at;
    for (; at < end; at++) {
        if (sql_in_word(*at))
            continue;
        if (*at == '(' && at > first) {
            const char *close = at + 1;
            while (close < end && *close != ')' && !strchr(" \t\n\f\r", *close))
                close++;
            return close < end && *close == ')' ? close + 1 : close;
        }
        if (*at == ':' && end - at >= 2 && at[1] == ':')
            at++;
        else
            break;
    }
    return at;
}

/* The end of a parameter that begins here; NULL: none begins here. */
static const char *parameter_end(const char *at, const char *end) {
    if (at == end || !strchr("?:@$", *at))
        return NULL;
    return *at == '?' ? skip_digits(at + 1, end) : name_end(at + 1, end);
}

static bool is_parameter(const sql_item *item) {
    return item->token.kind == SQL_OTHER && strchr("?:@$", *item->token.start) != NULL;
}

/* ---- the list ---- */

/* While the partner of a parenthesis is unknown, its field has the open one around it. */
static void match_parenthesis(sql_list *list, int place, int *open) {
    sql_item *item = &list->item[place];
    if (*item->token.start == '(') {
        item->partner = *open;
        *open = place;
    } else if (*item->token.start == ')' && *open >= 0) {
        int around = list->item[*open].partner;
        list->item[*open].partner = place;
        item->partner = *open;
        *open = around;
    }
}

bool sql_list_make(sql_list *list, const char *sql) {
    const char *end = sql + strlen(sql);
    int64_t room = 0;
    int open = -1;
    memset(list, 0, sizeof *list);
    for (;;) {
        sql_token token;
        sql = sql_next(sql, end, &token);
        if (token.kind == SQL_END)
            break;
        if (!room_for_one(&list->item, list->count, &room, sizeof *list->item)) {
            sql_list_clear(list);
            return false;
        }
        const char *longer =
            token.kind == SQL_OTHER ? parameter_end(token.start, end) : NULL;
        if (longer)
            sql = token.end = longer;
        sql_item *item = &list->item[list->count++];
        *item = (sql_item){token, token, -1};
        list->parameters += is_parameter(item);
        if (token.kind == SQL_OTHER)
            match_parenthesis(list, list->count - 1, &open);
    }
    for (int around; open >= 0; open = around) { /* never closed */
        around = list->item[open].partner;
        list->item[open].partner = -1;
    }
    return true;
}

void sql_list_clear(sql_list *list) {
    sqlite3_free(list->item);
    memset(list, 0, sizeof *list);
}

/* ---- values ---- */

static const char *number_end(const char *at, const char *end) {
    at += at < end && *at == '-';
    if (end - at >= 3 && strncmp(at, "Inf", 3) == 0)
        return at + 3;
    at = skip_digits(at, end);
    if (at < end && *at == '.')
        at = skip_digits(at + 1, end);
    if (end - at >= 2 && *at == 'e' && (at[1] == '+' || at[1] == '-'))
        at = skip_digits(at + 2, end);
    return at;
}

/* Reads the literal that sqlite3_expanded_sql has written for a parameter. */
static sql_token bound_literal(const char *at, const char *end) {
    static const char zeros[] = "zeroblob(";
    sql_token token = {SQL_OTHER, at, at};
    if (at < end && *at == '\'') {
        sql_next(at, end, &token);
    } else if (end - at >= 4 && memcmp(at, "NULL", 4) == 0) {
        token.end = at + 4;
    } else if (end - at >= 2 && at[0] == 'x' && at[1] == '\'') {
        sql_next(at + 1, end, &token);
        token.kind = SQL_OTHER;
    } else if (strncmp(at, zeros, sizeof zeros - 1) == 0) {
        token.end = skip_digits(at + sizeof zeros - 1, end) + 1;
    } else {
        token.end = number_end(at, end);
    }
    return token;
}

/* The bytes between parameters are equal in both texts. */
static bool walk_sql_list(sql_list *list, const char *at, const char *end) {
    const char *sql = list->count ? list->item[0].token.start : NULL;
    for (int i = 0; i < list->count; i++) {
        sql_item *item = &list->item[i];
        if (!is_parameter(item))
            continue;
        ptrdiff_t same = item->token.start - sql;
        if (end - at < same || memcmp(at, sql, (size_t)same) != 0)
            return false;
        item->value = bound_literal(at + same, end);
        at = item->value.end;
        sql = item->token.end;
        if (at > end || item->value.kind == SQL_UNFINISHED)
            return false;
    }
    return sql && strcmp(at, sql) == 0;
}

void sql_list_bind(sql_list *list, const char *expanded) {
    const char *end = expanded + strlen(expanded);
    if (walk_sql_list(list, sql_skip_space(expanded, end), end))
        return;
    for (int i = 0; i < list->count; i++)
        list->item[i].value = list->item[i].token;
}

/* ---- questions about a place ---- */

static const sql_token *token_at(const sql_list *list, int place) {
    static const sql_token none = {SQL_END, "", ""};
    return place >= 0 && place < list->count ? &list->item[place].token : &none;
}

bool sql_mark_at(const sql_list *list, int place, char mark) {
    const sql_token *token = token_at(list, place);
    return token->kind == SQL_OTHER && *token->start == mark;
}

bool sql_word_at(const sql_list *list, int place, const char *word) {
    const sql_token *token = token_at(list, place);
    return token->kind == SQL_WORD && sql_names(token, word);
}

bool sql_name_at(const sql_list *list, int place, const char *name) {
    return sql_names(token_at(list, place), name);
}

bool sql_column_at(const sql_list *list, int place) {
    const sql_token *token = token_at(list, place);
    return token->kind == SQL_WORD ||
           (token->kind == SQL_QUOTED && *token->start != '\'');
}

bool sql_text_at(const sql_list *list, int place, const char *text) {
    if (place < 0 || place >= list->count)
        return false;
    const sql_token *value = &list->item[place].value;
    return value->kind == SQL_QUOTED && *value->start == '\'' &&
           sql_token_is(value, text);
}

int sql_step(const sql_list *list, int place) {
    return sql_mark_at(list, place, '(') && list->item[place].partner > place
               ? list->item[place].partner + 1
               : place + 1;
}
