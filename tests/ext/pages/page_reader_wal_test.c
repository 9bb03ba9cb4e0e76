/* The page reader and the write-ahead log. Pages must come from the frames that the
** transaction sees, while other connections write and run checkpoints. If that is not
** certain, the reader must give up. */
/* ctest: long */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "page_compare.h"
#include "suite.h"
#include "pages/wal_frames.h"

static void begin_wal(int page_size) {
    run_sql(db,
            "PRAGMA page_size = %d; PRAGMA journal_mode = WAL;"
            "PRAGMA wal_autocheckpoint = 0; CREATE TABLE e(src, dst, w);"
            "CREATE TABLE other(x)",
            page_size);
}

static sqlite3_int64 frames_in_log(sqlite3 *of) {
    int frames = -1, done = -1;
    sqlite3_wal_checkpoint_v2(of, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &done);
    return frames;
}

/* ---- the frames of a transaction ---- */

START_TEST(test_frames) {
    begin_wal(512 << _i);
    page_table t = edges(db);
    check_used(&t); /* the file has only its first page */
    fill(db, "e", 20000);
    check_used(&t);
    run_sql(db, "UPDATE e SET w = 7 WHERE rowid %% 1000 = 3");
    check_used(&t);
    run_sql(db, "PRAGMA wal_checkpoint(PASSIVE)");
    check_used(&t);
    run_sql(db, "DELETE FROM e WHERE rowid BETWEEN 5000 AND 9000");
    check_used(&t);
    ck_assert_int_gt(frames_in_log(db), 0);
    run_sql(db, "DELETE FROM e; INSERT INTO other SELECT 1 FROM pragma_function_list");
    check_used(&t);
    /* with small pages, more frames than one region of the index holds */
    fill(db, "e", 70000);
    check_used(&t);
    run_sql(db, "BEGIN; UPDATE e SET src = 0; ROLLBACK"); /* may leave frames behind */
    check_used(&t);
    run_sql(db, "PRAGMA cache_size = 5; BEGIN; UPDATE e SET src = -7; ROLLBACK");
    check_used(&t);
    run_sql(db, "VACUUM");
    check_used(&t);
    run_sql(db, "PRAGMA wal_checkpoint(TRUNCATE)");
    check_used(&t);
}
END_TEST

START_TEST(test_two_connections) {
    begin_wal(1024);
    fill(db, "e", 20000);
    page_table t = edges(db);
    sqlite3 *second = open_db(scratch, 0, NULL);
    check_used(&t);
    run_sql(second, "UPDATE e SET src = 5");
    check_used(&t);
    run_sql(second, "PRAGMA wal_checkpoint(TRUNCATE)");
    check_used(&t);
    t.db = second;
    run_sql(db, "UPDATE e SET dst = 6");
    check_used(&t);
    sqlite3_close(second);
    t.db = db;
    check_used(&t);
    sqlite3_close(db);
    /* the last connection to close removes the log */
    db = t.db = open_db(scratch, 0, NULL);
    check_used(&t);
}
END_TEST

/* In exclusive mode the index may be in this connection's own memory, so the frames of a
** transaction are unknown. Looking for an index must not create one. */
START_TEST(test_exclusive) {
    char shm[128];
    begin_wal(1024);
    fill(db, "e", 2000);
    page_table t = edges(db);
    run_sql(db, "PRAGMA locking_mode = EXCLUSIVE; UPDATE e SET src = 6");
    check_used(&t); /* the index is still shared */
    sqlite3_close(db);
    ck_assert_int_eq(sqlite3_open(scratch, &db), SQLITE_OK);
    t.db = db;
    run_sql(db, "PRAGMA locking_mode = EXCLUSIVE; SELECT * FROM e LIMIT 1");
    check_used(&t);
    run_sql(db, "UPDATE e SET src = 7");
    check_aside(&t, "write-ahead log");
    snprintf(shm, sizeof shm, "%s-shm", scratch);
    ck_assert_int_ne(access(shm, F_OK), 0);
    run_sql(db, "PRAGMA wal_checkpoint(TRUNCATE)");
    check_used(&t);
}
END_TEST

