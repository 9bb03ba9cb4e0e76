/* Limits that tests change, in one struct: a small graph then takes the ways of a large one. Benchmarks
** change some of them to compare ways. In a release build the struct is constant, so that the compiler
** folds every limit into the code that reads it. A build with tests (GPUGRAPH_TEST_LIMITS) has the struct
** as a variable. A limit changes only while no search runs.
**
**     gg_limits          what the library reads
**     gg_usual_limits    the values of a release build */
#ifndef GPUGRAPH_LIMITS_H
#define GPUGRAPH_LIMITS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct copy_services;
struct device_services;
struct several_exchange;
struct sssp_parameters;

/* The size of arrays on the stack: `forest.sample` is at most this. */
enum { GG_FOREST_SAMPLE = 2048 };
/* A narrow round of a peel lies in shared memory, so `peel_narrow` has a bound (cores/peel.cuh). */
enum { GG_PEEL_NARROW = 64 };

/* Which edges a spanning forest looks at first. */
struct forest_limits {
    uint64_t few;    /* edges of a graph below which no edges are first */
    uint32_t sample; /* random edges that the choice looks at */
};

struct gg_limits {
    /* ---- graph/ ---- */
    uint64_t narrow_edges; /* the most edges whose numbers have 32 bits */
    uint64_t most_degree;  /* edges at one vertex; counters have 32 bits */
    unsigned
        gap_shift; /* log2 of the edges of a block, all of which a change moves: 160 KiB,
                           ** some 10 us */
    uint64_t
        room_arcs; /* arcs of a kind from which on its rows get room at the first small
                           ** change; moving fewer takes 10 us. 0: always */
    /* Tombstones and later vertices beyond which, and beyond a 1,024th of all vertices, an update
    ** compacts the graph: to list so many takes some microseconds. */
    uint32_t most_loose;
    uint32_t peel_narrow; /* slices of a round up to which one block peels it */
    /* Searches of a graph after which `auto` makes the index for paths from both ends. The index costs
    ** as much as 7 (R-MAT) to 11 (New York) paths by a search. */
    uint32_t path_prepare_after;
    /* Vertices from which on `auto` searches a graph by regions on a device. */
    uint32_t region_vertices;

    /* ---- cells/, dynamic/, backend/, tree/ ---- */
    uint64_t
        cells_least; /* bytes of a table's pages from which on an open device decodes them */
    uint64_t
        announced_items; /* insertions from which on a batch is announced; 0: where it pays */
    /* Vertices from which on a device is asked for a list of reached vertices. A list takes 0.065 ms
    ** (H200, 15 million vertices), half a megabyte of depths as much. */
    uint32_t reached_least;

    /* ---- algorithms ---- */
    struct forest_limits forest;
    /* Arcs to a vertex below which "many-paths" asks for a target's fixed row when it claims the target.
    ** Roads (2.5) gain 22 to 32 % on an H200, meshes (6) lose 5 to 12 %. */
    uint32_t paths_ahead_degree;
    uint64_t
        mis_word_bytes; /* bytes of words beyond which "one-launch-balanced" keeps a byte for
                             ** each vertex; 0: the second-level cache of the device */
    /* Called with the parameters of every search after they were chosen; NULL: nobody. */
    void (*sssp_adjust)(struct sssp_parameters *parameters);

    /* ---- distributed execution ---- */
    uint64_t
        part_gathered; /* arcs left at which one part finds strong components; 0: none */
    const struct several_exchange *several_exchange; /* NULL: the best that is possible */
    /* Devices of the members of a team, some of which may be one; 0 parts: those of the run. */
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

#ifdef __cplusplus
}
#endif
#endif
