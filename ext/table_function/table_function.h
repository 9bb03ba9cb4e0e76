/* The table functions from the inside. One virtual table serves gpu_bfs, gpu_sssp,
** gpu_path, gpu_dfs and gpu_mis; a descriptor for each says which columns it has and
** which search answers it.
**
**   xBestIndex  plan.c       constraints     -> idxNum (plan bits), idxStr (words)
**   xFilter     arguments.c  argv by words   -> struct arguments
**               kept/cache.c      edges, vertices -> graph
**               resolve.c    ids, numbers    -> vertex numbers, bounds
**               answer.c     arguments       -> struct answer, kept with the graph
**               rows.c       answer          -> rows: a range of vertices, a list, paths
**   xNext, xColumn           read arrays only */
#ifndef GPUGRAPH_TABLE_FUNCTION_H
#define GPUGRAPH_TABLE_FUNCTION_H

#include "ext.h"

#define DEFAULT_CACHE_LIMIT ((sqlite3_int64)1 << 30)

/* ---- columns ---- */

enum field {
    /* what a row says */
    F_VERTEX,
    F_DEPTH,
    F_DISTANCE,
    F_PARENT,
    F_EDGE,
    F_SEQ,
    F_COST,
    F_PREORDER,
    F_POSTORDER,
    /* what was asked: hidden columns, the arguments */
    F_EDGES,
    F_SOURCE,
    F_TARGET,
    F_SOURCES,
    F_MAX_DEPTH,
    F_MAX_DISTANCE,
    F_DIRECTION,
    F_WEIGHTED,
    F_ORDERED,
    F_PRIORITY,
    F_SEED,
    F_VERTICES,
    F_PARAMS,
    F_METHOD,
    F_BACKEND,
    F_FURTHER, /* what stands in the brackets behind the last argument that they take */
    FIELDS,
    F_FIRST_ARGUMENT = F_EDGES
};

extern const struct field_text {
    const char *name, *type; /* type: "" for none, so that values compare as they are */
} field_text[FIELDS];

/* ---- searches ---- */

enum search_kind { SEARCH_BFS, SEARCH_SSSP, SEARCH_DFS, SEARCH_MIS };

/* Arrays by vertex number that one search made. Those that no plan has wanted yet are
** NULL; what is there never changes, so any number of cursors may read it. */
enum answer_array {
    A_TREE_EDGE, /* edge numbers; the first four in the order of the plan's bits */
    A_ROOT,      /* uint32_t */
    A_PREORDER,  /* uint32_t */
    A_POSTORDER, /* uint32_t */
    A_VALUE,     /* depth or distance, of the answer's type */
    A_PARENT,    /* uint32_t; gpu_dfs */
    A_MEMBER,    /* uint8_t; gpu_mis, which has no values */
    ANSWER_ARRAYS
};

typedef struct answer {
    uint32_t n;
    gpugraph_distance_type type;
    void *array[ANSWER_ARRAYS];
    size_t edge_size; /* bytes of an edge number (gpugraph_edge_size) */
    void *path; /* the edges of one path in the order of travel, in place of arrays */
    uint32_t path_edges; /* GPUGRAPH_NONE: there is no path */
    struct order {
        uint32_t *vertex; /* the reached ones by value, preorder, postorder */
        uint32_t count;
    } order[3];
    const char *method, *backend; /* what it ran on */
} answer;

enum { ORDER_VALUE, ORDER_PREORDER, ORDER_POSTORDER, ORDER_VERTEX };

/* What a search is asked, settled. Its bytes are the key by which a kept answer is found, so
** that every field counts: made by question_ask, copied by memcpy. */
typedef struct question {
    enum search_kind kind;
    gpugraph_search search; /* for gpu_dfs: source[0] or none */
    const char *method;     /* the list's own string, or NULL */
    gpugraph_backend backend;
    bool path; /* one source, one target, and nothing but the way between them */
    bool ordered;
    gpugraph_priority priority;
    sqlite3_int64 seed;
    unsigned wants; /* PLAN_TREE .. PLAN_POSTORDER */
} question;

/* ---- functions ---- */

