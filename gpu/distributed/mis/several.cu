/* Maximal independent set, method "several". Devices share the graph, and all of them
** decide at once, without rounds.
**
**     code       a byte for each place, on every device, as in codes.h
**     count      each device counts the bins of a sample of its places; barrier
**     code       each makes the codes of its places, in all copies; barrier
**     decide     each looks at its own open vertices, as one_launch.cu does; a thread
**                that drops a vertex stores that into all copies
**
** A code becomes final for a reason that stays true. So a late copy is never wrong: it
** shows a vertex as open for longer. Like the blocks of one device (one_launch.cu),
** several devices need no order of their memory accesses and no barrier after the codes.
** A device is done when its own vertices are decided. The set is that of the greedy pass.
**
** Only the owner knows that a vertex has joined. It drops the neighbours in all copies,
** and an open neighbour elsewhere waits until it is dropped.
**
** Vertices of equal codes are compared by their whole keys. The degree of another
** device's vertex is read there, or without peer access in a copy of all degrees.
**
** Without peer access the kernel returns after each step, and when a pass has decided
** nothing, and the host copies segments. A copy may then show a dropped vertex as open
** again. Its owner drops the vertex itself, because the look at the vertex cannot go past
** the earlier neighbour that has joined. */
#include "several.cuh"
#include "mis/codes.cuh"
#include "mis/mis.h"
#include "ids/ids.h"

static __device__ uint64_t degree_of(const mis_shared *g, uint32_t v) {
    if (!g->view.barrier.peers)
        return g->degree[v];
    const uint64_t *offset = g->offset_of[several_owner(&g->view.places, v)];
    return offset[v + 1] - offset[v];
}

/* The number at a place within the owner's segment. */
static __device__ __forceinline__ uint32_t number_of(const mis_shared &g, uint32_t owner,
                                                     uint32_t local) {
    return (uint32_t)several_number_of(&g.view.places, owner, local);
}

static __device__ __forceinline__ uint64_t key_of(const mis_shared &g, uint32_t owner,
                                                  uint32_t local, uint32_t number,
                                                  uint64_t degree) {
    return mis_key_of(g.order, number, degree, [&] {
        return g.hash[owner] ? g.hash[owner][local] : gg_id_hash(g.order.hashes, number);
    });
}

static __device__ __noinline__ bool earlier(const mis_shared *g, uint32_t u, uint32_t v) {
    const uint32_t place[2] = {u, v};
    uint32_t number[2];
    uint64_t key[2];
    for (int i = 0; i < 2; i++) {
        const uint32_t owner = several_owner(&g->view.places, place[i]);
        const uint32_t local = place[i] - several_first(&g->view.places, owner);
        number[i] = number_of(*g, owner, local);
        key[i] = key_of(*g, owner, local, number[i], degree_of(g, place[i]));
    }
    return key[0] != key[1] ? key[0] < key[1] : number[0] < number[1];
}

/* A dropped vertex is stored into every copy. Neither its owner nor another thread that
** finds it dropped looks at its row again, so no other thread would store it. */
#define MIS_GRAPH            struct mis_shared
#define MIS_EARLIER(g, u, v) earlier(g, u, v)
#define MIS_PUT(g, v, value) mis_put_code((g)->code, v, value)
#define MIS_SEEN(g, v)       mis_code_seen((g)->code, v)
#define MIS_NOW(g, v)        mis_code_now((g)->code, v)
#define MIS_ASKS_NOTES(g)    false
#define MIS_FIRST_SHARE(g)   ((g)->first_share)
#define MIS_COPIES(g)        ((g)->others)
#define MIS_SEND(g, copy, v) mis_send_code((g)->other[copy], v, MIS_DROPPED)
#include "mis/balanced.h"

/* ---- kernels ---- */

/* The word of an own vertex. */
static __device__ __forceinline__ uint32_t own_word(const mis_shared &g, uint32_t local,
                                                    uint32_t number, uint64_t degree) {
    return mis_word_of(g.order, key_of(g, g.view.me, local, number, degree));
}

