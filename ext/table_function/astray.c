/* Arguments in brackets that have no value when the search begins, and the sentence for them.
**
**     gpu_bfs('roads', 1, max_depth = 2)     brackets hold (target) = (max_depth = 2), which
**                                            waits for a row of the search itself
**     gpu_bfs('roads', n.id) CROSS JOIN n    a row that is read after the search
**     n RIGHT JOIN gpu_bfs('roads', 1)       here SQLite drops what brackets hold
**
** All of these look alike to xBestIndex, and in a plain filter no row would pass. The texts of
** the running statements tell them apart; a view's or a trigger's text is not among them, so
** there the columns that are read have to do. */
#include "arguments.h"
#include "base/sql_list.h"

#include <string.h>

/* ---- calls in the text ---- */

typedef struct call {
    const sql_list *s;
    const table_function *function;
    int name, alias; /* alias: perhaps a word that is none */
} call;

static bool is_own_field(const call *c, int place) {
    for (int i = 0; i < c->function->fields; i++)
        if (sql_name_at(c->s, place, field_name(c->function, c->function->field[i])))
            return true;
    return false;
}

/* Does a column of the function itself begin here? *name is the place of its name. */
static bool is_own_column(const call *c, int place, int *name) {
    const sql_list *s = c->s;
    bool qualified = sql_mark_at(s, place + 1, '.');
    *name = qualified ? place + 2 : place;
    if (!sql_column_at(s, place) || sql_mark_at(s, *name + 1, '(') ||
        sql_mark_at(s, place - 1, '.'))
        return false;
    if (qualified && !sql_name_at(s, place, c->function->name) &&
        !(sql_column_at(s, c->alias) &&
          sql_same_name(&s->item[place].token, &s->item[c->alias].token)))
        return false;
    return is_own_field(c, *name);
}

/* What in [first, end) is a column of the function itself; -1: nothing. Subqueries have
** columns of their own. */
static int find_own_column(const call *c, int first, int end) {
    int name;
    for (int at = first; at < end; at++)
        if (sql_mark_at(c->s, at, '(') && sql_select_at(c->s, at + 1))
            at = sql_step(c->s, at) - 1;
        else if (is_own_column(c, at, &name))
            return name;
    return -1;
}

static void append_span(sqlite3_str *text, const sql_list *s, int first, int end) {
    const char *from = s->item[first].token.start, *to = s->item[end - 1].token.end;
    sqlite3_str_append(text, from, (int)(to - from));
}

/* "max_depth = 2 AND direction = 'in'": what in the brackets of the call is a comparison with
** a column of its own. *other: a place where such a column stands otherwise, or -1. */
static char *own_comparisons(const call *c, int *other) {
    const sql_list *s = c->s;
    sqlite3_str *text = sqlite3_str_new(NULL);
    int end = s->item[c->name + 1].partner;
    *other = -1;
    for (int at = c->name + 2, first = at; at <= end; at = sql_step(s, at)) {
        if (at < end && !sql_mark_at(s, at, ','))
            continue;
        int own = find_own_column(c, first, at);
        bool compared = own >= 0 && sql_mark_at(s, own + 1, '=') &&
                        (own == first || own == first + 2);
        if (compared) {
            sqlite3_str_appendall(text, sqlite3_str_length(text) ? " AND " : "");
            append_span(text, s, first, at);
        } else if (own >= 0) {
            *other = own;
        }
        first = at + 1;
    }
    return sqlite3_str_finish(text);
}

/* ---- sentences ---- */

static int fail_comparison(const arguments *a, const char *text) {
    const char *cut = strlen(text) > 100 ? a->by->function->option : text;
    return caller_fail(a->by, SQLITE_ERROR,
                       "%s in the brackets is a comparison, which sets nothing; write "
                       "WHERE %s",
                       cut, cut);
}

static int fail_column(const arguments *a, const sql_list *s, int place) {
    const sql_token *token = &s->item[place].token;
    return caller_fail(
        a->by, SQLITE_ERROR,
        "%.*s in the brackets is a column of %s itself, which has no value "
        "when the search begins; put the table's name before it where "
        "another one's is meant",
        (int)(token->end - token->start), token->start, a->by->function->name);
}

