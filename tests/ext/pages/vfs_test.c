/* Databases that are not plain files of SQLite's own VFS, or that are opened in unusual
** ways: shims that encode the file, a file in a file, no locks, mapped memory, databases
** in memory. The extension must read the rows that a query reads. It may read pages only
** if no other layer decodes or locks them. */
/* ctest: serial */
#include "database_file.h"
#include "share.h"
#include "shim_vfs.h"
#include "suite.h"

enum { ROWS = 3000 };

static void setup(void) {
    database_make_folder();
    shim_register();
}

static void teardown(void) {
    sql_close();
    shim_unregister();
    database_remove_folder();
}

/* True if the latest search read pages, false if it read rows. */
static bool pages_were_read(void) {
    char *rows = ask("SELECT detail FROM gpugraph_timings WHERE phase = 'read'");
    bool pages = strncmp(rows, "'pages:", 7) == 0;
    ck_assert_msg(pages || strstr(rows, "VFS") || strstr(rows, "in memory") ||
                      strstr(rows, "cache"),
                  "%s", rows);
    sqlite3_free(rows);
    return pages;
}

static void followed_agrees(void) {
    expect_same("SELECT src, dst, weight, edge FROM g ORDER BY edge",
                "SELECT a, b, metres * 1.0, id FROM roads ORDER BY id");
    searches_agree("g");
    expect("'ok'", "SELECT gpugraph_check('g')");
}

/* Searches, changes, and a graph that follows them; then again from a reopened file. */
static void whole_life(const char *parameters, bool pages, bool again) {
    make_long_roads(ROWS);
    searches_agree("roads(a, b, metres)");
    run("SELECT count(*) FROM gpu_bfs('roads(a, b)', 1)");
    ck_assert_int_eq(pages_were_read(), pages);
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres), persist = 1)");
    followed_agrees();
    run("BEGIN; DELETE FROM roads WHERE id %% 11 = 0; UPDATE roads SET b = a + 1 WHERE "
        "id "
        "%% 13 = 0");
    followed_agrees();
    run("ROLLBACK; UPDATE roads SET metres = 9 WHERE id %% 29 = 5");
    followed_agrees();
    searches_agree("roads(a, b, metres)");
    run("SELECT gpugraph_save('g')");
    if (!again)
        return;
    sql_close();
    database_open(parameters);
    followed_agrees();
    searches_agree("roads(a, b, metres)");
}

/* ---- shims ---- */

/* Loop: kind, silent, WAL. */
START_TEST(test_shims) {
    shim.kind = (enum shim_kind)(_i % SHIM_KINDS);
    shim.silent = _i / SHIM_KINDS % 2;
    shim.page_size = 1024;
    database_open("?vfs=" SHIM_NAME);
    run("PRAGMA page_size = 1024; PRAGMA journal_mode = %s",
        _i / SHIM_KINDS / 2 ? "WAL" : "DELETE");
    whole_life("?vfs=" SHIM_NAME, false, true);
    ck_assert_int_gt(shim_reads, 10);
}
END_TEST

static char *search_both(void) {
    return ask("SELECT count(*), sum(distance) FROM gpu_sssp('roads(a, b, metres)', 1) "
               "UNION ALL SELECT count(*), sum(distance) FROM gpu_sssp('g', 1)");
}

/* The n-th read fails. The statement must give an error or the right answer, and the next
** statement the right answer. Or the n-th read gets half of the bytes. SQLite then caches
** a page that ends in zeros, so only the next connection must be right. Loop: half of the
** bytes, WAL. */
START_TEST(test_reads_that_fail) {
    int fails = 0;
    bool failed = true;
    shim.kind = SHIM_XOR;
    database_open("?vfs=" SHIM_NAME);
    run("PRAGMA page_size = 1024; PRAGMA journal_mode = %s", _i / 2 ? "WAL" : "DELETE");
    make_long_roads(600);
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres), persist = 1)");
    char *want = search_both();
    ck_assert_int_ne(want[0], 'e');
    for (int n = 1; failed; n++) {
        if (n > 1 && left_out((uint64_t)n)) /* the first read certainly happens */
            continue;
        sql_close();
        database_open("?vfs=" SHIM_NAME);
        shim.read_fails = n;
        shim.short_read = _i % 2;
        char *got = search_both();
        failed = shim.read_fails == 0;
        shim.read_fails = 0;
        fails += got[0] == 'e';
        if (shim.short_read) {
            sql_close();
            database_open("?vfs=" SHIM_NAME);
        } else
            ck_assert_msg(got[0] == 'e' || strcmp(got, want) == 0, "read %d: %s, not %s",
                          n, got, want);
        sqlite3_free(got);
        got = search_both();
        ck_assert_str_eq(got, want);
        sqlite3_free(got);
        expect("'ok'", "SELECT gpugraph_check('g')");
    }
    ck_assert(shim.short_read || fails > 0);
    sqlite3_free(want);
}
END_TEST

