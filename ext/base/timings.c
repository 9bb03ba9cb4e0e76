/* The phases of a connection's latest search, as gpugraph_timings lists them. */
#include "connection.h"
#include "room.h"
#include <string.h>

void timings_clear(timings *t) {
    for (int i = 0; i < t->count; i++)
        sqlite3_free(t->row[i].detail);
    sqlite3_free(t->row);
    memset(t, 0, sizeof *t);
}

void timings_add(timings *t, const char *phase, double ms, sqlite3_int64 items,
                 const char *detail) {
    if (!t->open)
        return;
    if (!room_for_one(&t->row, t->count, &t->room, sizeof *t->row)) {
        t->failed = true;
        return;
    }
    timing *row = &t->row[t->count];
    sqlite3_snprintf(sizeof row->phase, row->phase, "%s", phase);
    row->ms = ms;
    row->items = items;
    row->detail = detail && *detail ? sqlite3_mprintf("%s", detail) : NULL;
    t->failed |= detail && *detail && !row->detail;
    t->count++;
}

/* Appends 'other', the time between the phases, and 'total'. */
static void timings_finish(timings *t) {
    double total = gg_now_ms() - t->started_ms, rest = total;
    for (int i = 0; i < t->count; i++)
        rest -= t->row[i].ms;
    if (rest > 0)
        timings_add(t, "other", rest, 0, "between the phases");
    timings_add(t, "total", total, 0, NULL);
    t->open = false;
}

/* ---- watches ---- */

/* True if the only work was to check a kept graph. */
static bool is_idle(const timings *t) {
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->row[i].phase, "check") != 0)
            return false;
    return !t->failed;
}

void watch_begin(timings *earlier, connection *c) {
    *earlier = c->timings;
    c->timings = (timings){.open = true, .started_ms = gg_now_ms()};
}

void watch_end(timings *earlier, connection *c) {
    if (is_idle(&c->timings) || earlier->open) {
        timings_clear(&c->timings);
        c->timings = *earlier;
    } else {
        timings_finish(&c->timings);
        timings_clear(earlier);
    }
}
