/* What the parts of the engine "persistent" share: its memory, its lists, its grid
** barrier.
**
**     distance   origin ...  current bucket  ... BUCKETS - 1 of them ...  the rest
**                  final        relaxed now           listed apart       one pile
**
**     lists      n vertices each: one for each bucket, two for the rest (one in use, one
**                being filled), two for rounds (read, written), one for messages
**     stage      of each warp, in shared memory: vertices on their way into lists; one
**                atomic addition reserves places for hundreds of them
**     meet       the grid barrier; struct board then holds what all blocks counted
**
** With both_ends<type> there are 2 n vertices. Vertex n + v stands for v on paths to the
** target: its arcs are those of the transpose, its distance is that to the target
** (persistent_ends.cuh). With in_parts<type> a vertex is a place in a partition, which
** has the rows of some vertices (distributed/sssp).
**
** A vertex enters the list of a bucket once, because a thread that lowers its distance
** learns the former bucket from the atomic minimum. So a list needs no more room than n.
** An entry whose vertex has left the bucket is stale, and is dropped when it is read. A
** vertex enters the list of a round once, because mark[v] is the last round that it was
** listed for. */
#ifndef GPUGRAPH_SSSP_PERSISTENT_CUH
#define GPUGRAPH_SSSP_PERSISTENT_CUH

#include "base/arrivals.cuh"
#include "graph/frontier.cuh"
#include "sssp.cuh"

/* Steps of the kernel, compiled into their callers. */
#define SSSP_STEP static __device__ __forceinline__

/* Threads of a block (H100: with 256 a mesh of 16 million vertices takes 11 % longer). */
#ifndef GG_PERSISTENT_BLOCK /* a test has smaller ones */
#define GG_PERSISTENT_BLOCK 512
#endif
/* Buckets become wider by this factor once a rest has less than the share `fall` of the
** previous rest. */
#define GG_PERSISTENT_WIDER 4

enum {
    BUCKETS = 8, /* the last one is the rest */
    REST = BUCKETS - 1,
    /* lists */
    REST_LIST = REST, /* and the list behind it */
    ROUND_LIST = REST + 2,
    OUT_LIST = REST + 4, /* in_parts: vertices for messages to other partitions */
    LISTS = REST + 5,
    /* flags of struct round */
    STOPPED = 1,
    LONG_ROWS = 2,
    STAGE = 256,     /* entries */
    STAGE_FULL = 96, /* entries from which a stage is emptied between two sweeps */
    UNROLL = 4,      /* arcs of a lane in a sweep over a tile */
    SWEEP = UNROLL * GG_WARP, /* arcs of a warp in a sweep */
    LOCAL_ROW = 64,           /* degree up to which local rounds take a row */
    /* batches of a warp before the next grid barrier: some milliseconds */
    LOCAL_BATCHES = 4096,
    LOCAL_LOOKS = 1 << 26, /* empty polls after which a warp's ring counts as broken */
    RING = 64,             /* entries of a warp's ring, a power of two */
    STOP_ROUNDS = 64       /* rounds between two polls of the host's word */
};

enum {
    WARPS = GG_PERSISTENT_BLOCK / GG_WARP,
    LOCAL_SHARE = GG_PERSISTENT_BLOCK / 2, /* vertices that a block begins with */
    BLOCKS_TO_FIT = 2 /* on a multiprocessor: 64 registers for each thread */
};

/* Counters of one round. Three take turns: one is added to, one may still be read, one is
** cleared. */
struct round {
    uint32_t vertices, slices, settled, flags;
    uint32_t taken, slices_taken; /* entries that blocks have taken */
};

struct board { /* one cache line, read after every barrier */
    uint32_t count[LISTS];
    struct round round[3];
    uint32_t spare[32 - LISTS - 18];
};
static_assert(sizeof(struct board) == 128, "a warp reads the board at once");

struct persistent_state {
    struct board board;
    uint32_t arrived, failed;
    uint32_t dropped, early;
    unsigned long long least; /* the least distance in the rest */
    /* From both ends; three take turns, like the rounds of the board. */
    unsigned long long path[3];     /* length of the shortest path seen in that round */
    unsigned long long lightest[2]; /* arc at the source, at the target */
    /* vertices of that end: newly reached ones minus settled ones */
    int32_t waiting[3][2];
    /* reported at the end */
    uint32_t rounds, buckets, barriers;
    unsigned long long served;
};
static_assert(sizeof(struct persistent_state) <= GG_MAILBOX,
              "the mailbox holds the state");

/* A message to the owner of a vertex on another device. */
template <typename type> struct alignas(2 * sizeof(typename type::word)) letter {
    typename type::word distance;
    uint32_t place;
};

