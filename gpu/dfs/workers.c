/* Depth-first search by parallel workers that share one unordered search by work
** stealing. A worker claims a vertex by setting its visited bit, writes depth and parent,
** then opens its row on its own stack (stack.h).
**
** Stacks are private. A worker without work writes its number into the request of another
** worker and waits. That worker looks at its request every few steps, and copies its
** oldest work, nearest to the root, straight into the empty stack of the thief:
**
**     request of a worker   NO_THIEF -> number of a thief -> NO_THIEF; IDLE without work
**     answer to a thief     WAITING -> GIVEN or REFUSED
**
** After Rao and Kumar (1987) and Acar, Chargueraud, Rainey (SC 2015). In a forest the
** last worker to run out of work opens the next root. So a tree is complete before the
** next tree begins. It contains all vertices that its root can reach, without those of
** earlier trees. */
#include "stack.h"

enum {
    ATTEND = 64, /* steps between two looks at the request: some microseconds */
    WIDE = 128,  /* a frame with this many arcs is split and not given away */
    /* The only frame of a stack is split if it has this many arcs. A frame with fewer
    ** arcs may belong to a path. */
    SHORT = 4,
    BATCH = 128,      /* frames given away at once, at most */
    FIRST_ROOM = 1024 /* frames of a new stack */
};
_Static_assert(BATCH <= FIRST_ROOM, "a gift fits every stack");

enum { NO_THIEF = -1, IDLE = -2 };    /* worker.request */
enum { WAITING = 0, GIVEN, REFUSED }; /* worker.answer */

struct worker {
    int request, answer;
    char apart[64]; /* other workers write the fields above, the owner the fields below */
    struct stack stack;
    uint64_t reached, gifts;
    uint32_t steps; /* since the last look at the request */
    uint32_t random;
    char apart_too[64];
};

struct crew {
    const csr *g;
    gpugraph_run *run;
    uint32_t *depth, *parent; /* parent: NULL when not wanted */
    uint64_t *visited;
    struct worker *worker;
    int workers;
    uint32_t root, end; /* the next root; only the last worker with work touches it */
    int over;           /* neither work nor a root is left */
    char apart[64];
    int busy; /* workers that have work */
};

static bool crew_ends(const struct crew *crew) {
    return gg_stopping(crew->run) || __atomic_load_n(&crew->over, __ATOMIC_RELAXED);
}

/* Sets v's bit. Returns true if it was not set, so that v belongs to the caller. */
static inline bool claim_bit(uint64_t *visited, uint32_t v) {
    uint64_t bit = 1ull << v % 64, *word = visited + v / 64;
    return !(__atomic_load_n(word, __ATOMIC_RELAXED) & bit) &&
           !(__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit);
}

static inline bool crew_enter(struct crew *crew, struct worker *me, uint32_t v,
                              uint32_t parent, uint32_t depth) {
    crew->depth[v] = depth;
    if (crew->parent)
        crew->parent[v] = parent;
    me->reached++;
    return stack_push(&me->stack, crew->g, v, crew->run);
}

/* Moves the oldest work of one stack into an empty stack: half the arcs of a wide row, or
** up to half of the frames. Returns false if there is nothing to share. */
static bool share_stack(struct stack *from, struct stack *to) {
    uint64_t frames = from->top - from->bottom;
    if (frames == 0)
        return false;
    struct frame *oldest = &from->frame[from->bottom];
    to->bottom = 0;
    if (oldest->left >= WIDE || (frames == 1 && oldest->left >= SHORT)) {
        uint32_t half = oldest->left / 2;
        oldest->left -= half;
        to->frame[0] = (struct frame){oldest->vertex, half, oldest->next + oldest->left};
        to->top = 1;
        return true;
    }
    uint64_t count = frames / 2 < BATCH ? frames / 2 : BATCH;
    memcpy(to->frame, oldest, count * sizeof *oldest);
    from->bottom += count;
    to->top = count;
    return count > 0;
}