/* One block counts the bins of the sample. */
static __device__ void count_sample(const mis_shared &g, uint32_t *count) {
    const uint32_t vertices = g.vertices;
    const uint32_t sample = vertices < GG_MIS_SAMPLE ? vertices : GG_MIS_SAMPLE;
    count[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < sample; i += GG_BLOCK) {
        const uint32_t local = (uint32_t)((uint64_t)i * vertices / sample);
        const uint64_t *offset = g.offset + g.view.first + local;
        const uint64_t degree = offset[1] - offset[0];
        if (degree > 0)
            atomicAdd(
                &count[own_word(g, local, number_of(g, g.view.me, local), degree) >> 24],
                1u);
    }
    __syncthreads();
    several_put(g.view, g.count, (uint64_t)g.view.me * MIS_BINS + threadIdx.x,
                count[threadIdx.x]);
}

/* The whole grid calls. A thread makes the codes of four own places at a time. */
static __device__ void first_codes(const mis_shared &g, mis_code_share *share) {
    const uint32_t *count = g.count.at[g.view.me];
    uint32_t all = 0;
    for (uint32_t q = 0; q < g.view.places.parts; q++)
        all += gg_peek(&count[q * MIS_BINS + threadIdx.x]);
    mis_share_codes(all, share);
    for (uint64_t i = gg_thread(); i < g.view.places.stride / 4;
         i += gg_threads_of_grid()) {
        const uint32_t local = (uint32_t)i * 4, place = g.view.first + local;
        /* Four successive places are in one block, so their numbers are successive. */
        const uint32_t first = number_of(g, g.view.me, local);
        auto word = [&](uint32_t k, uint64_t degree) {
            return own_word(g, local + k, first + k, degree);
        };
        several_put(
            g.view, g.codes, (uint64_t)place / 4,
            mis_four_codes(share->edge, g.offset + place, g.offset + place + 1, 4, word));
        for (uint32_t k = 0; k < 4 && g.degree; k++)
            g.degree[place + k] =
                (uint32_t)(g.offset[place + k + 1] - g.offset[place + k]);
    }
}

/* Passes of a warp: the first over its tiles of own places, the others over its list,
** until the list is empty or many passes are done. Without peers the third or a later
** pass is the last if it decides nothing. Returns how many vertices wait. */
static __device__ __forceinline__ uint32_t all_passes(const mis_shared &g,
                                                      uint32_t *passes) {
    const uint64_t warp = gg_thread() / GG_WARP, step = gg_threads_of_grid() / GG_WARP;
    const uint32_t stride = g.view.places.stride;
    waiting *list = g.list + warp * g.room;
    uint32_t count = g.room, pass = 0;
    while (count > 0 && pass < GG_MIS_PASSES) {
        uint32_t kept = 0;
        uint64_t longest = pass == 0 ? GG_MIS_FIRST_DEGREE : UINT64_MAX;
        for (uint32_t i = 0; i < count; i += GG_WARP) {
            uint64_t local = (warp + i / GG_WARP * step) * GG_WARP + gg_lane();
            bool live = pass > 0 ? i + gg_lane() < count : local < stride;
            waiting w = {live ? g.view.first + (uint32_t)local : 0, GPUGRAPH_NONE, 0};
            if (live && pass > 0)
                w = list[i + gg_lane()];
            bool waits = mis_look_balanced(&g, live, longest, &w, mis_room_for_notes());
            kept = mis_keep(list, kept, waits, w);
        }
        if (kept == count)
            __nanosleep(GG_MIS_REST_NS);
        pass++;
        bool vain = kept == count && pass > 2 && !g.view.barrier.peers;
        count = kept;
        if (vain || (pass % GG_MIS_STOP_PASSES == 0 && host_load(g.order.stop) != 0))
            pass = GG_MIS_PASSES;
        pass = __shfl_sync(ALL_LANES, pass, 0);
    }
    *passes = pass;
    return count;
}

