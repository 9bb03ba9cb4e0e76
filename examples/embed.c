/* A program with SQLite and gpugraph inside: a few roads, the shortest path, and a
** followed graph.
**
**     cc embed.c $(pkg-config --cflags --libs --static gpugraph) */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpugraph_extension.h"

static void die(sqlite3 *db) {
    fprintf(stderr, "embed: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static void run(sqlite3 *db, const char *sql) {
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        die(db);
}

/* Prints the shortest path between two places: one statement with bound parameters. */
static void print_path(sqlite3 *db, const char *from, const char *to) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(
            db, "SELECT vertex, distance FROM gpu_path('roads', ?1, ?2) ORDER BY seq", -1,
            &statement, NULL) != SQLITE_OK)
        die(db);
    sqlite3_bind_text(statement, 1, from, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, to, -1, SQLITE_STATIC);
    int rc;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW)
        printf("%6lld km  %s\n", (long long)sqlite3_column_int64(statement, 1),
               (const char *)sqlite3_column_text(statement, 0));
    if (rc != SQLITE_DONE)
        die(db);
    sqlite3_finalize(statement);
}

int main(void) {
    /* Every connection that this program opens from now on has the functions. */
    sqlite3_auto_extension((void (*)(void))sqlite3_gpugraph_init);

    sqlite3 *db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        die(db);
    run(db, "CREATE TABLE roads(src TEXT, dst TEXT, length INTEGER)");
    run(db, "INSERT INTO roads VALUES ('Berlin', 'Leipzig', 190), ('Leipzig', "
            "'Nuremberg', 283),"
            "    ('Berlin', 'Hanover', 286), ('Hanover', 'Frankfurt', 352),"
            "    ('Frankfurt', 'Munich', 392), ('Nuremberg', 'Munich', 170)");
    print_path(db, "Berlin", "Munich");

    /* The graph follows the table: the next statement sees the closed road. */
    run(db, "DELETE FROM roads WHERE src = 'Leipzig'");
    puts("without the road from Leipzig to Nuremberg:");
    print_path(db, "Berlin", "Munich");

    sqlite3_close(db);
    return 0;
}
