/* The values of one xFilter, by their tokens, and all of them that mean the same for
** every graph: texts, words, numbers, flags. What depends on the graph, ids and
** bounds, follows in resolve.c. */
#include "table_function.h"

#include <math.h>
#include <string.h>

#define TWO_TO_63 9223372036854775808.0

const char *const direction_names[3] = {"out", "in", "both"};
const char *const priority_names[4] = {"degree", "degree-id", "random", "id"};
const char *const backend_names[3] = {"auto", "cpu", "cuda"};

/* ---- texts, numbers ---- */

int text_set(text *t, sqlite3_value *value) {
    text_clear(t);
    if (!value || sqlite3_value_type(value) == SQLITE_NULL)
        return SQLITE_OK;
    const unsigned char *bytes = sqlite3_value_text(value);
    int count = sqlite3_value_bytes(value);
    t->bytes = bytes ? sqlite3_malloc64((sqlite3_uint64)count + 1) : NULL;
    if (!t->bytes)
        return SQLITE_NOMEM;
    memcpy(t->bytes, bytes, (size_t)count);
    t->bytes[count] = '\0';
    t->count = count;
    return SQLITE_OK;
}

bool text_is(const text *t, sqlite3_value *value) {
    if (!value || sqlite3_value_type(value) == SQLITE_NULL)
        return t->bytes == NULL;
    if (!t->bytes)
        return false;
    const unsigned char *bytes = sqlite3_value_text(value);
    return bytes && sqlite3_value_bytes(value) == t->count &&
           memcmp(bytes, t->bytes, (size_t)t->count) == 0;
}

void text_clear(text *t) {
    sqlite3_free(t->bytes);
    memset(t, 0, sizeof *t);
}

/* The number that numeric affinity makes of the value; type SQLITE_NULL: none. A copy
** is converted, since the register behind a value may serve other expressions. */
int number_of(sqlite3_value *value, struct number *number) {
    int type = sqlite3_value_type(value);
    memset(number, 0, sizeof *number);
    number->type = SQLITE_NULL;
    sqlite3_value *copy = NULL;
    if (type == SQLITE_TEXT) {
        value = copy = sqlite3_value_dup(value);
        if (!copy)
            return SQLITE_NOMEM;
        type = sqlite3_value_numeric_type(copy);
    }
    if (type == SQLITE_INTEGER) {
        number->integer = sqlite3_value_int64(value);
        number->type = type;
    } else if (type == SQLITE_FLOAT) {
        number->real = sqlite3_value_double(value);
        number->type = type;
    }
    sqlite3_value_free(copy);
    return SQLITE_OK;
}

/* A REAL with an integral value becomes that INTEGER. */
void number_to_integer(struct number *number) {
    double r = number->real;
    if (number->type == SQLITE_FLOAT && r >= -TWO_TO_63 && r < TWO_TO_63 &&
        r == floor(r)) {
        number->type = SQLITE_INTEGER;
        number->integer = (sqlite3_int64)r;
    }
}

/* ---- sentences ---- */

/* The value as it would be written in SQL, shortened; sqlite3_free. */
static char *written(sqlite3_value *value) {
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        return sqlite3_mprintf("%lld", sqlite3_value_int64(value));
    case SQLITE_FLOAT:
        return sqlite3_mprintf("%!.15g", sqlite3_value_double(value));
    case SQLITE_TEXT:
        return sqlite3_mprintf("'%!.60q'", sqlite3_value_text(value));
    case SQLITE_BLOB:
        return sqlite3_mprintf("a BLOB");
    default:
        return sqlite3_mprintf("NULL");
    }
}

int argument_must_be(cursor *cur, int field, const char *what) {
    char *value = written(cur->arguments.value[field]);
    if (!value)
        return SQLITE_NOMEM;
    int rc = cursor_fail(cur, SQLITE_ERROR, "the argument %s must be %s, not %s",
                         field_text[field].name, what, value);
    sqlite3_free(value);
    return rc;
}

/* ---- options ---- */

bool argument_given(const arguments *a, int field) {
    return a->value[field] && sqlite3_value_type(a->value[field]) != SQLITE_NULL;
}

/* "'out', 'in' or 'both'" into *list, one name at a time. */
static void list_name(sqlite3_str *list, const char *name, bool first, bool last) {
    sqlite3_str_appendf(list, "%s'%s'", first ? "" : last ? " or " : ", ", name);
}