/* Cooperative. */
static __global__ void __launch_bounds__(GG_BLOCK, GG_MIS_BALANCED_BLOCKS)
    decide_shared(const __grid_constant__ mis_shared g) {
    __shared__ mis_code_share share;
    if (g.step == MIS_COUNT) {
        if (blockIdx.x == 0)
            count_sample(g, share.count);
        if (!several_barrier_wait(g.view, 0))
            return;
    }
    if (g.step <= MIS_CODE) {
        first_codes(g, &share);
        if (!several_barrier_wait(g.view, 1))
            return;
    }
    uint32_t passes, count = all_passes(g, &passes);
    if (gg_lane() == 0) {
        if (count > 0)
            atomicAdd(&g.left->open, count);
        atomicMax(&g.left->passes, passes);
    }
    mis_members_of_codes(g.code + g.view.first, g.member, g.view.places.stride / GG_WARP);
}

/* ---- driver ---- */

static const struct cooperative_kernel kernel = {(const void *)decide_shared,
                                                 "decide_shared", GG_BLOCK, 0};

struct shared_run {
    struct several_team *team;
    const struct several_parts *parts;
    const struct mis_question *question;
    struct several_view view[SEVERAL_MOST];
    struct mis_shared g[SEVERAL_MOST];
    several_array<uint32_t> count, codes, degree, hash;
    several_array<uint8_t> member;
    several_array<struct mis_left> left;
    several_array<struct waiting> list;
};

/* *entries: the largest number of entries that the lists of a member have together. */
static void plan_lists(struct shared_run *r, uint64_t *entries) {
    const uint64_t tiles = r->parts->places.stride / GG_WARP;
    *entries = 0;
    for (int p = r->team->first; p < r->team->end; p++) {
        const uint64_t warps = (uint64_t)r->view[p].barrier.blocks * (GG_BLOCK / GG_WARP);
        r->g[p].room = (uint32_t)((tiles + warps - 1) / warps * GG_WARP);
        const uint64_t all = warps * r->g[p].room;
        *entries = all > *entries ? all : *entries;
    }
}

/* The hashes of a member: one for each vertex number, or in a rank one for each place. */
static uint64_t count_hashes(const struct shared_run *r) {
    const struct several_places *places = &r->parts->places;
    if (!r->question->hash)
        return 0;
    return r->team->rank ? several_all_places(places) : places->n;
}

static void carve_mis_arrays(struct shared_run *r, struct several_space *space) {
    const struct several_places *places = &r->parts->places;
    uint64_t entries;
    plan_lists(r, &entries);
    r->count = gg_several_carve<uint32_t>(space, r->team->parts * MIS_BINS);
    r->codes = gg_several_carve<uint32_t>(space, several_all_places(places) / 4);
    r->hash = gg_several_carve<uint32_t>(space, count_hashes(r));
    r->left = gg_several_carve<struct mis_left>(space, 1);
    r->list = gg_several_carve<struct waiting>(space, entries);
    r->degree = gg_several_carve<uint32_t>(
        space, r->team->peers ? 0 : several_all_places(places));
    r->member = gg_several_carve<uint8_t>(space, places->stride);
}

/* Uploads hashes by number to all members. */
static bool send_hashes(struct shared_run *r) {
    for (int p = 0; p < r->team->parts && r->question->hash; p++)
        gg_upload(gg_several_on(r->team, p), r->hash.at[p], r->question->hash,
                  (uint64_t)r->parts->places.n * sizeof(uint32_t));
    return gg_several_going(r->team);
}

/* Uploads the hashes of a rank's masters, and exchanges them with the other ranks. */
static bool swap_hashes(struct shared_run *r) {
    const struct several_places *places = &r->parts->places;
    const int me = r->team->first;
    uint32_t *own = r->hash.at[me];
    if (!r->question->hash)
        return true;
    for (uint32_t q = 0; q < places->parts; q++)
        r->g[me].hash[q] = own + several_first(places, q);
    return gg_upload(gg_several_on(r->team, me),
                     own + several_first(places, (uint32_t)me), r->question->hash,
                     r->parts->vertices[me] * sizeof *own) &&
           gg_several_segments(r->team, r->hash, places->stride);
}

