/* The steps of sssp.c that read or write distances, once for each of three layouts.
** sssp.c includes this file with these macros defined; the end of the file undefines
** them:
**     NAMED(x)           x with the layout's name behind it
**     DISTANCE           uint32_t, uint64_t or double
**     WEIGHT             the type of a stored weight
**     UNREACHED          the distance of a vertex that is not reached
**     KEY(s, d)          the bucket of distance d: uint64_t, ascending with d
**     BOUND(s)           the largest distance to be stored
**     NOTE_SUM(top, d)   keeps in `top`, a DISTANCE, a sign that a sum left the range
**     IS_OVER(s, top)    true if one did
**
** d[v] only falls, and ends as the least fixpoint of d[v] = min(d[u] (+) w). So the
** result has the same bits for every order of relaxations and every number of threads. */

/* Lowers the distance of v to `sum`, and queues v. Threads that share vertices use
** compare-and-swap after a plain load. */
static inline void NAMED(relax)(struct sssp *s, struct bucket_queue *queue, uint32_t v,
                                DISTANCE sum, enum relaxing how) {
    DISTANCE *place = (DISTANCE *)s->distance + v;
    DISTANCE old;
    __atomic_load(place, &old, __ATOMIC_RELAXED);
    while (sum < old) {
        if (sum > BOUND(s))
            return;
        const bool first = old == UNREACHED;
        if (how != SHARED) {
            __atomic_store(place, &sum, __ATOMIC_RELAXED);
            old = sum;
        } else if (!__atomic_compare_exchange(place, &old, &sum, true, __ATOMIC_RELAXED,
                                              __ATOMIC_RELAXED)) {
            continue;
        }
        if (how == OF_A_ROW && first && s->touched_count < s->touched_room)
            s->touched[s->touched_count++] = v;
        bucket_add(queue, s->current, KEY(s, sum), v);
        return;
    }
}

/* Arcs that shortened the path to their target when NAMED(look) read its distance. */
struct NAMED(offers) {
    uint32_t count;
    uint32_t vertex[GG_SSSP_OFFERS];
    DISTANCE sum[GG_SSSP_OFFERS];
    DISTANCE top; /* see NOTE_SUM */
};

/* Looks at some arcs and collects offers. The loop writes every arc behind the offers,
** and advances the count only for an offer. A branch would wait for the distance of each
** target, and these waits would not overlap. */
static inline void NAMED(look)(const struct sssp *s, DISTANCE from, uint64_t arc,
                               uint64_t end, struct NAMED(offers) * offers) {
    const DISTANCE *distance = s->distance;
    const uint32_t *target = s->arcs.target;
    const WEIGHT *weight = s->arcs.weight;
    uint32_t count = offers->count;
    DISTANCE top = offers->top;
    for (; arc < end; arc++) {
        uint32_t v = target[arc];
        DISTANCE sum = from + (DISTANCE)weight[arc], old;
        __atomic_load(&distance[v], &old, __ATOMIC_RELAXED);
        NOTE_SUM(top, sum);
        offers->vertex[count] = v;
        offers->sum[count] = sum;
        count += sum < old;
    }
    offers->count = count;
    offers->top = top;
}

static inline void NAMED(take_offers)(struct sssp *s, struct bucket_queue *queue,
                                      struct NAMED(offers) * offers, enum relaxing how) {
    for (uint32_t i = 0; i < offers->count; i++)
        NAMED(relax)(s, queue, offers->vertex[i], offers->sum[i], how);
    offers->count = 0;
}

/* Prefetches for two later entries of the chunk: the offset and distance of the farther
** one, the arcs of the nearer one. */
static inline void NAMED(look_ahead)(const struct sssp *s,
                                     const struct bucket_chunk *chunk, uint32_t i) {
    if (i + 2 * GG_SSSP_AHEAD < chunk->count) {
        uint32_t far = chunk->vertex[i + 2 * GG_SSSP_AHEAD];
        __builtin_prefetch(&s->arcs.begin[far]);
        __builtin_prefetch((const DISTANCE *)s->distance + far);
    }
    if (i + GG_SSSP_AHEAD < chunk->count) {
        uint64_t arc = s->arcs.begin[chunk->vertex[i + GG_SSSP_AHEAD]];
        __builtin_prefetch(&s->arcs.target[arc]);
        __builtin_prefetch((const WEIGHT *)s->arcs.weight + arc);
    }
}

