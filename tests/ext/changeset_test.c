/* Changes by sqlite3session: the test applies changesets, patchsets and inverted
** changesets to a table with a kept and a followed graph. It resolves conflicts in every
** way, and works with and without transactions, some of which it rolls back. Afterwards
** searches and the followed graph agree with the table, also for another connection. */
/* ctest: serial */
#define SQLITE_ENABLE_SESSION
#define SQLITE_ENABLE_PREUPDATE_HOOK
#include "database_file.h"
#include "luck.h"
#include "share.h"
#include "suite.h"

enum { ROUNDS = 120 };

/* The viewer, another connection to the target's file, sees changes only by the log. */
static sqlite3 *source, *target, *viewer;
static bool all_tables; /* the session records the graph's own tables, too, if it can */

static void make(sqlite3 *in, const char *key) {
    db = in;
    run("CREATE TABLE roads(%s)", key);
    run("WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 60) "
        "INSERT "
        "INTO roads(id, a, b, metres) SELECT n, n * 31 %% 17, n * 37 %% 19, n %% 7 FROM "
        "i");
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
}

static void setup(void) {
    database_make_folder();
    sql_open();
    source = db;
    database_open("");
    target = db;
    viewer = database_connect("");
}

static void teardown(void) {
    ck_assert_int_eq(sqlite3_close(source), SQLITE_OK);
    ck_assert_int_eq(sqlite3_close(target), SQLITE_OK);
    ck_assert_int_eq(sqlite3_close(viewer), SQLITE_OK);
    database_remove_folder();
}

/* Makes three random writes, some of which change no row. */
static void write_some(void) {
    for (int i = 0; i < 3; i++) {
        uint32_t id = 1 + draw(70), a = draw(17), b = draw(19);
        switch (draw(5)) {
        case 0:
            run("INSERT OR REPLACE INTO roads(id, a, b, metres) VALUES (%u, %u, %u, 2)",
                id, a, b);
            break;
        case 1:
            run("DELETE FROM roads WHERE id = %u", id);
            break;
        case 2:
            run("UPDATE OR REPLACE roads SET id = %u WHERE id = %u", 1 + draw(70), id);
            break;
        case 3:
            run("UPDATE roads SET a = %u, b = 't%u' WHERE id = %u", a, b % 3, id);
            break;
        default:
            run("UPDATE roads SET metres = metres + 0.5 WHERE id %% 9 = %u", id % 9);
        }
    }
}

static void is_right(void) {
    expect_same("SELECT src, dst, weight * 1.0, edge FROM g ORDER BY edge",
                "SELECT a, b, metres * 1.0, rowid FROM roads ORDER BY rowid");
    expect_same(
        "SELECT * FROM gpu_sssp('g', 1) ORDER BY vertex",
        "SELECT * FROM gpu_sssp('SELECT a, b, metres, rowid FROM roads', 1) ORDER BY "
        "vertex");
    expect_same("SELECT * FROM gpu_bfs('roads(a, b)', 1) ORDER BY vertex",
                "SELECT * FROM gpu_bfs('SELECT a, b, 1, rowid FROM roads', 1) ORDER BY "
                "vertex");
    expect("'ok'", "SELECT gpugraph_check('g')");
}

/* ---- applying ---- */

/* Draws an action that this kind of conflict allows, sometimes after a check. */
static int settle(void *nothing, int kind, sqlite3_changeset_iter *change) {
    (void)nothing, (void)change;
    if (draw(4) == 0)
        is_right();
    bool may_replace = kind == SQLITE_CHANGESET_DATA || kind == SQLITE_CHANGESET_CONFLICT;
    if (kind == SQLITE_CHANGESET_FOREIGN_KEY)
        return SQLITE_CHANGESET_OMIT;
    if (may_replace && draw(3) > 0)
        return SQLITE_CHANGESET_REPLACE;
    return draw(20) ? SQLITE_CHANGESET_OMIT : SQLITE_CHANGESET_ABORT;
}

/* Writes to the source. Returns a patchset, a changeset, or an inverted changeset. */
static void *record(int *bytes) {
    sqlite3_session *session;
    void *changes = NULL, *inverse = NULL;
    ck_assert_int_eq(sqlite3session_create(source, "main", &session), SQLITE_OK);
    ck_assert_int_eq(sqlite3session_attach(session, all_tables ? NULL : "roads"),
                     SQLITE_OK);
    db = source;
    if (draw(2))
        is_right(); /* loads the graph of the source */
    write_some();
    bool patch = draw(3) == 0;
    int rc = patch ? sqlite3session_patchset(session, bytes, &changes)
                   : sqlite3session_changeset(session, bytes, &changes);
    ck_assert_int_eq(rc, SQLITE_OK);
    sqlite3session_delete(session);
    if (!patch && draw(4) == 0) {
        int from = *bytes;
        ck_assert_int_eq(sqlite3changeset_invert(from, changes, bytes, &inverse),
                         SQLITE_OK);
        sqlite3_free(changes);
        changes = inverse;
    }
    is_right();
    return changes;
}

static void apply(void *changes, int bytes) {
    int flags = draw(3) ? 0 : SQLITE_CHANGESETAPPLY_NOSAVEPOINT;
    bool within = flags || draw(2);
    db = target;
    if (within) {
        run("BEGIN");
        if (draw(2))
            write_some();
        if (draw(2))
            is_right();
    }
    int rc = sqlite3changeset_apply_v2(target, bytes, changes, NULL, settle, NULL, NULL,
                                       NULL, flags);
    ck_assert_msg(rc == SQLITE_OK || rc == SQLITE_ABORT, "%s", sqlite3_errmsg(target));
    if (draw(2))
        is_right();
    if (within && draw(3) == 0)
        run("ROLLBACK");
    else if (within)
        run("COMMIT");
    is_right();
    db = viewer;
    is_right();
}

static const char *const keys[] = {
    "id INTEGER PRIMARY KEY, a, b, metres",
    "id INTEGER PRIMARY KEY, a, b, metres, UNIQUE(a, b, metres) ON CONFLICT IGNORE",
    "id, a, b, metres, PRIMARY KEY(id)",
};
enum { KEYS = sizeof keys / sizeof *keys };

/* Loop: the table's key; whether the session records one table or all tables. */
START_TEST(test_changesets) {
    all_tables = _i / KEYS;
    make(source, keys[_i % KEYS]);
    make(target, keys[_i % KEYS]);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        int bytes = 0;
        if (left_out(i))
            continue;
        luck = i * 1000003 + (uint32_t)_i;
        void *changes = record(&bytes);
        apply(changes, bytes);
        sqlite3_free(changes);
    }
}
END_TEST

const struct suite suite = {
    "changeset",
    {{"cases", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&test_changesets, 2 * KEYS}}}},
};
