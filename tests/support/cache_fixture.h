/* A connection with the probe and the empty table roads(src, dst, weight), in memory or
** in a file that another connection has open. */
#ifndef GPUGRAPH_CACHE_FIXTURE_H
#define GPUGRAPH_CACHE_FIXTURE_H

#include "graph_probe.h"
#include <stdio.h>
#include <unistd.h>

static probe p;
static sqlite3 *other; /* a second connection to the same file; NULL: in memory */
static char file[64];

static const char table[] = "CREATE TABLE roads(src, dst, weight)";
static void setup_memory(void) {
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    probe_open(&p, db);
    probe_run(&p, table);
}

static void setup_file(const char *journal) {
    sqlite3 *db;
    snprintf(file, sizeof file, "/tmp/gpugraph-cache-test-%d.db", (int)getpid());
    unlink(file);
    ck_assert_int_eq(sqlite3_open(file, &db), SQLITE_OK);
    probe_open(&p, db);
    probe_run(&p, journal);
    probe_run(&p, table);
    ck_assert_int_eq(sqlite3_open(file, &other), SQLITE_OK);
}

static void setup_rollback(void) {
    setup_file("PRAGMA journal_mode = delete");
}

static void setup_wal(void) {
    setup_file("PRAGMA journal_mode = wal");
}

static void teardown(void) {
    sqlite3_close(other);
    other = NULL;
    probe_close(&p);
    if (*file)
        unlink(file);
}

#endif
