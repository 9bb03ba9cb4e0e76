/* The adversary: statements by chance over connections that keep graphs and searches, and each
** question a second time where nothing is kept. The map of tests/adversary.
**
**     world        a file with one table of edges, connections to it, what it may do to them
**       KEEPER     a connection with everything kept: most questions
**       SECOND     another one
**       PLAIN      one without the extension: writes alone
**       fresh      a database in memory with the rows as the asking connection sees them, which
**                  keeps nothing (fresh.c)
**
**     question     two texts: one for the keeper, one for fresh that asks the same in plainer
**                  words (calls.c, questions.c)
**     deed         what is done between two questions (changes.c, triggers.c, schema.c, files.c,
**                  hardship.c, foreign.c)
**
** All that is drawn comes from the seed. What is kept apart by a feature's name can be switched
** off by GPUGRAPH_ADVERSARY_WITHOUT=name,name, or be all that there is by ..._ONLY=name. */
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
    const char *create; /* names as expand() takes them */
    bool rowids;
    bool plain;  /* columns without types and collations */
    bool unique; /* rows replace others */
    bool id;     /* the rowid is a column of that name */
    char ids;    /* what ids are stored: 'i' INTEGER, 't' TEXT, 'm' both */
    char refers; /* foreign keys that delete rows: 'r' to rows, 'p' to places; 0: none */
    /* Columns that the graph takes after the weight: an edge id, and a weight of the way back.
    ** NULL: none. They are made from the others, so they change with these. */
    const char *further;
    bool ways; /* there is a way back */
} table_kind;

/* What was drawn for a question: played again with one draw another one, it asks for a little
** else. */
enum { TAPE_LENGTH = 120 };
typedef struct tape {
    uint32_t drawn_at[TAPE_LENGTH];
    int drawn, at, other; /* other: the draw that is made anew; -1: none */
} tape;

typedef struct world {
    uint64_t seed, state; /* state: of the generator */
    uint64_t features;    /* bits */
    tape *tape;           /* that pick() plays, or NULL */
    const table_kind *kind;
    char table[12], a[8], b[8], w[8], graph[8]; /* what things are called now */
    bool followed;                              /* the graph is there */
    bool persists;
    int schema_version; /* when the graph was made */
    bool wal;
    bool large;           /* the table "large" is there */
    bool fires_functions; /* the table has triggers that ask: PLAIN cannot write */
    bool cuda;            /* a device may be asked for */
    int writes;           /* how many deeds of 1000 write */
    uint64_t often_until; /* the statement at which other ids are preferred */
    const char *schema;   /* of the table, where it is asked */
    char file[64];
    sqlite3 *db[CONNECTIONS];
    sqlite3 *fresh;
    uint64_t fresh_rows; /* a hash of what it holds; 0: nothing yet */
} world;
extern world w;

bool has(enum feature feature);

/* Opens everything; the world is one of the seed's. */
void world_begin(uint64_t seed);
void world_end(void);
/* The file and what lies beside it. */
void world_unlink(const char *file);
/* A connection to the file; with the extension and what tests add to SQL, or without. */
sqlite3 *world_open(const char *file, bool extended);
/* The three connections, anew. */
void world_reopen(void);
void world_close(void);
/* No transaction is under way any more. */
void world_settle(void);
/* $t $a $b $w table and columns, $g the graph, $s the schema of both, for the connection of
** world_asks or for fresh. sqlite3_free. */
void world_asks(int who);
char *expand(const char *text, bool for_fresh);
/* Runs statements; the text is a format of sqlite3_mprintf, then expanded. */
int perform(int who, const char *format, ...);
/* The first column of a statement's first row; -1: there is none. */
sqlite3_int64 number_from(sqlite3 *db, const char *text);
/* Must work. */
void must(int who, const char *format, ...);

/* ---- trace.c: what is done, what is counted, and what is wrong ---- */

enum count { COUNT_STATEMENTS, COUNT_COMPARISONS, COUNT_ERRORS, COUNT_KINDS };
/* A kind of deed or question; counted when it begins. */
void count_kind(const char *kind);
void count(enum count what);
uint64_t counted(enum count what);
void trace(const char *who, const char *text, const char *outcome);
/* Of what was traced last. */
void trace_outcome(const char *outcome);
/* Ends this process: the world is not as it should be. */
void wrong(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* ---- answers.c: rows and errors ---- */

typedef struct answer {
    char *bytes; /* row after row: types and bytes */
    int used, room;
    int *row; /* where each begins */
    int rows, row_room;
    int rc;
    char error[400];
} answer;

/* Adds the rows of each statement of the text. false: an error, which ends it. */
bool answer_add(answer *a, sqlite3 *db, const char *sql);
/* Adds so many rows of a statement at most; what its latest step gave. */
int answer_take(answer *a, sqlite3_stmt *s, int most);
void answer_clear(answer *a);
/* Makes room, so that answer_add needs no memory of its own. */
void answer_reserve(answer *a);
void answer_sort(answer *a);
/* sqlite3_free. */
char *answer_text(const answer *a);
enum agreement {
    SAME_ROWS = 1,     /* in any order */
    SAME_SEQUENCE = 2, /* in this order */
    SAME_SENTENCE = 4  /* of errors, too */
};
/* Both are cleared. */
void answers_agree(const char *label, const char *question, const char *again,
                   answer *kept, answer *fresh, int agreement);
/* Is the connection kept from reading by somebody's lock? */
bool is_locked(int rc);

/* ---- fresh.c ---- */

/* Fills w.fresh with the rows that this connection sees. false: it cannot see them now. */
bool fresh_fill(sqlite3 *from);
void fresh_close(void);

/* ---- calls.c, questions.c ---- */

typedef struct question {
    sqlite3_str *kept, *fresh;
    int agreement;
} question;
void question_begin(question *q);
/* Not yet expanded. */
void question_both(question *q, const char *format, ...);
void question_kept(question *q, const char *format, ...);
void question_fresh(question *q, const char *format, ...);
/* Ids as SQL literals: as stored in the table; of any type. */
const char *stored_id(void);
const char *any_id(void);
const char *bound(void); /* a number, perhaps 0, perhaps REAL */
/* The texts that name the edges, for the keeper and for fresh, as SQL literals. */
typedef struct source_text {
    const char *kept, *fresh;
    bool weighted, ids; /* ids: edge ids are the table's */
} source_text;
source_text any_source(void);
/* A name's letters, each as it likes; one text at a time. */
const char *random_case(const char *text);
/* The same of a value that is a name, where the feature "cased" is there. */
const char *random_name(const char *text);
void question_call(question *q);
void question_lookup(question *q);
/* A question of this connection; then, perhaps, others that differ from it in one thing. */
void ask_any(int who);
/* This question: of this connection, and of fresh. */
void ask(sqlite3 *db, const char *label, question *q);
void ask_texts(sqlite3 *db, const char *label, const char *text, const char *again,
               int agreement);
/* The kept text of some question, expanded; sqlite3_free. Fills *fresh likewise. */
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
