/* Connects a long search with its connection: interrupts, the host's progress handler,
** phases and lines of progress. The probe, a prepared statement, detects interrupts. */
#include "connection.h"
#include <string.h>
#include <unistd.h>

/* The probe takes a few hundred VDBE steps, so a progress handler with a usual interval
** runs during a step of the probe. */
static const char probe_sql[] = OWN_SQL
    "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 20) "
    "SELECT count(*) FROM c";

/* The kept probe, or one that the caller must finalize. NULL: *rc says why. */
static sqlite3_stmt *probe_of(connection *c, int *rc) {
    *rc = SQLITE_OK;
    if (c->probe)
        return c->probe;
    sqlite3_stmt *probe = NULL;
    *rc = sqlite3_prepare_v3(c->db, probe_sql, -1,
                             c->tables ? SQLITE_PREPARE_PERSISTENT : 0, &probe, NULL);
    if (c->tables)
        c->probe = probe;
    return probe;
}

bool connection_is_late(const connection *c) {
    const timings *t = &c->timings;
    return c->config.time_limit_ms > 0 && t->open &&
           gg_now_ms() - t->started_ms > (double)c->config.time_limit_ms;
}

int connection_interrupted(void *connection_pointer) {
    connection *c = connection_pointer;
    int rc;
    if (connection_is_late(c))
        return 1;
    sqlite3_stmt *probe = probe_of(c, &rc);
    if (probe) {
        sqlite3_step(probe);
        rc = sqlite3_reset(probe);
        if (probe != c->probe)
            sqlite3_finalize(probe);
    }
    return rc == SQLITE_INTERRUPT;
}

unsigned long long connection_expiries(connection *c) {
    int rc;
    if (!c->tables || !probe_of(c, &rc))
        return 0;
    /* If the probe has expired, this step prepares it again, and SQLite counts that. */
    rc = sqlite3_step(c->probe);
    sqlite3_reset(c->probe);
    if (rc != SQLITE_ROW)
        return 0;
    return 1 + c->expiries +
           (unsigned)sqlite3_stmt_status(c->probe, SQLITE_STMTSTATUS_REPREPARE, 0);
}

void connection_table_closed(connection *c) {
    if (--c->tables > 0 || !c->probe)
        return;
    /* The count of the next probe must differ from the count of this one. */
    c->expiries +=
        1 + (unsigned)sqlite3_stmt_status(c->probe, SQLITE_STMTSTATUS_REPREPARE, 0);
    sqlite3_finalize(c->probe);
    c->probe = NULL;
}

static void on_phase(void *listener, const char *name, double ms, int64_t items,
                     const char *detail) {
    connection *c = listener;
    timings_add(&c->timings, name, ms, items, detail);
    connection_progress(c, name, ms, items);
}

void connection_progress(connection *c, const char *phase, double ms,
                         sqlite3_int64 items) {
    if (ms < 1000 || !c->config.progress || !isatty(STDERR_FILENO))
        return;
    char line[120];
    sqlite3_snprintf(sizeof line, line, "gpugraph: %s, %lld items, %.1f s\n", phase,
                     items, ms / 1000);
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written;
}

/* If the setting lists one device, `device` is that device, and the run needs no list. */
static void give_devices(const config *given, gpugraph_run *run) {
    run->device = given->device;
    run->devices = given->id;
    run->device_count = given->ids > 1    ? given->ids
                        : given->ids == 1 ? 0
                                          : GPUGRAPH_ALL_DEVICES;
    run->all_devices = strcmp(given->devices, "auto") != 0;
}

void connection_run(connection *c, gpugraph_run *run) {
    memset(run, 0, sizeof *run);
    run->backend = (gpugraph_backend)c->config.backend;
    run->threads = c->config.threads;
    give_devices(&c->config, run);
    run->memory_limit = c->config.memory_limit;
    run->host_memory_limit = c->config.host_memory_limit;
    run->interrupted = connection_interrupted;
    run->phase = on_phase;
    run->listener = c;
}

int code_of_status(gpugraph_status status) {
    return status == GPUGRAPH_OK            ? SQLITE_OK
           : status == GPUGRAPH_NO_MEMORY   ? SQLITE_NOMEM
           : status == GPUGRAPH_INTERRUPTED ? SQLITE_INTERRUPT
                                            : SQLITE_ERROR;
}

int code_of_run(const gpugraph_run *run, const char *function, char **error) {
    const int rc = code_of_status(run->status);
    if (rc != SQLITE_ERROR)
        return rc;
    *error = sqlite3_mprintf("%s%s%s", function ? function : "", function ? ": " : "",
                             run->message);
    return *error ? rc : SQLITE_NOMEM;
}
