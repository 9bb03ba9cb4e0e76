/* Limits of the extension that tests change. gpu/base/limits.h has those of the library.
** A release build has a constant struct, a build with tests a variable. */
#ifndef EXT_LIMITS_H
#define EXT_LIMITS_H

#include <stdint.h>

struct ext_limits {
    /* Milliseconds after which a later write of a file has a later time than the file's
    ** latest change. Clocks of file systems step by up to 10 ms. */
    int page_settled_ms;
    /* The smallest database, in bytes, whose graphs get names. A name takes 20 us, in
    ** which a thousand rows are read. */
    int64_t graph_named_from;
    /* The smallest number of changed rows that are looked for in their pages. The check
    ** whether this is possible takes as long as a hundred look-ups. */
    int64_t mirror_find_from;
    /* Milliseconds without a change after which a mirror that has never left its graph
    ** joins the graph of other connections. */
    double mirror_rejoins_after_ms;
    int mirror_times_to_leave; /* how often a mirror may leave its graph to others */
    const char
        *page_vfs; /* an additional VFS whose files are read by pages; NULL: none */
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
