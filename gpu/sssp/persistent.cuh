/* What the parts of the engine "persistent" share: its memory, its lists, its barrier.
**
**     distance   origin ...  current bucket  ... BUCKETS - 1 of them ...  the rest
**                  final        relaxed now           listed apart       one pile
**
**     lists      n vertices each: a bucket each, two piles for the rest (one in use, one
**                being filled), two for rounds (read, written), one of what is settled
**     stage      each warp's, in shared memory: vertices on their way into lists, so that
**                places are asked for once for hundreds of them
**     meet       all blocks have come here; what they counted is then in struct board
**
** With both_ends<type> there are 2 n vertices, of which n + v is v on ways to the target: its
** arcs are those of the transpose, its distance that to the target (persistent_ends.cuh).
** With in_parts<type> a vertex is a place, and the rows of some are there (distributed/sssp).
**
** Each vertex comes into a bucket's list once: who lowers a distance learns by the atomic
** minimum from which bucket it came. So a list has room for all that can ever come. An
** entry whose vertex has left the bucket meanwhile is stale and dropped when it is read.
** Into the list of a round it comes once by mark[v], the last round it was listed for. */
#ifndef GPUGRAPH_SSSP_PERSISTENT_CUH
#define GPUGRAPH_SSSP_PERSISTENT_CUH

#include "base/arrivals.cuh"
#include "graph/frontier.cuh"
#include "sssp.cuh"

/* Threads of a block. (H100: with 256 a mesh of 16 million vertices takes 11 %
** longer.) */
#ifndef GG_PERSISTENT_BLOCK /* a test has smaller ones */
#define GG_PERSISTENT_BLOCK 512
#endif
/* Where a rest has less than `fall` of the one before, buckets are that many times as
** wide from then on. */
#define GG_PERSISTENT_WIDER 4

enum {
    BUCKETS = 8, /* the last one is the rest */
    REST = BUCKETS - 1,
    /* lists */
    REST_LIST = REST, /* and the one behind it */
    ROUND_LIST = REST + 2,
    OUT_LIST = REST + 4, /* in_parts: messages for other partitions */
    LISTS = REST + 5,
    /* bits of struct round's flags */
    STOPPED = 1,
    LONG_ROWS = 2,
    STAGE = 256,     /* entries */
    STAGE_FULL = 96, /* from which it is emptied between two sweeps over a tile */
    UNROLL = 4,      /* arcs of a lane in such a sweep */
    SWEEP = UNROLL * GG_WARP, /* arcs of a warp in it */
    LOCAL_ROW = 64,           /* arcs of a row that it takes */
    LOCAL_BATCHES = 4096,     /* of a warp, after which all meet: some milliseconds */
    LOCAL_LOOKS = 1 << 26,    /* in vain, after which a warp's ring is taken for broken */
    RING = 64,                /* entries of a warp's ring, a power of two */
    STOP_ROUNDS = 64          /* rounds between two looks at the host's word */
};

enum {
    WARPS = GG_PERSISTENT_BLOCK / GG_WARP,
    LOCAL_SHARE = GG_PERSISTENT_BLOCK / 2, /* vertices that a block begins with */
    BLOCKS_TO_FIT = 2 /* on a multiprocessor: 64 registers for each thread */
};

/* What blocks add to in one round. Three in turn: one is added to, one may still be read,
** one is cleared. */
struct round {
    uint32_t vertices, slices, settled, flags;
    uint32_t taken, slices_taken; /* entries that blocks have asked for */
};

struct board { /* one line of memory, read after every barrier */
    uint32_t count[LISTS];
    struct round round[3];
    uint32_t spare[32 - LISTS - 18];
};
static_assert(sizeof(struct board) == 128, "a warp reads the board at once");

struct persistent_state {
    struct board board;
    uint32_t arrived, failed;
    uint32_t dropped, early;
    unsigned long long least; /* of the rest */
    /* From both ends; three in turn, as the board's rounds. */
    unsigned long long way[3];      /* the shortest one that was seen in that round */
    unsigned long long lightest[2]; /* arc of the source, of the target */
    int32_t waiting[3][2]; /* vertices of that end: newly reached, less settled ones */
    /* told at the end */
    uint32_t rounds, buckets, meetings;
    unsigned long long served;
};
static_assert(sizeof(struct persistent_state) <= GG_MAILBOX, "it is fetched at once");

