/* The phases of a connection's latest search, as gpugraph_timings lists them.
**
**     row   check 0.1 ms | read 12.0 ms, 5000 rows, 'the page reader' | bfs 3.1 ms
**           | other | total
**/
#ifndef GPUGRAPH_TIMINGS_H
#define GPUGRAPH_TIMINGS_H

#include "ext.h"
#include "platform.h"

typedef struct connection connection; /* connection.h */

typedef struct timing {
    char phase[24];
    double ms;
    sqlite3_int64 items;
    char *detail; /* sqlite3_malloc; may be NULL */
} timing;

typedef struct timings {
    timing *row;
    int count;
    int64_t room;
    double started_ms;
    bool open;   /* a search runs; timings_add drops rows of no search */
    bool failed; /* a row is missing for lack of memory */
} timings;

void timings_add(timings *t, const char *phase, double ms, sqlite3_int64 items,
                 const char *detail);
void timings_clear(timings *t); /* frees the rows */

/* Enclose a search. *earlier: the timings from before the search, which are restored if
** the search had nothing to do, or if it is a step of another search. */
void watch_begin(timings *earlier, connection *c);
void watch_end(timings *earlier, connection *c);

#endif