/* Answers the thief in the worker's request. The thief counts as busy before it knows of
** its work, so busy never falls to 0 while there is work. */
static void answer_thief(struct crew *crew, struct worker *me, int thief, int request) {
    struct worker *other = &crew->worker[thief];
    bool given = share_stack(&me->stack, &other->stack);
    if (given) {
        __atomic_fetch_add(&crew->busy, 1, __ATOMIC_RELAXED);
        me->gifts++;
    }
    __atomic_store_n(&me->request, request, __ATOMIC_RELAXED);
    __atomic_store_n(&other->answer, given ? GIVEN : REFUSED, __ATOMIC_RELEASE);
}

/* Every ATTEND steps: looks for interrupts, then at the request. Returns false if the
** crew ends. */
static inline bool attend(struct crew *crew, int self) {
    struct worker *me = &crew->worker[self];
    if (++me->steps < ATTEND)
        return true;
    me->steps = 0;
    if ((self == 0 && gg_poll(crew->run)) || crew_ends(crew))
        return false;
    int thief = __atomic_load_n(&me->request, __ATOMIC_ACQUIRE);
    if (thief >= 0)
        answer_thief(crew, me, thief, NO_THIEF);
    return true;
}

/* Claims the next target of a frame. Returns GPUGRAPH_NONE after its last arc or DFS_LOOK
** arcs. */
static inline uint32_t claim_next(const struct crew *crew, struct frame *f) {
    const uint32_t *arc = crew->g->target + f->next;
    uint32_t count = f->left < DFS_LOOK ? f->left : DFS_LOOK;
    uint32_t i = 0, found = GPUGRAPH_NONE;
    while (i < count && found == GPUGRAPH_NONE) {
        uint32_t v = arc[i++];
        if (claim_bit(crew->visited, v))
            found = v;
    }
    f->next += i;
    f->left -= i;
    return found;
}

/* Searches until the worker's stack is empty. Returns false if the crew ends. */
static bool descend(struct crew *crew, int self) {
    struct worker *me = &crew->worker[self];
    struct stack *stack = &me->stack;
    while (stack->top > stack->bottom) {
        if (!attend(crew, self))
            return false;
        struct frame *f = &stack->frame[stack->top - 1];
        uint32_t parent = f->vertex, v = claim_next(crew, f);
        if (f->left == 0) {
            stack->top--;
            if (stack->top > stack->bottom + 1)
                __builtin_prefetch(crew->g->target + stack->frame[stack->top - 2].next);
        }
        if (v != GPUGRAPH_NONE &&
            !crew_enter(crew, me, v, parent, crew->depth[parent] + 1))
            return false;
    }
    return true;
}

/* The only worker with work opens the next root. Returns false if there is none: the crew
** ends. */
static bool open_root(struct crew *crew, int self) {
    while (crew->root < crew->end) {
        uint32_t v = crew->root++;
        if (!attend(crew, self))
            return false;
        if (claim_bit(crew->visited, v))
            return crew_enter(crew, &crew->worker[self], v, GPUGRAPH_NONE, 0);
    }
    __atomic_store_n(&crew->over, 1, __ATOMIC_RELAXED);
    return false;
}

/* Waits between two rounds of requests without success: spins, then yields, then sleeps
** up to 0.3 ms, so that idle workers do not slow down a search without parallelism. */
static void rest_between(unsigned rounds) {
    if (rounds < 8) {
        for (unsigned i = 0; i < 1u << rounds; i++)
            __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } else if (rounds < 32) {
        gg_yield();
    } else {
        unsigned doublings = rounds < 64 ? (rounds - 32) / 8 : 4;
        gg_sleep(0.02 * (1 << doublings));
    }
}

