/* Maximal independent set by synchronous rounds over the open vertices: method "rounds".
**
**     list       the open vertices, group by group (mis/groups.cuh)
**        |  judge     each by its neighbours' words, which nobody changes meanwhile
**     verdict    one for each entry of the list
**        |  apply     words change, what waits goes into the other list
**     list       ...
**
** One cooperative kernel does all rounds, two barriers each; the host is not asked. In
** the first round nobody has joined, so a look ends at the first earlier neighbour; later
** ones must go on, for another neighbour may have joined. After Nke et al. (cuMIS, ICS
** 2026), algorithm 3. */
#include "mis/mis.cuh"
#include "mis/groups.cuh"

#include <cooperative_groups.h>

#include <stdio.h>

/* 1: in the first round a look ends at the first earlier neighbour; 0: never. */
#ifndef GG_MIS_EARLY_EXIT
#define GG_MIS_EARLY_EXIT 1
#endif
enum { STOP_ROUNDS = 16 }; /* between two looks at the stop flag across the bus */

enum verdict { GONE, JOINS, DROPS, WAITS };

struct rounds_state {
    uint32_t end[MIS_GROUPS];
    uint32_t count[2][MIS_GROUPS]; /* entries of each list */
    uint32_t rounds, over;
};

struct rounds {
    struct rounds_state *state;
    uint32_t *list[2]; /* entries of a group lie where its rows do */
    uint8_t *verdict;
};

/* ---- kernels ---- */

/* One thread per row. */
static __global__ void first_words(mis_graph g, rounds r) {
    for (uint64_t v = gg_thread(); v < g.n; v += gg_threads_of_grid())
        mis_first_word(g, (uint32_t)v);
    if (gg_thread() == 0) {
        uint32_t *end = r.state->end;
        end[MIS_THREADS] = g.n;
        for (int i = 0; i < MIS_GROUPS; i++)
            r.state->count[0][i] = end[i] - (i > 0 ? end[i - 1] : 0);
    }
}

static __device__ __forceinline__ verdict judged(const sight &s, uint64_t end) {
    return s.joined ? DROPS : s.at == end ? JOINS : WAITS;
}

/* The group's entries, by `lanes` threads each. */
template <int lanes>
static __device__ __forceinline__ void judge_group(const mis_graph &g, const rounds &r,
                                                   const uint32_t *list, uint32_t begin,
                                                   uint32_t count, bool first) {
    constexpr int each = lanes == 1 ? GG_MIS_PROBE : lanes == GG_WARP ? 2 : 1;
    mis_for_group<lanes>(begin, begin + count, [&](auto, uint32_t i) {
        uint32_t v = first ? i : list[i], own = gg_peek(&g.word[v]);
        verdict verdict = GONE;
        if (own != MIS_JOINED) {
            uint64_t end = g.offset[v + 1];
            sight s = mis_scan<lanes, each, TIES_SETTLED>(g, v, own, g.offset[v], end,
                                                          !(first && GG_MIS_EARLY_EXIT));
            verdict = judged(s, end);
        }
        if (threadIdx.x % lanes == 0)
            r.verdict[i] = (uint8_t)verdict;
    });
}

/* One thread per entry of a group that begins at `begin`. implicit: entry i is row i. */
static __device__ __forceinline__ void apply_verdicts(const mis_graph &g, const rounds &r,
                                                      const uint32_t *from, uint32_t *to,
                                                      uint32_t begin, uint32_t count,
                                                      uint32_t *kept, bool implicit) {
    for (uint64_t base = blockIdx.x * (uint64_t)GG_BLOCK; base < count;
         base += gg_threads_of_grid()) {
        uint64_t i = begin + base + threadIdx.x;
        uint32_t v = (uint32_t)i;
        int verdict = base + threadIdx.x < count ? r.verdict[i] : GONE;
        if (verdict != GONE && !implicit)
            v = from[i];
        if (verdict == JOINS || verdict == DROPS)
            gg_put(&g.word[v], verdict == JOINS ? MIS_JOINED : MIS_DROPPED);
        uint32_t at = gg_reserve(kept, verdict == WAITS);
        if (verdict == WAITS)
            to[begin + at] = v;
    }
}

