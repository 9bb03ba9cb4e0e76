/* Limits of the extension that tests change. gpu/base/limits.h has those of the library.
** A release build has a constant struct, a build with tests a variable. */
#ifndef EXT_LIMITS_H
#define EXT_LIMITS_H

#include <stdint.h>

struct ext_limits {
    /* milliseconds after which a later write of a file has a later time than the file's
    ** latest change: clocks of file systems step by up to 10 ms */
    int page_settled_ms;
    /* bytes of a database from which on a graph gets a name: a name takes some 20 us,
        ** the time to read a thousand rows */
    int64_t graph_named_from;
    /* changed rows from which on they are looked for in their pages: to find out
        ** whether that is possible takes as long as a hundred look-ups */
    int64_t mirror_find_from;
    /* milliseconds without a change after which a mirror that has never left its
        ** graph joins the graph of other connections */
    double mirror_rejoins_after_ms;
    /* how often a mirror may leave its graph to other connections */
    int mirror_times_to_leave;
    const char *page_vfs; /* a further VFS whose files are read by pages; NULL: none */
};

#define EXT_USUAL_LIMITS                                                                 \
    {                                                                                    \
        .page_settled_ms = 25, .graph_named_from = 256 << 10, .mirror_find_from = 1000,  \
        .mirror_rejoins_after_ms = 250, .mirror_times_to_leave = 4,                      \
    }

#ifdef GPUGRAPH_TEST_LIMITS
extern struct ext_limits ext_limits;
#else
static const struct ext_limits ext_limits = EXT_USUAL_LIMITS;
#endif

#endif
