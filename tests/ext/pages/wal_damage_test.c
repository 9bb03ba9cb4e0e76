/* A write-ahead log or index that differs from what the last writer left: changed bytes,
** a cut end, other salts, an index from before a crash, the log of another file. A search
** must give the answer for the rows that SQLite reads, or end with an error. A followed
** graph must equal its table. */
/* ctest: serial */
#include "database_file.h"
#include "luck.h"
#include "share.h"
#include "suite.h"

enum {
    LARGEST = 4 << 20,
    SHORT = 600,
    DAMAGES = 150,
    LOG_HEADER = 32,
    FRAME_HEADER = 24
};

/* The three files after a crash. */
typedef struct crash {
    char *bytes[3];
    size_t size[3];
} crash;

static const char *const ending[3] = {"", "-wal", "-shm"};

static void path_of(char path[96], int which) {
    snprintf(path, 96, "%s%s", database_file, ending[which]);
}

static void put(const crash *c, int which, size_t size) {
    char path[96];
    path_of(path, which);
    FILE *file = fopen(path, "wb");
    ck_assert_uint_eq(fwrite(c->bytes[which], 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static void put_all(const crash *c) {
    database_remove();
    for (int i = 0; i < 3; i++)
        put(c, i, c->size[i]);
}

static crash keep_crash(void) {
    crash c;
    for (int i = 0; i < 3; i++) {
        char path[96];
        path_of(path, i);
        c.bytes[i] = malloc(LARGEST);
        FILE *file = fopen(path, "rb");
        ck_assert_ptr_nonnull(file);
        c.size[i] = fread(c.bytes[i], 1, LARGEST, file);
        ck_assert(c.size[i] > 0 && c.size[i] < LARGEST);
        fclose(file);
    }
    return c;
}

static void crash_free(crash *c) {
    for (int i = 0; i < 3; i++)
        free(c->bytes[i]);
}

/* Some rows are in the file, some in the log, and some in both. */
static crash make_crash(int factor) {
    database_remove();
    database_open("");
    run("PRAGMA page_size = 512; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = "
        "0");
    make_long_roads(SHORT);
    run("CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres), persist = 1)");
    run("PRAGMA wal_checkpoint(PASSIVE)");
    for (int i = 1; i < 6; i++)
        run("UPDATE roads SET metres = %d, b = (b * %d) %% 89 WHERE id %% 50 = %d AND "
            "typeof(b) = 'integer'",
            i * factor, factor, i);
    run("DELETE FROM roads WHERE id > %d", SHORT - 10);
    crash c = keep_crash();
    sql_close();
    return c;
}

static void setup(void) {
    database_make_folder();
}

static void teardown(void) {
    database_remove_folder();
}

/* Compares both results if both are answers. Returns the number of answers. */
static int agree(const char *sql, const char *as) {
    char *got = ask("%s", sql), *want = ask("%s", as);
    int answers = strncmp(got, "error", 5) != 0 && strncmp(want, "error", 5) != 0;
    ck_assert_msg(!answers || strcmp(got, want) == 0, "%s\n %s\n%s\n %s", sql, got, as,
                  want);
    sqlite3_free(got);
    sqlite3_free(want);
    return answers;
}

#define QUERY "'SELECT a, b, metres, id FROM roads'"

static int all_agree(bool follows) {
    int answers =
        agree("SELECT * FROM gpu_sssp('roads(a, b, metres)', 1) ORDER BY vertex",
              "SELECT * FROM gpu_sssp(" QUERY ", 1) ORDER BY vertex") +
        agree("SELECT * FROM gpu_bfs('roads(a, b)', 1) ORDER BY vertex",
              "SELECT * FROM gpu_bfs(" QUERY ", 1) ORDER BY vertex");
    if (follows)
        answers += agree("SELECT src, dst, weight * 1.0, edge FROM g ORDER BY edge",
                         "SELECT a, b, metres * 1.0, id FROM roads ORDER BY id");
    return answers;
}

/* Checks a new connection, before and after it has written. */
static int look(bool follows) {
    database_open("");
    int answers = all_agree(follows);
    sqlite3_exec(db, "UPDATE roads SET metres = 3 WHERE id % 40 = 2", NULL, NULL, NULL);
    answers += all_agree(follows);
    sql_close();
    return answers;
}

/* ---- the log ---- */

/* Loop: changed bytes anywhere in the log, in its header, in a frame header. */
START_TEST(test_bytes) {
    crash c = make_crash(3);
    int answers = 0, turns = 0;
    const size_t frame = FRAME_HEADER + 512;
    for (uint32_t i = 0; i < DAMAGES; i++) {
        if (left_out(i))
            continue;
        luck = i * 7919 + (uint32_t)_i;
        size_t frames = (c.size[1] - LOG_HEADER) / frame;
        size_t at =
            _i == 0   ? draw((uint32_t)c.size[1])
            : _i == 1 ? draw(LOG_HEADER)
                      : LOG_HEADER + draw((uint32_t)frames) * frame + draw(FRAME_HEADER);
        char turned = (char)(1 << draw(8));
        c.bytes[1][at] ^= turned;
        put_all(&c);
        c.bytes[1][at] ^= turned;
        answers += look(true);
        turns++;
    }
    ck_assert_int_ge(answers, 6 * turns);
    crash_free(&c);
}
END_TEST

START_TEST(test_cut) {
    crash c = make_crash(5);
    for (size_t size = 0, i = 0; size < c.size[1]; size += 131 + i++ * 40) {
        if (left_out(i))
            continue;
        put_all(&c);
        put(&c, 1, size);
        ck_assert_int_eq(look(true), 6);
    }
    crash_free(&c);
}
END_TEST

/* The log of another file with as many pages. SQLite takes it for its own and reads it,
** unless the salts in its header are changed too. Loop: unchanged salts, changed ones. */
START_TEST(test_foreign_log) {
    crash own = make_crash(3), foreign = make_crash(7);
    put_all(&own);
    put(&foreign, 1, foreign.size[1]);
    if (_i) {
        for (int i = 16; i < 24; i++)
            foreign.bytes[1][i] ^= 0x5a;
        put(&foreign, 1, foreign.size[1]);
    }
    int answers = look(_i == 1);
    ck_assert(_i == 0 || answers == 6);
    crash_free(&own);
    crash_free(&foreign);
}
END_TEST

/* ---- the index ---- */

/* After a crash the first connection replaces any index. Loop: changed bytes, a cut end,
** zeros, the index of another file. */
START_TEST(test_index_of_before) {
    crash c = make_crash(3), foreign = make_crash(7);
    for (uint32_t i = 0; i < 20; i++) {
        luck = i;
        put_all(&c);
        if (_i == 0) {
            for (int k = 0; k < 50; k++)
                foreign.bytes[2][draw((uint32_t)foreign.size[2])] ^=
                    (char)(1 + draw(255));
        } else if (_i == 2) {
            memset(foreign.bytes[2], 0, foreign.size[2]);
        }
        put(&foreign, 2, _i == 1 ? draw((uint32_t)foreign.size[2]) : foreign.size[2]);
        ck_assert_int_eq(look(true), 6);
    }
    crash_free(&c);
    crash_free(&foreign);
}
END_TEST

/* The header of an index changes while a connection has it open. SQLite makes a new one.
** Loop: the first copy of the header, the second, both. */
START_TEST(test_index_in_use) {
    crash c = make_crash(3);
    put_all(&c);
    database_open("");
    ck_assert_int_eq(all_agree(true), 3);
    for (uint32_t i = 0; i < 40; i++) {
        char path[96];
        path_of(path, 2);
        FILE *file = fopen(path, "r+b");
        luck = i;
        for (int copy = 0; copy < 2; copy++) {
            if (_i != 2 && _i != copy)
                continue;
            long at = 48 * copy + (long)draw(48);
            fseek(file, at, SEEK_SET);
            int byte = fgetc(file);
            fseek(file, at, SEEK_SET);
            fputc(byte ^ (1 << draw(8)), file);
        }
        fclose(file);
        ck_assert_int_eq(all_agree(true), 3);
        run("UPDATE roads SET metres = metres + 1 WHERE id = %d", i + 1);
        ck_assert_int_eq(all_agree(true), 3);
    }
    sql_close();
    crash_free(&c);
}
END_TEST

const struct suite suite = {
    "wal_damage",
    {{"cases", .timeout = 120, .setup = setup, .teardown = teardown,
      .cases = {{&test_bytes, 3},
                {&test_cut},
                {&test_foreign_log, 2},
                {&test_index_of_before, 4},
                {&test_index_in_use, 3}}}},
};
