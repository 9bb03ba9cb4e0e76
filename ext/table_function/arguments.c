/* Reads the values of an xFilter by the plan's words, and settles what does not depend on
** the graph: texts, words, numbers and flags. resolve.c settles ids and bounds. */
#include "arguments.h"
#include "base/names.h"

#include <math.h>
#include <string.h>

static const char *const direction_names[] = {"out", "in", "both", NULL};
const char *const backend_names[] = {"auto", "cpu", "cuda", NULL};

/* ---- sentences ---- */

int argument_must_be(const arguments *a, int field, const char *what) {
    return caller_fail(a->by, SQLITE_ERROR, "the argument %s must be %s, not %s",
                       field_name(a->by->function, field), what,
                       VALUE_WRITTEN(a->given.value[field]));
}

/* Fails with the sentence and ", as in gpu_bfs('roads', 1)", with the edges of this call
** unless their text is long. */
static int fail_with_example(const arguments *a, const char *sentence) {
    enum { LONGEST = 60 };
    const char *example = a->by->function->example, *quote = strchr(example, '\'');
    sqlite3_value *edges = a->given.value[F_EDGES];
    if (!edges || sqlite3_value_type(edges) != SQLITE_TEXT || holds_zero_byte(edges) ||
        sqlite3_value_bytes(edges) > LONGEST)
        return caller_fail(a->by, SQLITE_ERROR, "%s, as in %s", sentence, example);
    return caller_fail(a->by, SQLITE_ERROR, "%s, as in %.*s%Q%s", sentence,
                       (int)(quote - example), example, sqlite3_value_text(edges),
                       strchr(quote + 1, '\'') + 1);
}

/* ---- options ---- */

bool argument_given(const arguments *a, int field) {
    return a->given.value[field] &&
           sqlite3_value_type(a->given.value[field]) != SQLITE_NULL;
}

bool direction_is_the_graphs(const arguments *a) {
    return !argument_given(a, F_DIRECTION) && a->by->function->direction == GPUGRAPH_OUT;
}

/* Fails with "the argument direction must be 'out', 'in' or 'both', not 'bth'; the
** nearest name is 'both'". */
static int must_be_one_of(const arguments *a, int field, const char *const *names) {
    sqlite3_value *value = a->given.value[field];
    bool text = sqlite3_value_type(value) == SQLITE_TEXT;
    nearest near = {.given = text ? (const char *)sqlite3_value_text(value) : NULL};
    sqlite3_str *list = sqlite3_str_new(NULL);
    for (int i = 0; names[i]; i++) {
        sqlite3_str_appendf(list, "%s'%s'",
                            i == 0         ? ""
                            : names[i + 1] ? ", "
                                           : " or ",
                            names[i]);
        nearest_look(&near, names[i], names[i]);
    }
    char *words = sqlite3_str_finish(list);
    int rc =
        words ? caller_fail(a->by, SQLITE_ERROR, "the argument %s must be %s, not %s%s",
                            field_name(a->by->function, field), words,
                            VALUE_WRITTEN(value), near.told)
              : SQLITE_NOMEM;
    sqlite3_free(words);
    return rc;
}

/* Sets *chosen to the index of the given word in names. */
static int read_word(const arguments *a, int field, const char *const *names,
                     int *chosen) {
    sqlite3_value *value = a->given.value[field];
    if (sqlite3_value_type(value) != SQLITE_TEXT || holds_zero_byte(value))
        return must_be_one_of(a, field, names);
    const char *word = (const char *)sqlite3_value_text(value);
    if (!word)
        return SQLITE_NOMEM;
    *chosen = 0;
    while (names[*chosen] && sqlite3_stricmp(word, names[*chosen]) != 0)
        ++*chosen;
    return names[*chosen] ? SQLITE_OK : must_be_one_of(a, field, names);
}

/* Reads a number. Its type is SQLITE_NULL if the argument is not given. what: "an INTEGER
** from 1 to 9", for the sentence. -0.0 becomes 0.0, because options are parts of the keys
** of searches. */
static int read_number(const arguments *a, int field, bool integer, double least,
                       double most, const char *what, struct sql_number *number) {
    *number = (struct sql_number){.type = SQLITE_NULL};
    if (!argument_given(a, field))
        return SQLITE_OK;
    int rc = number_of(a->given.value[field], number);
    if (rc != SQLITE_OK)
        return rc;
    if (integer)
        number_to_integer(number);
    if (number->type == SQLITE_INTEGER)
        number->real = (double)number->integer;
    number->real += 0.0;
    return number->type == SQLITE_NULL || (integer && number->type != SQLITE_INTEGER) ||
                   !(number->real >= least && number->real <= most)
               ? argument_must_be(a, field, what)
               : SQLITE_OK;
}