/* Brackets fill hidden columns in their order, whatever these are called, and a column that
** something else is to be compared with is no different. So what brackets take has columns
** of its own, which nobody can name by accident, and one that catches what is too much.
**
**     vertex depth parent edge | (edges) (source) (target) | (further) | edges source ...
**     visible                    bracketed                               fields */
struct algorithm {
    const char *name;           /* "gpu_bfs" */
    const unsigned char *field; /* enum field: what a row says, then the arguments */
    int fields, visible;
    int bracketed;   /* so many of the arguments; 0: they have no columns of their own */
    bool paths;      /* rows are the steps of paths */
    bool ends_early; /* bounds, targets and limits save work */
    bool needs_source;
    enum weight_need weight;
    enum search_kind kind, unweighted_kind;
    const char *example; /* for sentences */
    const char *option;  /* one that brackets do not take: "max_depth = 2" */
};
typedef struct algorithm algorithm;

extern const algorithm algorithms[];
extern const int algorithm_count;
/* The columns that SQLite knows, and what each of them is. */
int column_count(const algorithm *a);
enum field column_field(const algorithm *a, int column);
/* Is it one that brackets fill? */
bool column_is_bracketed(const algorithm *a, int column);
/* Does the function use searches of this gpugraph_method function? */
bool algorithm_uses(const algorithm *a, const char *method_function);

/* Runs the search for what the question wants and *have lacks (nothing is there before
** the first time). Only the missing arrays are added; on failure *have is as it was. */
gpugraph_status answer_make(gpugraph_graph *graph, const question *q, gpugraph_run *run,
                            answer *have);
/* Breadth-first searches from each of q's sources by itself: fills one empty answer for each.
** On failure they are as they were. */
gpugraph_status answer_make_each(gpugraph_graph *graph, const question *q,
                                 gpugraph_run *run, answer **each);
/* Bytes of one item of an array. */
size_t answer_item_size(const answer *a, enum answer_array array);

/* ---- plans ---- */

enum plan_bits {
    PLAN_TREE = 1 << A_TREE_EDGE,
    PLAN_ROOTS = 1 << A_ROOT,
    PLAN_PREORDER = 1 << A_PREORDER,
    PLAN_POSTORDER = 1 << A_POSTORDER,
    PLAN_WANTS = 15,
    PLAN_DESCENDING = 16,
    /* Values that are not known before the statement runs, so that others may follow. */
    PLAN_VARIABLE_TARGET = 32,
    PLAN_VARIABLE_BOUND = 64,
    PLAN_JOINED = 128,    /* `vertex = ?`: others will follow */
    PLAN_ORDER_SHIFT = 8, /* ORDER_ above */
    PLAN_ORDERS = 3,
    /* Arguments in brackets that have no value before the search: a bit for each place. */
    PLAN_UNFED_SHIFT = 10,
    MOST_BRACKETED = 4,
    PLAN_UNFED = ((1 << MOST_BRACKETED) - 1) << PLAN_UNFED_SHIFT,
    PLAN_FURTHER = 1 << 14,    /* brackets hold more than they take */
    PLAN_OPTION_READ = 1 << 15 /* an argument that is given no value is looked at */
};

/* What a value of argv is for, and how it compares; of all of them together idxStr tells in
** words: "edges=? AND source IN (?) AND depth<? LIMIT ?". */
enum { WORD_LIMIT = FIELDS, WORD_OFFSET, MOST_WORDS = FIELDS + 4 };
enum { WORD_EQUAL, WORD_LIST, WORD_LESS, WORD_AT_MOST };
typedef struct word {
    unsigned char what, how;
} word;
/* plan_words.c */
void plan_word_write(sqlite3_str *words, bool first, word w);
void plan_words_read(const char *words, word *list);

int plan_choose(const algorithm *a, sqlite3 *db, sqlite3_vtab *vtab,
                sqlite3_index_info *info);

/* ---- one call ---- */

/* A text that an earlier call of the cursor was given. */
typedef struct text {
    char *bytes; /* NUL-terminated; NULL: no text */
    int count;
} text;

typedef struct bound {
    bool given;
    bool nothing;     /* no value qualifies */
    uint64_t integer; /* the largest value that does, for each type of value */
    double real;
} bound;