template <typename type> struct persistent {
    device_csr g;
    const uint64_t *fixed; /* fixed arcs, for local rounds; or NULL */
    light_arcs light;      /* arcs to relax if vertices beyond a bound pull */
    uint32_t first;    /* in_parts: g has the rows of vertices first .. first + g.n - 1 */
    device_csr back;   /* from both ends: rows of vertices from n on */
    uint64_t vertices; /* from both ends 2 g.n */
    bounds<typename type::plain> limits;
    persistent_state *state;
    typename type::word *distance;
    uint32_t *list, *mark, *ends;
    uint64_t *slice;      /* vertex << 32 | number, for slices of long rows */
    uint64_t limit;       /* vertices to settle; 0: no limit */
    double delta;         /* bucket width, except near the end of the search */
    device_csr transpose; /* the transpose, for vertices that pull */
    /* from the end of a bucket of over `crowd` vertices to the bound; 0: no bound */
    double reach;
    uint32_t crowd;
    typename type::span per_bucket_after;
    double fall; /* share of the rest below which buckets become wider; 0: never */
    bool local;  /* small rounds stay within blocks */
    /* Powers of 2: */
    uint32_t group;      /* lanes for a vertex in a local round */
    uint32_t slice_arcs; /* arcs of a slice; longer rows are cut into slices */
};

/* The state of the search, equal in all threads of all blocks. */
template <typename type> struct place {
    typename type::word origin;
    typename type::span per_bucket; /* 1 / bucket width */
    uint32_t bucket, side;          /* current bucket; which list of the rest is in use */
    uint32_t round;                 /* from 1; its counters are board.round[round % 3] */
    uint32_t rest;                  /* entries of the last rest that was distributed */
    typename type::word bound;      /* no larger sum is pushed; unreached(): no bound */
    bool lightly;                   /* only light arcs lead to a sum within the bound */
    bool pulled;                    /* the vertices beyond the bound have pulled */
};

struct stage {
    uint32_t staged, tally[LISTS], first[LISTS];
    uint32_t vertex[STAGE];
    uint8_t list[STAGE], rank[STAGE];
};
static_assert(STAGE <= 256, "a rank has eight bits");

/* True if vertices of such a search can pull. */
template <typename type> static __host__ __device__ constexpr bool can_pull() {
    return type::ends == 1;
}

template <typename type> struct tile { /* one per warp */
    uint32_t first[GG_WARP];           /* arcs before each row */
    uint64_t begin[GG_WARP];
    typename type::word from[GG_WARP];
};

/* The state of a search from both ends. All members but `seen` and `now` are equal in all
** blocks between two grid barriers. [0]: the source's half, [1]: the target's half. */
template <typename type> struct found_paths {
    typedef typename type::word word;
    unsigned long long seen;     /* shortest path that the block has seen */
    int32_t now[2];              /* change of `waiting` by the block in this round */
    unsigned long long shortest; /* length of the shortest path so far; all bits: none */
    word bound;                  /* no shortest path is longer */
    int32_t waiting[2];          /* vertices that are reached and not settled */
    /* weight of the lightest arc at that end: a lower bound of all distances */
    unsigned long long lightest[2];
    /* In this bucket: */
    word low[2];   /* lower bound of distances that are not settled */
    word known[2]; /* distances up to it are final */
    /* Farther vertices are settled in the other half, or are on no shortest path. */
    word reach[2];
    bool over;
    /* the length of the shortest path is known; only paths of this length are followed */
    bool finishing;
    uint32_t list; /* when finishing: lists up to this one have been read */
};

/* in_parts: the messages to read in this round, sender by sender. */
enum { SENDERS = 16, TOLD_WORDS = 8 };
template <bool parts> struct mail {};
template <> struct mail<true> {
    uint64_t told[TOLD_WORDS]; /* counts of all devices at the last barrier */
    uint32_t count[SENDERS];   /* aligned, so that wide loads read no other word */
    const void *letter[SENDERS];
    uint32_t listed; /* entries of the round's list, which come before messages */
};

template <typename type> struct block_memory {
    struct board board;
    struct mail<type::parts> mail;
    uint32_t settled, served;
    unsigned long long least;
    found_paths<type> paths;
    bool met;
    struct stage stage[WARPS];
    union {
        struct tile<type> tile[WARPS];
        struct {              /* a ring for each warp */
            uint32_t pending; /* entries in rings, or taken by a warp and not done */
            uint32_t leaving; /* no entry may be added to rings */
            uint32_t used[WARPS], tail[WARPS];
            uint32_t vertex[WARPS][RING]; /* NONE: the entry is not written yet */
            uint32_t degree[WARPS][RING];
            uint64_t begin[WARPS][RING];
            typename type::word from[WARPS][RING];
        } own;
    };
};

