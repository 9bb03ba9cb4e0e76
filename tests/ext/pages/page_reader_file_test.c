/* The page reader and its file: transactions, shared caches, other connections, failing
** reads and interrupts. If the file cannot be trusted, the reader must give up; otherwise
** it must not see the work of other connections. Tables and values: page_reader_test.c.
** The write-ahead log: page_reader_wal_test.c. */
/* ctest: long */
#define _GNU_SOURCE
#include <stdatomic.h>
#include "base/ext_limits.h"
#include "page_compare.h"
#include "suite.h"

/* ---- who else may change a page ---- */

START_TEST(test_transactions) {
    run_sql(db, "CREATE TABLE e(src, dst, w); CREATE TABLE other(x)");
    fill(db, "e", 1000);
    page_table t = edges(db);
    run_sql(db, "BEGIN");
    check_used(&t);
    run_sql(db, "SAVEPOINT s; DELETE FROM e WHERE rowid < 500");
    check_aside(&t, "write transaction");
    run_sql(db, "ROLLBACK TO s");
    check_aside(&t, "write transaction");
    run_sql(db, "ROLLBACK");
    check_used(&t);
    run_sql(db, "BEGIN; DELETE FROM e WHERE rowid < 500; COMMIT");
    check_used(&t);
    run_sql(db, "BEGIN IMMEDIATE");
    check_aside(&t, "write transaction");
    run_sql(db, "COMMIT");
    sqlite3 *second = open_db(scratch, 0, NULL);
    run_sql(second, "DELETE FROM e WHERE rowid < 800; DROP TABLE other");
    check_used(&t);
    run_sql(second, "DROP TABLE e; CREATE TABLE x(y); CREATE TABLE e(w, dst, src);"
                    "INSERT INTO e VALUES(1, 2, 3)");
    check_used(&t);
    sqlite3_close(second);
}
END_TEST

START_TEST(test_memory_and_temporary) {
    sqlite3 *memory = open_db(":memory:", 0, NULL), *temporary = open_db("", 0, NULL);
    run_sql(memory, "CREATE TABLE e(src, dst, w)");
    run_sql(temporary, "CREATE TABLE e(src, dst, w)");
    run_sql(db, "CREATE TEMP TABLE e(src, dst, w)");
    page_table t = edges(memory);
    check_aside(&t, "in memory");
    t.db = temporary;
    check_aside(&t, "temporary");
    t.db = db;
    t.schema = "temp";
    check_aside(&t, "temporary");
    sqlite3_close(memory);
    sqlite3_close(temporary);
}
END_TEST

START_TEST(test_shared_cache) {
    char uri[128];
    snprintf(uri, sizeof uri, "file:%s?cache=shared", scratch);
    sqlite3 *one = open_db(uri, 0, NULL), *two = open_db(uri, 0, NULL);
    run_sql(one, "CREATE TABLE e(src, dst, w); INSERT INTO e VALUES(1, 2, 3)");
    page_table t = edges(one);
    check_aside(&t, "shares");
    run_sql(two, "BEGIN; CREATE TABLE f(x)");
    check_aside(&t, "");
    sqlite3_close(two);
    check_aside(&t, "shares"); /* another connection may come at any moment */
    sqlite3_close(one);
}
END_TEST

static int hide_column(void *column, int action, const char *table, const char *name,
                       const char *schema, const char *trigger) {
    (void)table, (void)schema, (void)trigger;
    return action == SQLITE_READ && name && !strcmp(name, column) ? SQLITE_IGNORE
                                                                  : SQLITE_OK;
}

static int deny_all(void *nothing, int action, const char *a, const char *b,
                    const char *c, const char *d) {
    (void)nothing, (void)action, (void)a, (void)b, (void)c, (void)d;
    return SQLITE_DENY;
}

START_TEST(test_authorizer) {
    run_sql(db, "CREATE TABLE e(src, dst, w); INSERT INTO e VALUES(1, 2, 3)");
    page_table t = edges(db);
    sqlite3_set_authorizer(db, hide_column, "w");
    check_aside(&t, "plain scan");
    sqlite3_set_authorizer(db, deny_all, NULL);
    check_aside(&t, "does not open");
    sqlite3_set_authorizer(db, NULL, NULL);
    check_used(&t);
}
END_TEST

/* ---- another connection writes ---- */

