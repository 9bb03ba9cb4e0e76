/* Limits of the extension that tests change. gpu/base/limits.h has those of the library: the form is equal, so
** a release build has a constant struct, and a build with tests a variable. */
#ifndef EXT_LIMITS_H
#define EXT_LIMITS_H

#include <stdint.h>

struct ext_limits {
    int page_settled_ms; /* milliseconds after which no later write of a file can have the time of
                         ** its latest change: clocks of file systems step by up to 10 ms */
    int64_t
        graph_named_from; /* bytes of a database from which on a graph gets a name: a name takes
                                  ** some 20 us, in which a thousand rows are read */
    int64_t
        mirror_find_from; /* rows read again from which on their pages are looked at: finding out
                                  ** whether that is possible takes as long as a hundred look-ups */
    double
        mirror_meets_after_ms; /* milliseconds without a change after which a mirror that never left
                                  ** its graph joins the graph of other connections */
    int mirror_times_to_leave; /* how often a mirror leaves its graph to other connections */
    const char *page_vfs; /* one more VFS whose files are read by pages; NULL: none */
};

#define EXT_USUAL_LIMITS                                                                 \
    {                                                                                    \
        .page_settled_ms = 25, .graph_named_from = 256 << 10, .mirror_find_from = 1000,  \
        .mirror_meets_after_ms = 250, .mirror_times_to_leave = 4,                        \
    }

#ifdef GPUGRAPH_TEST_LIMITS
extern struct ext_limits ext_limits;
#else
static const struct ext_limits ext_limits = EXT_USUAL_LIMITS;
#endif

#endif
