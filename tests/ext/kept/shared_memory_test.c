/* Eight connections to one file hold at most a tenth more memory than one. The test
** counts the bytes of the heap. Connections share the graph, its rows and its searches,
** but each has its own memory of SQLite. */
/* ctest: unsanitized */
#include "database_file.h"
#include "base/ext_limits.h"
#include "expect.h"
#include "pages/reader.h"
#include "suite.h"

#include <malloc.h>

enum { CONNECTIONS = 8, ROWS = 800000 };

#define MOST 1.1 /* a multiple of the memory of one */

static sqlite3 *each[CONNECTIONS];

static double heap(void) {
    struct mallinfo2 info = mallinfo2();
    return (double)(info.uordblks + info.hblkhd);
}

static void open_and_ask(int i) {
    static const char *const question[] = {
        "SELECT count(*) FROM gpu_sssp('roads', 1)",
        "SELECT count(*) FROM gpu_bfs('roads', 1) WHERE direction = 'in'"};
    each[i] = database_connect("");
    for (int q = 0; q < 2; q++) {
        char *count = ask_in(each[i], question[q]);
        expect(atoi(count) >= 10000, "%s rows", count);
        sqlite3_free(count);
    }
}

/* Many edges of few vertices; then two edges of each vertex, so that the results of
** searches are a third of the memory of one connection. */
static const char *const rows[] = {
    "SELECT n % 10000, (n * 7 + n / 10000 + 1) % 10000, n % 90 + 1 FROM i",
    "SELECT n / 2, (n / 2 + 1 + n % 2) % 400000, n % 90 + 1 FROM i"};

START_TEST(eight_as_one) {
    database_make_folder();
    database_open("");
    ext_limits.page_settled_ms = 0;
    run("CREATE TABLE roads(src INTEGER, dst INTEGER, weight INTEGER)");
    char *insert =
        sqlite3_mprintf("WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i "
                        "WHERE n < %d) INSERT INTO roads %s",
                        ROWS - 1, rows[_i]);
    run("%s", insert);
    sqlite3_free(insert);
    double before = heap();
    open_and_ask(0);
    double one = heap() - before;
    for (int i = 1; i < CONNECTIONS; i++)
        open_and_ask(i);
    double all = heap() - before;
    ck_assert_msg(all <= MOST * one, "one has %.0f bytes, eight have %.0f", one, all);
    for (int i = 0; i < CONNECTIONS; i++)
        sqlite3_close(each[i]);
    sql_close();
    database_remove_folder();
}
END_TEST

const struct suite suite = {
    "shared memory",
    {{"connections", .timeout = 60, .cases = {{&eight_as_one, 2}}}},
};