/* A writer that tries to change the file during page_read. */
struct intruder {
    sqlite3 *db;
    int calls, last_rc;
};

static int intrude(void *listener) {
    struct intruder *it = listener;
    if (it->calls++ > 1)
        return 0;
    it->last_rc = try_sql(it->db, "UPDATE e SET src = 0 - src, dst = dst + 1, w = 4");
    try_sql(it->db, "PRAGMA wal_checkpoint(%s)", it->calls == 1 ? "PASSIVE" : "TRUNCATE");
    return 0;
}

/* Another connection tries to rewrite the table and to run a checkpoint in the middle of
** the read. The columns must be those of the snapshot. */
START_TEST(test_intruder) {
    const bool wal = _i % 2;
    run_sql(db, "PRAGMA journal_mode = %s; CREATE TABLE e(src, dst, w)",
            wal ? "WAL" : "DELETE");
    fill(db, "e", 200000);
    run_sql(db, "PRAGMA wal_checkpoint(TRUNCATE)");
    struct intruder it = {.db = open_db(scratch, 0, NULL)};
    page_table t = edges(db);
    page_columns c;
    const char *why;

    run_sql(it.db, "PRAGMA cache_size = 10");
    run_sql(db, "BEGIN; SELECT count(*) FROM e");
    ck_assert_int_eq(page_read(&t, 1 + _i / 2, intrude, &it, &c, &why), PAGE_READ);
    ck_assert_int_gt(it.calls, 0);
    ck_assert_int_eq(it.last_rc, wal ? SQLITE_OK : SQLITE_BUSY);
    check_columns(&t, &c);
    page_columns_clear(&c);
    run_sql(db, "COMMIT");
    compare(&t, NULL);
    sqlite3_close(it.db);
}
END_TEST

/* ---- a VFS that fails ---- */

static int reads_to_failure = -1;
static sqlite3_io_methods honest, failing[2]; /* for the database and for its log */
static const sqlite3_vfs *base;

static int failing_read(sqlite3_file *file, void *to, int bytes, sqlite3_int64 offset) {
    if (reads_to_failure >= 0 && reads_to_failure-- == 0)
        return SQLITE_IOERR_READ;
    return honest.xRead(file, to, bytes, offset);
}

static int failing_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                        int *out) {
    int rc = base->xOpen(vfs, name, file, flags, out);
    if (rc == SQLITE_OK && (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))) {
        sqlite3_io_methods *methods = &failing[(flags & SQLITE_OPEN_WAL) != 0];
        honest = *methods = *file->pMethods;
        methods->xRead = failing_read;
        file->pMethods = methods;
    }
    return rc;
}

/* The n-th read fails, for every n: reads of leaves and interior pages (table e), of
** overflow pages (late), and of both in the write-ahead log. */
START_TEST(test_failing_reads) {
    base = sqlite3_vfs_find("unix");
    sqlite3_vfs vfs = *base;
    page_columns c;
    const char *why = "";
    int n = 0;

    vfs.zName = "failing";
    vfs.xOpen = failing_open;
    ck_assert_int_eq(sqlite3_vfs_register(&vfs, 0), SQLITE_OK);
    run_sql(db,
            "PRAGMA page_size = 512; PRAGMA journal_mode = %s;"
            "PRAGMA wal_autocheckpoint = 0; CREATE TABLE e(src, dst, w);"
            "CREATE TABLE late(note, src, dst, w)",
            _i / 2 ? "WAL" : "DELETE");
    fill(db, "e", _i / 2 ? 5000 : 60000); /* each page of a log is one read */
    /* No id is wide, because a wide id could restart the read while a read of the other
    ** thread fails. */
    run_sql(db, "UPDATE e SET src = src %% 1000000, dst = dst %% 1000000");
    run_sql(db, "INSERT INTO late SELECT zeroblob(src %% 9 * 200), src, dst, w FROM e "
                "WHERE rowid < 200");
    sqlite3 *bad = open_db(scratch, 0, "failing");
    page_table t = edges(bad);
    t.table = _i % 2 ? "late" : "e";
    check_aside(&t, "own unix VFS");
    ext_limits.page_vfs = "failing";
    check_read(&t);
    for (;; n++) {
        reads_to_failure = n;
        enum page_outcome outcome = page_read(&t, 2, NULL, NULL, &c, &why);
        bool failed = reads_to_failure < 0;
        reads_to_failure = -1;
        if (outcome == PAGE_READ) {
            check_columns(&t, &c);
            page_columns_clear(&c);
        }
        if (!failed) /* n is larger than the number of reads */
            break;
        ck_assert_int_eq(outcome, PAGE_NOT_USED);
        ck_assert_ptr_null(c.id[0]);
        if (n % 8 == 0)
            check_read(&t);
    }
    ck_assert_int_gt(n, 10);
    sqlite3_close(bad);
    sqlite3_vfs_unregister(&vfs);
    ext_limits.page_vfs = NULL;
}
END_TEST