typedef struct arguments {
    /* as given; valid within xFilter */
    sqlite3_value *value[FIELDS];
    sqlite3_value *limit, *offset;
    struct given_bound {
        sqlite3_value *value;
        bool strict;
    } given_bound[2];
    int given_bounds;
    bool source_list, target_list, vertex_list;
    unsigned plan;
    /* settled */
    bool no_rows; /* a NULL, or an id that is no vertex */
    gpugraph_direction direction;
    int weighted, ordered; /* 0, 1; weighted -1: by the source */
    gpugraph_priority priority;
    sqlite3_int64 seed;
    int backend;        /* gpugraph_backend, or -1: as configured */
    const char *method; /* NULL: auto */
    struct number {
        int type; /* SQLITE_INTEGER, SQLITE_FLOAT, or SQLITE_NULL: none */
        sqlite3_int64 integer;
        double real;
    } maximum;
    bound bound;     /* maximum and the pushed-down comparisons together */
    uint32_t source; /* GPUGRAPH_NONE: a list, or none */
    bool has_target;
    uint32_t only_vertex; /* of `vertex = ?`, else GPUGRAPH_NONE */
    uint64_t limit_rows;  /* 0: none */
} arguments;

typedef struct numbers {
    uint32_t *item;
    uint32_t count, room;
} numbers;

/* Ids that are no vertices. A join may bring any number of them: the timings tell of a few
** calls of the cursor. */
enum { STRANGERS_NAMED = 3, STRANGERS_CALLS = 3 };
typedef struct strangers {
    int calls;                        /* calls that had some */
    int count;                        /* in this call */
    bool told;                        /* the timings have them */
    char text[STRANGERS_NAMED * 300]; /* "source 77 is no vertex; ..." */
} strangers;

/* The timings that were there when a search began. They come back if it turns out that
** there was nothing to do, or that the search is a step of another one. */
typedef struct search_watch {
    timings earlier;
} search_watch;

struct step {
    uint64_t edge;
    uint32_t vertex;
    union {
        uint64_t integer;
        double real;
    } distance;
};

typedef struct cursor {
    sqlite3_vtab_cursor base;
    connection *c;
    const algorithm *algorithm;
    scope scope;
    const char *words; /* idxStr, which stays where it is while the statement runs */
    word word[MOST_WORDS];
    /* The graph, and the texts that it and the sources came from. A cursor lives
    ** within one execution of its statement, so while the texts stay the graph does. */
    graph_ref *graph;
    text edges, vertices, params, sources_text;
    enum weight_need weight;
    bool undirected;
    arguments arguments;
    numbers sources, targets; /* vertex numbers, ascending, each once */
    numbers only;             /* of `vertex IN (...)`, the same */
    strangers strangers;
    /* Of `source IN (...)`: rows of one source come after those of another, which in its
    ** turn is the only one in sources. */
    numbers source_list;
    uint32_t next_source; /* of source_list */
    /* Searches made ahead, for sources whose turn comes; source_list.c */
    search_ref **ahead;
    int ahead_count;
    /* the search that answers */
    char *key;
    int key_room;
    search_ref *search;
    answer *answer;
    /* the timings of a search in the making, answer.c */
    search_watch watch;
    bool working;
    double begun_ms, acquiring_ms;
    /* rows: item[position], or where item is NULL position itself, is a vertex; of a
    ** path step[position]. A path is laid out when the one before it has been read. */
    const gpugraph_ids *ids;
    const uint32_t *item;
    sqlite3_int64 position, end;
    int direction; /* 1, -1 */
    struct step *step;
    sqlite3_int64 step_room;
    uint32_t next_target, target; /* targets.item[next_target] comes after target */
    uint32_t vertex;              /* of this row */
} cursor;

/* Sets the sentence "gpu_bfs: ..." and returns rc; SQLITE_NOMEM where there is no room
** for it. */
int cursor_fail(cursor *cur, int rc, const char *format, ...);
/* The same of a sentence in *error, which it frees; an interrupt or no memory has
** none. */
int cursor_fail_with(cursor *cur, int rc, char *error);

/* arguments.c. Everything that can be settled without the graph. */
int arguments_read(cursor *cur, int plan, const char *words, int argc,
                   sqlite3_value **argv);
/* astray.c. The sentence for arguments that have no value when the search begins, unless rows
** can be had without. */
int arguments_astray(cursor *cur);
/* Is the argument compared with something in a running statement? 1, 0, or -1: no memory. */
int argument_is_compared(cursor *cur, int field);
/* Is there a value, and not NULL? */
bool argument_given(const arguments *a, int field);
/* "the argument direction must be <what>, not 'up'" */
int argument_must_be(cursor *cur, int field, const char *what);
/* The value as SQL would write it, for a sentence (sqlite3_free); NULL: no memory. */
char *value_written(sqlite3_value *value);
int number_of(sqlite3_value *value, struct number *number);
void number_to_integer(struct number *number);
int text_set(text *t, sqlite3_value *value);
bool text_is(const text *t, sqlite3_value *value);
void text_clear(text *t);

