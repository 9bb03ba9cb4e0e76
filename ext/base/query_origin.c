/* Checks whether a text is a query that stands in the statement (query_origin.h).
**
** SQLite has prepared the statement, so its grammar is right. But the value must belong
** to the right argument, and names must mean what they mean to SQLite. A table of WITH is
** not the function of that name, and an alias is not the function either. A column may
** belong to any table of its FROM, unless a table's name precedes it. Unclear statements
** are refused. */
#include "ext.h"
#include "query_origin.h"

#include <string.h>

/* ---- the argument of a call ---- */

static bool any_word(const sql_list *s, int place, const char *const *words, int n) {
    for (int i = 0; i < n; i++)
        if (sql_word_at(s, place, words[i]))
            return true;
    return false;
}

/* True for SELECT, WITH and VALUES. */
static bool begins_select(const sql_list *s, int place) {
    return sql_word_at(s, place, "SELECT") || sql_word_at(s, place, "WITH") ||
           sql_word_at(s, place, "VALUES");
}

/* True for name AS (SELECT ...) and name(columns) AS (SELECT ...), as in WITH. */
static bool defines(const sql_list *s, int place) {
    int at = place + 1;
    if (sql_mark_at(s, at, '('))
        at = s->item[at].partner + 1;
    if (!sql_word_at(s, at, "AS"))
        return false;
    at++;
    at += sql_word_at(s, at, "NOT");
    at += sql_word_at(s, at, "MATERIALIZED");
    return sql_mark_at(s, at, '(');
}

/* True for a call of the function, with its parenthesis. False for a table or view of
** that name with its columns, and for a name that WITH defines. */
static bool is_call(const sql_list *s, int place, const char *function) {
    static const char *const words[] = {"INTO",   "AS",         "TABLE",
                                        "EXISTS", "REFERENCES", "VIEW"};
    int before = sql_mark_at(s, place - 1, '.') ? place - 3 : place - 1;
    return !any_word(s, before, words, COUNT(words)) && sql_name_at(s, place, function) &&
           sql_mark_at(s, place + 1, '(') && !defines(s, place);
}

static bool is_first_argument(const sql_list *s, int place, const char *function) {
    int first = place, last = place;
    while (sql_mark_at(s, first - 1, '(') && sql_mark_at(s, last + 1, ')') &&
           (sql_mark_at(s, first - 2, '(') || sql_mark_at(s, first - 2, ','))) {
        first--; /* a parenthesis around a value, not behind a name */
        last++;
    }
    return sql_mark_at(s, first - 1, '(') &&
           (sql_mark_at(s, last + 1, ',') || sql_mark_at(s, last + 1, ')')) &&
           is_call(s, first - 2, function);
}

/* ---- FROM ---- */

typedef struct from_table {
    int name, alias; /* -1: none, as for a subquery */
    bool arguments;  /* arguments in parentheses follow the name */
    bool merged;     /* USING merges columns of two tables */
    int on, on_end;  /* the condition after ON; on < 0: none */
    int next;        /* the place after the table */
} from_table;

static bool begins_join(const sql_list *s, int place) {
    static const char *const words[] = {"JOIN", "NATURAL", "LEFT",  "RIGHT",
                                        "FULL", "INNER",   "OUTER", "CROSS"};
    return sql_mark_at(s, place, ',') || any_word(s, place, words, COUNT(words));
}

/* True if the token ends a FROM clause or a condition of its level. ON belongs to an
** upsert. */
static bool ends_clause(const sql_list *s, int place) {
    static const char *const words[] = {"WHERE",  "GROUP",     "HAVING", "WINDOW",
                                        "ORDER",  "LIMIT",     "UNION",  "INTERSECT",
                                        "EXCEPT", "RETURNING", "ON"};
    return place >= s->count || sql_mark_at(s, place, ')') ||
           sql_mark_at(s, place, ';') || any_word(s, place, words, COUNT(words));
}

static int read_alias(const sql_list *s, int at, from_table *t) {
    static const char *const words[] = {"USING", "INDEXED", "NOT"};
    bool as = sql_word_at(s, at, "AS");
    bool name = at < s->count && (s->item[at].token.kind == SQL_WORD ||
                                  s->item[at].token.kind == SQL_QUOTED);
    at += as;
    if (!as && (!name || begins_join(s, at) || ends_clause(s, at) ||
                any_word(s, at, words, COUNT(words))))
        return at;
    t->alias = at;
    return at + 1;
}