static void set_up_member(struct shared_run *r, int p) {
    const struct mis_question *q = r->question;
    struct mis_shared *g = &r->g[p];
    const struct several_rows *rows = &r->parts->rows[p];
    uint32_t n = r->parts->places.n;
    g->view = r->view[p];
    g->count = r->count;
    g->codes = r->codes;
    g->degree = r->team->peers ? NULL : r->degree.at[p];
    g->offset = rows->offset - r->view[p].first;
    g->target = rows->target;
    g->code = (uint8_t *)r->codes.at[p];
    g->others = 0;
    for (int q = 0; q < r->team->parts && r->team->peers; q++) {
        g->offset_of[q] = r->parts->rows[q].offset - r->view[q].first;
        if (q != p)
            g->other[g->others++] = (uint8_t *)r->codes.at[q];
    }
    g->vertices = r->parts->vertices[p];
    g->first_share = r->parts->arcs < GG_MIS_SHORT_ROW * (uint64_t)n ? GG_MIS_FIRST_SHARE
                                                                     : GG_MIS_SHARE;
    g->member = r->member.at[p];
    g->left = r->left.at[p];
    g->list = r->list.at[p];
    g->order.priority = q->priority;
    g->order.shift = n > 1 ? __builtin_clz(n - 1) : 0;
    g->order.stop = r->view[p].barrier.stop;
    g->order.hashes.salt = gg_fixed_hash((uint64_t)q->seed + 0x9e3779b97f4a7c15u);
    g->order.hashes.first = q->first_id;
    g->order.hashes.stored = q->hash && !r->team->rank ? r->hash.at[p] : NULL;
}

static bool prepare_mis(struct shared_run *r) {
    auto lay_out = [&](struct several_space *space) { carve_mis_arrays(r, space); };
    if (!gg_several_prepare(r->team, several_combining(), &r->parts->places, &kernel,
                            r->view, lay_out))
        return false;
    for (int p = r->team->first; p < r->team->end; p++)
        set_up_member(r, p);
    return r->team->rank ? swap_hashes(r) : send_hashes(r);
}

/* Launches the kernel from that step on. *open: waiting vertices of all members. */
static bool launch_several(struct shared_run *r, enum mis_step step, uint64_t *open,
                           uint32_t *passes) {
    struct several_team *team = r->team;
    *open = 0;
    for (int p = team->first; p < team->end; p++) {
        r->g[p].step = step;
        gg_fill(gg_several_on(team, p), r->g[p].left, 0, sizeof(struct mis_left));
    }
    if (!gg_several_launch(team, r->view, r->g, sizeof *r->g))
        return false;
    struct mis_left left[SEVERAL_MOST];
    const void *from[SEVERAL_MOST];
    for (int p = team->first; p < team->end; p++)
        from[p] = r->g[p].left;
    if (!gg_several_fetch_each(team, left, from, sizeof *left))
        return false;
    for (int p = team->first; p < team->end; p++) {
        *open += left[p].open;
        *passes = left[p].passes > *passes ? left[p].passes : *passes;
    }
    return gg_several_combine(team, GPUGRAPH_SUM, open, 1);
}

/* Does the steps before the last one, if kernels do not reach each other. */
static bool first_steps(struct shared_run *r) {
    uint64_t open;
    uint32_t passes = 0;
    return launch_several(r, MIS_COUNT, &open, &passes) &&
           gg_several_segments(r->team, r->count, MIS_BINS) &&
           launch_several(r, MIS_CODE, &open, &passes) &&
           gg_several_segments(r->team, r->degree, r->parts->places.stride) &&
           gg_several_segments(r->team, r->codes, r->parts->places.stride / 4);
}

