/* Maximal independent set on the device, method "rounds"; mis.c beside this has the
** meaning and the CPU backend.
**
**     waits[v]   earlier neighbours of v that are still open; JOINED and DROPPED are
** final
**
**     joined     vertices with waits 0: no earlier neighbour is open, none has joined
**        |  drop      their open neighbours
**     dropped    each vertex once
**        |  release   later neighbours wait for one less; at 0 they join
**     joined     ...
**
** Both steps of a round change what the other one reads, never what they read themselves,
** so rounds are as countable as with two buffers, and every arc is walked at most twice
** in the whole search, however many rounds there are. The set is the greedy pass's
** whatever the order (Blelloch, Fineman, Shun, SPAA 2012). Lists go through slices as in
** bfs.cu. */
#include "cuda.cuh"
#include "frontier.cuh"

#include <stdio.h>

enum { WALK_BLOCKS = 8, LIST_BLOCKS = 2 }; /* for each multiprocessor */

/* No vertex waits for so many: it has fewer neighbours than there are vertices. */
#define JOINED  0xfffffffeu
#define DROPPED 0xffffffffu

struct state {
    uint32_t frontier; /* slices to be walked */
    uint32_t slices;   /* being collected */
    uint32_t found;    /* vertices in the list */
    uint32_t ticket;
    uint32_t rounds, over;
};

struct mis {
    struct state *state;
    uint32_t *waits, *found;
    uint64_t *slice;
    uint32_t *hash; /* NULL where the priority needs none */
    uint8_t *member;
    gpugraph_priority priority;
    const uint32_t *stop; /* set by the host after an interrupt */
};

/* ---- kernels ---- */

/* The key of mis.c but for the last tie, by number. */
static __device__ __forceinline__ uint64_t key_of(const device_csr &g, const mis &m,
                                                  uint32_t v) {
    uint64_t degree =
        m.priority == GPUGRAPH_BY_DEGREE || m.priority == GPUGRAPH_BY_DEGREE_ID
            ? g.offset[v + 1] - g.offset[v]
            : 0;
    return degree << 32 | (m.hash ? m.hash[v] : 0);
}

struct rank {
    uint64_t key;
    uint32_t vertex;
};

static __device__ __forceinline__ bool earlier(const rank &a, const rank &b) {
    return a.key < b.key || (a.key == b.key && a.vertex < b.vertex);
}

/* One thread per vertex: all of them become slices. */
static __global__ void __launch_bounds__(GG_BLOCK) slice_all(device_csr g, mis m) {
    uint64_t whole = gg_whole_warps(g.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid())
        gg_append_slices(g, (uint32_t)v, v < g.n, m.slice, &m.state->slices);
    if (gg_last_block(&m.state->ticket) && threadIdx.x == 0) {
        m.state->frontier = gg_peek(&m.state->slices);
        m.state->slices = 0;
    }
}

/* One thread per arc: counts the earlier neighbours. */
static __global__ void __launch_bounds__(GG_BLOCK) count_earlier(device_csr g, mis m) {
    gg_walk<rank>(
        g, m.slice, m.state->frontier,
        [&](uint32_t v) {
            return rank{key_of(g, m, v), v};
        },
        [&](rank from, uint64_t arc, bool live) {
            if (!live)
                return;
            uint32_t u = g.target[arc];
            if (earlier(rank{key_of(g, m, u), u}, from))
                atomicAdd(&m.waits[from.vertex], 1u);
        });
}

/* One thread per vertex: those that wait for nobody join first. */
static __global__ void join_first(mis m, uint32_t n) {
    uint64_t whole = gg_whole_warps(n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        bool joins = v < n && m.waits[v] == 0;
        uint32_t at = gg_reserve(&m.state->found, joins);
        if (joins) {
            m.waits[v] = JOINED;
            m.found[at] = (uint32_t)v;
        }
    }
}