/* Reads one table and the ON or USING that follows. False: not understood. */
static bool read_table(const sql_list *s, int at, from_table *t) {
    *t = (from_table){.name = -1, .alias = -1, .on = -1};
    if (at >= s->count)
        return false;
    if (!sql_mark_at(s, at, '(')) {
        if (s->item[at].token.kind == SQL_OTHER || begins_join(s, at) ||
            ends_clause(s, at))
            return false;
        t->name = sql_mark_at(s, at + 1, '.') ? at + 2 : at;
        at = t->name + 1;
        t->arguments = sql_mark_at(s, at, '(') && !sql_mark_at(s, at + 1, ')');
    }
    if (sql_mark_at(s, at, '('))
        at = sql_step(s, at);
    at = read_alias(s, at, t);
    at += sql_word_at(s, at, "NOT") ? 2 : sql_word_at(s, at, "INDEXED") ? 3 : 0;
    if (sql_word_at(s, at, "USING")) {
        t->merged = true;
        at = sql_step(s, at + 1);
    } else if (sql_word_at(s, at, "ON")) {
        t->on = ++at;
        while (!begins_join(s, at) && !ends_clause(s, at))
            at = sql_step(s, at);
        t->on_end = at;
    }
    t->next = at;
    return true;
}

/* The place after a comma, or after JOIN and the words before it. `at` if nothing is
** joined; -1: not understood. */
static int past_join(const sql_list *s, int at, bool *merged) {
    int start = at;
    if (sql_mark_at(s, at, ','))
        return at + 1;
    while (begins_join(s, at) && !sql_word_at(s, at, "JOIN") &&
           !sql_mark_at(s, at, ',')) {
        *merged |= sql_word_at(s, at, "NATURAL");
        at++;
    }
    if (sql_word_at(s, at, "JOIN"))
        return at + 1;
    return at == start && ends_clause(s, at) ? at : -1;
}

/* Iterates over the tables. *at is the place of the next table, and at last the place
** after the clause. */
static bool next_table(const sql_list *s, int *at, bool *more, bool *merged,
                       from_table *t) {
    if (!read_table(s, *at, t))
        return false;
    int next = past_join(s, t->next, merged);
    *merged |= t->merged;
    *more = next != t->next;
    *at = next;
    return next >= 0;
}

/* ---- a value compared with an argument ---- */

typedef struct column {
    int table, name; /* table -1: not given */
} column;

/* A query, and the FROM clause whose conditions are searched. */
typedef struct search {
    const sql_list *s;
    const query *query;
    int from; /* the first table of the clause */
} search;

/* True if the column is the argument of a function in the FROM clause and has no other
** value there. */
static bool is_argument(const search *q, column c) {
    const sql_list *s = q->s;
    bool more = true, merged = false, edges = strcmp(q->query->argument, "edges") == 0;
    int at = q->from, tables = 0, functions = 0;
    from_table t;
    if (!sql_name_at(s, c.name, q->query->argument))
        return false;
    while (more) {
        if (!next_table(s, &at, &more, &merged, &t))
            return false;
        int named = t.alias >= 0 ? t.alias : t.name;
        if (c.table >= 0 &&
            (named < 0 || !sql_same_name(&s->item[c.table].token, &s->item[named].token)))
            continue;
        tables++;
        functions +=
            sql_name_at(s, t.name, q->query->function) && !(edges && t.arguments);
    }
    return c.table >= 0 ? tables == 1 && functions == 1 : functions > 0 && !merged;
}

/* Reads a column that fills [first, end). */
static bool read_column(const sql_list *s, int first, int end, column *c) {
    int names = (end - first + 1) / 2;
    if (end - first != 2 * names - 1 || names < 1 || names > 3)
        return false;
    for (int i = first; i < end; i++)
        if ((i - first) % 2 ? !sql_mark_at(s, i, '.') : !sql_column_at(s, i))
            return false;
    *c = (column){names > 1 ? end - 3 : -1, end - 1};
    return true;
}

/* True if the query fills [first, end). */
static bool is_query(const search *q, int first, int end) {
    while (sql_mark_at(q->s, first, '(') && q->s->item[first].partner == end - 1) {
        first++;
        end--;
    }
    return end - first == 1 && sql_text_at(q->s, first, q->query->text);
}

