/* A search that needs the transpose makes it, once for each graph, and the timings name
** it. Later searches report no phase of rows.
**
**     search   1           2                  3        4
**     rows     read, map   csr: the transpose -        -         */
#include "sql.h"
#include "suite.h"

enum { SEARCHES = 5 };

static void set_up(void) {
    sql_open();
    run("SELECT gpugraph_config('backend', 'cpu')");
    make_random("e", 5000, 100000, 7); /* its frontiers grow fast */
}

static const char transposed[] =
    "SELECT count(*) FROM gpugraph_timings WHERE phase = 'csr' "
    "AND instr(detail, 'transpose')";
static const char read_rows[] =
    "SELECT count(*) FROM gpugraph_timings WHERE phase IN ('read', 'map')";
static const char made[] = "SELECT count(*), max(items) FROM gpugraph_timings "
                           "WHERE phase = 'csr'";

static void search(int i, const char *direction) {
    run("SELECT count(*) FROM gpu_bfs WHERE edges = 'e' AND source = %d AND direction = "
        "'%s'",
        i + 1, direction);
}

/* The second search with a large frontier makes the transpose, also if the graph is
** symmetric. */
START_TEST(once_and_named) {
    if (_i)
        run("INSERT INTO e(src, dst, weight) SELECT dst, src, weight FROM e");
    for (int i = 0; i < SEARCHES; i++) {
        search(i, "out");
        expect(i == 1 ? "1" : "0", transposed);
        expect(i == 0 ? "2" : "0", read_rows);
        if (i < 2)
            expect(_i ? "1|200000" : "1|100000", made);
        else
            expect("0|-", made);
    }
}
END_TEST

/* The first search with direction 'in' makes the transpose. So the second search makes
** the rows in the direction of the table. */
START_TEST(the_other_direction) {
    search(0, "in");
    expect("1", transposed);
    search(1, "in");
    expect("0", transposed);
    expect("1|100000", made);
    search(2, "out");
    expect("0|-", made);
}
END_TEST

/* Rows of both directions are separate. */
START_TEST(both_directions) {
    for (int i = 0; i < SEARCHES; i++) {
        search(i, "both");
        expect("0", transposed);
        expect(i == 0 ? "1" : "0",
               "SELECT count(*) FROM gpugraph_timings WHERE phase = 'csr'");
    }
}
END_TEST

const struct suite suite = {
    "transposed rows",
    {{"rows", .setup = set_up, .teardown = sql_close,
      .cases = {{&once_and_named, 2}, {&the_other_direction}, {&both_directions}}}}};
