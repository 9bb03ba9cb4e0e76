/* A zero byte in a TEXT: in an id it is an ordinary byte. In a word, a name or a number
** it is an error, whose sentence shows the byte. */
/* ctest: serial */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gpugraph_extension.h"
#include "suite.h"
#include "sql.h"

/* Texts of which some are prefixes of others: a, a 0, a 0 b, 0, and the empty text. */
static const char tables[] =
    "CREATE TABLE e(src TEXT, dst TEXT, weight);"
    "INSERT INTO e VALUES('a' || char(0) || 'b', 'c', 1), ('a', 'd', 1), ('a' || "
    "char(0), 'f', 1),"
    "(char(0), 'g', 1), ('', 'h', 2), ('c', 'z' || char(0), 3);"
    "CREATE TABLE w(src, dst, weight, PRIMARY KEY(src, dst)) WITHOUT ROWID;"
    "INSERT INTO w SELECT * FROM e;"
    "CREATE TABLE untyped(src, dst, weight); INSERT INTO untyped SELECT * FROM e;"
    "CREATE TABLE more(id); INSERT INTO more VALUES('C' || char(0));"
    "CREATE VIEW v AS SELECT * FROM e;"
    "CREATE VIRTUAL TABLE f USING gpugraph(e(src, dst))";

static const char *const sources[] = {"e", "w", "untyped",
                                      "v", "f", "SELECT src, dst FROM e"};
enum { SOURCES = sizeof sources / sizeof *sources };

static char file[64];

static void open_file(void) {
    snprintf(file, sizeof file, "/tmp/gpugraph-zero-test-%d.db", (int)getpid());
    unlink(file);
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_gpugraph_init(db, NULL, NULL), SQLITE_OK);
}

static void close_file(void) {
    sql_close();
    unlink(file);
}

#define Z " || char(0)"

START_TEST(ids_with_a_zero_byte) {
    run("%s", tables);
    for (int i = 0; i < SOURCES; i++) {
        const char *e = sources[i];
        expect("'610062'|'';'63'|'610062';'7A00'|'63'",
               "SELECT hex(vertex), hex(parent) FROM gpu_bfs(%Q, 'a'" Z " || 'b')", e);
        expect("'61'|'61';'64'|'61'",
               "SELECT hex(vertex), hex(source) FROM gpu_bfs(%Q) WHERE source IN ('a')",
               e);
        expect("''|'';'68'|'';'00'|'00';'67'|'00';'6100'|'6100';'66'|'6100'",
               "SELECT hex(vertex), hex(source) FROM gpu_bfs(%Q) WHERE source IN ('a'" Z
               ", char(0), '')",
               e);
        expect("'7A00'", "SELECT hex(vertex) FROM gpu_bfs(%Q, 'a'" Z " || 'b', 'z'" Z ")",
               e);
        expect("", "SELECT hex(vertex) FROM gpu_bfs(%Q, 'a'" Z " || 'b', 'z')", e);
        expect("", "SELECT hex(vertex) FROM gpu_bfs(%Q, 'a'" Z " || 'x')", e);
        expect("'7A00'",
               "SELECT hex(vertex) FROM gpu_bfs(%Q, 'a'" Z
               " || 'b') WHERE vertex = 'z'" Z,
               e);
        expect("",
               "SELECT hex(vertex) FROM gpu_bfs(%Q, 'a'" Z " || 'b') WHERE vertex = 'z'",
               e);
        expect("'63';'7A00'",
               "SELECT hex(vertex) FROM gpu_bfs(%Q, 'a'" Z
               " || 'b') WHERE vertex IN ('z'" Z ", 'z', 'c')",
               e);
        expect("'610062';'63';'7A00'",
               "SELECT hex(vertex) FROM gpu_path(%Q, 'a'" Z " || 'b', 'z'" Z ")", e);
        expect("'4300'",
               "SELECT hex(vertex) FROM gpu_bfs(%Q, 'C'" Z
               ") WHERE vertices = 'more(id)'",
               e);
    }
    expect("'61'|'64'", "SELECT hex(src), hex(dst) FROM f WHERE src = 'a'");
    expect("'6100'|'66'", "SELECT hex(src), hex(dst) FROM f WHERE src = 'a'" Z);
    expect("'610062'|'63'",
           "SELECT hex(src), hex(dst) FROM f WHERE src = 'a'" Z " || 'b' AND dst = 'c'");
    expect("1", "SELECT gpugraph_delete_vertex('f', 'a'" Z ")");
    expect("0|5", "SELECT sum(src = 'a'" Z "), count(*) FROM e");
    run("UPDATE e SET dst = 'c'" Z " WHERE dst = 'c'");
    expect("'610062';'6300'", "SELECT hex(vertex) FROM gpu_bfs('f', 'a'" Z " || 'b')");
    expect("'ok'", "SELECT gpugraph_check('f')");
    run("DROP TABLE e");
}
END_TEST

