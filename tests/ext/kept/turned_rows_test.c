/* Rows that are turned round for a search are named in the timings, once for a graph; what follows
** them is never more than what the first statement did.
**
**     search   1           2                  3        4
**     rows     read, map   csr: the transpose -        -         */
#include "sql.h"
#include "suite.h"

enum { SEARCHES = 5 };

static void set_up(void) {
    sql_open();
    run("SELECT gpugraph_config('backend', 'cpu')");
    make_random("e", 5000, 100000, 7); /* its frontiers explode */
}

static const char turned[] = "SELECT count(*) FROM gpugraph_timings WHERE phase = 'csr' "
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

/* The second search with such a frontier makes them, on a symmetric graph, too. */
START_TEST(once_and_named) {
    if (_i)
        run("INSERT INTO e(src, dst, weight) SELECT dst, src, weight FROM e");
    for (int i = 0; i < SEARCHES; i++) {
        search(i, "out");
        expect(i == 1 ? "1" : "0", turned);
        expect(i == 0 ? "2" : "0", read_rows);
        if (i < 2)
            expect(_i ? "1|200000" : "1|100000", made);
        else
            expect("0|-", made);
    }
}
END_TEST

/* The other direction reads them: there they are made first, and then only the table's
** own order is left to make. */
START_TEST(the_other_direction) {
    search(0, "in");
    expect("1", turned);
    search(1, "in");
    expect("0", turned);
    expect("1|100000", made);
    search(2, "out");
    expect("0|-", made);
}
END_TEST

/* Rows of both directions are their own. */
START_TEST(both_directions) {
    for (int i = 0; i < SEARCHES; i++) {
        search(i, "both");
        expect("0", turned);
        expect(i == 0 ? "1" : "0",
               "SELECT count(*) FROM gpugraph_timings WHERE phase = 'csr'");
    }
}
END_TEST

const struct suite suite = {
    "turned rows",
    {{"rows", .setup = set_up, .teardown = sql_close,
      .cases = {{&once_and_named, 2}, {&the_other_direction}, {&both_directions}}}}};