/* What one device tells the owner of a vertex. */
template <typename type> struct alignas(2 * sizeof(typename type::word)) letter {
    typename type::word distance;
    uint32_t place;
};

template <typename type> struct persistent {
    device_csr g;
    const uint64_t *fixed;   /* arcs, where rounds stay within blocks; or NULL */
    struct light_arcs light; /* where vertices beyond a bound pull */
    uint32_t first;    /* in_parts: g has the rows of vertices first .. first + g.n - 1 */
    device_csr back;   /* from both ends: rows of n + v */
    uint64_t vertices; /* of all ends */
    bounds<typename type::plain> limits;
    struct persistent_state *state;
    typename type::word *distance;
    uint32_t *list, *mark, *ends;
    uint64_t *slice;   /* vertex << 32 | number, of a long row */
    uint64_t limit;    /* 0: none */
    double delta;      /* of a bucket, but in the tail of the search */
    device_csr turned; /* the transpose, where vertices beyond a bound pull */
    double reach; /* of that bound, behind a bucket of over `crowd` vertices; 0: none */
    uint32_t crowd;
    typename type::span per_bucket_after;
    double fall; /* of the rest, after which buckets become wider; 0: never */
    bool local;  /* small rounds stay within blocks */
    /* Powers of 2: */
    uint32_t group;      /* lanes to a vertex in such a round */
    uint32_t slice_arcs; /* arcs of a slice, into which longer rows are cut */
};

/* Where a block is in the search; the same in all threads of all blocks. */
template <typename type> struct place {
    typename type::word origin;
    typename type::span per_bucket; /* 1 / width of a bucket */
    uint32_t bucket, side;          /* current one; which pile of the rest is in use */
    uint32_t round;                 /* from 1; the board's is round % 3 */
    uint32_t rest;                  /* entries of the last one that was dealt out */
    typename type::word bound; /* nothing is pushed beyond it; unreached(): no bound */
    bool lightly;              /* light arcs alone lead to a sum within it */
    bool pulled;               /* all that lay beyond it did so */
};

struct stage {
    uint32_t staged, tally[LISTS], first[LISTS];
    uint32_t vertex[STAGE];
    uint8_t list[STAGE], rank[STAGE];
};
static_assert(STAGE <= 256, "a rank has eight bits");

/* Can vertices of that kind of search pull? */
template <typename type> static __host__ __device__ constexpr bool can_pull() {
    return type::ends == 1;
}

template <typename type> struct tile { /* of a warp */
    uint32_t first[GG_WARP];           /* arcs before each row */
    uint64_t begin[GG_WARP];
    typename type::word from[GG_WARP];
};

/* Of a search from both ends; all but `seen` and `now` is the same in all blocks, between the
** meetings. [0]: of the source's half, [1]: of the target's. */
template <typename type> struct ways {
    typedef typename type::word word;
    unsigned long long seen;        /* the shortest way that the block has come upon */
    int32_t now[2];                 /* as waiting, by the block in this round */
    unsigned long long shortest;    /* way so far; all bits: none */
    word bound;                     /* no shortest way is longer */
    int32_t waiting[2];             /* vertices that are reached and not settled */
    unsigned long long lightest[2]; /* arc of the end: others are as far away */
    /* In this bucket: */
    word low[2];   /* what is not settled is that far away at least */
    word known[2]; /* distances up to it are final */
    word reach
        [2]; /* farther vertices are settled in the other half, or on no shortest way */
    bool over;
    bool finishing; /* the shortest way's length is known, such ways alone are followed */
    uint32_t list;  /* then: the lists up to it have been taken in */
};

/* in_parts: the letters that are to be read in this round, sender by sender. */
enum { SENDERS = 16, TOLD_WORDS = 8 };
template <bool parts> struct mail {};
template <> struct mail<true> {
    uint64_t told[TOLD_WORDS]; /* by all devices, at the last meeting */
    uint32_t count[SENDERS];   /* aligned: wide loads of it read no other word */
    const void *letter[SENDERS];
    uint32_t listed; /* entries of the round's list, which come before them */
};

