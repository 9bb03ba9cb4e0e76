/* Where the time of "several" goes, in a build that asks for it: when warps have come to each stage, and how often. */
#ifndef GPUGRAPH_MIS_STAGES_CUH
#define GPUGRAPH_MIS_STAGES_CUH

#include "graph/frontier.cuh"
#include "several/meet.cuh"

#include <stdio.h>
#include <stdlib.h>

#ifndef GG_MIS_STAGES
#define GG_MIS_STAGES 0
#endif
#ifndef GG_MIS_ASK_AGAIN
#define GG_MIS_ASK_AGAIN 1
#endif

enum mis_stage {
    MIS_BEGINS,
    MIS_COUNTED,
    MIS_CODED,
    MIS_MET,
    MIS_PASS_1,
    MIS_PASS_2,
    MIS_PASS_3,
    MIS_PASS_5,
    MIS_PASS_9,
    MIS_PASS_17,
    MIS_PASS_33,
    MIS_DECIDED,
    MIS_ENDS,
    MIS_STAGES
};
enum mis_counter { MIS_TIES, MIS_SENT, MIS_COUNTERS };

struct mis_stage_note {
    unsigned long long sum, latest, soonest, open, warps;
};
struct mis_stages {
    struct mis_stage_note *note;
    uint32_t *counter; /* by warp */
};

static __device__ __forceinline__ void mis_stamp(const mis_stages &s, int stage,
                                                 uint32_t open) {
#if GG_MIS_STAGES
    if (gg_lane() == 0) {
        unsigned long long now = several_clock_ns() & (((uint64_t)1 << 48) - 1);
        atomicAdd(&s.note[stage].sum, now);
        atomicMax(&s.note[stage].latest, now);
        atomicMin(&s.note[stage].soonest, now);
        atomicAdd(&s.note[stage].open, open);
        atomicAdd(&s.note[stage].warps, 1ull);
    }
    __syncwarp();
#endif
}

static __device__ __forceinline__ void mis_stamp_pass(const mis_stages &s, uint32_t pass,
                                                      uint32_t open) {
#if GG_MIS_STAGES
    if (pass <= 3)
        mis_stamp(s, MIS_PASS_1 + pass - 1, open);
    else if (pass == 5 || pass == 9 || pass == 17 || pass == 33)
        mis_stamp(s,
                  MIS_PASS_3 + (pass == 5    ? 1
                                : pass == 9  ? 2
                                : pass == 17 ? 3
                                             : 4),
                  open);
#endif
}

static __device__ __forceinline__ void mis_count(const mis_stages &s, int counter) {
#if GG_MIS_STAGES
    atomicAdd(&s.counter[gg_thread() / GG_WARP * MIS_COUNTERS + counter], 1u);
#endif
}

enum { MIS_COUNTER_ROOM = 1 << 18 };

static inline void mis_clear_stages(struct cuda_job *job, const mis_stages *s) {
    gg_fill(job, s->note, 0, MIS_STAGES * sizeof *s->note);
    for (int i = 0; i < MIS_STAGES; i++)
        gg_fill(job, &s->note[i].soonest, 0xff, 8);
    gg_fill(job, s->counter, 0, MIS_COUNTER_ROOM * sizeof(uint32_t));
    gg_wait(job);
}

static inline void mis_tell_stages(struct cuda_job *job, int member,
                                   const mis_stages *s) {
    static const char *const name[] = {"begin",  "counted", "coded", "met",   "pass1",
                                       "pass2",  "pass3",   "pass5", "pass9", "pass17",
                                       "pass33", "decided", "end"};
    struct mis_stage_note note[MIS_STAGES];
    uint32_t *counter = (uint32_t *)malloc(MIS_COUNTER_ROOM * sizeof *counter);
    unsigned long long sum[MIS_COUNTERS] = {};
    gg_download(job, note, s->note, sizeof note);
    gg_download(job, counter, s->counter, MIS_COUNTER_ROOM * sizeof *counter);
    for (int i = 0; i < MIS_COUNTER_ROOM / MIS_COUNTERS * MIS_COUNTERS; i++)
        sum[i % MIS_COUNTERS] += counter[i];
    free(counter);
    printf("ST %d us: stage soonest mean latest warps open;", member);
    for (int i = 0; i < MIS_STAGES; i++)
        if (note[i].warps)
            printf(" %s %.0f %.0f %.0f %llu %llu;", name[i],
                   1e-3 * (double)(note[i].soonest - note[0].soonest),
                   1e-3 * ((double)note[i].sum / (double)note[i].warps -
                           (double)note[0].soonest),
                   1e-3 * (double)(note[i].latest - note[0].soonest), note[i].warps,
                   note[i].open);
    printf(" ties %llu sent %llu\n", sum[MIS_TIES], sum[MIS_SENT]);
}

#endif
