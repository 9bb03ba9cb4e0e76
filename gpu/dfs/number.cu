/* Preorder and postorder numbers of a finished tree or forest, on the device: those that
** tree/number.c gives, children and roots by vertex number, without a walk.
**
**     children   vertices sorted by parent; roots are the children of "n"
**     tour       2 v: v is entered, 2 v + 1: v is finished; each has one successor
**                    entered  ->  first child entered, or v finished
**                    finished ->  next sibling entered, or parent finished
**     place      of each in the tour, by list ranking: a thread for each splitter (one
**                element in SPREAD, by a hash) walks to the next one, then splitters
**                learn their distance from the end by pointer jumping
**
**     preorder   (place of entered + depth) / 2       entered before: e, finished: f,
**     postorder  (place of finished - depth - 1) / 2  place = e + f, depth = e - f
**
** List ranking after Helman and JaJa (2001) and Wyllie (1979). */
#include "dfs.cuh"
#include "graph/frontier.cuh"

#include <cub/device/device_radix_sort.cuh>

enum {
    SPREAD = 64,       /* elements of the tour for each splitter: a walk of 64 steps */
    LEAST_TREE = 32768 /* vertices: some forty kernels take half a millisecond */
};
static_assert((SPREAD & (SPREAD - 1)) == 0, "a mask finds splitters");

#define END_OF_TOUR UINT32_MAX

static __device__ bool splits(uint32_t element) {
    return (gg_fixed_hash(element) & (SPREAD - 1)) == 0;
}

/* ---- the tour ---- */

/* One thread per vertex. */
static __global__ void sort_keys(struct numbering t) {
    for (uint64_t v = gg_thread(); v < t.n; v += gg_threads_of_grid()) {
        bool there = t.depth[v] != GPUGRAPH_NONE;
        t.key[v] = !there ? t.n + 1 : t.depth[v] == 0 ? t.n : t.parent[v];
        t.vertex[v] = (uint32_t)v;
        if (there)
            t.next[2 * v] = (uint32_t)(2 * v + 1);
    }
}

/* One thread per child. *head: the first element. */
static __global__ void link_tour(struct numbering t) {
    for (uint64_t i = gg_thread(); i < t.reached; i += gg_threads_of_grid()) {
        uint32_t v = t.child[i], up = t.child_of[i];
        bool first = i == 0 || t.child_of[i - 1] != up;
        bool last = i + 1 == t.reached || t.child_of[i + 1] != up;
        if (first && up < t.n)
            t.next[2 * (uint64_t)up] = 2 * v;
        if (first && up == t.n)
            t.count->head = 2 * v;
        t.next[2 * (uint64_t)v + 1] = !last      ? 2 * t.child[i + 1]
                                      : up < t.n ? 2 * up + 1
                                                 : END_OF_TOUR;
    }
}

/* ---- list ranking ---- */

/* One thread per vertex: splitters among its two elements get a slot, place says which.
** The head is one. */
static __global__ void choose_splitters(struct numbering t) {
    uint64_t whole = gg_whole_warps(t.n);
    for (uint64_t v = gg_thread(); v < whole; v += gg_threads_of_grid()) {
        bool there = v < t.n && t.depth[v] != GPUGRAPH_NONE;
        for (uint32_t e = (uint32_t)(2 * v), i = 0; i < 2; i++, e++) {
            bool chosen = there && (splits(e) || e == t.count->head);
            uint32_t slot = gg_reserve(&t.count->splitters, chosen);
            if (chosen && slot < t.slots) {
                t.splitter[slot] = e;
                t.place[e] = slot;
            }
        }
    }
}

/* One thread per splitter: elements up to the next one learn their splitter (next) and
** how far behind it they are (place). jump: next splitter << 32 | distance. */
static __global__ void walk_tour(struct numbering t, uint32_t splitters) {
    uint32_t head = t.count->head;
    for (uint64_t s = gg_thread(); s < splitters; s += gg_threads_of_grid()) {
        uint32_t e = t.next[t.splitter[s]], steps = 1;
        while (e != END_OF_TOUR && !splits(e) && e != head) {
            uint32_t after = t.next[e];
            t.next[e] = (uint32_t)s;
            t.place[e] = steps++;
            e = after;
        }
        uint32_t to = e == END_OF_TOUR ? END_OF_TOUR : t.place[e];
        t.jump[s] = (uint64_t)to << 32 | steps;
    }
}

/* One thread per splitter: twice as far. */
static __global__ void leap(const uint64_t *jump, uint64_t *farther, uint32_t splitters) {
    for (uint64_t s = gg_thread(); s < splitters; s += gg_threads_of_grid()) {
        uint64_t mine = jump[s];
        if (mine >> 32 != END_OF_TOUR) {
            uint64_t other = jump[mine >> 32];
            mine = (other >> 32) << 32 | (uint32_t)(mine + (uint32_t)other);
        }
        farther[s] = mine;
    }
}

