/* rmat_table FILE SCALE: makes a database with a table g(a, b, w) of R-MAT edges, eight
** for each vertex, for bench_mpi.sh. */
#include "rmat.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **word) {
    const int scale = count == 3 ? atoi(word[2]) : 0;
    uint64_t state = 1;
    sqlite3 *db = NULL;
    sqlite3_stmt *insert = NULL;
    if (scale < 1 || scale > 30) {
        fprintf(stderr, "rmat_table FILE SCALE, from 1 to 30\n");
        return 1;
    }
    int rc = sqlite3_open(word[1], &db);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db,
                          "PRAGMA synchronous = off; BEGIN;"
                          "CREATE TABLE g(a INTEGER, b INTEGER, w INTEGER)",
                          NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(db, "INSERT INTO g VALUES (?, ?, ?)", -1, &insert, NULL);
    for (int64_t i = 0; rc == SQLITE_OK && i < (int64_t)8 << scale; i++) {
        const struct edge e = rmat_edge(scale, &state);
        sqlite3_bind_int64(insert, 1, e.source);
        sqlite3_bind_int64(insert, 2, e.target);
        sqlite3_bind_int64(insert, 3, e.weight);
        sqlite3_step(insert);
        rc = sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        fprintf(stderr, "%s: %s\n", word[1], sqlite3_errmsg(db));
    sqlite3_close(db);
    return rc != SQLITE_OK;
}