/* True if the query is an element of a list in parentheses. */
static bool lists_query(const search *q, int open, int end) {
    if (!sql_mark_at(q->s, open, '(') || q->s->item[open].partner != end - 1)
        return false;
    for (int at = open + 1, first = at; at < end; at = sql_step(q->s, at)) {
        if (at < end - 1 && !sql_mark_at(q->s, at, ','))
            continue;
        if (is_query(q, first, at))
            return true;
        first = at + 1;
    }
    return false;
}

/* Finds the sign of a comparison by = in [first, end): *left is its place, *right the
** place after it. */
static bool find_sign(const sql_list *s, int first, int end, int *left, int *right) {
    int at = first;
    while (at < end && !sql_mark_at(s, at, '='))
        at = sql_step(s, at);
    *left = at;
    *right = at + (sql_mark_at(s, at + 1, '=') ? 2 : 1);
    return at < end;
}

static bool is_comparison(const search *q, int first, int end) {
    int left, right, at = first;
    column c;
    if (find_sign(q->s, first, end, &left, &right))
        return (read_column(q->s, first, left, &c) && is_query(q, right, end) &&
                is_argument(q, c)) ||
               (read_column(q->s, right, end, &c) && is_query(q, first, left) &&
                is_argument(q, c));
    while (at < end && !sql_word_at(q->s, at, "IN"))
        at = sql_step(q->s, at);
    return at < end && read_column(q->s, first, at, &c) && lists_query(q, at + 1, end) &&
           is_argument(q, c);
}

enum { DEEPEST = 100 }; /* nested parentheses; SQLite has a similar limit */

/* Searches the terms of AND and OR in [first, end). An AND that belongs to BETWEEN
** separates no terms; a condition with CASE is refused. */
static bool stands_in_condition(const search *q, int first, int end, int depth) {
    const sql_list *s = q->s;
    int between = 0;
    if (depth > DEEPEST)
        return false;
    for (int at = first; at <= end; at = sql_step(s, at)) {
        bool is_and = at < end && sql_word_at(s, at, "AND");
        if (at < end && sql_word_at(s, at, "CASE"))
            return false;
        between += at < end && sql_word_at(s, at, "BETWEEN");
        if (is_and && between > 0) {
            between--;
            continue;
        }
        if (at < end && !is_and && !sql_word_at(s, at, "OR"))
            continue;
        bool grouped = sql_mark_at(s, first, '(') && s->item[first].partner == at - 1;
        if (grouped && !begins_select(s, first + 1)
                ? stands_in_condition(q, first + 1, at - 1, depth + 1)
                : is_comparison(q, first, at))
            return true;
        first = at + 1;
    }
    return false;
}

/* Searches the conditions of a FROM clause and the WHERE after it. */
static bool stands_in_clause(const sql_list *s, int from, const query *query) {
    search q = {s, query, from};
    bool more = true, merged = false, found = false;
    from_table t;
    while (more) {
        if (!next_table(s, &from, &more, &merged, &t))
            return false;
        found |= t.on >= 0 && stands_in_condition(&q, t.on, t.on_end, 0);
    }
    if (!found && sql_word_at(s, from, "WHERE")) {
        int end = from + 1;
        while (!ends_clause(s, end))
            end = sql_step(s, end);
        found = stands_in_condition(&q, from + 1, end, 0);
    }
    return found;
}

/* ---- the statement ---- */

/* True for the FROM of a query. False for the FROM of DELETE and of IS DISTINCT FROM. */
static bool begins_from(const sql_list *s, int place) {
    return sql_word_at(s, place, "FROM") && !sql_word_at(s, place - 1, "DELETE") &&
           !sql_word_at(s, place - 1, "DISTINCT");
}

static bool stands_in_conditions(const sql_list *s, const query *query) {
    bool found = false;
    for (int i = 0; i < s->count; i++) {
        if (sql_name_at(s, i, query->function) && defines(s, i))
            return false; /* a WITH defines the name */
        found |= begins_from(s, i) && stands_in_clause(s, i + 1, query);
    }
    return found;
}

bool query_stands_in(const sql_list *statement, const query *query) {
    bool there = false, edges = strcmp(query->argument, "edges") == 0;
    for (int i = 0; i < statement->count; i++) {
        if (!sql_text_at(statement, i, query->text))
            continue;
        there = true;
        if (edges && is_first_argument(statement, i, query->function))
            return true;
    }
    return there && stands_in_conditions(statement, query);
}