static int fail_further(const arguments *a) {
    const table_function *f = a->by->function;
    sqlite3_str *names = sqlite3_str_new(NULL);
    for (int i = 0; i < f->bracketed; i++)
        sqlite3_str_appendf(names, "%s%s",
                            i == 0                  ? ""
                            : i == f->bracketed - 1 ? " and "
                                                    : ", ",
                            field_name(f, f->field[f->visible + i]));
    char *list = sqlite3_str_finish(names);
    int rc = list ? caller_fail(a->by, SQLITE_ERROR,
                                "the brackets take %s alone; give other arguments after "
                                "WHERE, as in WHERE %s",
                                list, f->option)
                  : SQLITE_NOMEM;
    sqlite3_free(list);
    return rc;
}

static int fail_late(const arguments *a, int field) {
    return caller_fail(
        a->by, SQLITE_ERROR,
        "the argument %s has no value when the search begins; put the table "
        "that it comes from before %s, and in place of a RIGHT JOIN to %s "
        "write %s LEFT JOIN",
        field_name(a->by->function, field), a->by->function->name, a->by->function->name,
        a->by->function->name);
}

/* ---- texts ---- */

/* Looks at the text of one running statement: SQLITE_OK to go on. */
typedef int looker(const arguments *a, const sql_list *s, int field);

static int look_astray(const arguments *a, looker *look_at, int field) {
    sqlite3_stmt *statement = NULL;
    int rc = SQLITE_OK;
    while (rc == SQLITE_OK &&
           (statement = scope_next(a->by->c, &a->by->scope, statement)) != NULL) {
        const char *sql = sqlite3_sql(statement);
        sql_list list;
        if (!sql)
            continue;
        if (!sql_list_make(&list, sql))
            return SQLITE_NOMEM;
        rc = look_at(a, &list, field);
        sql_list_clear(&list);
    }
    return rc;
}

/* Does a call hold columns of its own in brackets? */
static int look_at_call(const arguments *a, const sql_list *s, int name) {
    int close = s->item[name + 1].partner, other;
    call c = {s, a->by->function, name, close + 1 + sql_word_at(s, close + 1, "AS")};
    char *text = own_comparisons(&c, &other);
    int rc = SQLITE_OK;
    if (text)
        rc = fail_comparison(a, text);
    else if (other >= 0)
        rc = fail_column(a, s, other);
    sqlite3_free(text);
    return rc;
}

static int look_at_calls(const arguments *a, const sql_list *s, int field) {
    int rc = SQLITE_OK;
    (void)field;
    for (int i = 0; i < s->count && rc == SQLITE_OK; i++)
        if (sql_call_at(s, i, a->by->function->name) && s->item[i + 1].partner > i)
            rc = look_at_call(a, s, i);
    return rc;
}

/* A target may come later: every vertex is one, and the rows are compared with it then. */
static bool may_be_late(const table_function *f, int field) {
    return field == F_TARGET && !f->paths;
}

static int look_at_comparisons(const arguments *a, const sql_list *s, int field) {
    const char *name = field_name(a->by->function, field);
    for (int i = 0; i < s->count; i++)
        if (sql_column_at(s, i) && sql_name_at(s, i, name) &&
            (sql_mark_at(s, i + 1, '=') || sql_word_at(s, i + 1, "IN") ||
             sql_mark_at(s, i - 1, '=')))
            return SQLITE_DONE;
    return SQLITE_OK;
}

int argument_is_compared(const arguments *a, int field) {
    int rc = look_astray(a, look_at_comparisons, field);
    return rc == SQLITE_DONE ? 1 : rc == SQLITE_OK ? 0 : -1;
}

/* ---- which of them ---- */

int arguments_astray(const arguments *a) {
    const table_function *f = a->by->function;
    const unsigned plan = a->plan;
    if (!(plan & (PLAN_UNFED | PLAN_FURTHER)))
        return SQLITE_OK;
    int rc = look_astray(a, look_at_calls, 0);
    if (rc != SQLITE_OK)
        return rc;
    if (plan & PLAN_FURTHER)
        return fail_further(a);
    for (int i = 0; i < f->bracketed; i++) {
        int field = f->field[f->visible + i];
        if (!(plan >> (PLAN_UNFED_SHIFT + i) & 1))
            continue;
        if (!may_be_late(f, field))
            return fail_late(a, field);
        if (plan_lacks((int)plan))
            return fail_further(a);
    }
    return SQLITE_OK;
}
