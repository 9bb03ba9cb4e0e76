/* The disk is full at the n-th write, for many n: when graphs are made, renamed and
** dropped, and when triggers, blocks, deletions and temporary files are written. The
** statement changes all or nothing, and the graph continues to follow its table. When the
** disk has space again, the statement passes. One test uses a VFS that reports a full
** disk, another test a disk that is full. */
/* ctest: serial */
#define _GNU_SOURCE
#include "database_file.h"
#include "share.h"
#include "shim_vfs.h"
#include "suite.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

enum { ROWS = 400, IMAGE = 4 << 20 };

static char image[IMAGE]; /* the database file before the statement */
static size_t image_bytes;

static void keep_image(void) {
    FILE *file = fopen(database_file, "rb");
    image_bytes = fread(image, 1, sizeof image, file);
    fclose(file);
    ck_assert(image_bytes > 0 && image_bytes < sizeof image);
}

static void bring_back_image(void) {
    database_remove();
    FILE *file = fopen(database_file, "wb");
    ck_assert_uint_eq(fwrite(image, 1, image_bytes, file), image_bytes);
    ck_assert_int_eq(fclose(file), 0);
}

/* ---- the statements ---- */

#define GRAPH "CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres)"

static const struct step {
    const char *before, *sql;
    bool graph_after; /* the graph g exists after the statement */
} steps[] = {
    {"SELECT 1", GRAPH ")", true},
    {"SELECT 1", GRAPH ", persist = 1)", true},
    {GRAPH ")", "INSERT INTO roads SELECT id + 1000, b, a, 7, zeroblob(500) FROM roads",
     true},
    {GRAPH ")", "UPDATE OR REPLACE roads SET id = id + 3, metres = 4 WHERE id % 2", true},
    {GRAPH ")", "DELETE FROM roads WHERE id % 5", true},
    {GRAPH ")", "SELECT gpugraph_delete_vertex('g', 1)", true},
    {GRAPH ", persist = 1)", "SELECT gpugraph_save('g')", true},
    {GRAPH ", persist = 1)", "ALTER TABLE g RENAME TO h", false},
    {GRAPH ", persist = 1)", "DROP TABLE g", false},
    {GRAPH ", persist = 1)", "VACUUM", true},
    {GRAPH ")",
     "CREATE TABLE near AS SELECT n.a, s.distance FROM roads n, gpu_sssp('g', n.a) s "
     "ORDER BY s.distance DESC, n.note",
     true},
};

/* The whole content, in a row. */
static char *contents(void) {
    return ask(
        "SELECT (SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema ORDER "
        "BY name)), (SELECT count(*) || ' ' || sum(id) || ' ' || sum(metres) FROM "
        "roads)");
}

/* Checks that table and graph are in the state after the statement if it has passed, and
** otherwise in the state before it. */
static void is_sound(const struct step *step, const char *before, const char *after,
                     bool passed) {
    char *now = contents();
    ck_assert_msg(strcmp(now, passed ? after : before) == 0,
                  "%s\n %s\nbefore %s\nafter %s", step->sql, now, before, after);
    sqlite3_free(now);
    expect("'ok'", "PRAGMA integrity_check");
    const char *graph = passed && !step->graph_after ? "h" : "g";
    char *there = ask("SELECT count(*) FROM sqlite_schema WHERE name = %Q", graph);
    if (there[0] == '1') {
        char *on_graph =
            sqlite3_mprintf("SELECT src, dst, weight * 1.0, edge FROM %s ORDER "
                            "BY edge",
                            graph);
        expect_same(on_graph, "SELECT a, b, metres * 1.0, id FROM roads ORDER BY id");
        sqlite3_free(on_graph);
        expect("'ok'", "SELECT gpugraph_check(%Q)", graph);
    }
    sqlite3_free(there);
}

static void open_small(const char *journal) {
    database_open("?vfs=" SHIM_NAME);
    run("PRAGMA cache_size = 5; PRAGMA synchronous = OFF; PRAGMA journal_mode = %s",
        journal);
}

/* The image, and the whole content before and after the statement. */
static void prepare(const struct step *step, const char *journal, char **before,
                    char **after) {
    open_small("DELETE");
    run("PRAGMA page_size = 512; VACUUM");
    make_long_roads(ROWS);
    run("%s", step->before);
    sql_close();
    keep_image();
    open_small(journal);
    *before = contents();
    run("%s", step->sql);
    *after = contents();
    sql_close();
}

