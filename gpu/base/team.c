/* The pool of threads behind team.h.
**
** A caller and a worker communicate by one word, on which either may sleep:
**
**                 caller                    worker
**     AT_REST   ---------->  CALLED   ---------->  AT_WORK  ---------->  AT_REST
**        |      ---------->     |                     |     (and wakes the caller)
**        | sleeps (worker)      | called off          | sleeps (caller)
**     ASLEEP                 AT_REST               AWAITED
**
** Idle workers are on a stack under the pool's lock: the worker that became idle last is
** on top, and often still awake. A caller takes workers from the stack, and returns them
** when they are at rest. Threads hold the lock only for these steps and to create
** workers. */
#include "team.h"
#include "mutex.h"
#include "run.h"

#include <stdlib.h>

enum {
    /* Turns of a thread that waits awake. SPIN_TURNS make no system call and take about
    ** 10 us; YIELD_TURNS take 200 us on an idle machine. To sleep and wake takes 50
    ** us. */
    SPIN_TURNS = 300,
    YIELD_TURNS = 400,
    /* Bytes: sorting a row takes 32 KiB, reading a number by SQLite less. */
    WORKER_STACK = 1 << 20,
    /* While a device is being opened, teams leave one core in 8 to the driver: its start
    ** took 350 ms beside 16 searching threads, otherwise 220 ms. */
    SHARED_CORES = 8
};

enum { AT_REST, ASLEEP, CALLED, AT_WORK, AWAITED };
enum { MOST_WORKERS = GG_MOST_THREADS - 1 };

static struct worker {
    uint32_t state;
    int member, team; /* its task */
    gg_team_body *body;
    void *job;
    gpugraph_run *counts_for; /* the run that the caller counts for */
} __attribute__((aligned(64))) workers[MOST_WORKERS];

static struct {
    gg_mutex lock;
    int made, idle;
    uint8_t at_rest[MOST_WORKERS]; /* numbers of idle workers, a stack */
    double again_ms; /* after a failed start of a thread: the time to try again */
} pool;
_Static_assert(MOST_WORKERS <= UINT8_MAX, "a worker's number fits its type");

static struct {
    uint32_t pid;    /* the process that loaded the library */
    bool notified;   /* a handler counts forks; otherwise a changed pid shows a fork */
    uint32_t forks;  /* forks that the handler has counted */
    int environment; /* OMP_NUM_THREADS; 0: not set */
} origin;

/* ---- load and fork ---- */

enum { FORKING = -1 };
static int held; /* the number of holders, or FORKING */

