/* The teams that this machine can have: numbers of members, devices, and exchanges. For
** tests of several devices; include it after distributed/devices/several.cuh. */
#ifndef TEST_SEVERAL_LAYOUTS_H
#define TEST_SEVERAL_LAYOUTS_H

#include <string.h>

#include <vector>

struct layout {
    int parts, ordinal[SEVERAL_MOST];
    const char *exchange; /* NULL: the default one */
};

/* Members that share a device; with two devices also members on both, with every
** exchange. */
static inline std::vector<struct layout> several_layouts() {
    std::vector<struct layout> list = {
        {1, {0}, NULL}, {2, {0, 0}, NULL}, {3, {0, 0, 0}, NULL}, {8, {}, NULL}};
    int devices = 0;
    cudaGetDeviceCount(&devices);
    if (devices >= 2) {
        list.push_back({2, {0, 1}, NULL});
        list.push_back({2, {0, 1}, "peer"});
        list.push_back({2, {0, 1}, "copies"});
        list.push_back({5, {0, 0, 0, 1, 1}, NULL});
    }
    return list;
}

/* `count` layouts for a loop of many turns, from that turn's on, so that all get their
** share. */
static inline std::vector<struct layout> layouts_in_turn(uint64_t turn, size_t count) {
    const std::vector<struct layout> all = several_layouts();
    const size_t step = count < all.size() ? all.size() / count : 1;
    std::vector<struct layout> some;
    for (size_t i = 0; i < count && i < all.size(); i++)
        some.push_back(all[(turn + i * step) % all.size()]);
    return some;
}

static inline void begin_layout(gpugraph_run *run, const struct layout *l) {
    *run = gpugraph_run();
    run->backend = GPUGRAPH_CUDA;
    run->device = l->ordinal[0];
    gg_begin(run);
    gg_limits.several_exchange = l->exchange;
    gg_limits.several_parts = l->parts;
    gg_limits.several_ordinal = l->ordinal;
}

static inline void end_layout() {
    gg_limits.several_exchange = NULL;
    gg_limits.several_parts = 0;
}

static inline void layout_done(const gpugraph_run *run, const struct layout *l) {
    end_layout();
    ck_assert_msg(run->status == GPUGRAPH_OK, "%d parts, exchange %s: %s", l->parts,
                  l->exchange ? l->exchange : "as chosen", run->message);
}

#endif