/* True if the statement passed. */
static bool try_sql(const char *sql) {
    char *got = ask("%s", sql);
    bool passed = strncmp(got, "error", 5) != 0;
    ck_assert_msg(passed || strstr(got, "full") || strstr(got, "disk I/O"), "%s: %s", sql,
                  got);
    sqlite3_free(got);
    return passed;
}

/* Runs the statement in a transaction that has already written, and commits if it
** passes. */
static bool try_within(const char *sql) {
    bool passed = try_sql("BEGIN") &&
                  try_sql("UPDATE roads SET metres = metres WHERE id = 7") &&
                  try_sql(sql);
    if (passed)
        passed = try_sql("COMMIT");
    shim.write_fails = 0;
    if (!sqlite3_get_autocommit(db))
        run("ROLLBACK");
    return passed;
}

static void setup(void) {
    database_make_folder();
    shim_register();
}

static void teardown(void) {
    shim_unregister();
    database_remove_folder();
}

/* ---- by a VFS ---- */

/* Loop: statement, for good, WAL, within a transaction. */
START_TEST(test_each_write) {
    const int count = (int)(sizeof steps / sizeof *steps);
    const struct step *step = &steps[_i % count];
    const char *journal = _i / count / 2 % 2 ? "WAL" : "DELETE";
    const bool within = _i / count / 4 && strcmp(step->sql, "VACUUM");
    char *before, *after;
    enum { MANY = 1000 }; /* more writes than a statement has */
    int failures = 0, passes = 0;
    prepare(step, journal, &before, &after);
    for (int n = 1, turn = _i; passes < 2; n += 1 + n / 8, turn++) {
        if (n > 1 && n < MANY && left_out((uint64_t)turn)) /* write 1 fails */
            continue;
        bring_back_image();
        open_small(journal);
        shim.for_good = _i / count % 2;
        shim.write_fails = n;
        bool passed = within ? try_within(step->sql) : try_sql(step->sql);
        shim.write_fails = 0;
        failures += !passed;
        passes += passed; /* SQLite may pass although write n fails */
        is_sound(step, before, after, passed);
        if (!passed) {
            run("%s", step->sql);
            is_sound(step, before, after, true);
        }
        sql_close();
    }
    ck_assert_int_gt(failures, 0);
    sqlite3_free(before);
    sqlite3_free(after);
}
END_TEST

/* ---- on a disk that is full ---- */

/* The space that is left in the folder, in bytes. */
static long long room(const char *folder) {
    struct statvfs disk;
    ck_assert_int_eq(statvfs(folder, &disk), 0);
    return (long long)disk.f_bavail * (long long)disk.f_bsize;
}

static void fill_up(const char *folder, long long left) {
    char path[96], block[4096] = {0};
    snprintf(path, sizeof path, "%s/filler", folder);
    FILE *file = fopen(path, "wb");
    while (room(folder) > left && fwrite(block, sizeof block, 1, file) == 1)
        fflush(file);
    fclose(file);
}

static void make_room(const char *folder) {
    char path[96];
    snprintf(path, sizeof path, "%s/filler", folder);
    unlink(path);
}

/* Mounts a small disk of this process over the folder. false: the process may not. */
static bool mount_small(const char *folder) {
    return unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", folder, "tmpfs", 0, "size=3m") == 0;
}

START_TEST(test_real_disk) {
    const struct step *step = &steps[_i];
    char folder[64], *before, *after;
    int failures = 0;
    bool passed = false;
    snprintf(folder, sizeof folder, "%.*s",
             (int)(strrchr(database_file, '/') - database_file), database_file);
    if (!mount_small(folder)) {
        fprintf(stderr, "test_real_disk: skipped, no right to mount a disk\n");
        return;
    }
    prepare(step, "DELETE", &before, &after);
    for (long long left = 0; !passed; left += 12288) {
        bring_back_image();
        fill_up(folder, left);
        open_small("DELETE");
        passed = try_sql(step->sql);
        failures += !passed;
        make_room(folder);
        is_sound(step, before, after, passed);
        sql_close();
        ck_assert_msg(left < 3 << 20, "%s: never passes", step->sql);
    }
    ck_assert_int_gt(failures, 0);
    sqlite3_free(before);
    sqlite3_free(after);
    database_remove();
    ck_assert_int_eq(umount(folder), 0);
}
END_TEST

const struct suite suite = {
    "disk_full",
    {{"cases", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&test_each_write, 8 * sizeof steps / sizeof *steps},
                {&test_real_disk, sizeof steps / sizeof *steps}}}},
};