static bool until_decided(struct shared_run *r, struct mis_answer *answer) {
    uint64_t open, left = UINT64_MAX;
    double began = gg_now_ms();
    enum mis_step step = r->team->peers ? MIS_COUNT : MIS_DECIDE;
    if (!r->team->peers && !first_steps(r))
        return false;
    do {
        if (!launch_several(r, step, &open, &answer->passes) ||
            (open > 0 &&
             !gg_several_segments(r->team, r->codes, r->parts->places.stride / 4)))
            return false;
        step = MIS_DECIDE;
        answer->launches++;
        if (open >= left) {
            gg_fail(r->team->run, GPUGRAPH_DEVICE_FAILED,
                    "the kernel %s makes no progress: %llu vertices wait for each other",
                    kernel.name, (unsigned long long)open);
            return false;
        }
        left = open;
    } while (open > 0);
    answer->ms = gg_now_ms() - began;
    answer->member = r->member;
    return true;
}

bool gg_mis_on_team(struct several_team *team, const struct several_parts *parts,
                    const struct mis_question *question, struct mis_answer *answer) {
    struct shared_run *r = (struct shared_run *)gg_alloc_zero(team->run, 1, sizeof *r);
    if (!r)
        return false;
    *answer = mis_answer();
    r->team = team;
    r->parts = parts;
    r->question = question;
    bool done = prepare_mis(r) && until_decided(r, answer);
    gg_release(r);
    return done;
}

/* ---- graphs ---- */

static bool find_set_on_team(struct several_team *team,
                             const struct mis_question *question, uint8_t *member) {
    struct several_parts parts;
    struct mis_answer answer;
    if (!gg_several_rows(team, CSR_SIMPLE, false, &parts))
        return false;
    const double started = gg_now_ms();
    if (!gg_mis_on_team(team, &parts, question, &answer))
        return false;
    gg_search_phase(team->run, started, parts.places.n,
                    "%d parts, exchange %s, %u launch(es), up to %u passes", team->parts,
                    gg_several_exchange_name(team), answer.launches, answer.passes);
    return gg_several_download(team, &parts.places, answer.member, member, "members");
}

static bool is_hashed(gpugraph_priority priority) {
    return priority == GPUGRAPH_BY_DEGREE || priority == GPUGRAPH_BY_RANDOM;
}

static gpugraph_status find_on_several(gpugraph_graph *graph, gpugraph_priority priority,
                                       int64_t seed, gpugraph_run *run, uint8_t *member) {
    struct several_team team;
    uint32_t *hash = NULL;
    if (is_hashed(priority) && !gg_ids_are_consecutive(graph)) {
        hash = (uint32_t *)gg_alloc(run, graph->n, sizeof *hash);
        if (hash)
            gg_hash_ids(graph, seed, run, hash);
    }
    const struct mis_question question = {priority, seed,
                                          (uint64_t)graph->ids.first_integer, hash};
    if (run->status == GPUGRAPH_OK && gg_several_open_run(&team, graph, run)) {
        find_set_on_team(&team, &question, member);
        gg_several_close(&team);
    }
    gg_release(hash);
    return run->status;
}

static int64_t bytes_on_several(const gpugraph_graph *graph, int parts) {
    const int64_t n = graph->n, share = n / parts + 2048;
    return gg_several_rows_lack(graph, parts, CSR_SIMPLE, false) +
           5 * (n + 2048 * parts) + (gg_ids_are_consecutive(graph) ? 0 : 4 * n) +
           share * (1 + 2 * (int64_t)sizeof(struct waiting)) + 65536;
}

/* ---- partitions ---- */

gpugraph_status gg_cuda_part_mis(gpugraph_part *p, gpugraph_priority priority,
                                 const uint32_t *hash, gpugraph_run *run,
                                 uint8_t *member) {
    const struct mis_question question = {priority, 0, 0,
                                          is_hashed(priority) ? hash : NULL};
    struct several_team team;
    if (!gg_several_open_rank(&team, p, GPUGRAPH_BY_SOURCE, run))
        return run->status;
    find_set_on_team(&team, &question, member);
    return gg_several_close(&team);
}

GG_DISTRIBUTED_SIDE(gg_mis_distributed, mis_entry, find_on_several, bytes_on_several,
                    "mis", "asynchronous, on several devices that all decide at once")