/* Relaxes the arcs of those vertices of a chunk that belong to the current bucket, and
** adds the chunk to the queue's unused ones. */
static inline void NAMED(scan)(struct sssp *s, struct bucket_queue *queue,
                               struct bucket_chunk *chunk, struct tally *tally,
                               enum relaxing how) {
    const uint64_t *begin_of = s->arcs.begin, *end_of = s->arcs.end;
    struct NAMED(offers) offers;
    offers.count = 0;
    offers.top = 0;
    bool stop = false;
    for (uint32_t i = 0; i < chunk->count && !stop; i++) {
        uint32_t u = chunk->vertex[i];
        NAMED(look_ahead)(s, chunk, i);
        DISTANCE from;
        __atomic_load((DISTANCE *)s->distance + u, &from, __ATOMIC_RELAXED);
        if (KEY(s, from) != s->current)
            continue; /* an earlier bucket has settled u: the entry is stale */
        uint64_t arc = begin_of[u], end = end_of[u];
        tally->vertices++;
        while (arc < end && !stop) {
            uint64_t room = GG_SSSP_OFFERS - 1 - offers.count;
            uint64_t part = end - arc < room ? end : arc + room;
            NAMED(look)(s, from, arc, part, &offers);
            if (offers.count > GG_SSSP_OFFERS / 2)
                NAMED(take_offers)(s, queue, &offers, how);
            tally->arcs += part - arc;
            arc = part;
            stop = pause_now(s, tally);
        }
    }
    NAMED(take_offers)(s, queue, &offers, how);
    if (IS_OVER(s, offers.top))
        __atomic_store_n(&s->over, true, __ATOMIC_RELAXED);
    bucket_give_back(queue, chunk);
}

static void NAMED(scan_alone)(struct sssp *s, struct bucket_queue *queue,
                              struct bucket_chunk *chunk, struct tally *tally) {
    if (s->touched)
        NAMED(scan)(s, queue, chunk, tally, OF_A_ROW);
    else
        NAMED(scan)(s, queue, chunk, tally, ALONE);
}

static void NAMED(scan_shared)(struct sssp *s, struct bucket_queue *queue,
                               struct bucket_chunk *chunk, struct tally *tally) {
    NAMED(scan)(s, queue, chunk, tally, SHARED);
}

static uint64_t NAMED(key_of)(const struct sssp *s, uint32_t v) {
    return KEY(s, ((const DISTANCE *)s->distance)[v]);
}

static void NAMED(clear)(void *sssp, uint64_t low, uint64_t high) {
    DISTANCE *distance = ((struct sssp *)sssp)->distance;
    for (uint64_t v = low; v < high; v++)
        distance[v] = UNREACHED;
}

static void NAMED(start)(struct sssp *s, const uint32_t *source, uint32_t count) {
    const enum relaxing how = s->touched ? OF_A_ROW : ALONE;
    for (uint32_t i = 0; i < count && !gg_leave(s->run, i + (uint64_t)1); i++)
        NAMED(relax)(s, &s->queue[0], source[i], 0, how);
}

static void NAMED(keep_final_of)(void *sssp, uint64_t low, uint64_t high) {
    const struct sssp *s = sssp;
    DISTANCE *distance = s->distance;
    for (uint64_t v = low; v < high; v++) {
        if (distance[v] != UNREACHED && KEY(s, distance[v]) > s->current)
            distance[v] = UNREACHED;
    }
}

/* Resets the distances of buckets that were not served. */
static void NAMED(keep_final)(struct sssp *s) {
    int threads = gg_threads(s->run, s->arcs.n / GG_FILL_ITEMS);
    gg_slices(threads, s->arcs.n, NAMED(keep_final_of), s);
}

/* The median of the positive weights in a sample spread over all arcs; 0 if there is
** none. */
static double NAMED(typical_weight)(const struct sssp *s) {
    const WEIGHT *weight = s->arcs.weight;
    double sample[GG_SSSP_SAMPLE];
    uint64_t step = s->arcs.m / GG_SSSP_SAMPLE + 1;
    size_t count = 0;
    for (uint64_t arc = 0; arc < s->arcs.m; arc += step) {
        if (weight[arc] > 0)
            sample[count++] = (double)weight[arc];
    }
    qsort(sample, count, sizeof *sample, compare_doubles);
    return count ? sample[count / 2] : 0;
}

static const struct layout NAMED(layout) = {
    NAMED(clear),  NAMED(start),      NAMED(scan_alone),    NAMED(scan_shared),
    NAMED(key_of), NAMED(keep_final), NAMED(typical_weight)};

#undef NAMED
#undef DISTANCE
#undef WEIGHT
#undef UNREACHED
#undef KEY
#undef BOUND
#undef NOTE_SUM
#undef IS_OVER