/* A transaction that began before others committed. The reader uses pages as long as none
** of the table's pages has been written since. */
START_TEST(test_older_transaction) {
    wal_notes notes = {0};
    begin_wal(1024);
    fill(db, "e", 20000);
    page_table t = edges(db);
    sqlite3 *second = open_db(scratch, 0, NULL);
    run_sql(db, "BEGIN");
    wal_notes_take(&notes, db);
    t.wal = &notes;
    run_sql(db, "SELECT count(*) FROM e");
    check_used(&t);
    run_sql(second, "INSERT INTO other VALUES(1)");
    check_used(&t);
    run_sql(second, "PRAGMA wal_checkpoint(PASSIVE)");
    check_used(&t);
    wal_notes_take(&notes, db); /* takes no note, because the transaction is open */
    check_used(&t);
    run_sql(second, "UPDATE e SET w = 9 WHERE rowid = 10000");
    check_aside(&t, "write-ahead log");
    run_sql(second, "PRAGMA wal_checkpoint(PASSIVE)"); /* may not write that page */
    check_aside(&t, "write-ahead log");
    run_sql(db, "COMMIT");
    check_used(&t);

    /* The file has all pages, so the transaction ignores the log, which is then
    ** restarted. */
    run_sql(second, "PRAGMA wal_checkpoint(PASSIVE)");
    wal_notes_take(&notes, db);
    run_sql(db, "BEGIN; SELECT count(*) FROM e");
    run_sql(second, "UPDATE other SET x = 5");
    check_used(&t);
    run_sql(second, "UPDATE e SET w = w + 1");
    run_sql(second, "PRAGMA wal_checkpoint(RESTART)");
    check_aside(&t, "write-ahead log");
    t.wal = NULL;
    check_aside(&t, "write-ahead log");
    run_sql(db, "COMMIT");
    check_used(&t);
    sqlite3_close(second);
    wal_notes_clear(&notes);
}
END_TEST

/* Without a note no frame behind the last checkpoint is sure. */
START_TEST(test_no_note) {
    begin_wal(1024);
    fill(db, "e", 20000);
    page_table t = edges(db);
    run_sql(db, "BEGIN; SELECT count(*) FROM e");
    check_aside(&t, "write-ahead log");
    run_sql(db, "COMMIT; PRAGMA wal_checkpoint(PASSIVE); BEGIN; SELECT count(*) FROM e");
    check_used(&t);
    run_sql(db, "COMMIT");
}
END_TEST

/* ---- damaged frames ---- */

/* A frame header that does not match is refused. SQLite itself does not look at frame
** headers, because it has the index. */
START_TEST(test_damaged_frames) {
    char path[128];
    begin_wal(512);
    fill(db, "e", 3000);
    page_table t = edges(db);
    check_used(&t);
    snprintf(path, sizeof path, "%s-wal", scratch);
    for (int at = 0; at < 16; at += 3) {
        if (at >= 4 && at < 8) /* the size of the database does not matter here */
            continue;
        FILE *log = fopen(path, "r+b");
        long frame = 32 + 20 * (512 + 24) + at;
        fseek(log, frame, SEEK_SET);
        int byte = fgetc(log);
        fseek(log, frame, SEEK_SET);
        fputc(byte ^ 0x55, log);
        fflush(log);
        check_aside(&t, "damaged");
        fseek(log, frame, SEEK_SET);
        fputc(byte, log);
        fclose(log);
        check_used(&t);
    }
    ck_assert_int_eq(truncate(path, 32 + 15 * (512 + 24)), 0);
    const char *why;
    page_columns c;
    ck_assert_int_eq(page_read(&t, 2, NULL, NULL, &c, &why), PAGE_NOT_USED);
    ck_assert_ptr_nonnull(strstr(why, "damaged"));
}
END_TEST

/* ---- another process writes ---- */