/* ---- ways to open a file ---- */

static const struct way {
    const char *parameters, *journal;
    bool pages;
} ways[] = {
    {"?vfs=unix-none", "DELETE", true},
    {"?vfs=unix-none", "TRUNCATE", true},
    {"?vfs=unix-excl", "DELETE", true},
    {"?vfs=unix-excl", "WAL", true},
    {"?vfs=unix-dotfile", "DELETE", true},
    {"?nolock=1", "DELETE", true},
    {"?psow=0", "PERSIST", true},
    {"", "OFF", true},
    {"", "MEMORY", true},
};

/* Loop: way to open, mapped memory. */
START_TEST(test_ways_to_open) {
    const struct way *way = &ways[_i / 2];
    database_open(way->parameters);
    run("PRAGMA mmap_size = %d; PRAGMA journal_mode = %s", _i % 2 ? 1 << 28 : 0,
        way->journal);
    whole_life(way->parameters, way->pages, true);
}
END_TEST

/* Reserved bytes at the end of each page, as for a checksum (8) or a cipher (32). Rows
** then overflow earlier. Loop: page size, reserved bytes, WAL. */
START_TEST(test_reserved_bytes) {
    static const int reserved[] = {8, 32, 1};
    int bytes = reserved[_i / 8 % 3];
    database_open("");
    run("PRAGMA page_size = %d", 512 << _i % 8);
    ck_assert_int_eq(sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes),
                     SQLITE_OK);
    run("PRAGMA journal_mode = %s", _i / 24 ? "WAL" : "DELETE");
    whole_life("", true, true);
    bytes = -1;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
    ck_assert_int_eq(bytes, reserved[_i / 8 % 3]);
}
END_TEST

/* A search must not write to an immutable file. */
START_TEST(test_immutable) {
    database_open("");
    make_long_roads(ROWS);
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres), persist = %d)", _i);
    run("UPDATE roads SET metres = 3 WHERE id %% 29 = 5");
    sql_close();
    database_open("?immutable=1");
    searches_agree("roads(a, b, metres)");
    run("SELECT count(*) FROM gpu_bfs('roads(a, b)', 1)");
    ck_assert(pages_were_read());
    followed_agrees();
}
END_TEST

/* Loop: the memdb VFS with a shared name, without one, and a database in memory with a
** shared cache. */
START_TEST(test_memory) {
    static const char *const name[] = {"file:/roads?vfs=memdb", "file:roads?vfs=memdb",
                                       "file:roads?mode=memory&cache=shared"};
    ck_assert_int_eq(
        sqlite3_open_v2(name[_i], &db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI,
                        NULL),
        SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
    whole_life("", false, false);
}
END_TEST

/* One connection maps the file, and another one changes, shrinks and enlarges it. */
START_TEST(test_mapped_and_changed) {
    database_open("");
    run("PRAGMA mmap_size = 268435456; PRAGMA journal_mode = %s", _i ? "WAL" : "DELETE");
    make_long_roads(ROWS);
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres))");
    sqlite3 *first = db, *second = database_connect("");
    static const char *const change[] = {
        "DELETE FROM roads WHERE id > 40", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)",
        "INSERT INTO roads SELECT id + 50 * (SELECT count(*) FROM roads), b, a, 2, "
        "zeroblob(3000) FROM roads",
        "INSERT INTO roads SELECT NULL, b, a + 1, 2, zeroblob(300) FROM roads"};
    for (int i = 0; i < 15; i++) {
        db = second;
        run("%s", change[i % 5]);
        db = first;
        searches_agree("roads(a, b, metres)");
        followed_agrees();
    }
    sqlite3_close(second);
}
END_TEST

const struct suite suite = {
    "vfs",
    {{"cases", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&test_shims, 4 * SHIM_KINDS},
                {&test_reads_that_fail, 4},
                {&test_ways_to_open, 2 * (sizeof ways / sizeof *ways)},
                {&test_reserved_bytes, 48},
                {&test_immutable, 2},
                {&test_memory, 3},
                {&test_mapped_and_changed, 2}}}},
};