/* Cooperative: all rounds. */
static __global__ void __launch_bounds__(GG_BLOCK)
    decide_in_rounds(const __grid_constant__ mis_graph g,
                     const __grid_constant__ rounds r) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    struct rounds_state *state = r.state;
    const uint32_t begin[MIS_GROUPS] = {0, state->end[MIS_BLOCKS],
                                        state->end[MIS_WARP_ROWS]};
    uint32_t now = 0, round = 0, left;
    do {
        const bool first = round == 0;
        uint32_t *list = r.list[now], *next = r.list[!now];
        uint32_t *count = state->count[now], *kept = state->count[!now];
        judge_group<GG_BLOCK>(g, r, list, begin[0], gg_peek(&count[0]), first);
        judge_group<GG_WARP>(g, r, list, begin[1], gg_peek(&count[1]), first);
        judge_group<1>(g, r, list, begin[2], gg_peek(&count[2]), first);
        grid.sync();
        gg_late();
        for (int i = 0; i < MIS_GROUPS; i++)
            apply_verdicts(g, r, list, next, begin[i], gg_peek(&count[i]), &kept[i],
                           first);
        if (gg_thread() == 0) {
            state->rounds = round + 1;
            if (round % STOP_ROUNDS == STOP_ROUNDS - 1)
                state->over = *(const volatile uint32_t *)g.stop;
        }
        grid.sync();
        gg_late();
        /* Nobody looks at the old counts before the next barrier. */
        if (gg_thread() == 0)
            for (int i = 0; i < MIS_GROUPS; i++)
                gg_put(&count[i], 0u);
        left = gg_peek(&kept[0]) + gg_peek(&kept[1]) + gg_peek(&kept[2]);
        left = gg_peek(&state->over) ? 0 : left;
        now = !now;
        round++;
    } while (left > 0);
}

/* One thread per row. */
static __global__ void write_members(mis_graph g) {
    for (uint64_t r = gg_thread(); r < g.n; r += gg_threads_of_grid())
        g.member[mis_number(g, (uint32_t)r)] = g.word[r] == MIS_JOINED;
}

/* ---- driver ---- */

static void carve_mis_rounds(struct workspace *space, struct mis_graph *g,
                             struct rounds *r, struct mis_renumbered *renumbered) {
    r->state = gg_carve<struct rounds_state>(space, 1);
    r->list[0] = gg_carve<uint32_t>(space, g->n);
    r->list[1] = gg_carve<uint32_t>(space, g->n);
    r->verdict = gg_carve<uint8_t>(space, g->n);
    g->word = gg_carve<uint32_t>(space, g->n);
    g->member = gg_carve<uint8_t>(space, g->n);
    gg_mis_carve_renumbered(space, g, renumbered);
}

static bool launch_rounds(struct cuda_job *job, const struct mis_graph *g,
                          const struct rounds *r) {
    const struct cooperative_kernel kernel = {(const void *)decide_in_rounds,
                                              "decide_in_rounds", GG_BLOCK, 0};
    void *arguments[] = {(void *)g, (void *)r};
    /* A warp for every row, as far as there is room. */
    unsigned blocks =
        gg_grid(job, (uint64_t)g->n * GG_WARP, gg_blocks_at_once(job, &kernel));
    return gg_launch_cooperative(job, &kernel, blocks, arguments);
}

bool gg_mis_rounds(struct cuda_job *job, struct mis_graph *g, struct mis_report *report) {
    struct workspace space = {NULL, 0};
    struct rounds r = {NULL, {NULL, NULL}, NULL};
    struct mis_renumbered renumbered = mis_renumbered();
    struct rounds_state state;
    unsigned grid = gg_grid(job, g->n, 16);
    carve_mis_rounds(&space, g, &r, &renumbered);
    if (!gg_workspace(job, &space))
        return false;
    carve_mis_rounds(&space, g, &r, &renumbered);
    gg_mark(job, GG_BEGAN);
    if (!gg_fill(job, r.state, 0, sizeof *r.state) ||
        !gg_mis_renumber(job, g, &renumbered, r.state->end))
        return false;
    first_words<<<grid, GG_BLOCK, 0, job->stream>>>(*g, r);
    if (!gg_launched(job, "first_words") || !launch_rounds(job, g, &r))
        return false;
    write_members<<<grid, GG_BLOCK, 0, job->stream>>>(*g);
    if (!gg_launched(job, "write_members") || !gg_mark(job, GG_ENDED) ||
        !gg_fetch(job, &state, r.state, sizeof state))
        return false;
    snprintf(report->text, sizeof report->text,
             "%u rounds, %u rows by blocks, %u by warps", state.rounds,
             state.end[MIS_BLOCKS], state.end[MIS_WARP_ROWS] - state.end[MIS_BLOCKS]);
    return true;
}