/* ---- parallel reads ---- */

typedef ssize_t read_at(int, void *, size_t, off64_t);
static read_at *system_read;
static atomic_int reading, most_reading;

/* A read of many pages waits for another read, up to a limit. */
static ssize_t meeting_read(int file, void *to, size_t bytes, off64_t offset) {
    enum { LARGE = 65536, PATIENCE = 50 };
    if (bytes < LARGE)
        return system_read(file, to, bytes, offset);
    int now = atomic_fetch_add(&reading, 1) + 1, most = atomic_load(&most_reading);
    while (now > most && !atomic_compare_exchange_weak(&most_reading, &most, now))
        ;
    for (int i = 0; i < PATIENCE && atomic_load(&most_reading) < 2; i++)
        usleep(1000);
    ssize_t got = system_read(file, to, bytes, offset);
    atomic_fetch_sub(&reading, 1);
    return got;
}

/* Acts as an SQLite that seeks before it reads. */
static sqlite3_syscall_ptr no_pread(sqlite3_vfs *vfs, const char *name) {
    bool reads_at = strncmp(name, "pread", 5) == 0;
    return reads_at ? NULL : sqlite3_vfs_find("unix")->xGetSystemCall(vfs, name);
}

/* If SQLite reads by pread64, threads read in parallel. A file of any other VFS is read
** by one thread at a time. */
START_TEST(test_reads_side_by_side) {
    sqlite3_vfs *unix_vfs = sqlite3_vfs_find("unix"), vfs = *unix_vfs;
    const bool apart = _i == 0;
    page_columns c;
    const char *why;

    system_read = (read_at *)unix_vfs->xGetSystemCall(unix_vfs, "pread64");
    if (!system_read) /* this SQLite seeks, so all other tests read one by one */
        return;
    if (_i == 1)
        vfs.zName = "unheard-of";
    if (_i == 2) { /* SQLite finds it before the real one */
        vfs.zName = "unix-none";
        vfs.xGetSystemCall = no_pread;
    }
    if (!apart)
        ck_assert_int_eq(sqlite3_vfs_register(&vfs, 0), SQLITE_OK);
    run_sql(db, "CREATE TABLE e(src, dst, w)");
    fill(db, "e", 200000);
    sqlite3 *other = open_db(scratch, 0, apart ? "unix" : vfs.zName);
    page_table t = edges(other);
    ext_limits.page_vfs = _i == 1 ? vfs.zName : NULL;
    unix_vfs->xSetSystemCall(unix_vfs, "pread64", (sqlite3_syscall_ptr)meeting_read);
    for (int i = 0; i < 20 && atomic_load(&most_reading) < 2; i++) {
        ck_assert_int_eq(page_read(&t, 2, NULL, NULL, &c, &why), PAGE_READ);
        ck_assert_int_eq(c.count, 200000);
        page_columns_clear(&c);
        if (!apart)
            break;
    }
    unix_vfs->xSetSystemCall(unix_vfs, "pread64", NULL);
    ck_assert_int_eq(atomic_load(&most_reading), apart ? 2 : 1);
    check_used(&t);
    sqlite3_close(other);
    if (!apart)
        sqlite3_vfs_unregister(&vfs);
    ext_limits.page_vfs = NULL;
}
END_TEST

/* ---- pages in the wrong order ---- */