/* Sets *chosen to the place of the word in names; leaves it alone where the argument
** is not given. */
static int read_word(cursor *cur, int field, const char *const *names, int count,
                     int *chosen) {
    sqlite3_value *value = cur->arguments.value[field];
    if (!argument_given(&cur->arguments, field))
        return SQLITE_OK;
    if (sqlite3_value_type(value) == SQLITE_TEXT) {
        const char *word = (const char *)sqlite3_value_text(value);
        if (!word)
            return SQLITE_NOMEM;
        for (int i = 0; i < count; i++) {
            if (strcmp(word, names[i]) == 0) {
                *chosen = i;
                return SQLITE_OK;
            }
        }
    }
    sqlite3_str *list = sqlite3_str_new(NULL);
    for (int i = 0; i < count; i++)
        list_name(list, names[i], i == 0, i == count - 1);
    char *words = sqlite3_str_finish(list);
    int rc = words ? argument_must_be(cur, field, words) : SQLITE_NOMEM;
    sqlite3_free(words);
    return rc;
}

static int read_integer(cursor *cur, int field, const char *what, sqlite3_int64 least,
                        sqlite3_int64 most, sqlite3_int64 *integer) {
    if (!argument_given(&cur->arguments, field))
        return SQLITE_OK;
    struct number number;
    int rc = number_of(cur->arguments.value[field], &number);
    number_to_integer(&number);
    if (rc != SQLITE_OK)
        return rc;
    if (number.type != SQLITE_INTEGER || number.integer < least || number.integer > most)
        return argument_must_be(cur, field, what);
    *integer = number.integer;
    return SQLITE_OK;
}

static int read_flag(cursor *cur, int field, int *flag) {
    sqlite3_int64 integer = *flag;
    int rc = read_integer(cur, field, "0 or 1", 0, 1, &integer);
    *flag = (int)integer;
    return rc;
}

static int read_maximum(cursor *cur, int field) {
    if (!argument_given(&cur->arguments, field))
        return SQLITE_OK;
    struct number *maximum = &cur->arguments.maximum;
    int rc = number_of(cur->arguments.value[field], maximum);
    if (rc != SQLITE_OK)
        return rc;
    if (maximum->type == SQLITE_NULL ||
        (maximum->type == SQLITE_INTEGER ? maximum->integer < 0 : maximum->real < 0))
        return argument_must_be(cur, field, "a number that is 0 or more");
    return SQLITE_OK;
}

/* Does a method before number i, of a search of the function, have the same name? Both
** backends may know it. */
static bool named_before(const algorithm *a, int i) {
    const gpugraph_method *m = gpugraph_method_at(i);
    while (i-- > 0) {
        const gpugraph_method *other = gpugraph_method_at(i);
        if (algorithm_uses(a, other->function) && strcmp(other->name, m->name) == 0)
            return true;
    }
    return false;
}

/* The method's name, as the library's list has it, if any search of the function knows
** it. */
static int read_method(cursor *cur) {
    const gpugraph_method *m;
    if (!argument_given(&cur->arguments, F_METHOD))
        return SQLITE_OK;
    sqlite3_value *value = cur->arguments.value[F_METHOD];
    const char *word = sqlite3_value_type(value) == SQLITE_TEXT
                           ? (const char *)sqlite3_value_text(value)
                           : "";
    if (!word)
        return SQLITE_NOMEM;
    if (strcmp(word, "auto") == 0)
        return SQLITE_OK;
    sqlite3_str *list = sqlite3_str_new(NULL);
    sqlite3_str_appendall(list, "'auto'");
    for (int i = 0; (m = gpugraph_method_at(i)) != NULL; i++) {
        if (!algorithm_uses(cur->algorithm, m->function))
            continue;
        if (strcmp(word, m->name) == 0)
            cur->arguments.method = m->name;
        if (!named_before(cur->algorithm, i))
            sqlite3_str_appendf(list, " or '%s'", m->name);
    }
    char *words = sqlite3_str_finish(list);
    int rc = !words                  ? SQLITE_NOMEM
             : cur->arguments.method ? SQLITE_OK
                                     : argument_must_be(cur, F_METHOD, words);
    sqlite3_free(words);
    return rc;
}