template <typename type> struct block_memory {
    struct board board;
    struct mail<type::parts> mail;
    uint32_t settled, served;
    unsigned long long least;
    struct ways<type> ways;
    bool met;
    struct stage stage[WARPS];
    union {
        struct tile<type> tile[WARPS];
        struct {              /* a ring for each warp */
            uint32_t pending; /* entries in rings or in the hands of a warp */
            uint32_t leaving; /* nothing more goes into rings */
            uint32_t used[WARPS], tail[WARPS];
            uint32_t vertex[WARPS][RING]; /* NONE: the entry is not there (yet) */
            uint32_t degree[WARPS][RING];
            uint64_t begin[WARPS][RING];
            typename type::word from[WARPS][RING];
        } own;
    };
};

/* ---- buckets ---- */

/* Does not fall when d grows, whatever is lost to rounding: that is all that the order of
** the search rests on. */
template <typename type>
static __device__ __forceinline__ uint32_t bucket_of(const struct place<type> &at,
                                                     typename type::word d) {
    if (d <= at.origin)
        return 0;
    typename type::span buckets = type::apart(at.origin, d) * at.per_bucket;
    return buckets < (typename type::span)REST ? (uint32_t)buckets : REST;
}

/* Can its arcs be fixed? They have words of 32 bits. */
template <typename type> static __host__ __device__ constexpr bool can_be_fixed() {
    return can_pull<type>() && sizeof(typename type::weight) == sizeof(uint32_t);
}

template <typename type>
static __device__ __forceinline__ bool is_bounded(const struct place<type> &at) {
    return can_pull<type>() && at.bound != type::unreached();
}

/* Is `d` final when the current bucket is done? */
template <typename type>
static __device__ __forceinline__ bool is_final(const struct place<type> &at,
                                                typename type::word d) {
    return bucket_of(at, d) <= at.bucket && (!can_pull<type>() || d <= at.bound);
}

/* ---- lists ---- */

template <typename type>
static __device__ __forceinline__ uint32_t *list_at(const struct persistent<type> &p,
                                                    uint32_t list) {
    return p.list + list * p.vertices;
}

/* Are v's arcs here? */
template <typename type>
static __device__ __forceinline__ bool is_here(const struct persistent<type> &p,
                                               uint32_t v) {
    return !type::parts || v - p.first < p.g.n;
}

/* Lists that a round is read from and written to. */
template <typename type>
static __device__ __forceinline__ uint32_t next_list(const struct place<type> &at) {
    return ROUND_LIST + at.round % 2;
}

/* in_parts: of OUT_LIST, two in turn: the places in the board of lists that have none there. */
template <typename type>
static __device__ __forceinline__ uint32_t *out_counter(const struct persistent<type> &p,
                                                        uint32_t round) {
    return &p.state->board.count[ROUND_LIST + round % 2];
}

template <typename type>
static __device__ __forceinline__ uint32_t *counter_of(const struct persistent<type> &p,
                                                       const struct place<type> &at,
                                                       uint32_t list) {
    struct board *board = &p.state->board;
    if (type::parts && list == OUT_LIST)
        return out_counter(p, at.round);
    return list == ROUND_LIST || list == ROUND_LIST + 1
               ? &board->round[at.round % 3].vertices
               : &board->count[list];
}

static __device__ __forceinline__ uint32_t warp_of_block() {
    return threadIdx.x / GG_WARP;
}

/* A vertex more than the stage holds goes into its list at once. */
template <typename type>
static __device__ __forceinline__ void
put(const struct persistent<type> &p, const struct place<type> &at,
    struct block_memory<type> &m, uint32_t list, uint32_t v) {
    struct stage &s = m.stage[warp_of_block()];
    uint32_t i = atomicAdd(&s.staged, 1u);
    if (i < STAGE) {
        s.vertex[i] = v;
        s.list[i] = (uint8_t)list;
        s.rank[i] = (uint8_t)atomicAdd(&s.tally[list], 1u);
    } else {
        list_at(p, list)[atomicAdd(counter_of(p, at, list), 1u)] = v;
    }
}

/* What the warp has staged goes to the places that `first` says. */
template <typename type>
static __device__ __forceinline__ void unload(const struct persistent<type> &p,
                                              struct stage &s) {
    uint32_t staged = s.staged < STAGE ? s.staged : STAGE;
    for (uint32_t i = gg_lane(); i < staged; i += GG_WARP)
        list_at(p, s.list[i])[s.first[s.list[i]] + s.rank[i]] = s.vertex[i];
    __syncwarp();
    if (gg_lane() == 0)
        s.staged = 0;
    __syncwarp();
}