/* ---- buckets ---- */

/* The bucket of a distance. It does not decrease when d grows, in spite of rounding. Only
** buckets decide the order of the search. */
template <typename type>
SSSP_STEP uint32_t bucket_of(const place<type> &at, typename type::word d) {
    if (d <= at.origin)
        return 0;
    typename type::span buckets = type::apart(at.origin, d) * at.per_bucket;
    return buckets < (typename type::span)REST ? (uint32_t)buckets : REST;
}

/* True if the arcs of such a search can be fixed: they have words of 32 bits. */
template <typename type> static __host__ __device__ constexpr bool can_be_fixed() {
    return can_pull<type>() && sizeof(typename type::weight) == sizeof(uint32_t);
}

template <typename type> SSSP_STEP bool is_bounded(const place<type> &at) {
    return can_pull<type>() && at.bound != type::unreached();
}

/* True if `d` is final once the current bucket is done. */
template <typename type>
SSSP_STEP bool is_final(const place<type> &at, typename type::word d) {
    return bucket_of(at, d) <= at.bucket && (!can_pull<type>() || d <= at.bound);
}

/* ---- lists ---- */

template <typename type>
SSSP_STEP uint32_t *list_at(const persistent<type> &p, uint32_t list) {
    return p.list + list * p.vertices;
}

/* True if the rows of v are on this device. */
template <typename type> SSSP_STEP bool is_here(const persistent<type> &p, uint32_t v) {
    return !type::parts || v - p.first < p.g.n;
}

/* The list that the next round reads. */
template <typename type> SSSP_STEP uint32_t next_list(const place<type> &at) {
    return ROUND_LIST + at.round % 2;
}

/* in_parts: the counter of OUT_LIST. Two take turns, in places of the board that the
** lists of rounds do not use. */
template <typename type>
SSSP_STEP uint32_t *out_counter(const persistent<type> &p, uint32_t round) {
    return &p.state->board.count[ROUND_LIST + round % 2];
}

template <typename type>
SSSP_STEP uint32_t *counter_of(const persistent<type> &p, const place<type> &at,
                               uint32_t list) {
    board *board = &p.state->board;
    if (type::parts && list == OUT_LIST)
        return out_counter(p, at.round);
    return list == ROUND_LIST || list == ROUND_LIST + 1
               ? &board->round[at.round % 3].vertices
               : &board->count[list];
}

SSSP_STEP uint32_t warp_of_block() {
    return threadIdx.x / GG_WARP;
}

/* Stages v for a list. If the stage is full, v goes into the list at once. */
template <typename type>
SSSP_STEP void put(const persistent<type> &p, const place<type> &at,
                   block_memory<type> &m, uint32_t list, uint32_t v) {
    stage &s = m.stage[warp_of_block()];
    uint32_t i = atomicAdd(&s.staged, 1u);
    if (i < STAGE) {
        s.vertex[i] = v;
        s.list[i] = (uint8_t)list;
        s.rank[i] = (uint8_t)atomicAdd(&s.tally[list], 1u);
    } else {
        list_at(p, list)[atomicAdd(counter_of(p, at, list), 1u)] = v;
    }
}

/* Writes the staged vertices to the places that `first` says. */
template <typename type> SSSP_STEP void unload(const persistent<type> &p, stage &s) {
    uint32_t staged = s.staged < STAGE ? s.staged : STAGE;
    for (uint32_t i = gg_lane(); i < staged; i += GG_WARP)
        list_at(p, s.list[i])[s.first[s.list[i]] + s.rank[i]] = s.vertex[i];
    __syncwarp();
    if (gg_lane() == 0)
        s.staged = 0;
    __syncwarp();
}

/* Empties the warp's stage beyond STAGE_FULL entries. The whole warp calls. */
template <typename type>
SSSP_STEP void make_room(const persistent<type> &p, const place<type> &at,
                         block_memory<type> &m) {
    stage &s = m.stage[warp_of_block()];
    __syncwarp();
    uint32_t staged = *(volatile uint32_t *)&s.staged;
    if (__shfl_sync(ALL_LANES, staged, 0) <= STAGE_FULL)
        return;
    if (gg_lane() < LISTS) {
        uint32_t some = s.tally[gg_lane()];
        s.tally[gg_lane()] = 0;
        if (some > 0)
            s.first[gg_lane()] = atomicAdd(counter_of(p, at, gg_lane()), some);
    }
    __syncwarp();
    unload(p, s);
}