void gg_hold_forks(void) {
    for (;;) {
        int seen = __atomic_load_n(&held, __ATOMIC_RELAXED);
        if (seen != FORKING &&
            __atomic_compare_exchange_n(&held, &seen, seen + 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return;
        gg_yield();
    }
}

void gg_let_forks(void) {
    __atomic_fetch_sub(&held, 1, __ATOMIC_RELEASE);
}

static void begin_fork(void) {
    for (int none = 0; !__atomic_compare_exchange_n(&held, &none, FORKING, false,
                                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
         none = 0)
        gg_yield();
}

static void end_fork(void) {
    __atomic_store_n(&held, 0, __ATOMIC_RELEASE);
}

/* The child has only the thread that called fork(), and so no workers. */
static void reset_child(void) {
    pool.lock = (gg_mutex){0};
    end_fork();
    pool.made = pool.idle = 0;
    pool.again_ms = 0;
    gg_share_cores(0);
    origin.forks++;
}

__attribute__((constructor)) static void learn_origin(void) {
    const char *set = getenv("OMP_NUM_THREADS"); /* "8", or "8,2" by level */
    long number = set ? strtol(set, NULL, 10) : 0;
    origin.environment = number < 0                 ? 0
                         : number < GG_MOST_THREADS ? (int)number
                                                    : GG_MOST_THREADS;
    origin.pid = gg_process_id();
    origin.notified = gg_around_fork(begin_fork, end_fork, reset_child);
}

uint32_t gg_this_process(void) {
    return 1 + (origin.notified ? origin.forks : gg_process_id() != origin.pid);
}

/* ---- how many ---- */

static int64_t shared_until_ms; /* 0: no other thread uses cores */

void gg_share_cores(double until_ms) {
    __atomic_store_n(&shared_until_ms, (int64_t)until_ms, __ATOMIC_RELAXED);
}

/* Returns the number of processors that gg_share_cores leaves to teams. */
static int free_processors(void) {
    const int64_t until = __atomic_load_n(&shared_until_ms, __ATOMIC_RELAXED);
    const int all = gg_processors();
    return until != 0 && gg_now_ms() < (double)until ? all - all / SHARED_CORES : all;
}

int gg_team_limit(int asked) {
    int limit = asked > 0                ? asked
                : origin.environment > 0 ? origin.environment
                                         : free_processors();
    return limit < GG_MOST_THREADS ? limit : GG_MOST_THREADS;
}

/* ---- waiting ---- */

/* Waits awake for a moment; returns false after the last turn. In most turns the thread
** yields its processor, so on a busy machine the wait delays no other program. */
static bool linger(uint32_t *turns) {
    ++*turns;
    if (*turns > SPIN_TURNS)
        gg_yield();
    else
#if defined __x86_64__ || defined __i386__
        __builtin_ia32_pause();
#else
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
    return *turns < SPIN_TURNS + YIELD_TURNS;
}

static bool turn(uint32_t *state, uint32_t from, uint32_t to) {
    return __atomic_compare_exchange_n(state, &from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

/* ---- a worker ---- */

static void wait_for_call(struct worker *w) {
    uint32_t turns = 0;
    while (!turn(&w->state, CALLED, AT_WORK)) {
        if (linger(&turns))
            continue;
        turn(&w->state, AT_REST, ASLEEP);
        gg_sleep_on(&w->state, ASLEEP, -1);
        turns = 0;
    }
}

static void *serve_team(void *worker) {
    struct worker *w = worker;
    for (;;) {
        wait_for_call(w);
        gg_count_for(w->counts_for);
        w->body(w->job, w->member, w->team);
        if (__atomic_exchange_n(&w->state, AT_REST, __ATOMIC_ACQ_REL) == AWAITED)
            gg_wake_one(&w->state);
    }
    return NULL;
}

/* ---- a team ---- */

/* Creates workers until `wanted` are idle or exist. The caller holds the lock. */
static void make_workers(int wanted) {
    if (pool.made >= wanted || pool.idle >= wanted)
        return;
    double now = gg_now_ms();
    if (now < pool.again_ms)
        return;
    while (pool.made < wanted && pool.idle < wanted) {
        workers[pool.made].state = AT_REST;
        if (!gg_start_thread(serve_team, &workers[pool.made], WORKER_STACK)) {
            pool.again_ms = now + GG_THREAD_RETRY_MS;
            return;
        }
        pool.at_rest[pool.idle++] = (uint8_t)pool.made++;
    }
}

/* Takes up to `wanted` idle workers; returns their number. */
static int take_workers(int wanted, uint8_t *taken) {
    int count = 0;
    if (wanted <= 0 || (!origin.notified && gg_this_process() > 1))
        return 0;
    gg_mutex_lock(&pool.lock);
    make_workers(wanted);
    while (count < wanted && pool.idle > 0)
        taken[count++] = pool.at_rest[--pool.idle];
    gg_mutex_unlock(&pool.lock);
    return count;
}

/* Returns workers; the worker that was on top is on top again. */
static void put_back(int count, const uint8_t *taken) {
    gg_mutex_lock(&pool.lock);
    while (count > 0)
        pool.at_rest[pool.idle++] = taken[--count];
    gg_mutex_unlock(&pool.lock);
}

static void call(struct worker *w, gg_team_body *body, void *job, int member, int team) {
    w->body = body;
    w->job = job;
    w->member = member;
    w->team = team;
    w->counts_for = gg_counts_for();
    if (__atomic_exchange_n(&w->state, CALLED, __ATOMIC_ACQ_REL) == ASLEEP)
        gg_wake_one(&w->state);
}

/* Waits for a worker that has begun. */
static void await_rest(struct worker *w) {
    uint32_t turns = 0, state;
    while ((state = __atomic_load_n(&w->state, __ATOMIC_ACQUIRE)) != AT_REST &&
           state != ASLEEP)
        if (!linger(&turns) && (state == AWAITED || turn(&w->state, AT_WORK, AWAITED)))
            gg_sleep_on(&w->state, AWAITED, -1);
}

/* If a worker has not begun when the caller is done, no work is left. The caller calls it
** off, since a wait for a thread without a processor could take a time slice. */
void gg_team(int threads, gg_team_body *body, void *job) {
    uint8_t taken[MOST_WORKERS];
    threads = threads < GG_MOST_THREADS ? threads : GG_MOST_THREADS;
    int helpers = take_workers(threads - 1, taken);
    for (int i = 0; i < helpers; i++)
        call(&workers[taken[i]], body, job, i + 1, helpers + 1);
    body(job, 0, helpers + 1);
    for (int i = 0; i < helpers; i++)
        if (!turn(&workers[taken[i]].state, CALLED, AT_REST))
            await_rest(&workers[taken[i]]);
    if (helpers)
        put_back(helpers, taken);
}

/* ---- loops ---- */

struct parts {
    gg_part *part;
    void *job;
    uint64_t count, taken;
};

static void take_parts(void *job, int member, int team) {
    struct parts *p = job;
    uint64_t i;
    (void)member, (void)team;
    while ((i = __atomic_fetch_add(&p->taken, 1, __ATOMIC_RELAXED)) < p->count)
        p->part(p->job, i);
}

void gg_parts(int threads, uint64_t parts, gg_part *part, void *job) {
    struct parts p = {.part = part, .job = job, .count = parts};
    gg_team(parts < (uint64_t)threads ? (int)parts : threads, take_parts, &p);
}

struct ranges {
    gg_span *range;
    void *job;
    uint64_t count, chunk;
};

static void one_chunk(void *ranges, uint64_t i) {
    const struct ranges *r = ranges;
    uint64_t low = i * r->chunk, left = r->count - low;
    r->range(r->job, low, low + (left < r->chunk ? left : r->chunk));
}

void gg_chunks(int threads, uint64_t count, uint64_t chunk, gg_span *range, void *job) {
    struct ranges r = {.range = range, .job = job, .count = count, .chunk = chunk};
    gg_parts(threads, count / chunk + (count % chunk > 0), one_chunk, &r);
}

void gg_slices(int threads, uint64_t count, gg_span *range, void *job) {
    const uint64_t most = (uint64_t)threads;
    if (count > 0)
        gg_chunks(threads, count, count / most + (count % most > 0), range, job);
}
