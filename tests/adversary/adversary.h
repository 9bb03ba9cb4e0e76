/* The adversary: random statements on connections that keep graphs and searches. It asks
** each question again in a database that keeps nothing, and compares the answers. This
** header is the map of tests/adversary.
**
**     world        a file with one table of edges, its connections, and its features
**       KEEPER     a connection that keeps everything: asks most questions
**       SECOND     another connection
**       PLAIN      a connection without the extension: only writes
**       fresh      a database in memory with the rows that the asking connection sees;
**                  it keeps nothing (fresh.c)
**
**     question     two texts: one for the keeper, and one for fresh in simpler SQL
**                  (calls.c, questions.c)
**     deed         an action between two questions (changes.c, triggers.c, schema.c,
**                  files.c, hardship.c, foreign.c)
**
** The seed decides all draws. GPUGRAPH_ADVERSARY_WITHOUT=name,name switches features off;
** GPUGRAPH_ADVERSARY_ONLY=name,name switches all others off. */
#ifndef ADVERSARY_H
#define ADVERSARY_H

#include "random_sql.h"
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- features ---- */

#define FEATURES(X)                                                                      \
    X(zero_bounds)                                                                       \
    X(bounds)                                                                            \
    X(lists)                                                                             \
    X(joins)                                                                             \
    X(follow)                                                                            \
    X(persist)                                                                           \
    X(transactions)                                                                      \
    X(triggers)                                                                          \
    X(cascades)                                                                          \
    X(blobs)                                                                             \
    X(restore)                                                                           \
    X(move)                                                                              \
    X(schema)                                                                            \
    X(keyed)                                                                             \
    X(numbered)                                                                          \
    X(reversed)                                                                          \
    X(vertices)                                                                          \
    X(timings)                                                                           \
    X(folded)                                                                            \
    X(affinity)                                                                          \
    X(zeros)                                                                             \
    X(cased)                                                                             \
    X(params)                                                                            \
    X(attached)                                                                          \
    X(interrupts)                                                                        \
    X(held)                                                                              \
    X(errors)                                                                            \
    X(fork)                                                                              \
    X(threads)                                                                           \
    X(crowd)                                                                             \
    X(memory)                                                                            \
    X(authorizer)                                                                        \
    X(foreign)                                                                           \
    X(forged)
enum feature {
#define X(name) F_##name,
    FEATURES(X)
#undef X
        ALL_FEATURES
};
extern const char *const feature_name[ALL_FEATURES];

/* ---- the world ---- */

enum { KEEPER, SECOND, PLAIN, CONNECTIONS };

typedef struct table_kind {
    const char *create; /* with the names that expand() replaces */
    bool rowids;
    bool plain;  /* columns without types and collations */
    bool unique; /* a new row may replace others */
    bool id;     /* the rowid is a column of that name */
    char ids;    /* type of stored ids: 'i' INTEGER, 't' TEXT, 'm' both */
    char refers; /* foreign keys that delete rows: 'r' to rows, 'p' to places; 0: none */
    /* Columns after the weight: an edge id, and a weight of the reverse arc. NULL: none.
    ** Each is the rowid or a generated column. */
    const char *further;
    bool ways; /* there are reverse arcs */
} table_kind;

/* The draws of a question: replayed with one draw changed, it becomes a similar
** question. */
enum { TAPE_LENGTH = 120 };
typedef struct tape {
    uint32_t drawn_at[TAPE_LENGTH];
    int drawn, at, other; /* other: the draw that is changed; -1: none */
} tape;

typedef struct world {
    uint64_t seed, state; /* state of the generator */
    uint64_t features;    /* bits */
    tape *tape;           /* played by pick(), or NULL */
    const table_kind *kind;
    char table[12], a[8], b[8], w[8], graph[8]; /* current names */
    bool followed;                              /* the graph exists */
    bool persists;
    int schema_version; /* when the graph was made */
    bool wal;
    bool large;           /* the table "large" exists */
    bool fires_functions; /* triggers ask questions, so PLAIN cannot write */
    bool cuda;            /* a device may be used */
    int writes;           /* number of deeds in 1000 that write */
    uint64_t often_until; /* the statement at which stored_id changes its frequent ids */
    const char *schema;   /* schema of the table for questions */
    char file[64];
    sqlite3 *db[CONNECTIONS];
    sqlite3 *fresh;
    uint64_t fresh_rows; /* a hash of its rows; 0: empty */
} world;
extern world w;

bool has(enum feature feature);

/* Makes the world of the seed, and opens everything. */
void world_begin(uint64_t seed);
void world_end(void);
/* Deletes the file and the files beside it. */
void world_unlink(const char *file);
/* Connects to the file, with the extension and SQL functions of tests, or without. */
sqlite3 *world_open(const char *file, bool extended);
/* Reopens the three connections. */
void world_reopen(void);
void world_close(void);
/* Ends all transactions. */
void world_settle(void);
/* Selects the connection, or fresh, for which texts are expanded: $t $a $b $w table and
** columns, $g the graph, $s the schema of both. */
void world_asks(int who);
char *expand(const char *text, bool for_fresh);
/* Runs statements from a format of sqlite3_mprintf, which is then expanded. */
int perform(int who, const char *format, ...);
/* The first column of a statement's first row; -1: no row. */
sqlite3_int64 number_from(sqlite3 *db, const char *text);
/* Runs statements that must succeed. */
void must(int who, const char *format, ...);

