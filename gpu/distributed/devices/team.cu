/* The team: the devices of one search, led by one host thread. several.cuh has the
** drawing.
**
**     open       a job on each device, in ascending order; peer access between all
**     launch     the same kernel on each, then polling until all have returned
**     failure    the first one of any member becomes the caller's and sets all stop
**                words, so that no kernel waits for one that has returned */
#include "base/limits.h"
#include "device/parts.cuh"
#include "device/services.h"
#include "several.cuh"

#include <string.h>

/* ---- failures ---- */

static void stop_all(struct several_team *team) {
    for (int p = team->first; p < team->end; p++)
        if (team->member[p].job.device)
            __atomic_store_n(team->member[p].job.device->stop, 1u, __ATOMIC_RELEASE);
}

bool gg_several_going(struct several_team *team) {
    gpugraph_run *run = team->run;
    for (int p = 0; p < team->parts; p++) {
        const gpugraph_run *own = &team->member[p].run;
        if (own->status != GPUGRAPH_OK && run->status == GPUGRAPH_OK)
            gg_fail(run, own->status, "%s", own->message);
    }
    if (run->status != GPUGRAPH_OK)
        stop_all(team);
    return run->status == GPUGRAPH_OK;
}

struct cuda_job *gg_several_on(struct several_team *team, int member) {
    struct cuda_job *job = &team->member[member].job;
    gg_look_at_device(job->device->ordinal);
    gg_note(job, cudaSetDevice(job->device->ordinal), "become current");
    return job;
}

bool gg_several_wait(struct several_team *team) {
    for (int p = team->first; p < team->end && gg_several_going(team); p++)
        gg_wait(gg_several_on(team, p));
    return gg_several_going(team);
}

bool gg_several_combine(struct several_team *team, gpugraph_combination how,
                        uint64_t *word, uint32_t words) {
    if (gg_several_going(team) && team->rank)
        gg_combine(team->rank->exchange, team->run, how, word, words);
    return gg_several_going(team);
}

/* ---- opening ---- */

/* A kernel writes to the desks of all members, so desks stay until the last kernel has
** ended. */
static void wait_for_kernels(struct several_team *team) {
    for (int p = team->first; p < team->end; p++) {
        const struct cuda_job *job = gg_several_on(team, p);
        while (cudaStreamQuery(job->stream) == cudaErrorNotReady)
            if (gg_poll(team->run))
                stop_all(team);
    }
}

static void close_member(struct several_team *team, int p) {
    struct several_member *member = &team->member[p];
    struct cuda_job *job = gg_several_on(team, p);
    if (member->desk)
        gg_give(job, member->desk, sizeof *member->desk);
    if (member->stream)
        cudaStreamDestroy(member->stream);
    if (member->slices)
        cudaFreeHost(member->slices);
}

/* Closes in reverse order, which restores the host's current device. */
gpugraph_status gg_several_close(struct several_team *team) {
    gg_several_going(team);
    gg_several_release_rows(team);
    wait_for_kernels(team);
    for (int p = team->end - 1; p >= team->first; p--)
        close_member(team, p);
    for (int p = team->end - 1; p >= team->first; p--)
        if (team->member[p].lead == p) {
            gg_several_on(team, p);
            gg_job_close(&team->member[p].job);
        }
    gg_several_going(team);
    return team->run->status;
}

/* Opens a member's device, or shares the device of the previous member. */
static bool open_member(struct several_team *team, int p, int ordinal) {
    struct several_member *member = &team->member[p];
    const struct several_member *before = p > team->first ? &team->member[p - 1] : NULL;
    bool shares = before && before->run.device == ordinal;
    member->run = *team->run;
    member->run.device = ordinal;
    gg_begin(&member->run);
    member->lead = shares ? before->lead : p;
    if (!shares) {
        if (!gg_job_open(&member->job, team->graph, &member->run))
            return false;
    } else {
        member->job = team->member[member->lead].job;
        member->job.run = &member->run;
        gg_note(&member->job,
                cudaStreamCreateWithFlags(&member->stream, cudaStreamNonBlocking),
                "create a stream");
        gg_note(&member->job,
                cudaHostAlloc(&member->slices, GG_SLICES_BYTES, cudaHostAllocDefault),
                "allocate pinned memory");
        member->job.stream = member->stream;
        member->job.slices = static_cast<unsigned char *>(member->slices);
        member->job.sliced = 0;
    }
    member->run.phase = NULL;
    team->end = p + 1;
    member->desk = (struct several_desk *)gg_take(&member->job, sizeof *member->desk);
    return gg_going(&member->job);
}

