/* Breadth-first search on the device by the whole grid. One cooperative kernel runs level
** after level, with a grid barrier between them. bfs.cuh has the queue.
**
**     DOWN     All warps share the frontier's arcs equally, 32 x SPAN arcs at a time.
**     SWEEP    The first bottom-up level. Each unvisited vertex checks its hub, then a
**              handful of its neighbours. Then its warp checks the other neighbours. One
**              warp owns a word of the bitmap and writes it whole, into the other bitmap.
**     LIST     Later bottom-up levels, over a list of the unvisited vertices. Threads
**              read depths, not the bitmap, so the bitmap can be changed in place.
**     COLLECT  Moves the frontier that a SWEEP found back to the queue.
**
** The hub of a vertex is the vertex by which the latest search has found it. Once the
** frontier explodes the hub is nearly always visited, so most vertices are found by one
** sequential load and one bit. The choice of the direction follows Beamer, Asanovic and
** Patterson (SC 2012). The handful of neighbours follows cuGraph. */
#include "wide_steps.cuh"
#include "base/arrivals.cuh"

/* A step with this many arcs also looks at the stop flag, which is in host memory. */
#define GG_BFS_STOP_ARCS 1000000
/* The kernel gives up after this many looks at a barrier, about half a minute. Only a
** fault can cause this. */
#ifndef GG_BFS_MOST_LOOKS
#define GG_BFS_MOST_LOOKS (1u << 26)
#endif

/* ---- between steps: the first thread of each block ---- */

static __device__ void choose_step(const wide &w, state *s) {
    const uint64_t average = w.g.m / (w.g.n + 1) + 1;
    const bool looks_pay = s->arcs * (uint64_t)GG_BFS_DEVICE_ALPHA >
                               w.g.m - (s->seen < w.g.m ? s->seen : w.g.m) &&
                           s->arcs * (uint64_t)GG_BFS_LEAST > w.g.m;
    if (s->mode == SWEEP) {
        bool few = s->rest <= GG_BFS_FEW ||
                   s->rest * (uint64_t)GG_BFS_LOOKS <= s->newest * average;
        s->mode = few ? LIST : COLLECT;
        return;
    }
    s->mode = DOWN;
    if (s->has_rest) {
        s->mode = s->rest * (uint64_t)GG_BFS_LOOKS < s->arcs ? LIST : DOWN;
    } else if (looks_pay) {
        s->explodes = 1;
        s->mode = w.below.rows.begin ? SWEEP : DOWN;
    }
    bool calm = s->mode == DOWN && s->entries <= w.shape.narrow_in &&
                s->arcs <= GG_BFS_NARROW_ROW * (uint64_t)w.shape.narrow_in;
    s->calm = calm ? s->calm + 1 : 0;
    if (s->calm > GG_BFS_NARROW_LEVELS) {
        s->next = BFS_NARROW;
        s->mode = DONE;
    }
}

static __device__ void begin_wide(const wide &w, state *s) {
    const bfs_control *c = w.b.control;
    *s = state();
    static_cast<bfs_progress &>(*s) = *c;
    s->entries = (uint32_t)c->frontier;
    s->arcs = (uint32_t)(c->frontier >> 32);
    choose_step(w, s);
}

/* Waits for all blocks. Returns the sum of the `found` of all blocks. */
static __device__ uint64_t wait_for_grid(const wide &w, const state &s, uint64_t found) {
    bfs_control *c = w.b.control;
    unsigned long long *arrived = &c->step[s.phase % 3].arrived;
    if (blockIdx.x == 0 && (s.arcs >= GG_BFS_STOP_ARCS || s.phase % 64 == 0) &&
        *(const volatile uint32_t *)w.bounds.stop != 0) {
        atomicOr(&c->failed, 2u);
        c->step[s.phase % 3].stop = 1;
    }
    gg_late();
    __threadfence();
    uint64_t word = gg_arrive_with(arrived, found << 16 | 1);
    for (uint32_t looks = 0; (word & 0xffff) + (looks == 0) < gridDim.x; looks++) {
        word = gg_arrivals(arrived);
        if (looks > GG_BFS_MOST_LOOKS)
            atomicOr(&c->failed, 1u);
        if (looks % 1024 == 1023 && (gg_peek(&c->failed) & 1))
            break;
    }
    gg_late();
    word = gg_arrivals(arrived);
    __threadfence();
    return word >> 16;
}

