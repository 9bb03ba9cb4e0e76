/* The values of one xFilter, by the plan's words, and all of them that mean the same for
** every graph: texts, words, numbers, flags. What depends on the graph, ids and
** bounds, follows in resolve.c. */
#include "table_function.h"
#include "base/whole_number.h"
#include "base/zero_byte.h"

#include <string.h>

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

static const char *skip_digits(const char *at, const char *end) {
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

static const char *skip_spaces(const char *at, const char *end) {
    while (at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r')))
        at++;
    return at;
}

/* Is the whole text a number, SQLITE_INTEGER or SQLITE_FLOAT, as numeric affinity has it?
** *integer: of the first kind. SQLITE_NULL: it is none. */
static int number_in_text(const char *at, const char *end, sqlite3_int64 *integer) {
    at = skip_spaces(at, end);
    const bool minus = at < end && *at == '-';
    const char *first = at + (at < end && (*at == '-' || *at == '+'));
    const char *behind = skip_digits(first, end);
    long digits = behind - first;
    bool fits = true;
    *integer = 0;
    for (const char *digit = first; digit < behind && fits; digit++)
        fits = !__builtin_mul_overflow(*integer, 10, integer) &&
               !__builtin_sub_overflow(*integer, *digit - '0', integer);
    fits = fits && (minus || !__builtin_sub_overflow(0, *integer, integer));
    if (behind < end && *behind == '.') {
        at = skip_digits(behind + 1, end);
        digits += at - behind - 1;
        behind = at;
        fits = false;
    }
    if (behind < end && (*behind == 'e' || *behind == 'E')) {
        first = behind + 1;
        first += first < end && (*first == '-' || *first == '+');
        behind = skip_digits(first, end);
        digits = behind > first ? digits : 0;
        fits = false;
    }
    if (digits == 0 || skip_spaces(behind, end) < end)
        return SQLITE_NULL;
    return fits ? SQLITE_INTEGER : SQLITE_FLOAT;
}

/* The number that numeric affinity makes of the value; type SQLITE_NULL: none. Not by
** sqlite3_value_numeric_type: it converts the register itself, which may serve other
** expressions, and some versions (3.53) crash when it is given a copy. */
int number_of(sqlite3_value *value, struct number *number) {
    memset(number, 0, sizeof *number);
    number->type = sqlite3_value_type(value);
    if (number->type == SQLITE_TEXT) {
        const char *text = (const char *)sqlite3_value_text(value);
        if (!text)
            return SQLITE_NOMEM;
        number->type =
            number_in_text(text, text + sqlite3_value_bytes(value), &number->integer);
    } else if (number->type == SQLITE_INTEGER) {
        number->integer = sqlite3_value_int64(value);
    }
    if (number->type == SQLITE_FLOAT)
        number->real = sqlite3_value_double(value);
    else if (number->type != SQLITE_INTEGER)
        number->type = SQLITE_NULL;
    return SQLITE_OK;
}

/* A REAL with an integral value becomes that INTEGER. */
void number_to_integer(struct number *number) {
    int64_t integer;
    if (number->type == SQLITE_FLOAT && whole_number(number->real, &integer)) {
        number->type = SQLITE_INTEGER;
        number->integer = integer;
    }
}

/* ---- sentences ---- */

/* Python's sqlite3 binds a NumPy integer as the bytes that hold it. */
/* Long ones are cut. */
char *value_written(sqlite3_value *value) {
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        return sqlite3_mprintf("%lld", sqlite3_value_int64(value));
    case SQLITE_FLOAT:
        return sqlite3_mprintf("%!.15g", sqlite3_value_double(value));
    case SQLITE_TEXT:
        return sqlite3_mprintf("'%!.60q'%s", sqlite3_value_text(value),
                               zero_byte_told(value));
    case SQLITE_BLOB:
        return sqlite3_mprintf("%s", blob_written(value));
    default:
        return sqlite3_mprintf("NULL");
    }
}

int argument_must_be(cursor *cur, int field, const char *what) {
    char *value = value_written(cur->arguments.value[field]);
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

/* "the argument direction must be 'out', 'in' or 'both', not 'up'" */
static int must_be_one_of(cursor *cur, int field, const char *const *names, int count) {
    sqlite3_str *list = sqlite3_str_new(NULL);
    for (int i = 0; i < count; i++)
        sqlite3_str_appendf(list, "%s'%s'",
                            i == 0           ? ""
                            : i == count - 1 ? " or "
                                             : ", ",
                            names[i]);
    char *words = sqlite3_str_finish(list);
    int rc = words ? argument_must_be(cur, field, words) : SQLITE_NOMEM;
    sqlite3_free(words);
    return rc;
}

/* Sets *chosen to the place of the word in names; leaves it alone where the argument
** is not given. */
static int read_word(cursor *cur, int field, const char *const *names, int count,
                     int *chosen) {
    sqlite3_value *value = cur->arguments.value[field];
    if (!argument_given(&cur->arguments, field))
        return SQLITE_OK;
    if (sqlite3_value_type(value) != SQLITE_TEXT || holds_zero_byte(value))
        return must_be_one_of(cur, field, names, count);
    const char *word = (const char *)sqlite3_value_text(value);
    if (!word)
        return SQLITE_NOMEM;
    for (int i = 0; i < count; i++) {
        if (sqlite3_stricmp(word, names[i]) == 0) {
            *chosen = i;
            return SQLITE_OK;
        }
    }
    return must_be_one_of(cur, field, names, count);
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

enum { MOST_METHODS = 64 };

/* "auto", and the methods of the function's searches; one that both backends have, or two of
** the searches, once. Returns how many. */
static int method_names(const algorithm *a, const char *names[MOST_METHODS]) {
    const gpugraph_method *m;
    int count = 1;
    names[0] = "auto";
    for (int i = 0; (m = gpugraph_method_at(i)) != NULL && count < MOST_METHODS; i++) {
        bool known = !algorithm_uses(a, m->function);
        for (int j = 0; j < count && !known; j++)
            known = strcmp(names[j], m->name) == 0;
        if (!known)
            names[count++] = m->name;
    }
    return count;
}

static int read_method(cursor *cur) {
    const char *names[MOST_METHODS];
    int chosen = 0;
    if (!argument_given(&cur->arguments, F_METHOD))
        return SQLITE_OK;
    int rc =
        read_word(cur, F_METHOD, names, method_names(cur->algorithm, names), &chosen);
    cur->arguments.method = chosen > 0 ? names[chosen] : NULL;
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

/* ---- reading the words ---- */

static void take_value(arguments *a, word w, sqlite3_value *value) {
    if (w.what == WORD_LIMIT)
        a->limit = value;
    else if (w.what == WORD_OFFSET)
        a->offset = value;
    else if (w.how == WORD_LESS || w.how == WORD_AT_MOST)
        a->given_bound[a->given_bounds++] =
            (struct given_bound){value, w.how == WORD_LESS};
    else
        a->value[w.what] = value;
    if (w.how == WORD_LIST && w.what == F_TARGET)
        a->target_list = true;
    else if (w.how == WORD_LIST && w.what == F_VERTEX)
        a->vertex_list = true;
    else if (w.how == WORD_LIST)
        a->source_list = true;
}

static bool is_null(const sqlite3_value *value) {
    return value && sqlite3_value_type((sqlite3_value *)value) == SQLITE_NULL;
}

/* An argument that there must be is not given. It may stand in a condition that gives none: the
** sentence for that, or SQLITE_OK. */
static int check_conditions(cursor *cur, int field) {
    int compared = argument_is_compared(cur, field);
    if (compared <= 0)
        return compared < 0 ? SQLITE_NOMEM : SQLITE_OK;
    return cursor_fail(
        cur, SQLITE_ERROR,
        "the argument %s is compared where that gives the search no value "
        "(under OR, in the ON of a RIGHT JOIN, beside what is never true); "
        "write it in the brackets, as in %s",
        field_text[field].name, cur->algorithm->example);
}

static int check_edges(cursor *cur) {
    sqlite3_value *edges = cur->arguments.value[F_EDGES],
                  *vertices = cur->arguments.value[F_VERTICES];
    int rc = edges ? SQLITE_OK : check_conditions(cur, F_EDGES);
    if (rc != SQLITE_OK)
        return rc;
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
        return argument_must_be(
            cur, F_VERTICES,
            "a table or view and its column, as in 'places(id)', or a query");
    if (argument_given(&cur->arguments, F_PARAMS) &&
        sqlite3_value_type(cur->arguments.value[F_PARAMS]) != SQLITE_TEXT)
        return argument_must_be(cur, F_PARAMS,
                                "a JSON array, as json_array(1, 'x') makes it");
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
        !argument_given(a, F_SOURCES)) {
        int rc = check_conditions(cur, F_SOURCE);
        return rc ? rc
                  : cursor_fail(
                        cur, SQLITE_ERROR,
                        "there is no source; give the vertex to start from, as in %s",
                        cur->algorithm->example);
    }
    if (cur->algorithm->paths && !a->value[F_TARGET]) {
        int rc = check_conditions(cur, F_TARGET);
        return rc ? rc
                  : cursor_fail(
                        cur, SQLITE_ERROR,
                        "there is no target; give the vertex to arrive at, as in %s",
                        cur->algorithm->example);
    }
    return SQLITE_OK;
}

int arguments_read(cursor *cur, int plan, const char *words, int argc,
                   sqlite3_value **argv) {
    arguments *a = &cur->arguments;
    memset(a, 0, sizeof *a);
    a->plan = (unsigned)plan;
    a->weighted = a->backend = -1;
    a->maximum.type = SQLITE_NULL;
    a->source = a->only_vertex = GPUGRAPH_NONE;
    bool first = !words || words != cur->words;
    if (first)
        plan_words_read(words, cur->word);
    cur->words = words;
    for (int i = 0; i < argc; i++)
        take_value(a, cur->word[i], argv[i]);
    int rc = first ? arguments_astray(cur) : SQLITE_OK;
    if (rc == SQLITE_OK)
        rc = check_edges(cur);
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