static int read_options(cursor *cur) {
    arguments *a = &cur->arguments;
    int direction = GPUGRAPH_OUT, priority = GPUGRAPH_BY_DEGREE;
    int rc = read_word(cur, F_DIRECTION, direction_names, 3, &direction);
    if (rc == SQLITE_OK)
        rc = read_word(cur, F_PRIORITY, priority_names, 4, &priority);
    if (rc == SQLITE_OK)
        rc = read_word(cur, F_BACKEND, backend_names, 3, &a->backend);
    if (rc == SQLITE_OK)
        rc = read_method(cur);
    if (rc == SQLITE_OK)
        rc = read_flag(cur, F_WEIGHTED, &a->weighted);
    if (rc == SQLITE_OK)
        rc = read_flag(cur, F_ORDERED, &a->ordered);
    if (rc == SQLITE_OK)
        rc = read_integer(cur, F_SEED, "an INTEGER", INT64_MIN, INT64_MAX, &a->seed);
    if (rc == SQLITE_OK)
        rc = read_maximum(cur, F_MAX_DEPTH);
    if (rc == SQLITE_OK)
        rc = read_maximum(cur, F_MAX_DISTANCE);
    a->direction = (gpugraph_direction)direction;
    a->priority = (gpugraph_priority)priority;
    return rc;
}

/* ---- reading the tokens ---- */

static void take_value(arguments *a, const char *token, sqlite3_value *value) {
    int what = token[0] - TOKEN_FIRST;
    if (what == TOKEN_LIMIT)
        a->limit = value;
    else if (what == TOKEN_OFFSET)
        a->offset = value;
    else if (token[1] == TOKEN_LESS || token[1] == TOKEN_AT_MOST)
        a->given_bound[a->given_bounds++] =
            (struct given_bound){value, token[1] == TOKEN_LESS};
    else
        a->value[what] = value;
    if (token[1] == TOKEN_LIST && what == F_TARGET)
        a->target_list = true;
    else if (token[1] == TOKEN_LIST && what == F_VERTEX)
        a->vertex_list = true;
    else if (token[1] == TOKEN_LIST)
        a->source_list = true;
}

static bool is_null(const sqlite3_value *value) {
    return value && sqlite3_value_type((sqlite3_value *)value) == SQLITE_NULL;
}

static int check_edges(cursor *cur) {
    sqlite3_value *edges = cur->arguments.value[F_EDGES],
                  *vertices = cur->arguments.value[F_VERTICES];
    if (!edges || is_null(edges))
        return cursor_fail(
            cur, SQLITE_ERROR,
            "the argument edges is %s; it names a table, a view or a query of edges, as "
            "in %s",
            edges ? "NULL" : "missing", cur->algorithm->example);
    if (sqlite3_value_type(edges) != SQLITE_TEXT)
        return argument_must_be(cur, F_EDGES,
                                "the name of a table, a view or a query of edges");
    if (vertices && !is_null(vertices) && sqlite3_value_type(vertices) != SQLITE_TEXT)
        return argument_must_be(cur, F_VERTICES,
                                "the name of a table or view and its column, or a query");
    return SQLITE_OK;
}

static int check_sources(cursor *cur) {
    arguments *a = &cur->arguments;
    if (a->value[F_SOURCE] && argument_given(a, F_SOURCES))
        return cursor_fail(
            cur, SQLITE_ERROR,
            "both source and sources are given; give a single vertex as source, or a "
            "JSON array of vertices as sources");
    if (cur->algorithm->needs_source && !a->value[F_SOURCE] &&
        !argument_given(a, F_SOURCES))
        return cursor_fail(cur, SQLITE_ERROR,
                           "there is no source; give the vertex to start from, as in %s",
                           cur->algorithm->example);
    if (cur->algorithm->paths && !a->value[F_TARGET])
        return cursor_fail(cur, SQLITE_ERROR,
                           "there is no target; give the vertex to arrive at, as in %s",
                           cur->algorithm->example);
    return SQLITE_OK;
}

int arguments_read(cursor *cur, int plan, const char *tokens, int argc,
                   sqlite3_value **argv) {
    arguments *a = &cur->arguments;
    memset(a, 0, sizeof *a);
    a->plan = (unsigned)plan;
    a->weighted = a->backend = -1;
    a->maximum.type = SQLITE_NULL;
    a->source = a->only_vertex = GPUGRAPH_NONE;
    for (int i = 0; i < argc; i++)
        take_value(a, tokens + 2 * i, argv[i]);
    int rc = check_edges(cur);
    if (rc == SQLITE_OK)
        rc = check_sources(cur);
    if (rc == SQLITE_OK)
        rc = read_options(cur);
    a->has_target = a->value[F_TARGET] != NULL;
    a->no_rows = (!a->source_list && is_null(a->value[F_SOURCE])) ||
                 (!a->vertex_list && is_null(a->value[F_VERTEX])) ||
                 (!a->target_list && is_null(a->value[F_TARGET]));
    for (int b = 0; b < a->given_bounds; b++)
        a->no_rows |= is_null(a->given_bound[b].value);
    return rc;
}