static __device__ uint64_t place_in_tour(const struct numbering &t, const uint64_t *jump,
                                         uint32_t e) {
    bool splitter = splits(e) || e == t.count->head;
    uint32_t slot = splitter ? t.place[e] : t.next[e];
    uint64_t from_end = (uint32_t)jump[slot];
    return 2 * (uint64_t)t.reached - from_end + (splitter ? 0 : t.place[e]);
}

/* One thread per vertex. */
static __global__ void write_numbers(struct numbering t, const uint64_t *jump) {
    for (uint64_t v = gg_thread(); v < t.n; v += gg_threads_of_grid()) {
        uint32_t depth = t.depth[v], pre = GPUGRAPH_NONE, post = GPUGRAPH_NONE;
        if (depth != GPUGRAPH_NONE) {
            pre = (uint32_t)((place_in_tour(t, jump, (uint32_t)(2 * v)) + depth) / 2);
            post =
                (uint32_t)((place_in_tour(t, jump, (uint32_t)(2 * v + 1)) - depth - 1) /
                           2);
        }
        t.preorder[v] = pre;
        t.postorder[v] = post;
    }
}

/* ---- driver ---- */

static int key_bits(uint32_t n) {
    int bits = 1;
    while (bits < 32 && (n + 1) >> bits)
        bits++;
    return bits;
}

bool gg_dfs_numbers_fit(uint32_t n) {
    return n >= LEAST_TREE && n < UINT32_MAX / 2;
}

void gg_dfs_number_carve(struct workspace *space, uint32_t n, struct numbering *t) {
    t->n = n;
    t->slots = n / (SPREAD / 4) + 1024; /* twice what the hash gives */
    t->key = gg_carve<uint32_t>(space, 2 * (uint64_t)n);
    t->vertex = t->key ? t->key + n : NULL;
    t->place = t->key; /* once they are sorted */
    t->child_of = gg_carve<uint32_t>(space, n);
    t->child = gg_carve<uint32_t>(space, n);
    t->preorder = t->child_of; /* once the tour is linked */
    t->postorder = t->child;
    t->next = gg_carve<uint32_t>(space, 2 * (uint64_t)n);
    t->splitter = gg_carve<uint32_t>(space, t->slots);
    t->jump = gg_carve<uint64_t>(space, t->slots);
    t->farther = gg_carve<uint64_t>(space, t->slots);
    t->count = gg_carve<struct numbering_count>(space, 1);
    t->scratch_bytes = 0;
    cub::DeviceRadixSort::SortPairs(NULL, t->scratch_bytes, t->key, t->child_of,
                                    t->vertex, t->child, (int64_t)n, 0, key_bits(n));
    t->scratch = gg_carve<unsigned char>(space, t->scratch_bytes);
}

bool gg_dfs_number(struct cuda_job *job, struct numbering *t) {
    unsigned grid = gg_grid(job, t->n, 16);
    struct numbering_count count;
    gg_fill(job, t->count, 0, sizeof *t->count);
    sort_keys<<<grid, GG_BLOCK, 0, job->stream>>>(*t);
    gg_launched(job, "sort_keys");
    gg_note(job,
            cub::DeviceRadixSort::SortPairs(
                t->scratch, t->scratch_bytes, t->key, t->child_of, t->vertex, t->child,
                (int64_t)t->n, 0, key_bits(t->n), job->stream),
            "sort vertices by parent");
    link_tour<<<grid, GG_BLOCK, 0, job->stream>>>(*t);
    gg_launched(job, "link_tour");
    choose_splitters<<<grid, GG_BLOCK, 0, job->stream>>>(*t);
    gg_launched(job, "choose_splitters");
    if (!gg_fetch(job, &count, t->count, sizeof count))
        return false;
    if (count.splitters > t->slots) {
        gg_fail(job->run, GPUGRAPH_DEVICE_FAILED,
                "a tour of %u vertices has %u splitters, which cannot be: please report "
                "this graph",
                t->n, count.splitters);
        return false;
    }
    unsigned few = gg_grid(job, count.splitters, 16);
    walk_tour<<<few, GG_BLOCK, 0, job->stream>>>(*t, count.splitters);
    gg_launched(job, "walk_tour");
    uint64_t *jump = t->jump, *farther = t->farther;
    for (uint64_t reach = 1; reach < count.splitters; reach *= 2) {
        leap<<<few, GG_BLOCK, 0, job->stream>>>(jump, farther, count.splitters);
        gg_launched(job, "leap");
        uint64_t *other = jump;
        jump = farther;
        farther = other;
    }
    write_numbers<<<grid, GG_BLOCK, 0, job->stream>>>(*t, jump);
    return gg_launched(job, "write_numbers") && gg_wait(job);
}