/* Empties the warp's stage where it is half full. The whole warp calls. */
template <typename type>
static __device__ __forceinline__ void make_room(const struct persistent<type> &p,
                                                 const struct place<type> &at,
                                                 struct block_memory<type> &m) {
    struct stage &s = m.stage[warp_of_block()];
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

/* Empties the stages of all warps: one question for places for each list. The whole block
** calls. */
template <typename type>
static __device__ void unload_all(const struct persistent<type> &p,
                                  const struct place<type> &at,
                                  struct block_memory<type> &m) {
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

/* v has fallen from `before` to `now`, which is not in the current bucket: into the list
** of its new bucket, unless it is there. */
template <typename type>
static __device__ __forceinline__ void
list_far(const struct persistent<type> &p, const struct place<type> &at,
         struct block_memory<type> &m, uint32_t v, uint32_t bucket,
         typename type::word before) {
    if (before == type::unreached() || bucket_of(at, before) != bucket)
        put(p, at, m, bucket == REST ? REST_LIST + at.side : bucket, v);
}

/* v is reached (1) or settled (-1), for the first time. */
template <typename type>
static __device__ __forceinline__ void note_waiting(const struct persistent<type> &p,
                                                    struct block_memory<type> &m,
                                                    uint32_t v, int32_t change) {
    if (type::ends == 2)
        atomicAdd(&m.ways.now[v >= p.g.n], change);
}

template <typename type>
static __device__ __forceinline__ bool is_finishing(const struct block_memory<type> &m) {
    return type::ends == 2 && m.ways.finishing;
}

/* v has come into the current bucket, where it was not. */
template <typename type>
static __device__ __forceinline__ void settle(const struct persistent<type> &p,
                                              struct block_memory<type> &m, uint32_t v) {
    if (!is_here(p, v))
        return;
    note_waiting(p, m, v, -1);
    if (p.limit > 0)
        atomicAdd(&m.settled, 1u);
}

template <typename type>
static __device__ __forceinline__ bool first_in_bucket(const struct place<type> &at,
                                                       typename type::word before) {
    return before == type::unreached() || bucket_of(at, before) != at.bucket;
}

/* Where v goes that has fallen within the current bucket. */
template <typename type>
static __device__ __forceinline__ uint32_t fallen_list(const struct persistent<type> &p,
                                                       const struct place<type> &at,
                                                       uint32_t v) {
    return is_here(p, v) ? next_list(at) : (uint32_t)OUT_LIST;
}

/* True for the one that is to put v into that list. */
template <typename type>
static __device__ __forceinline__ bool claim(const struct persistent<type> &p,
                                             const struct place<type> &at, uint32_t v) {
    return gg_peek(&p.mark[v]) != at.round &&
           atomicExch(&p.mark[v], at.round) != at.round;
}

/* A sum over `most` is no distance; from both ends one over the bound is not wanted. */
template <typename type>
static __device__ __forceinline__ bool in_range(const struct persistent<type> &p,
                                                const struct block_memory<type> &m,
                                                typename type::word sum) {
    if (sum <= p.limits.most)
        return type::ends == 1 || sum <= m.ways.bound;
    if (!p.limits.tight)
        p.state->dropped = 1;
    return false;
}

/* ---- meeting ---- */

/* Nanoseconds after which a block that others wait for is taken for lost. */
#define LOST_NS 10000000000ull

/* Waits, by one thread, until `wanted` arrivals were counted. False: given up. */
static __device__ bool wait_for(struct persistent_state *state, uint32_t wanted) {
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

/* Every block has come here: its lists are complete and m.board says what is in them. A
** word of the board that blocks may change before the next meeting is not to be looked
** at: the current round's. False: a block was lost; all leave. */
template <typename type>
static __device__ bool meet(struct persistent_state *state, uint32_t *meetings,
                            struct block_memory<type> &m) {
    ++*meetings;
    __syncthreads();
    if (threadIdx.x < GG_WARP) {
        bool met = true;
        if (threadIdx.x == 0) {
            gg_late();
            __threadfence();
            gg_arrive(&state->arrived);
            met = wait_for(state, *meetings * gridDim.x);
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