/* One thread per vertex of the list. after_release: a round ends here. */
static __global__ void __launch_bounds__(GG_BLOCK)
    slice_found(device_csr g, mis m, bool after_release) {
    struct state *state = m.state;
    const uint64_t found = state->found;
    uint64_t whole = gg_whole_warps(found);
    for (uint64_t i = gg_thread(); i < whole; i += gg_threads_of_grid()) {
        bool live = i < found;
        gg_append_slices(g, live ? m.found[i] : 0, live, m.slice, &state->slices);
    }
    if (gg_last_block(&state->ticket) && threadIdx.x == 0) {
        uint32_t slices = gg_peek(&state->slices);
        if (after_release) {
            state->rounds += found > 0;
            state->over = found == 0 || gg_told_to_stop(m.stop, slices);
        }
        state->frontier = state->over ? 0 : slices;
        state->slices = state->found = 0;
    }
}

/* One thread per arc of the vertices that joined. */
static __global__ void __launch_bounds__(GG_BLOCK) drop(device_csr g, mis m) {
    gg_walk<uint32_t>(
        g, m.slice, m.state->frontier, [](uint32_t v) { return v; },
        [&](uint32_t, uint64_t arc, bool live) {
            uint32_t u = live ? g.target[arc] : 0;
            bool fresh = live && gg_peek(&m.waits[u]) != DROPPED &&
                         atomicExch(&m.waits[u], DROPPED) != DROPPED;
            uint32_t at = gg_reserve(&m.state->found, fresh);
            if (fresh)
                m.found[at] = u;
        });
}

/* One thread per arc of the vertices that dropped. A later neighbour that is open waits
** for each of its earlier ones, so its count meets 0 with the last of them alone. */
static __global__ void __launch_bounds__(GG_BLOCK) release(device_csr g, mis m) {
    gg_walk<rank>(
        g, m.slice, m.state->frontier,
        [&](uint32_t v) {
            return rank{key_of(g, m, v), v};
        },
        [&](rank from, uint64_t arc, bool live) {
            uint32_t w = live ? g.target[arc] : 0;
            bool joins = live && gg_peek(&m.waits[w]) < JOINED &&
                         earlier(from, rank{key_of(g, m, w), w}) &&
                         atomicSub(&m.waits[w], 1u) == 1;
            uint32_t at = gg_reserve(&m.state->found, joins);
            if (joins) {
                atomicExch(&m.waits[w], JOINED);
                m.found[at] = w;
            }
        });
}

/* One thread per vertex. */
static __global__ void write_members(mis m, uint32_t n) {
    for (uint64_t v = gg_thread(); v < n; v += gg_threads_of_grid())
        m.member[v] = m.waits[v] == JOINED;
}

/* ---- driver ---- */

static bool hashed(gpugraph_priority priority) {
    return priority == GPUGRAPH_BY_DEGREE || priority == GPUGRAPH_BY_RANDOM;
}

static void carve(struct workspace *space, const struct device_csr *g,
                  gpugraph_priority priority, struct mis *m) {
    m->state = gg_carve<struct state>(space, 1);
    m->waits = gg_carve<uint32_t>(space, g->n);
    m->found = gg_carve<uint32_t>(space, g->n);
    m->slice = gg_carve<uint64_t>(space, gg_slices_at_most(g->n, g->m));
    m->hash = hashed(priority) ? gg_carve<uint32_t>(space, g->n) : NULL;
    m->member = gg_carve<uint8_t>(space, g->n);
}

static bool upload_hashes(struct cuda_job *job, int64_t seed, uint32_t *on_device) {
    uint32_t n = job->graph->n;
    uint32_t *hash = (uint32_t *)gg_alloc(job->run, n, sizeof *hash);
    bool done = hash && gg_hash_ids(job->graph, seed, job->run, hash) == GPUGRAPH_OK &&
                gg_upload(job, on_device, hash, (uint64_t)n * sizeof *hash);
    gg_release(hash);
    return done;
}