/* Leaves 0 to 7 of 64 KiB, the first batch, change places with leaves 8 to 15. Only the
** border between two batches shows this fault. */
START_TEST(test_batches_out_of_order) {
    enum { PAGE = 65536, BLOCK = 8 * PAGE, FIRST = 2 * PAGE };
    static char a[BLOCK], b[BLOCK];
    run_sql(db, "PRAGMA page_size = 65536; CREATE TABLE e(src, dst, w)");
    fill(db, "e", 130000);
    page_table t = edges(db);
    check_used(&t);
    sqlite3_close(db);
    FILE *file = fopen(scratch, "r+b");
    fseek(file, FIRST, SEEK_SET);
    ck_assert(fread(a, BLOCK, 1, file) == 1 && fread(b, BLOCK, 1, file) == 1);
    ck_assert_int_eq(a[0], 0x0d);
    fseek(file, FIRST, SEEK_SET);
    ck_assert(fwrite(b, BLOCK, 1, file) == 1 && fwrite(a, BLOCK, 1, file) == 1);
    fclose(file);
    db = t.db = open_db(scratch, 0, NULL);
    check_aside(&t, "damaged");
}
END_TEST

/* Threads read interior pages in portions. The first key of the 17th page, which another
** thread may read before the 16th, becomes less than the last key of the 16th. */
START_TEST(test_keys_that_fall_between_portions) {
    enum { PAGE = 512, CHILD = 16, HEADER = 12 };
    uint8_t root[PAGE], page[PAGE];
    run_sql(db, "PRAGMA page_size = 512; CREATE TABLE e(src, dst, w)");
    fill(db, "e", 70000);
    page_table t = edges(db);
    check_used(&t);
    sqlite3_close(db);
    FILE *file = fopen(scratch, "r+b");
    fseek(file, PAGE, SEEK_SET); /* the root of the only table */
    ck_assert(fread(root, PAGE, 1, file) == 1 && root[0] == 5);
    ck_assert_int_gt(root[3] << 8 | root[4], CHILD + 1);
    const uint8_t *cell =
        root + (root[HEADER + 2 * CHILD] << 8 | root[HEADER + 2 * CHILD + 1]);
    const long at = (long)PAGE * ((cell[2] << 8 | cell[3]) - 1);
    fseek(file, at, SEEK_SET);
    ck_assert(fread(page, PAGE, 1, file) == 1 && page[0] == 5);
    uint8_t *key = page + (page[HEADER] << 8 | page[HEADER + 1]) + 4;
    ck_assert(key[0] >= 0x81 && key[1] & 0x80 &&
              !(key[2] & 0x80)); /* three bytes: over 16383 */
    ck_assert_int_gt((key[0] & 0x7f) << 14 | (key[1] & 0x7f) << 7 | key[2], 17000);
    memcpy(key, "\x81\x80\x00", 3); /* 16384 */
    fseek(file, at, SEEK_SET);
    ck_assert(fwrite(page, PAGE, 1, file) == 1);
    fclose(file);
    db = t.db = open_db(scratch, 0, NULL);
    check_aside(&t, "damaged");
}
END_TEST

/* ---- interrupts ---- */

static int countdown(void *left) {
    return (*(int *)left)-- == 0;
}

static int interrupt_db(void *connection) {
    sqlite3_interrupt(connection);
    return 0;
}

START_TEST(test_interrupts) {
    page_columns c;
    const char *why;
    int n;

    run_sql(db, "PRAGMA page_size = 512; CREATE TABLE e(src, dst, w)");
    fill(db, "e", 400000);
    page_table t = edges(db);
    for (n = 0;; n++) {
        int left = n;
        enum page_outcome outcome = page_read(&t, 1 + n % 2, countdown, &left, &c, &why);
        ck_assert_ptr_null(why);
        page_columns_clear(&c);
        if (outcome == PAGE_READ)
            break;
        ck_assert_int_eq(outcome, PAGE_INTERRUPTED);
    }
    ck_assert_int_gt(n, 0);
    ck_assert_int_eq(page_read(&t, 2, interrupt_db, db, &c, &why), PAGE_INTERRUPTED);
    check_used(&t);
}
END_TEST

const struct suite suite = {
    "page_reader_file",
    {{"cases", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&test_intruder, 4},
                {&test_failing_reads, 4},
                {&test_reads_side_by_side, 3},
                {&test_batches_out_of_order},
                {&test_keys_that_fall_between_portions},
                {&test_interrupts}}},
     {"no thread", .tags = "serial", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&test_transactions},
                {&test_memory_and_temporary},
                {&test_shared_cache},
                {&test_authorizer}}}},
};