/* ---- trace.c: statements, counts and errors ---- */

enum count { COUNT_STATEMENTS, COUNT_COMPARISONS, COUNT_ERRORS, COUNT_KINDS };
/* Counts a kind of deed or question when it begins. */
void count_kind(const char *kind);
void count(enum count what);
uint64_t counted(enum count what);
void trace(const char *who, const char *text, const char *outcome);
/* The outcome of the statement that was traced last. */
void trace_outcome(const char *outcome);
/* Reports that the world is not as expected, and ends this process. */
void wrong(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* ---- answers.c: rows and errors ---- */

typedef struct answer {
    char *bytes; /* row after row: types and bytes */
    int used, room;
    int *row; /* the start of each row */
    int rows, row_room;
    int rc;
    char error[400];
} answer;

/* Adds the rows of all statements of the text. False: a statement has failed, and the
** statements after it have not run. */
bool answer_add(answer *a, sqlite3 *db, const char *sql);
/* Adds at most `most` rows of a statement; returns the result of its last step. */
int answer_take(answer *a, sqlite3_stmt *s, int most);
void answer_clear(answer *a);
/* Allocates memory in advance, so that answer_add needs none. */
void answer_reserve(answer *a);
void answer_sort(answer *a);
/* Free with sqlite3_free. */
char *answer_text(const answer *a);
enum agreement {
    SAME_ROWS = 1,     /* in any order */
    SAME_SEQUENCE = 2, /* in this order */
    SAME_SENTENCE = 4  /* and equal error messages */
};
/* Compares two answers, and clears both. */
void answers_agree(const char *label, const char *question, const char *again,
                   answer *kept, answer *fresh, int agreement);
/* True if another connection's lock prevents this one from reading. */
bool is_locked(int rc);

/* ---- fresh.c ---- */

/* Fills w.fresh with the rows that a connection sees. False: it cannot read now. */
bool fresh_fill(sqlite3 *from);
void fresh_close(void);

/* ---- calls.c, questions.c ---- */

typedef struct question {
    sqlite3_str *kept, *fresh;
    int agreement;
} question;
void question_begin(question *q);
/* Adds a format to both texts, which are not expanded yet. */
void question_both(question *q, const char *format, ...);
void question_kept(question *q, const char *format, ...);
void question_fresh(question *q, const char *format, ...);
/* Ids as SQL literals: as stored in the table; of any type. */
const char *stored_id(void);
const char *any_id(void);
const char *bound(void); /* a number, perhaps 0, perhaps REAL */
/* The names of the edges for the keeper and for fresh, as SQL literals. */
typedef struct source_text {
    const char *kept, *fresh;
    bool weighted, ids; /* ids: edge ids are the table's */
} source_text;
source_text any_source(void);
/* A name in random case; valid until the next call. */
const char *random_case(const char *text);
/* Like random_case, for a value that is a name, if the feature "cased" is on. */
const char *random_name(const char *text);
void question_call(question *q);
void question_lookup(question *q);
/* Asks this connection a question and sometimes similar ones. */
void ask_any(int who);
/* Asks this connection and fresh a question. */
void ask(sqlite3 *db, const char *label, question *q);
void ask_texts(sqlite3 *db, const char *label, const char *text, const char *again,
               int agreement);
/* A question's expanded text for the keeper, *fresh: for fresh. Free by sqlite3_free. */
char *any_question(int who, char **fresh, int *agreement);

/* ---- deeds ---- */

void change_any(void);      /* changes.c: a statement that writes */
char *any_write(void);      /* its text; sqlite3_free */
void transaction_any(void); /* BEGIN, SAVEPOINT, ROLLBACK TO ... */
void change_from_search(void);
void trigger_any(void); /* triggers.c: makes one, drops one, or writes to a view */
int triggers_register(sqlite3 *db); /* same(label, a, b) */
void schema_any(void);              /* schema.c */
void graph_make(void);
void blob_any(void); /* files.c */
void restore_any(void);
void move_any(void);
void delete_vertex_any(void); /* inside.c */
void check_any(void);
void timings_any(void);
void zero_any(void);
void held_any(void);
void forge_any(void);
void fork_any(void); /* hosts.c */
void large_make(void);
void large_free(void);
void threads_any(void);
void crowd_any(void);
void interrupt_any(void);
void memory_any(void);   /* hardship.c */
void memory_begin(void); /* before SQLite is used */
void authorizer_any(void);
void foreign_any(void);            /* foreign.c */
int foreign_register(sqlite3 *db); /* canary() */

#endif