bool gg_several_open(struct several_team *team, gpugraph_graph *graph, gpugraph_run *run,
                     const int *ordinal, int parts) {
    memset(team, 0, sizeof *team);
    team->run = run;
    team->graph = graph;
    team->parts = parts;
    for (int p = 0; p < parts && gg_several_going(team); p++)
        open_member(team, p, ordinal[p]);
    return (gg_several_going(team) && gg_several_reach(team)) || !gg_several_close(team);
}

bool gg_several_open_rank(struct several_team *team, gpugraph_part *p,
                          gpugraph_partition wanted, gpugraph_run *run) {
    if (p->partition != wanted && !(p->exchange->parts == 1 && p->simple)) {
        gg_fail(run, GPUGRAPH_INVALID, "on devices this search needs a partition by %s",
                wanted == GPUGRAPH_BY_SOURCE ? "source" : "target");
        return false;
    }
    run->device = p->device->ordinal;
    run->used_backend = "cuda";
    run->used_method = "several";
    memset(team, 0, sizeof *team);
    team->run = run;
    team->rank = p;
    team->parts = (int)p->exchange->parts;
    team->peers = team->parts == 1;
    team->first = team->end = (int)p->exchange->part;
    open_member(team, team->first, run->device);
    return gg_several_going(team) || !gg_several_close(team);
}

bool gg_several_open_run(struct several_team *team, gpugraph_graph *graph,
                         gpugraph_run *run) {
    int used[GG_MAX_DEVICES];
    const int devices = gg_used_devices(run, used);
    run->used_method = "several";
    return gg_limits.several_parts > 0
               ? gg_several_open(team, graph, run, gg_limits.several_ordinal,
                                 gg_limits.several_parts)
               : gg_several_open(team, graph, run, used, devices);
}

/* ---- memory ---- */

/* Members that share a device get successive pieces of its workspace. */
bool gg_several_workspace(struct several_team *team, struct several_space *space) {
    for (int p = team->first; p < team->end && gg_several_going(team); p++) {
        struct cuda_job *job = gg_several_on(team, p);
        int lead = team->member[p].lead;
        if (lead == p) {
            int sharing = 1;
            while (p + sharing < team->end && team->member[p + sharing].lead == p)
                sharing++;
            struct workspace whole = {NULL, space->used * (uint64_t)sharing};
            if (!gg_several_wait(team))
                return false;
            gg_several_on(team, p);
            gg_workspace(job, &whole);
            space->base[p] = whole.base;
        } else {
            space->base[p] = space->base[lead] + space->used * (uint64_t)(p - lead);
            job->working = true;
        }
    }
    space->used = 0;
    return gg_several_going(team);
}

/* ---- launches ---- */

/* Returns the blocks of a member's kernel, so that the kernels of all members fit their
** device. gg_blocks_at_once also loads the kernel, which must not happen while another
** device waits at a barrier. */
static uint32_t blocks_of_member(struct several_team *team, int p) {
    struct cuda_job *job = gg_several_on(team, p);
    int sharing = 0;
    for (int q = team->first; q < team->end; q++)
        sharing += team->member[q].lead == team->member[p].lead;
    const int blocks =
        gg_blocks_at_once(job, &team->kernel) * job->device->processors / sharing;
    return blocks > 0 ? (uint32_t)blocks : 1;
}

bool gg_several_begin(struct several_team *team, struct several_combining combining,
                      const struct several_places *places,
                      const struct cooperative_kernel *kernel,
                      struct several_view view[SEVERAL_MOST]) {
    team->kernel = *kernel;
    team->combining = combining;
    team->round = 0;
    for (int p = team->first; p < team->end && gg_several_going(team); p++) {
        struct cuda_job *job = gg_several_on(team, p);
        struct several_view *v = &view[p];
        memset(v, 0, sizeof *v);
        v->places = *places;
        v->me = v->barrier.me = (uint32_t)p;
        v->first = several_first(places, (uint32_t)p);
        v->barrier.parts = (uint32_t)team->parts;
        v->barrier.peers = team->peers;
        v->barrier.blocks = blocks_of_member(team, p);
        v->barrier.combining = combining;
        v->barrier.patience_ns = GG_SEVERAL_PATIENCE_NS;
        v->barrier.stop = job->device->device_stop;
        for (int q = 0; q < team->parts; q++)
            if (q == p || team->peers)
                v->barrier.desk[q] = team->member[q].desk;
        gg_fill(job, team->member[p].desk, 0, sizeof(struct several_desk));
    }
    return gg_several_wait(team);
}