/* Ends a step: its results become the frontier, and the next step is chosen. */
static __device__ void end_wide_step(const wide &w, state *s, uint64_t found) {
    bfs_control *c = w.b.control;
    bfs_step *step = &c->step[s->phase % 3];
    bfs_size size = gg_peek(&step->size);
    uint32_t rest = gg_peek(&step->rest);
    bool ends = gg_peek(&step->stop) || (gg_peek(&c->failed) & 1);
    s->missing -= gg_peek(&step->hits);
    if (blockIdx.x == 0)
        /* All blocks have left the previous step. */
        c->step[(s->phase + 2) % 3] = bfs_step();
    s->phase++;
    s->seen += s->mode == DOWN ? s->arcs : 0;
    s->newest = found;
    s->reached += found;
    s->level += s->mode != COLLECT;
    s->bottom_up += s->mode == SWEEP || s->mode == LIST;
    if (s->mode == SWEEP || s->mode == LIST) {
        s->side = 1 - s->side;
        s->rest = rest;
        s->has_rest = 1;
    }
    s->odd ^= s->mode == SWEEP;
    s->first = s->tail;
    s->entries = (uint32_t)size;
    s->arcs = (uint32_t)(size >> 32);
    s->tail += s->entries;
    bool over = (s->mode == SWEEP ? found == 0 : s->entries == 0) ||
                s->level >= w.bounds.max_depth || ends ||
                (w.bounds.targets && s->missing == 0) ||
                (w.bounds.limit > 0 && s->reached >= w.bounds.limit);
    if (over) {
        s->next = BFS_OVER;
        s->mode = DONE;
    } else {
        choose_step(w, s);
    }
}

static __device__ void leave_grid(const wide &w, const state &s) {
    bfs_control *c = w.b.control;
    static_cast<bfs_progress &>(*c) = s;
    c->frontier = (bfs_size)s.arcs << 32 | s.entries;
    c->turns++;
}

/* ---- the kernel ---- */

/* Cooperative. */
static __global__ void __launch_bounds__(BLOCK, 1)
    wide_levels(const __grid_constant__ wide w) {
    __shared__ state s;
    __shared__ uint32_t found_by_block;
    __shared__ uint32_t find_pile[WARPS][PILE], rest_pile[WARPS][PILE];
    if (w.b.control->next != BFS_WIDE)
        return;
    if (threadIdx.x == 0) {
        begin_wide(w, &s);
        found_by_block = 0;
    }
    __syncthreads();
    /* All blocks have read the same control, because no block writes to control before
    ** all blocks have passed a barrier, and a launch has at least one step. */
    while (s.mode != DONE) {
        pile finds = {find_pile[threadIdx.x / GG_WARP], 0};
        pile rest = {rest_pile[threadIdx.x / GG_WARP], 0};
        uint32_t found = 0;
        if (s.mode == DOWN)
            found = go_down(w, s, &finds);
        else if (s.mode == SWEEP)
            found = sweep(w, s, &rest);
        else if (s.mode == LIST)
            found = look_at_rest(w, s, &finds, &rest);
        else
            collect_sweep(w, s, &finds);
        if (gg_lane() == 0 && found > 0)
            atomicAdd(&found_by_block, found);
        flush_rest(w, s, rest);
        /* flush_piles has a barrier of the block. */
        flush_piles(w.g, w.b.queue + s.tail, &w.b.control->step[s.phase % 3].size, finds);
        __syncthreads();
        if (threadIdx.x == 0) {
            uint64_t all = wait_for_grid(w, s, found_by_block);
            end_wide_step(w, &s, all);
            found_by_block = 0;
        }
        __syncthreads();
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        leave_grid(w, s);
}

bool gg_bfs_wide(cuda_job *job, const device_csr *g, const bfs_below *below,
                 const bfs_arrays *b, bfs_bounds bounds, bfs_shape shape) {
    wide w = {*g, *below, *b, bounds, shape};
    void *arguments[] = {&w};
    const cooperative_kernel kernel = {(const void *)wide_levels, "wide_levels", BLOCK,
                                       0};
    return gg_launch_cooperative(job, &kernel, (unsigned)job->device->processors,
                                 arguments);
}
