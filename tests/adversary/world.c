/* The world of a seed: a file, its table, the connections, and the features. Each world
** has only some features, so it makes many steps of few kinds. Some states need this. */
#include "adversary.h"
#include "gpugraph_extension.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

world w;

const char *const feature_name[ALL_FEATURES] = {
#define X(name) #name,
    FEATURES(X)
#undef X
};

uint32_t pick(uint32_t below) {
    tape *t = w.tape;
    if (!t || t->at == TAPE_LENGTH)
        return split_mix(&w.state) % below;
    if (t->at == t->drawn || t->at == t->other)
        t->drawn_at[t->at] = split_mix(&w.state);
    if (t->at == t->drawn)
        t->drawn++;
    return t->drawn_at[t->at++] % below;
}

bool has(enum feature feature) {
    return w.features >> feature & 1;
}

/* ---- choice of features ---- */

static bool listed(const char *variable, const char *name) {
    const char *list = getenv(variable);
    size_t length = strlen(name);
    while (list && *list) {
        size_t word = strcspn(list, ",");
        if (word == length && strncmp(list, name, length) == 0)
            return true;
        list += word + (list[word] == ',');
    }
    return false;
}

static uint64_t features_of_the_seed(void) {
    uint64_t features = 0;
    uint32_t of = 2 + pick(3);
    for (int i = 0; i < ALL_FEATURES; i++) {
        bool on = pick(of) < 1 + of / 3;
        if (getenv("GPUGRAPH_ADVERSARY_ONLY"))
            on = listed("GPUGRAPH_ADVERSARY_ONLY", feature_name[i]);
        if (on && !listed("GPUGRAPH_ADVERSARY_WITHOUT", feature_name[i]))
            features |= (uint64_t)1 << i;
    }
    return features;
}

/* ---- tables ---- */

#define PLACES "CREATE TABLE places(id);"
#define WAYS   ";CREATE VIEW ways(src, dst, weight) AS SELECT $a, $b, $w FROM $t"

/* Rows have rowids, columns have no types, ids have both types. */
#define PLAIN_KIND .rowids = true, .plain = true, .ids = 'm'

static const table_kind kinds[] = {
    {PLACES "CREATE TABLE $t($a, $b, $w)" WAYS, PLAIN_KIND},
    {PLACES "CREATE TABLE $t(id INTEGER PRIMARY KEY, $a, $b, $w)" WAYS, PLAIN_KIND,
     .id = true},
    {PLACES "CREATE TABLE $t($a INTEGER, $b INTEGER, $w INTEGER)" WAYS, .rowids = true,
     .ids = 'i'},
    {PLACES "CREATE TABLE $t($a TEXT, $b TEXT, $w)" WAYS, .rowids = true, .ids = 't'},
    {PLACES "CREATE TABLE $t($a, $b, $w REAL, UNIQUE($a, $b) ON CONFLICT REPLACE)" WAYS,
     PLAIN_KIND, .unique = true},
    {PLACES "CREATE TABLE $t(id INTEGER PRIMARY KEY AUTOINCREMENT, $a, $b, $w);"
            "CREATE INDEX covering ON $t($b, $a, $w)" WAYS,
     PLAIN_KIND},
};
static const table_kind cascading[] = {
    {PLACES "CREATE TABLE $t(id INTEGER PRIMARY KEY, $a, $b, $w, "
            "up REFERENCES $t(id) ON DELETE CASCADE ON UPDATE CASCADE)" WAYS,
     PLAIN_KIND, .refers = 'r'},
    {"CREATE TABLE places(id PRIMARY KEY);"
     "CREATE TABLE $t(id INTEGER PRIMARY KEY, $a REFERENCES places(id) ON DELETE CASCADE "
     "ON UPDATE CASCADE, $b, $w)" WAYS,
     PLAIN_KIND, .refers = 'p'},
};
static const table_kind keyed[] = {
    {PLACES "CREATE TABLE $t($a, $b, $w, PRIMARY KEY($a, $b)) WITHOUT ROWID" WAYS,
     .plain = true, .ids = 'm'},
    {PLACES "CREATE TABLE $t($w, $b, $a, PRIMARY KEY($a, $b)) WITHOUT ROWID;"
            "CREATE INDEX covering ON $t($b, $w, $a)" WAYS,
     .plain = true, .ids = 'm'},
};