/* Asks one worker for work and waits for its answer. */
static bool ask_worker(struct crew *crew, int self, struct worker *victim) {
    struct worker *me = &crew->worker[self];
    int none = NO_THIEF;
    if (__atomic_load_n(&victim->request, __ATOMIC_RELAXED) != NO_THIEF)
        return false;
    __atomic_store_n(&me->answer, WAITING, __ATOMIC_RELAXED);
    if (!__atomic_compare_exchange_n(&victim->request, &none, self, false,
                                     __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        return false;
    for (unsigned spins = 0;; spins++) {
        int reply = __atomic_load_n(&me->answer, __ATOMIC_ACQUIRE);
        if (reply != WAITING)
            return reply == GIVEN;
        if (crew_ends(crew) || (self == 0 && gg_poll(crew->run)))
            return false;
        if (spins > 256)
            gg_yield();
    }
}

/* Asks the other workers, beginning with a random one, until one gives work. Returns
** false if the crew ends. */
static bool steal(struct crew *crew, int self) {
    struct worker *me = &crew->worker[self];
    for (unsigned rounds = 0; !crew_ends(crew); rounds++) {
        if (self == 0 && gg_poll(crew->run))
            return false;
        me->random = me->random * 1664525 + 1013904223;
        int first = (int)((me->random >> 8) % (uint32_t)crew->workers);
        for (int i = 0; i < crew->workers && !crew_ends(crew); i++) {
            int victim = (first + i) % crew->workers;
            if (victim != self && ask_worker(crew, self, &crew->worker[victim])) {
                __atomic_store_n(&me->request, NO_THIEF, __ATOMIC_RELAXED);
                return true;
            }
        }
        rest_between(rounds);
    }
    return false;
}

/* Finds work for a worker whose stack is empty: the next root if no other worker has
** work, otherwise work of another worker. The worker that decrements busy to 0 is the
** last one, and has crew->root to itself until it counts itself busy again. */
static bool next_work(struct crew *crew, int self) {
    struct worker *me = &crew->worker[self];
    if (__atomic_load_n(&crew->busy, __ATOMIC_ACQUIRE) == 1)
        return open_root(crew, self);
    int thief = __atomic_exchange_n(&me->request, IDLE, __ATOMIC_ACQUIRE);
    if (thief >= 0)
        answer_thief(crew, me, thief, IDLE);
    if (__atomic_fetch_sub(&crew->busy, 1, __ATOMIC_ACQ_REL) > 1)
        return steal(crew, self);
    __atomic_fetch_add(&crew->busy, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&me->request, NO_THIEF, __ATOMIC_RELAXED);
    return open_root(crew, self);
}

static void work_in_crew(void *shared, int self, int team) {
    struct crew *crew = shared;
    (void)team;
    bool go = self == 0 ? open_root(crew, self) : steal(crew, self);
    while (go)
        go = descend(crew, self) && next_work(crew, self);
}

static bool crew_open(struct crew *crew, uint32_t source) {
    uint32_t n = crew->g->n;
    crew->root = source == GPUGRAPH_NONE ? 0 : source;
    crew->end = source == GPUGRAPH_NONE ? n : source + 1;
    crew->busy = 1;
    crew->visited = gg_alloc_zero(crew->run, visited_words(n), sizeof *crew->visited);
    crew->worker =
        gg_alloc_zero(crew->run, (uint64_t)crew->workers, sizeof *crew->worker);
    bool opened = crew->visited && crew->worker;
    for (int i = 0; opened && i < crew->workers; i++) {
        struct worker *w = &crew->worker[i];
        w->request = i == 0 ? NO_THIEF : IDLE;
        w->random = (uint32_t)i * 2654435761u;
        opened = stack_open(&w->stack, FIRST_ROOM, crew->run);
    }
    return opened;
}

gpugraph_status gg_dfs_workers(const csr *g, uint32_t source, gpugraph_run *run,
                               const gpugraph_dfs_tree *tree, int workers,
                               uint64_t *reached, uint64_t *shared) {
    struct crew crew = {.g = g, .run = run, .workers = workers};
    crew.depth = tree->depth;
    crew.parent = tree->parent;
    *reached = *shared = 0;
    if (crew_open(&crew, source))
        gg_team(workers, work_in_crew, &crew);
    for (int i = 0; crew.worker && i < workers; i++) {
        *reached += crew.worker[i].reached;
        *shared += crew.worker[i].gifts;
        gg_release(crew.worker[i].stack.frame);
    }
    gg_release(crew.worker);
    gg_release(crew.visited);
    return gg_stopping(run) ? gg_stopped(run) : GPUGRAPH_OK;
}