bool gg_several_fetch_each(struct several_team *team, void *to,
                           const void *const from[SEVERAL_MOST], size_t bytes) {
    for (int p = team->first; p < team->end && gg_several_going(team); p++) {
        struct cuda_job *job = gg_several_on(team, p);
        gg_note(job,
                cudaMemcpyAsync(job->device->mailbox + (size_t)p * bytes, from[p], bytes,
                                cudaMemcpyDeviceToHost, job->stream),
                "send a result");
    }
    if (!gg_several_wait(team))
        return false;
    for (int p = team->first; p < team->end; p++)
        memcpy((unsigned char *)to + (size_t)p * bytes,
               team->member[p].job.device->mailbox + (size_t)p * bytes, bytes);
    return true;
}

/* Waits for the kernels, and fails if a device gave up waiting for another one. */
static void find_absent_devices(struct several_team *team) {
    struct {
        uint32_t trouble, absent;
    } end[SEVERAL_MOST];
    static_assert(sizeof end <= GG_MAILBOX, "an entry for each member");
    const void *from[SEVERAL_MOST];
    for (int p = team->first; p < team->end; p++)
        from[p] = &team->member[p].desk->trouble;
    if (!gg_several_fetch_each(team, end, from, sizeof *end))
        return;
    for (int p = team->first; p < team->end; p++)
        if (end[p].trouble & SEVERAL_ABSENT)
            gg_fail(
                team->run, GPUGRAPH_DEVICE_FAILED,
                "CUDA device %d waited %.1f seconds for device %d, which did not arrive",
                team->member[p].run.device, (double)GG_SEVERAL_PATIENCE_NS * 1e-9,
                team->member[end[p].absent].run.device);
}

bool gg_several_launch(struct several_team *team, const struct several_view *view,
                       void *one, size_t size) {
    for (int p = team->first; p < team->end && gg_several_going(team); p++) {
        void *argument = static_cast<char *>(one) + (size_t)p * size;
        gg_launch_cooperative(gg_several_on(team, p), &team->kernel,
                              view[p].barrier.blocks, &argument);
    }
    find_absent_devices(team);
    return gg_several_going(team);
}

/* ---- the barrier on the host ---- */

bool gg_several_barrier_on_host(struct several_team *team,
                                struct several_outcome *outcome) {
    const uint64_t round = team->round++;
    struct several_tally tally[SEVERAL_MOST];
    memset(outcome, 0, sizeof *outcome);
    for (int p = team->first; p < team->end && gg_several_going(team); p++)
        gg_fetch(gg_several_on(team, p), &tally[p],
                 &team->member[p].desk->tally[round % 3], sizeof tally[p]);
    const struct several_tally mine = tally[team->first];
    if (gg_several_going(team) && team->rank)
        gg_gather(team->rank->exchange, team->run, &mine, sizeof mine, tally);
    if (!gg_several_going(team))
        return false;
    for (int p = 0; p < team->parts; p++) {
        several_combine(&team->combining, outcome->word, tally[p].word);
        memcpy(team->messages[p], tally[p].messages, sizeof team->messages[p]);
    }
    for (int p = team->first; p < team->end && gg_several_going(team); p++) {
        struct cuda_job *job = gg_several_on(team, p);
        struct several_desk *desk = team->member[p].desk;
        for (int q = 0; q < team->parts; q++)
            outcome->messages[q] = team->messages[q][p];
        gg_upload(job, &desk->outcome[round % 2], outcome, sizeof *outcome);
        gg_upload(job, &desk->round, &team->round, sizeof team->round);
        gg_fill(job, &desk->tally[(round + 2) % 3], 0, sizeof tally[p]);
    }
    return gg_several_wait(team);
}