/* Another process writes batches that keep a sum, and checkpoints, until it is killed. */
static pid_t start_writer(const char *journal) {
    sqlite3_close(db); /* SQLite's record of its locks must not cross the fork */
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child) {
        db = open_db(scratch, 0, NULL);
        return child;
    }
    sqlite3 *own;
    static const char *const checkpoint[] = {"PASSIVE", "TRUNCATE", "RESTART", "FULL"};
    if (sqlite3_open(scratch, &own) != SQLITE_OK)
        _exit(1);
    sqlite3_busy_timeout(own, 10000);
    try_sql(own,
            "PRAGMA synchronous = OFF; PRAGMA cache_size = 20; PRAGMA journal_mode = %s;"
            "PRAGMA wal_autocheckpoint = 40",
            journal);
    for (unsigned i = 0;; i++) {
        switch (i % 7) {
        case 0:
            try_sql(own, "UPDATE e SET w = w + 1 WHERE rowid %% 97 = %u", i % 97);
            break;
        case 1:
            try_sql(own, "DELETE FROM e WHERE rowid %% 89 = %u", i % 89);
            break;
        case 2:
            try_sql(own,
                    "INSERT INTO e SELECT src, 'v' || %u, w FROM e WHERE rowid %% 90 = "
                    "%u",
                    i, i % 90);
            break;
        case 3:
            try_sql(own, "INSERT INTO other VALUES(zeroblob(%u))", i % 3000);
            break;
        case 4:
            try_sql(own, "BEGIN; UPDATE e SET src = -1 WHERE rowid %% 3 = 0; ROLLBACK");
            break;
        case 5:
            if (i % 5 == 0)
                try_sql(own, "DELETE FROM other");
            break;
        default:
            try_sql(own, "PRAGMA wal_checkpoint(%s)", checkpoint[i / 7 % 4]);
        }
    }
}

/* page_read and SELECT inside one transaction, so both have one snapshot. */
START_TEST(test_second_process) {
    intern texts = {0};
    wal_notes notes = {0};
    const char *const journal = _i % 2 ? "DELETE" : "WAL";
    begin_wal(512 << _i);
    run_sql(db, "PRAGMA journal_mode = %s", journal);
    fill(db, "e", 20000);
    pid_t writer = start_writer(journal);
    sqlite3_busy_timeout(db, 10000);
    int used = 0, total = 0, noted = 0;
    const double seconds = getenv("PAGE_READER_SEEDS") ? 20 : 3;
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        page_table t = edges(db);
        page_columns c;
        const char *why = NULL;
        t.texts = &texts;
        /* Sometimes the transaction is already open, as in a statement. */
        const bool before = total % 3, own = total % 3 == 2;
        if (before)
            wal_notes_take(&notes, db);
        run_sql(db, "BEGIN");
        if (own)
            t.wal = &notes;
        if (before && try_sql(db, "SELECT count(*) FROM sqlite_schema") != SQLITE_OK) {
            run_sql(db, "ROLLBACK");
            continue;
        }
        enum page_outcome outcome = page_read(&t, 1 + total % 3, NULL, NULL, &c, &why);
        ck_assert_int_ne(outcome, PAGE_INTERRUPTED);
        if (outcome == PAGE_READ) {
            check_columns(&t, &c);
            used++;
            noted += own;
        } else {
            ck_assert_msg(strstr(why, "write-ahead log") || strstr(why, "does not open"),
                          "%s", why);
        }
        page_columns_clear(&c);
        intern_clear(&texts);
        run_sql(db, "COMMIT");
        total++;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - start.tv_sec) < seconds);
    int status;
    /* the writer is still running */
    ck_assert_int_eq(waitpid(writer, &status, WNOHANG), 0);
    kill(writer, SIGKILL);
    waitpid(writer, &status, 0);
    wal_notes_clear(&notes);
    ck_assert_int_gt(used, total / 3);
    ck_assert_int_gt(noted, 0);
}
END_TEST

const struct suite suite = {
    "page_reader_wal",
    {{"cases", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&test_frames, 8}, {&test_second_process, 8}}},
     {"no thread", .tags = "serial", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&test_two_connections},
                {&test_exclusive},
                {&test_older_transaction},
                {&test_no_note},
                {&test_damaged_frames}}}},
};