#define CODE                                                                             \
    "code AS (CASE WHEN $w IN (0, 4) THEN NULL WHEN $w < 3 THEN CAST($w * 2 AS "         \
    "INTEGER) "                                                                          \
    "WHEN $w < 6 THEN 'x' || $b ELSE $a END)"
#define BACK "back AS (CASE WHEN $w > 5 THEN $w - 5 WHEN $w > 2 THEN $w ELSE -1 END)"
static const table_kind numbered[] = {
    {PLACES "CREATE TABLE $t($a, $b, $w, " CODE ")" WAYS, PLAIN_KIND,
     .further = ", code"},
    {PLACES "CREATE TABLE $t($a, $b, $w, " CODE ", " BACK ")" WAYS, PLAIN_KIND,
     .further = ", code, back", .ways = true},
    {PLACES "CREATE TABLE $t(id INTEGER PRIMARY KEY, $a, $b, $w, " BACK
            ", UNIQUE($a, $b) ON CONFLICT REPLACE)" WAYS,
     PLAIN_KIND, .unique = true, .id = true, .further = ", id, back", .ways = true},
};

#define ANY(list) &list[pick(sizeof list / sizeof *list)]

static const table_kind *any_kind(void) {
    if (has(F_keyed) && pick(2))
        return ANY(keyed);
    if (has(F_cascades) && pick(2))
        return ANY(cascading);
    if (has(F_numbered) && pick(2))
        return ANY(numbered);
    return ANY(kinds);
}

void world_asks(int who) {
    w.schema = who == SECOND && has(F_attached) ? "other" : "main";
}

char *expand(const char *text, bool for_fresh) {
    sqlite3_str *out = sqlite3_str_new(NULL);
    for (; *text; text++) {
        const char *name = text[0] != '$'   ? NULL
                           : text[1] == 't' ? w.table
                           : text[1] == 'a' ? w.a
                           : text[1] == 'b' ? w.b
                           : text[1] == 'w' ? w.w
                           : text[1] == 'g' ? w.graph
                           : text[1] == 'f' ? w.kind->further ? w.kind->further : ""
                           : text[1] == 's' ? for_fresh ? "main" : w.schema
                                            : NULL;
        if (!name) {
            sqlite3_str_append(out, text, 1);
            continue;
        }
        text++;
        if (*text == 'g' && for_fresh)
            sqlite3_str_appendf(out, "%s(%s, %s, %s%s)", w.table, w.a, w.b, w.w,
                                w.kind->further ? w.kind->further : "");
        else
            sqlite3_str_appendall(out, name);
    }
    return sqlite3_str_finish(out);
}

/* ---- connections ---- */

sqlite3 *world_open(const char *file, bool extended) {
    sqlite3 *db;
    if (sqlite3_open(file, &db) != SQLITE_OK ||
        (extended && sqlite3_gpugraph_init(db, NULL, NULL) != SQLITE_OK) ||
        triggers_register(db) != SQLITE_OK || foreign_register(db) != SQLITE_OK)
        wrong("%s cannot be opened", file);
    sqlite3_extended_result_codes(db, 1);
    sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    if (extended && !w.cuda)
        sqlite3_exec(db, "SELECT gpugraph_config('backend', 'cpu')", NULL, NULL, NULL);
    return db;
}

void world_reopen(void) {
    for (int i = 0; i < CONNECTIONS; i++) {
        bool attached = i == SECOND && has(F_attached);
        w.db[i] = world_open(attached ? ":memory:" : w.file, i != PLAIN);
        if (attached)
            must(i, "ATTACH '%s' AS other", w.file);
        if (has(F_cascades))
            must(i, "PRAGMA foreign_keys = ON");
        if (has(F_reversed) && pick(2))
            must(i, "PRAGMA reverse_unordered_selects = ON");
        if (i != PLAIN)
            must(i, "SELECT gpugraph_config('threads', %s)", ONE_OF("1", "1", "2", "4"));
        if (i == KEEPER && pick(8) == 0)
            must(i, "SELECT gpugraph_config('cache_limit', %s)", ONE_OF("0", "2000"));
    }
}