START_TEST(words_with_a_zero_byte) {
    run("%s", tables);
    expect_error("gpu_bfs", "not 'in' and a zero byte",
                 "SELECT vertex FROM gpu_bfs('e', 'a') WHERE direction = 'in'" Z);
    expect_error("gpu_bfs", "not 'in' and a zero byte",
                 "SELECT vertex FROM gpu_bfs('e', 'a') WHERE direction = 'in'" Z
                 " || 'x'");
    expect_error("gpu_bfs", "not 'auto' and a zero byte",
                 "SELECT vertex FROM gpu_bfs('e', 'a') WHERE method = 'auto'" Z);
    expect_error("gpu_bfs", "not 'cpu' and a zero byte",
                 "SELECT vertex FROM gpu_bfs('e', 'a') WHERE backend = 'cpu'" Z);
    expect_error("gpu_mis", "not 'id' and a zero byte",
                 "SELECT vertex FROM gpu_mis('e') WHERE priority = 'id'" Z);
    expect_error("gpu_mis", "not '1' and a zero byte",
                 "SELECT vertex FROM gpu_mis('e') WHERE seed = '1'" Z);
    expect_error("gpu_bfs", "not '1' and a zero byte",
                 "SELECT vertex FROM gpu_bfs('e', 'a') WHERE max_depth = '1'" Z);
    expect_error("gpugraph_config", "'threads' and a zero byte",
                 "SELECT gpugraph_config('threads'" Z ")");
    expect_error("gpugraph_config", "not 'cpu' and a zero byte",
                 "SELECT gpugraph_config('backend', 'cpu'" Z ")");
    expect_error("gpugraph_config", "not 'auto' and a zero byte",
                 "SELECT gpugraph_config('devices', 'auto'" Z ")");
    expect_error("gpugraph_config", "not '1' and a zero byte",
                 "SELECT gpugraph_config('threads', '1'" Z ")");
    static const char *const named[] = {
        "SELECT vertex FROM gpu_bfs('e'" Z " || 'x', 'a')",
        "SELECT vertex FROM gpu_bfs('e(src, dst)'" Z ", 'a')",
        "SELECT vertex FROM gpu_bfs('e', 'a') WHERE vertices = "
        "'e(src)'" Z};
    for (int i = 0; i < 3; i++)
        expect_error("gpu_bfs", "holds a zero byte", "%s", named[i]);
    expect_error("gpu_bfs", "sources contains \\u0000",
                 "SELECT vertex FROM gpu_bfs('e') WHERE sources = json_array('a'" Z ")");
    run("INSERT INTO e VALUES('p', 'q', '1'" Z ")");
    /* Whether the text is a number depends on the version of SQLite. */
    run("CREATE TABLE n(x NUMERIC); INSERT INTO n VALUES ('1'" Z ")");
    char *type = ask("SELECT typeof(x) FROM n");
    if (strcmp(type, "'text'") == 0)
        expect_error("gpu_sssp", "is the text '1' and a zero byte",
                     "SELECT vertex FROM gpu_sssp('e', 'p')");
    else
        expect("'p'|0;'q'|1", "SELECT vertex, distance FROM gpu_sssp('e', 'p')");
    sqlite3_free(type);
    run("DROP TABLE n; DROP TABLE e");
}
END_TEST

const struct suite suite = {
    "zero_byte",
    {{"memory", .setup = sql_open, .teardown = sql_close,
      .cases = {{&ids_with_a_zero_byte}, {&words_with_a_zero_byte}}},
     {"file", .setup = open_file, .teardown = close_file,
      .cases = {{&ids_with_a_zero_byte}, {&words_with_a_zero_byte}}}},
};