static int read_option_number(const arguments *a, int field, const own_option *o,
                              double *option) {
    struct sql_number number;
    char what[80] = "0 or 1";
    if (o->real)
        sqlite3_snprintf(sizeof what, what, "a number from %.15g to %.15g", o->least,
                         o->most);
    else if (o->least != 0 || o->most != 1)
        sqlite3_snprintf(sizeof what, what, "an INTEGER from %lld to %lld",
                         (sqlite3_int64)o->least, (sqlite3_int64)o->most);
    int rc = read_number(a, field, !o->real, o->least, o->most, what, &number);
    *option = number.real;
    return rc;
}

/* Sets *option if the argument is given. */
static int read_option(const arguments *a, int field, const own_option *o,
                       double *option) {
    int word = 0;
    if (!argument_given(a, field))
        return SQLITE_OK;
    if (!o->words)
        return read_option_number(a, field, o, option);
    int rc = read_word(a, field, o->words, &word);
    *option = word;
    return rc;
}

enum { MOST_METHODS = 64 };

/* Lists "auto" and the methods of the function's searches, each name once although both
** backends or several searches may have it. NULL ends the list. */
static void method_names(const table_function *f, const char *names[MOST_METHODS + 1]) {
    const gpugraph_method *m;
    int count = 1;
    names[0] = "auto";
    for (int i = 0; (m = gpugraph_method_at(i)) != NULL && count < MOST_METHODS; i++) {
        bool known = !function_uses(f, m->function);
        for (int j = 0; j < count && !known; j++)
            known = strcmp(names[j], m->name) == 0;
        if (!known)
            names[count++] = m->name;
    }
    names[count] = NULL;
}

static int read_method(arguments *a) {
    const char *names[MOST_METHODS + 1];
    int chosen = 0;
    if (!argument_given(a, F_METHOD))
        return SQLITE_OK;
    method_names(a->by->function, names);
    int rc = read_word(a, F_METHOD, names, &chosen);
    a->options.method = chosen > 0 ? names[chosen] : NULL;
    return rc;
}

static int read_options(arguments *a) {
    static const own_option directions = {.words = direction_names},
                            backends = {.words = backend_names}, flag = {.most = 1};
    const own_option *own = a->by->function->options;
    double direction = a->by->function->direction, backend = -1, weighted = -1;
    struct sql_number seed = {.type = SQLITE_NULL};
    int rc = read_option(a, F_DIRECTION, &directions, &direction);
    rc = rc ? rc : read_option(a, F_BACKEND, &backends, &backend);
    rc = rc ? rc : read_method(a);
    rc = rc ? rc : read_option(a, F_WEIGHTED, &flag, &weighted);
    rc = rc ? rc : read_number(a, F_SEED, true, -INFINITY, INFINITY, "an INTEGER", &seed);
    if (rc == SQLITE_OK)
        rc = read_number(a, argument_given(a, F_MAX_DEPTH) ? F_MAX_DEPTH : F_MAX_DISTANCE,
                         false, 0, INFINITY, "a number that is 0 or more",
                         &a->options.maximum);
    for (int i = 0; i < OWN_OPTIONS && rc == SQLITE_OK && own[i].name; i++) {
        a->options.own[i] = own[i].standard;
        rc = read_option(a, F_OPTION + i, &own[i], &a->options.own[i]);
    }
    a->options.seed = seed.integer;
    a->options.direction = (gpugraph_direction)direction;
    a->options.backend = (int)backend;
    a->options.weighted = (int)weighted;
    return rc;
}

/* ---- reading the values ---- */

/* Returns false if memory is short. */
static bool take_value(arguments *a, word w, sqlite3_value *value) {
    if (w.what == WORD_LIMIT)
        a->given.limit = value;
    else if (w.what == WORD_OFFSET)
        a->given.offset = value;
    else if (w.how == WORD_LESS || w.how == WORD_AT_MOST)
        a->given.bound[a->given.bounds++] =
            (struct given_bound){value, w.how == WORD_LESS};
    else
        a->given.value[w.what] = value;
    if (w.how == WORD_LIST)
        a->lists |= field_bit(w.what);
    return w.how != WORD_EQUAL || w.what < F_FIRST_ARGUMENT || w.what >= F_FURTHER ||
           value_keep(&a->as_given[w.what], value);
}

static void clear_as_given(arguments *a) {
    for (int i = F_FIRST_ARGUMENT; i < F_FURTHER; i++) {
        sqlite3_value_free(a->as_given[i]);
        a->as_given[i] = NULL;
    }
}

static bool is_null(const sqlite3_value *value) {
    return value && sqlite3_value_type((sqlite3_value *)value) == SQLITE_NULL;
}