/* numbers.c. SQLITE_OK or SQLITE_NOMEM. */
int numbers_add(numbers *list, uint32_t number);
/* Makes it the only one of the list. */
int numbers_set(numbers *list, uint32_t number);
/* Ascending, each once. */
void numbers_sort(numbers *list);
/* Of a list that numbers_sort has sorted. */
bool numbers_has(const numbers *list, uint32_t number);

/* resolve.c. Ids to vertex numbers, bounds. */
int arguments_resolve(cursor *cur);

/* find_id.c. The vertex that `column = value` would find, where the column has this
** affinity; or GPUGRAPH_NONE. */
int find_vertex(const gpugraph_graph *graph, char affinity, sqlite3_value *value,
                uint32_t *vertex);
/* The vertex that an argument names, or GPUGRAPH_NONE. SQLITE_ERROR with *fault (sqlite3_free)
** where it can be no id: "is the REAL 1.5; ..." */
int find_id(const gpugraph_graph *graph, char affinity, sqlite3_value *id,
            uint32_t *vertex, char **fault);
/* Of an id that is no vertex: is the same number a vertex as "INTEGER", or as "TEXT"? NULL:
** no. */
int find_other_type(const gpugraph_graph *graph, char affinity, sqlite3_value *id,
                    const char **type);

extern const char *const direction_names[3];
extern const char *const priority_names[4];
extern const char *const backend_names[3];

/* question.c. Everything that the arguments ask for; no more than will be looked at; the
** part without those ends that may be others in the next call (false: there are none). */
void question_ask(const cursor *cur, question *q);
void question_for_part(const cursor *cur, question *q);
bool question_widen(const cursor *cur, question *q);
bool question_ends_early(const question *q);
/* Writes the question's key into cur->key; *bytes is its length. */
int question_key(cursor *cur, const question *q, int *bytes);
/* Has a search like that of cur->key, but for where it ended, been made before? */
bool question_was_asked(const cursor *cur);

/* answer.c. Sets cur->graph. */
int answer_graph(cursor *cur);
/* Gives graph and search back. */
void answer_drop(cursor *cur);
/* Sets cur->search and cur->answer: kept, or made now. */
int answer_find(cursor *cur);
/* Adds the order to the answer unless it is there. */
int answer_order(cursor *cur, int order);
void watch_begin(search_watch *watch, connection *c);
void watch_end(search_watch *watch, connection *c);
/* Begins and ends what answer_graph and answer_find do to the timings. */
void answer_begin(cursor *cur);
void answer_end(cursor *cur);

/* Keeps an answer that was made for cur->key with the graph, and takes it over; NULL: no
** memory. */
search_ref *answer_keep(cursor *cur, int key_bytes, answer *a);
void answer_free(void *answer);
/* The error of a run that failed. */
int answer_failed(cursor *cur, const gpugraph_run *run);
/* The timings get a row for the arguments; it names those that are no vertices. */
void answer_arguments(cursor *cur);
/* What a search of this call is given. */
void answer_run(cursor *cur, const question *q, gpugraph_run *run);

/* source_list.c. The first row of the first source of a list that has one; when its rows
** are read, that of the next one. Gives back what was made ahead. */
int sources_start(cursor *cur);
int sources_go_on(cursor *cur);
void sources_drop(cursor *cur);

/* rows.c. The first row of the answer; the row at or after position; its columns and
** rowid. */
int rows_start(cursor *cur);
int rows_settle(cursor *cur);
void row_column(const cursor *cur, sqlite3_context *context, int column);
sqlite3_int64 row_id(const cursor *cur);

/* result_edge.c. An id, an edge's id (NULL where it has none), its weight (NULL where there
** are none). */
void result_vertex(sqlite3_context *context, const gpugraph_ids *ids, uint32_t v);
void result_edge_id(sqlite3_context *context, const graph_ref *graph, uint64_t e);
void result_weight(sqlite3_context *context, const gpugraph_edge_list *edges, uint64_t e);

/* inspect/inspect.c. The scope of the statement that a scalar function runs in, held as long as
** the statement; NULL: no memory. */
const scope *statement_scope(sqlite3_context *context, connection *c);
/* Makes the sentence the function's error, and frees it; NULL: no memory. */
void function_fail(sqlite3_context *context, char *sentence);

/* ---- inspect/lists.c: gpugraph_settings, _devices, _methods, _graphs, _timings ---- */
int lists_register(connection *c);

#endif
