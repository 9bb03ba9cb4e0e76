/* Members that share a device while one of them is late: whatever is still queued in its
** stream, transfers of members do not mix. Streams of an otherwise idle device are never
** late by themselves. Skipped without a device. */
#include "distributed/devices/several.cuh"

extern "C" {
#include "graphs.h"
#include "suite.h"
}
#include "several_layouts.h"

#include <algorithm>
#include <vector>

static const unsigned long long LATE_NS = 30000000;

static __global__ void linger(unsigned long long ns) {
    const unsigned long long began = gg_nanoseconds();
    while (gg_nanoseconds() - began < ns)
        ;
}

static void be_late(struct several_team *team, int member) {
    struct cuda_job *job = gg_several_on(team, member);
    linger<<<1, 1, 0, job->stream>>>(LATE_NS);
    ck_assert(gg_launched(job, "linger"));
}

/* A member's arrays on the host and on the device. */
struct load {
    std::vector<uint64_t> here;
    uint64_t bytes;
    char *there;
};

static struct load load_of(struct several_team *team, int member, uint64_t bytes) {
    struct load one = {std::vector<uint64_t>(bytes / 8), bytes, NULL};
    uint64_t seed = (uint64_t)member + bytes;
    for (uint64_t &word : one.here)
        word = shape_random(&seed);
    one.there = (char *)gg_take(gg_several_on(team, member), bytes);
    ck_assert_ptr_nonnull(one.there);
    return one;
}

static void upload(struct several_team *team, int member, const struct load *one,
                   uint64_t piece) {
    for (uint64_t at = 0; at < one->bytes; at += piece)
        gg_upload(gg_several_on(team, member), one->there + at,
                  (const char *)one->here.data() + at, std::min(piece, one->bytes - at));
}

static void check_there(struct several_team *team, int member, const struct load *one,
                        const char *what) {
    std::vector<uint64_t> found(one->here.size());
    ck_assert(
        gg_download(gg_several_on(team, member), found.data(), one->there, one->bytes));
    ck_assert_msg(found == one->here, "%s: %llu bytes of member %d", what,
                  (unsigned long long)one->bytes, member);
}

/* All bytes in one call, and a few bytes in each of several calls. */
static void check_late(struct several_team *team, int late, uint64_t bytes,
                       uint64_t piece) {
    struct load slow = load_of(team, late, bytes),
                quick = load_of(team, 1 - late, GG_SLICES_BYTES + GG_SLICE_MOST);
    upload(team, 1 - late, &quick, GG_SLICE_MOST);
    ck_assert(gg_several_wait(team));
    be_late(team, late);
    upload(team, late, &slow, piece);
    check_there(team, 1 - late, &quick, "behind an upload of a late member");
    upload(team, 1 - late, &quick, GG_SLICE_MOST);
    check_there(team, 1 - late, &quick, "again");
    check_there(team, late, &slow, "of the late member");
    gg_give(gg_several_on(team, late), slow.there, slow.bytes);
    gg_give(gg_several_on(team, 1 - late), quick.there, quick.bytes);
}

START_TEST(transfers_of_a_late_member) {
    const struct layout pair = {2, {0, 0}, NULL};
    const uint64_t bytes[] = {4096, GG_SLICE_MOST, GG_SLICE_MOST + 8, GG_STAGE_BYTES,
                              (GG_STAGES + 1) * GG_STAGE_BYTES + 8};
    struct several_team team;
    gpugraph_run run;
    begin_layout(&run, &pair);
    ck_assert_msg(gg_several_open(&team, NULL, &run, pair.ordinal, pair.parts), "%s",
                  run.message);
    for (int late = 0; late < 2; late++)
        for (uint64_t all : bytes) {
            check_late(&team, late, all, all);
            check_late(&team, late, std::min(all, (uint64_t)3 * GG_SLICE_MOST),
                       GG_SLICE_MOST);
        }
    gg_several_close(&team);
    layout_done(&run, &pair);
}
END_TEST

extern const struct suite suite = {
    .name = "several_late",
    .groups = {{.name = "late", .timeout = 60, .cases = {{&transfers_of_a_late_member}}}},
    .needs_device = true,
};
