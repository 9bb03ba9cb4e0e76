/* Limits that tests change, in one struct, so that a small graph uses the methods of a
** large one. Benchmarks change some limits to compare methods. In a release build the
** struct is constant, so the compiler folds every limit into the code that reads it. In a
** build with tests (GPUGRAPH_TEST_LIMITS) the struct is a variable. A limit changes only
** while no search runs.
**
**     gg_limits          the values that the library reads
**     gg_usual_limits    the values of a release build */
#ifndef GPUGRAPH_LIMITS_H
#define GPUGRAPH_LIMITS_H

#include "language.h"

#include <stdint.h>

GG_BEGIN_C

struct copy_services;
struct device_services;
struct sssp_parameters;

/* The size of arrays on the stack, and so the upper bound of `forest.sample`. */
enum { GG_FOREST_SAMPLE = 2048 };
/* The upper bound of `peel_narrow`: a round by one block uses shared memory
** (cores/peel.cuh). */
enum { GG_PEEL_NARROW = 64 };

/* A spanning forest examines the edges of small weight first. */
struct forest_limits {
    uint64_t few;    /* with fewer edges than this, it examines all edges at once */
    uint32_t sample; /* random edges that estimate the largest such weight */
};

struct gg_limits {
    /* ---- graph/ ---- */
    uint64_t narrow_edges; /* the most edges whose numbers have 32 bits */
    uint64_t most_degree;  /* edges at one vertex; counters have 32 bits */
    /* log2 of the edges of a block (graph/gaps.c). A change moves at most one block:
    ** 160 KiB, some 10 us. */
    unsigned gap_shift;
    /* Edges from which a small batch gives the edge list gaps; moving fewer edges takes
    ** 10 us. 0: every batch does, and rows are always changed in place. */
    uint64_t room_arcs;
    /* An update compacts a graph with more tombstones and later vertices than this plus
    ** a 1,024th of its vertices. Listing that many takes some microseconds. */
    uint32_t most_loose;
    /* The most slices of a peeling round that one block processes alone. */
    uint32_t peel_narrow;
    /* Searches of a graph after which `auto` makes the index for paths from both ends.
    ** The index costs as much as 7 (R-MAT) to 11 (New York) paths by a search. */
    uint32_t path_prepare_after;
    /* Vertices from which `auto` searches a graph by regions on a device. */
    uint32_t region_vertices;

    /* ---- cells/, dynamic/, backend/, tree/ ---- */
    /* Bytes of a table's pages from which an open device decodes them. */
    uint64_t cells_least;
    /* Insertions from which a batch may be announced; 0: the backend's own number. */
    uint64_t announced_items;
    /* Vertices from which a device lists the reached vertices. A list takes 0.065 ms
    ** (H200, 15 million vertices), as much as the download of half a megabyte of
    ** depths. */
    uint32_t reached_least;

    /* ---- algorithms ---- */
    struct forest_limits forest;
    /* Arcs per vertex below which "many-paths" requests a target's fixed row when it
    ** claims the target. On an H200, roads (2.5) gain 22 to 32 %; meshes (6) lose 5 to
    ** 12 %. */
    uint32_t paths_ahead_degree;
    /* Bytes of words beyond which "one-launch-balanced" keeps a byte for each vertex;
    ** 0: the second-level cache of the device. */
    uint64_t mis_word_bytes;
    /* Called with the parameters of every search after they are chosen; NULL: none. */
    void (*sssp_adjust)(struct sssp_parameters *parameters);

    /* ---- distributed execution ---- */
    /* Remaining arcs at which one partition finds strong components; 0: never. */
    uint64_t part_gathered;
    const char *several_exchange; /* replaces GPUGRAPH_EXCHANGE; NULL: not set */
    /* The number of members of a team, and their devices, which may repeat. 0: a member
    ** for each device of the run. */
    int several_parts;
    const int *several_ordinal;

    /* ---- stand-ins for the device ---- */
    const struct device_services *devices; /* NULL: gg_devices */
    const struct copy_services *copies;    /* NULL: gg_copies */
};

#define GG_USUAL_LIMITS                                                                  \
    {                                                                                    \
        .narrow_edges = UINT32_MAX - 1, .most_degree = UINT32_MAX, .gap_shift = 13,      \
        .room_arcs = 32768, .most_loose = 4096, .peel_narrow = GG_PEEL_NARROW,           \
        .path_prepare_after = 8, .region_vertices = 1000000,                             \
        .cells_least = (uint64_t)8 << 20, .announced_items = 0,                          \
        .reached_least = 1 << 17, .forest = {1 << 16, GG_FOREST_SAMPLE},                 \
        .paths_ahead_degree = 4, .mis_word_bytes = 0, .sssp_adjust = 0,                  \
        .part_gathered = 1 << 20, .several_exchange = 0, .several_parts = 0,             \
        .several_ordinal = 0, .devices = 0, .copies = 0,                                 \
    }

#ifdef GPUGRAPH_TEST_LIMITS
extern struct gg_limits gg_limits;
static const struct gg_limits gg_usual_limits = GG_USUAL_LIMITS;
#else
static const struct gg_limits gg_limits = GG_USUAL_LIMITS;
#endif

GG_END_C
#endif