/* Empties the stages of all warps with one atomic addition for each list. The whole block
** calls. */
template <typename type>
static __device__ void unload_all(const persistent<type> &p, const place<type> &at,
                                  block_memory<type> &m) {
    __syncthreads();
    if (threadIdx.x < LISTS) {
        uint32_t some = 0, next = 0;
        for (uint32_t w = 0; w < WARPS; w++)
            some += m.stage[w].tally[threadIdx.x];
        if (some > 0)
            next = atomicAdd(counter_of(p, at, threadIdx.x), some);
        for (uint32_t w = 0; w < WARPS; w++) {
            m.stage[w].first[threadIdx.x] = next;
            next += m.stage[w].tally[threadIdx.x];
            m.stage[w].tally[threadIdx.x] = 0;
        }
    }
    __syncthreads();
    unload(p, m.stage[warp_of_block()]);
}

/* The distance of v has fallen from `before` into `bucket`, which is not the current one.
** Lists v for this bucket, unless it is listed there. */
template <typename type>
SSSP_STEP void list_far(const persistent<type> &p, const place<type> &at,
                        block_memory<type> &m, uint32_t v, uint32_t bucket,
                        typename type::word before) {
    if (before == type::unreached() || bucket_of(at, before) != bucket)
        put(p, at, m, bucket == REST ? REST_LIST + at.side : bucket, v);
}

/* Counts that v is newly reached (1) or settled (-1). */
template <typename type>
SSSP_STEP void note_waiting(const persistent<type> &p, block_memory<type> &m, uint32_t v,
                            int32_t change) {
    if (type::ends == 2)
        atomicAdd(&m.paths.now[v >= p.g.n], change);
}

template <typename type> SSSP_STEP bool is_finishing(const block_memory<type> &m) {
    return type::ends == 2 && m.paths.finishing;
}

/* v has entered the current bucket. */
template <typename type>
SSSP_STEP void settle(const persistent<type> &p, block_memory<type> &m, uint32_t v) {
    if (!is_here(p, v))
        return;
    note_waiting(p, m, v, -1);
    if (p.limit > 0)
        atomicAdd(&m.settled, 1u);
}

template <typename type>
SSSP_STEP bool first_in_bucket(const place<type> &at, typename type::word before) {
    return before == type::unreached() || bucket_of(at, before) != at.bucket;
}

/* Claims v for the list of this round. True for one thread only. */
template <typename type>
SSSP_STEP bool claim(const persistent<type> &p, const place<type> &at, uint32_t v) {
    return gg_peek(&p.mark[v]) != at.round &&
           atomicExch(&p.mark[v], at.round) != at.round;
}

/* True if the sum is within `most`, and from both ends within the bound. */
template <typename type>
SSSP_STEP bool in_range(const persistent<type> &p, const block_memory<type> &m,
                        typename type::word sum) {
    if (sum <= p.limits.most)
        return type::ends == 1 || sum <= m.paths.bound;
    if (!p.limits.tight)
        p.state->dropped = 1;
    return false;
}

/* ---- grid barrier ---- */

/* Nanoseconds after which a block that others wait for counts as lost. */
#define LOST_NS 10000000000ull

/* Waits, by one thread, until `wanted` arrivals are counted. False: it has given up. */
static __device__ bool wait_for(persistent_state *state, uint32_t wanted) {
    unsigned long long since = 0;
    for (uint32_t looks = 1; (int32_t)(gg_arrivals(&state->arrived) - wanted) < 0;
         looks++) {
        if (looks % 1024 != 0)
            continue;
        unsigned long long now = gg_nanoseconds();
        since = since ? since : now;
        if (now - since > LOST_NS)
            state->failed = 1;
        if (gg_peek(&state->failed))
            return false;
    }
    return true;
}

/* The grid barrier. The lists are then complete, and m.board has their lengths. Until the
** next barrier other blocks may change the board's words of the current round, so the
** caller must not read these. False: a block was lost, and all blocks leave. */
template <typename type>
static __device__ bool meet(persistent_state *state, uint32_t *barriers,
                            block_memory<type> &m) {
    ++*barriers;
    __syncthreads();
    if (threadIdx.x < GG_WARP) {
        bool met = true;
        if (threadIdx.x == 0) {
            gg_late();
            __threadfence();
            gg_arrive(&state->arrived);
            met = wait_for(state, *barriers * gridDim.x);
            __threadfence();
            m.met = met;
        }
        __syncwarp();
        reinterpret_cast<uint32_t *>(&m.board)[threadIdx.x] =
            gg_peek(reinterpret_cast<uint32_t *>(&state->board) + threadIdx.x);
    }
    __syncthreads();
    return m.met;
}

#endif