void world_close(void) {
    for (int i = 0; i < CONNECTIONS; i++) {
        int rc = sqlite3_close(w.db[i]);
        if (rc != SQLITE_OK)
            wrong("connection %d cannot be closed: %d %s", i, rc,
                  sqlite3_errmsg(w.db[i]));
        w.db[i] = NULL;
    }
}

void world_settle(void) {
    for (int i = 0; i < CONNECTIONS; i++)
        if (!sqlite3_get_autocommit(w.db[i]))
            must(i, "ROLLBACK");
}

static const char *const connection_name[] = {"keeper", "second", "plain"};

static int perform_list(int who, const char *format, va_list values, char **error) {
    world_asks(who);
    char *text = sqlite3_vmprintf(format, values), *sql = expand(text, false);
    trace(connection_name[who], sql, "under way");
    int rc = sqlite3_exec(w.db[who], sql, NULL, NULL, error);
    trace_outcome(*error ? *error : "ok");
    if (rc == SQLITE_CORRUPT || rc == SQLITE_INTERNAL || rc == SQLITE_MISUSE ||
        rc == SQLITE_NOTADB)
        wrong("%s: %d %s", sql, rc, *error);
    sqlite3_free(text);
    sqlite3_free(sql);
    return rc;
}

int perform(int who, const char *format, ...) {
    va_list values;
    char *error = NULL;
    va_start(values, format);
    int rc = perform_list(who, format, values, &error);
    va_end(values);
    sqlite3_free(error);
    return rc;
}

void must(int who, const char *format, ...) {
    va_list values;
    char *error = NULL;
    va_start(values, format);
    int rc = perform_list(who, format, values, &error);
    va_end(values);
    if (rc != SQLITE_OK)
        wrong("%s: %d %s", format, rc, error);
}

sqlite3_int64 number_from(sqlite3 *db, const char *format) {
    char *sql = expand(format, false);
    sqlite3_stmt *s = NULL;
    sqlite3_int64 number = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW)
        number = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    sqlite3_free(sql);
    return number;
}

/* ---- the world ---- */

void world_begin(uint64_t seed) {
    memset(&w, 0, sizeof w);
    w.seed = w.state = seed;
    const char *backends = getenv("GPUGRAPH_TEST_BACKENDS"), *folder = getenv("TMPDIR");
    w.cuda = backends && strstr(backends, "cuda");
    w.features = features_of_the_seed();
    w.kind = any_kind();
    w.wal = pick(2);
    w.writes = (int)(40 << pick(4));
    strcpy(w.table, "roads");
    strcpy(w.a, "src");
    strcpy(w.b, "dst");
    strcpy(w.w, "weight");
    strcpy(w.graph, "g");
    world_asks(KEEPER);
    snprintf(w.file, sizeof w.file, "%s/gpugraph-adversary-%d.db",
             folder ? folder : "/tmp", (int)getpid());
    world_unlink(w.file);
    if (has(F_memory))
        memory_begin();
    world_reopen();
    must(PLAIN, "PRAGMA journal_mode = %s", w.wal ? "wal" : "delete");
    must(PLAIN, "%s", w.kind->create);
    must(PLAIN, "INSERT INTO places VALUES (1), (2), (3), (4), (5), (6), (7), (8), "
                "('a'), ('b'), ('3')");
    must(PLAIN, "INSERT OR IGNORE INTO $t($a, $b, $w) VALUES (1, 2, 5), (2, 3, 5), (3, "
                "4, 1), (2, 5, 2), (4, 1, 0), (5, 6, 3), (1, 6, 9), (6, 7, 2)");
    if (has(F_follow) && !has(F_blobs)) /* sqlite3_blob_write fires no triggers */
        graph_make();
    if (has(F_fork) || has(F_threads) || has(F_crowd))
        large_make();
}

void world_unlink(const char *file) {
    char *name;
    for (int i = 0; i < 4; i++) {
        name = sqlite3_mprintf("%s%s", file,
                               ((const char *[]){"", "-wal", "-shm", "-journal"})[i]);
        unlink(name);
        sqlite3_free(name);
    }
}

void world_end(void) {
    world_settle();
    world_close();
    fresh_close();
    large_free();
    world_unlink(w.file);
}