static bool start(struct cuda_job *job, const struct device_csr *g, int64_t seed,
                  const struct mis *m) {
    gg_fill(job, m->state, 0, sizeof *m->state);
    gg_fill(job, m->waits, 0, (uint64_t)g->n * sizeof *m->waits);
    if (!gg_going(job) || (m->hash && !upload_hashes(job, seed, m->hash)))
        return false;
    unsigned list = gg_grid(job, g->n, WALK_BLOCKS);
    unsigned walk = gg_grid(job, (uint64_t)g->n + g->m, WALK_BLOCKS);
    slice_all<<<list, GG_BLOCK, 0, job->stream>>>(*g, *m);
    gg_launched(job, "slice_all");
    count_earlier<<<walk, GG_BLOCK, 0, job->stream>>>(*g, *m);
    gg_launched(job, "count_earlier");
    join_first<<<list, GG_BLOCK, 0, job->stream>>>(*m, g->n);
    gg_launched(job, "join_first");
    slice_found<<<list, GG_BLOCK, 0, job->stream>>>(*g, *m, true);
    return gg_launched(job, "slice_found");
}

static bool run_rounds(struct cuda_job *job, const struct device_csr *g,
                       const struct mis *m, struct state *state) {
    unsigned walk = gg_grid(job, (uint64_t)g->n + g->m, WALK_BLOCKS);
    unsigned list = gg_grid(job, g->n, LIST_BLOCKS);
    int rounds = FIRST_ROUNDS;
    do {
        double began = gg_now_ms();
        for (int i = 0; i < rounds && gg_going(job); i++) {
            drop<<<walk, GG_BLOCK, 0, job->stream>>>(*g, *m);
            gg_launched(job, "drop");
            slice_found<<<list, GG_BLOCK, 0, job->stream>>>(*g, *m, false);
            gg_launched(job, "slice_found");
            release<<<walk, GG_BLOCK, 0, job->stream>>>(*g, *m);
            gg_launched(job, "release");
            slice_found<<<list, GG_BLOCK, 0, job->stream>>>(*g, *m, true);
            gg_launched(job, "slice_found");
        }
        if (!gg_fetch(job, state, m->state, sizeof *state))
            return false;
        rounds = gg_more_rounds(rounds, gg_now_ms() - began);
    } while (!state->over);
    return true;
}

static void search_graph(struct cuda_job *job, gpugraph_priority priority, int64_t seed,
                         uint8_t *member) {
    struct device_csr g;
    struct workspace space = {NULL, 0};
    struct mis m;
    struct state state;
    if (!gg_device_csr(job, CSR_SIMPLE, false, &g))
        return;
    double started = gg_now_ms();
    m.priority = priority;
    m.stop = job->device->device_stop;
    carve(&space, &g, priority, &m);
    if (!gg_workspace(job, &space))
        return;
    carve(&space, &g, priority, &m);
    if (!start(job, &g, seed, &m) || !run_rounds(job, &g, &m, &state))
        return;
    write_members<<<gg_grid(job, g.n, 16), GG_BLOCK, 0, job->stream>>>(m, g.n);
    if (!gg_launched(job, "write_members") || !gg_wait(job))
        return;
    char more[60];
    snprintf(more, sizeof more, "%u rounds", state.rounds);
    gg_search_phase(job->run, started, g.n, more);
    started = gg_now_ms();
    if (gg_download(job, member, m.member, g.n))
        gg_phase(job->run, "download", started, g.n, "members");
}

gpugraph_status gg_cuda_mis(gpugraph_graph *graph, gpugraph_priority priority,
                            int64_t seed, gpugraph_run *run, uint8_t *member) {
    struct cuda_job job;
    if (!gg_job_open(&job, graph, run))
        return run->status;
    search_graph(&job, priority, seed, member);
    return gg_job_close(&job);
}