static int check_filters(const arguments *a) {
    static const struct {
        enum field field;
        const char *what;
    } texts[] = {
        {F_EDGE_FILTER, "an SQL condition, as in 'toll = 0'"},
        {F_EDGE_PARAMS, "a JSON array, as json_array() makes it"},
        {F_VERTEX_FILTER, "a query, as in 'SELECT id FROM places WHERE open'"},
        {F_VERTEX_PARAMS, "a JSON array, as json_array() makes it"},
    };
    for (int i = 0; i < COUNT(texts); i++) {
        sqlite3_value *value = a->given.value[texts[i].field];
        if (argument_given(a, texts[i].field) &&
            (sqlite3_value_type(value) != SQLITE_TEXT || holds_zero_byte(value)))
            return argument_must_be(a, texts[i].field, texts[i].what);
    }
    return SQLITE_OK;
}

/* A statement may name an argument in a condition that gives no value, under OR or in the
** ON of a RIGHT JOIN. Therefore the sentences propose the parentheses. */
static int check_edges(const arguments *a) {
    sqlite3_value *edges = a->given.value[F_EDGES],
                  *vertices = a->given.value[F_VERTICES];
    if (!edges)
        return fail_with_example(
            a,
            "the argument edges is missing; name a table, a view or a query of edges in "
            "the parentheses");
    if (is_null(edges))
        return fail_with_example(
            a,
            "the argument edges is NULL; it names a table, a view or a query of edges");
    if (sqlite3_value_type(edges) != SQLITE_TEXT)
        return argument_must_be(a, F_EDGES,
                                "the name of a table, a view or a query of edges");
    if (vertices && !is_null(vertices) && sqlite3_value_type(vertices) != SQLITE_TEXT)
        return argument_must_be(
            a, F_VERTICES,
            "the name of a table or view with its column in parentheses, or a query");
    if (argument_given(a, F_PARAMS) &&
        sqlite3_value_type(a->given.value[F_PARAMS]) != SQLITE_TEXT)
        return argument_must_be(a, F_PARAMS, "a JSON array, as json_array() makes it");
    return check_filters(a);
}

static int check_sources(const arguments *a) {
    const table_function *f = a->by->function;
    if (f->cells && !argument_given(a, F_SOURCES))
        return fail_with_example(
            a, "there are no sources; give a JSON array of vertices in the parentheses");
    if (a->given.value[F_SOURCE] && argument_given(a, F_SOURCES))
        return caller_fail(
            a->by, SQLITE_ERROR,
            "both source and sources are given; give a single vertex as source, or a "
            "JSON array of vertices as sources");
    if (f->needs_source && !a->given.value[F_SOURCE] && !argument_given(a, F_SOURCES))
        return fail_with_example(
            a, "there is no source; give the vertex to start from in the parentheses");
    if (f->paths && !a->given.value[F_TARGET])
        return fail_with_example(
            a, "there is no target; give the vertex to arrive at in the parentheses");
    return SQLITE_OK;
}

/* Resets what belongs to one call. */
static void forget_call(arguments *a) {
    memset(&a->given, 0, sizeof a->given);
    a->options = (options){.maximum.type = SQLITE_NULL};
    a->no_rows = a->has_target = false;
    a->lists = 0;
    a->source = GPUGRAPH_NONE;
    a->asked = NULL;
    a->limit_rows = 0;
    a->bound = (bound){.given = false};
    a->unknown.count = 0;
    a->unknown.text[0] = '\0';
}

int arguments_read(arguments *a, int plan, const char *words, int argc,
                   sqlite3_value **argv) {
    forget_call(a);
    a->plan = (unsigned)plan;
    bool first = !words || words != a->words;
    if (first) {
        clear_as_given(a);
        plan_words_read(a->by->function, words, a->word);
    }
    a->words = words;
    int rc = SQLITE_OK;
    for (int i = 0; i < argc && rc == SQLITE_OK; i++)
        rc = take_value(a, a->word[i], argv[i]) ? SQLITE_OK : SQLITE_NOMEM;
    if (rc == SQLITE_OK && plan & PLAN_POSITIONAL)
        rc = plan_fail_lacking(a->by, plan);
    rc = rc ? rc : check_edges(a);
    rc = rc ? rc : check_sources(a);
    if (rc == SQLITE_OK && plan_lacks(plan))
        rc = plan_fail_lacking(a->by, plan);
    rc = rc ? rc : read_options(a);
    a->has_target = a->given.value[F_TARGET] != NULL;
    static const enum field ends[] = {F_SOURCE, F_VERTEX, F_TARGET};
    for (int i = 0; i < 3; i++)
        a->no_rows |= !is_list(a, ends[i]) && is_null(a->given.value[ends[i]]);
    for (int b = 0; b < a->given.bounds; b++)
        a->no_rows |= is_null(a->given.bound[b].value);
    return rc;
}

void arguments_clear(arguments *a) {
    clear_as_given(a);
    retyped_ids_clear(&a->retyped_sources);
    retyped_ids_clear(&a->retyped_targets);
    text_clear(&a->sources_text);
    text_clear(&a->targets_text);
    numbers_clear(&a->sources);
    numbers_clear(&a->targets);
    numbers_clear(&a->only);
    numbers_clear(&a->listed_sources);
    numbers_clear(&a->listed_targets);
}
