/* Weights read with the ids of a breadth-first search, or when shortest paths ask for them.
**
**     bench_beside FILE EDGES SOURCE [RUNS]
**
** EDGES as for gpu_sssp, such as 'roads(src, dst, weight)'. A fresh connection for each run, RUNS (15) of
** either kind in turns: first gpu_bfs from SOURCE, then gpu_sssp. Prints the medians in milliseconds. */
#include "bench.h"
#include "base/ext_limits.h"
#include "gpugraph_extension.h"
#include "load/load.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 100 };

static const char *file, *edges, *source;

static double ask(sqlite3 *db, const char *function) {
    char *sql =
        sqlite3_mprintf("SELECT count(*) FROM %s(%Q, %s)", function, edges, source);
    double begun = now_ms();
    run(db, sql);
    sqlite3_free(sql);
    return now_ms() - begun;
}

static void one_run(double *breadth, double *weight) {
    sqlite3 *db;
    if (sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
        sqlite3_gpugraph_init(db, NULL, NULL) != SQLITE_OK)
        die(db, file);
    *breadth = ask(db, "gpu_bfs");
    *weight = ask(db, "gpu_sssp");
    sqlite3_close(db);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *ms, int count) {
    qsort(ms, (size_t)count, sizeof *ms, ascending);
    return ms[count / 2];
}

int main(int count, char **word) {
    static const char *const name[] = {"weights later", "weights with the ids"};
    double breadth[2][MOST], weight[2][MOST];
    int runs = count > 4 ? atoi(word[4]) : 15;
    if (count < 4 || runs < 1 || runs > MOST) {
        fprintf(stderr, "bench_beside FILE EDGES SOURCE [RUNS, at most %d]\n", MOST);
        return 1;
    }
    file = word[1];
    edges = word[2];
    source = word[3];
    for (int i = 0; i < runs; i++) {
        for (int with = 0; with < 2; with++) {
            ext_limits.weights_beside_from = with ? 0 : (sqlite3_int64)1 << 60;
            one_run(&breadth[with][i], &weight[with][i]);
        }
    }
    for (int with = 0; with < 2; with++)
        printf("%-22s gpu_bfs %8.2f ms   gpu_sssp %8.2f ms\n", name[with],
               median(breadth[with], runs), median(weight[with], runs));
    return 0;
}
