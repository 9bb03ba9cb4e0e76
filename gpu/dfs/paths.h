/* The workers of the device's fastest depth-first search. Each worker follows as many
** paths at once as its warp has lanes. This file has the steps of a worker, and how
** workers share work and end. crew.h has the workers that follow one path.
**
**     entry    vertex << 32 | depth, first arc << 24 | arcs
**              A vertex of the tree, and arcs of it that no worker has looked at. A
**              number of arcs that does not fit 24 bits means: to the end of the row.
**     hands    one entry for each lane: the newest entries
**     ring     on chip, one for each worker: the entries that are newer than its cold
**              chunks and older than its hands; word and versions as in deque.h
**     cold     in device memory, one list of chunks for each block; a chunk that is not
**              full ends with entries without arcs
**
** One step looks at up to `arcs` arcs of the hands, distributed evenly over the lanes.
** Each lane takes some arcs at a time, so that their loads overlap. The vertices that a
** step takes are the next hands. Vertices beyond the hands go into the ring. The latency
** of a step limits the search of a long graph: a load of a target, then the claim of that
** vertex while its row offset is loaded. One bit says that a vertex is taken: the
** second-level cache of a large device holds all bits.
**
** paths_rows.h has steps with fewer dependent loads for fixed rows. If rows are long, the
** workers may leave when they have half of the tree: paths_pull.h has the rest.
**
** All entries of a ring are surplus, because the hands are full. An idle warp of the
** block takes half of the ring at once. A block keeps one chunk in its list for other
** blocks. The scout of an idle block, its first worker, takes a chunk from another block.
**
**     block busy    the number of workers of the block that hold work or are about to
**                   take some
**     crew busy     the number of blocks where block busy is not 0. A block is counted
**                   before its first worker is busy and until its last worker is idle.
**                   At 0 there is no work anywhere. The worker that raises crew busy from
**                   0 is alone: it opens the next root of a forest, or ends the search */
#ifndef GPUGRAPH_DFS_PATHS_H
#define GPUGRAPH_DFS_PATHS_H

#include "paths_roots.h"
#include "paths_rows.h"

/* One look of an idle warp in FAR goes beyond its block. The warp pauses for NAP_NS
** nanoseconds after each of the first EAGER looks, and for REST_NS after later looks. */
#define GG_PATHS_FAR     4
#define GG_PATHS_EAGER   64
#define GG_PATHS_NAP_NS  64
#define GG_PATHS_REST_NS 400
/* A block adds its taken vertices to the count of the crew once they are this many. */
#define GG_PATHS_REPORT 128
/* The workers take this number of sixteenths of the vertices with incoming arcs. The
** other vertices then look for a parent (paths_pull.h). An R-MAT reaches this share after
** a tenth of its arcs, and its tree is as deep as with all arcs. (H200, 12, 10, 8 and 6:
** rmat22 1.10, 0.93, 0.76 and 0.69 ms. With 6 the tree is flatter.) */
#define GG_PATHS_PULL_SHARE 8

/* ---- a step ---- */

/* Puts the arcs beyond those of one step back into the ring, in two entries if they are
** many, so that other workers can take one. */
WARP_FUNCTION bool paths_put_back(struct paths_worker *w, uint32_t keep) {
    uint32_t rest = w->count - keep, half = 0;
    uint64_t begin = w->begin + keep;
    if (rest > 2 * w->crew.shape.arcs)
        half = rest / 2 < PATHS_TO_END ? rest / 2 : PATHS_TO_END - 1;
    if (!paths_make_room(w))
        return false;
    uint32_t total, at = w->head + warp_sum_before((rest > 0) + (half > 0), &total);
    if (half > 0)
        paths_put(w->ring, at++, w->who, paths_arcs(begin, half));
    if (rest > 0)
        paths_put(w->ring, at, w->who, paths_arcs(begin + half, rest - half));
    paths_publish(w, total);
    w->count = keep;
    return true;
}

/* The last lane whose arcs begin at or before arc number k. */
WARP_FUNCTION unsigned paths_owner(uint32_t first, uint32_t k) {
    unsigned owner = 0;
    for (unsigned step = warp_width / 2; step > 0; step /= 2)
        if (warp_from(first, owner + step) <= k)
            owner += step;
    return owner;
}

struct paths_find { /* of one arc */
    uint32_t v;
    bool open;
    uint64_t up, begin, end;
};

/* Takes the open vertices for the tree. `open` then marks the vertices that this lane has
** taken. */
WARP_FUNCTION void paths_claim(struct paths_worker *w, struct paths_find *find,
                               bool test) {
    uint32_t *visited = w->crew.visited;
    if (test) {
        for (int i = 0; i < GG_PATHS_LANE_ARCS; i++)
            if (find[i].open)
                find[i].open =
                    !(device_load(&visited[find[i].v / 32]) >> find[i].v % 32 & 1);
    }
    for (int i = 0; i < GG_PATHS_LANE_ARCS; i++) {
        find[i].begin = find[i].end = 0;
        if (find[i].open) {
            find[i].begin = w->crew.begin[find[i].v];
            find[i].end = w->crew.end[find[i].v];
        }
    }
    /* All claims are issued before the first answer is used, so that they overlap. */
    uint32_t before[GG_PATHS_LANE_ARCS];
    for (int i = 0; i < GG_PATHS_LANE_ARCS; i++) {
        before[i] = UINT32_MAX;
        if (find[i].open)
            before[i] = device_or(&visited[find[i].v / 32], 1u << find[i].v % 32);
    }
    for (int i = 0; i < GG_PATHS_LANE_ARCS; i++)
        find[i].open = !(before[i] >> find[i].v % 32 & 1);
    for (int i = 0; i < GG_PATHS_LANE_ARCS; i++)
        if (find[i].open)
            w->crew.tree[find[i].v] =
                (find[i].up >> 32) << 32 | (uint32_t)(find[i].up + 1);
}

/* Looks at arcs base .. base + PATHS_GROUP - 1 of the hands, which have `total` arcs.
** *held lanes already have a next entry. */
WARP_FUNCTION void paths_look(struct paths_worker *w, uint32_t first, uint32_t base,
                              uint32_t total, uint32_t *held) {
    struct paths_find find[GG_PATHS_LANE_ARCS];
    for (int i = 0; i < GG_PATHS_LANE_ARCS; i++) {
        uint32_t k = base + (uint32_t)i * warp_width + warp_lane();
        unsigned owner = paths_owner(first, k);
        uint64_t begin = warp_from_64(w->begin, owner);
        uint32_t before = warp_from(first, owner);
        find[i].up = warp_from_64(w->who, owner);
        find[i].open = k < total;
        find[i].v = k < total ? w->crew.target[begin + (k - before)] : 0;
    }
    paths_claim(w, find, total > w->crew.shape.direct);
    uint32_t beyond = 0;
    for (int i = 0; i < GG_PATHS_LANE_ARCS; i++) {
        bool row = find[i].open && find[i].end > find[i].begin;
        w->reached += find[i].open;
        paths_keep(w, row, (uint64_t)find[i].v << 32 | (uint32_t)(find[i].up + 1),
                   w->crew.fixed ? PATHS_WHOLE
                                 : paths_arcs(find[i].begin, find[i].end - find[i].begin),
                   held, &beyond);
    }
    if (beyond > 0)
        paths_publish(w, beyond);
}

/* Offers a chunk to other blocks if the block's list has none or the ring is deep.
** `first`: the first chunk of the block's list. */
WARP_FUNCTION bool paths_offer(struct paths_worker *w, uint32_t first) {
    bool offered = warp_from(first, 0) != DFS_NO_CHUNK;
    if (w->bound < (offered ? w->crew.shape.deep : w->crew.shape.share))
        return true;
    uint64_t word = dfs_look(w->ring);
    uint32_t count = w->bound = dfs_count(word);
    if (count < (offered ? w->crew.shape.deep : w->crew.shape.share))
        return true;
    return paths_flush(w, word, (count + 1) / 2);
}

/* Looks at arcs of the hands, up to as many as a step takes. */
WARP_FUNCTION bool paths_walk_arcs(struct paths_worker *w, uint32_t *held) {
    if (w->begin == PATHS_ROW_BEGIN && w->count > 0) {
        w->begin = w->crew.begin[w->who >> 32] + paths_first_place(w);
        w->count = (uint32_t)(w->crew.end[w->who >> 32] - w->begin);
    }
    uint32_t most = w->crew.shape.arcs, total;
    uint32_t first = warp_sum_before(w->count < most ? w->count : most, &total);
    uint32_t keep = first >= most ? 0 : most - first;
    keep = w->count < keep ? w->count : keep;
    if (warp_ballot(w->count > keep) && !paths_put_back(w, keep))
        return false;
    total = total < most ? total : most;
    for (uint32_t base = 0; base < total; base += PATHS_GROUP) {
        if (!paths_make_room(w))
            return false;
        paths_look(w, first, base, total, held);
    }
    return true;
}

/* Adds the vertices that the worker has taken to the count of the block. Adds the count
** of the block to the count of the crew only from time to time, because a word that
** thousands of threads change is slow. Returns true if the crew has enough vertices. */
WARP_FUNCTION bool paths_has_enough(struct paths_worker *w) {
    struct dfs_control *control = w->crew.control;
    uint32_t taken, enough = 0;
    if (!w->crew.pulls)
        return false;
    warp_sum_before(w->reached, &taken);
    w->reached = 0;
    if (warp_lane() == 0) {
        taken += block_take(w->block.taken, taken);
        taken = taken < GG_PATHS_REPORT ? 0 : block_swap(w->block.taken, 0);
        if (taken > 0)
            taken += device_take(&control->reached, taken);
        if (taken > 0 &&
            (uint64_t)taken * 16 >=
                (uint64_t)device_load(&control->entered) * GG_PATHS_PULL_SHARE) {
            device_store(&control->left, 1);
            device_store(&control->over, 1);
        }
        enough = device_load(&control->over);
    }
    return warp_from(enough, 0) != 0;
}

/* One step: from the hands to the next hands. Returns false if the worker must leave. */
WARP_FUNCTION bool paths_step(struct paths_worker *w) {
    uint32_t held = 0, cold = 0; /* loaded early, used late */
    if (w->bound >= w->crew.shape.share && warp_lane() == 0)
        cold = dfs_first(device_load_64(w->cold));
    if (!(paths_by_rows(w)     ? paths_walk_rows(w, &held)
          : paths_by_places(w) ? paths_walk_places(w, &held)
                               : paths_walk_arcs(w, &held)))
        return false;
    warp_sync();
    w->count = 0;
    if (warp_lane() < held)
        paths_hold(w, w->hand[2 * warp_lane()], w->hand[2 * warp_lane() + 1]);
    warp_sync();
    paths_top_up(w, held);
    return paths_offer(w, cold) && paths_attend(w) && !paths_has_enough(w);
}

/* ---- finding work ---- */

/* Takes a chunk of the list into the empty hands. */
WARP_FUNCTION bool paths_take_chunk(struct paths_worker *w, uint64_t *list) {
    uint32_t chunk = DFS_NO_CHUNK, batch = w->crew.shape.batch;
    if (warp_lane() == 0)
        chunk = dfs_list_pop(list, w->crew.pool);
    chunk = warp_from(chunk, 0);
    warp_sync();
    if (chunk == DFS_NO_CHUNK)
        return false;
    uint64_t *from = w->crew.pool.entry + 2 * (uint64_t)chunk * batch;
    uint32_t i = warp_lane();
    if (i < batch)
        paths_hold(w, device_load_64(from + 2 * i), device_load_64(from + 2 * i + 1));
    warp_sync();
    paths_keep_chunk(w, chunk);
    return true;
}

/* Takes up to half of the fullest ring of the block into the empty hands. The caller
** counts as busy. */
WARP_FUNCTION bool paths_steal_near(struct paths_worker *w) {
    uint32_t victim = dfs_fullest(w->block.word, w->crew.block_workers, 1);
    if (victim == DFS_NONE)
        return false;
    struct dfs_ring from = paths_ring_of(w, victim);
    uint64_t word = dfs_look(from), who = 0, arcs = 0;
    uint32_t count = (dfs_count(word) + 1) / 2;
    count = count < w->crew.shape.hands ? count : w->crew.shape.hands;
    if (count == 0)
        return false;
    if (warp_lane() < count) {
        uint64_t *at = paths_place(from, dfs_tail(word) + warp_lane());
        who = block_load_64(at);
        arcs = block_load_64(at + 1);
    }
    if (!dfs_cut(from, word, count))
        return false;
    if (warp_lane() < count)
        paths_hold(w, who, arcs);
    return true;
}

/* Takes work of the own block into the hands of an idle worker. */
WARP_FUNCTION bool paths_help(struct paths_worker *w, bool look_cold) {
    bool near = dfs_fullest(w->block.word, w->crew.block_workers, 1) != DFS_NONE;
    bool cold = !near && look_cold &&
                warp_ballot(warp_lane() == 0 &&
                            dfs_first(device_load_64(w->cold)) != DFS_NO_CHUNK);
    if ((!near && !cold) || !paths_join(w))
        return false;
    if ((near && paths_steal_near(w)) || (cold && paths_take_chunk(w, w->cold)))
        return true;
    paths_get_idle(w);
    return false;
}

/* The scout of an idle block takes a chunk of another block, opens a new root, or ends
** the search. Each lane looks at one block. */
WARP_FUNCTION bool paths_scout(struct paths_worker *w) {
    uint32_t random = dfs_random(&w->random) + warp_lane() * 0x9e3779b9u;
    uint32_t victim = (uint32_t)(((uint64_t)random * w->crew.blocks) >> 32);
    bool worth = dfs_first(device_load_64(w->crew.cold + victim)) != DFS_NO_CHUNK, alone;
    uint32_t busy = dfs_load(&w->crew.control->busy), lanes = warp_ballot(worth);
    if ((lanes == 0 && busy != 0) || !paths_wake(w, &alone))
        return false;
    victim = warp_from(victim, lanes ? lowest_bit(lanes) : 0);
    if (lanes && paths_take_chunk(w, w->crew.cold + victim))
        return true;
    if (alone && paths_open_or_end(w))
        return true;
    paths_get_idle(w);
    return false;
}

/* True if an idle worker must leave. Only the first worker of each block loads the flag
** of the crew, because a word that thousands of threads load is slow. */
WARP_FUNCTION bool paths_leaves(struct paths_worker *w, bool ask, bool ask_host) {
    uint32_t leave = 0;
    if (warp_lane() == 0)
        leave = block_load(w->block.leave);
    if (ask && w->place == 0) {
        if (warp_lane() == 0)
            leave |= device_load(&w->crew.control->over);
        leave |= paths_stops(w, ask_host);
        if (warp_lane() == 0 && leave)
            block_store(w->block.leave, 1);
    }
    return warp_from(leave, 0) != 0;
}

/* Finds entries for the empty hands. Returns false if the search is over or stopped. */
WARP_FUNCTION bool paths_find_work(struct paths_worker *w) {
    if (paths_top_up(w, 0) > 0 || paths_take_chunk(w, w->cold) || paths_take_roots(w) ||
        paths_take_at_will(w))
        return true;
    paths_get_idle(w);
    for (unsigned rounds = 0;; rounds++) {
        bool far = rounds % GG_PATHS_FAR == 0;
        if (paths_leaves(w, far, rounds % DFS_ASK_IDLE == 0))
            return false;
        if (paths_help(w, far) || (far && w->place == 0 && paths_scout(w)) ||
            (far && paths_open_at_will(w))) {
            w->stolen++;
            return true;
        }
        warp_pause(rounds < GG_PATHS_EAGER ? GG_PATHS_NAP_NS : GG_PATHS_REST_NS);
    }
}

/* ---- a worker's life ---- */

/* All workers count as busy when the first worker begins. All rings are empty. */
WARP_FUNCTION void paths_work(struct paths_crew crew, struct paths_block block,
                              uint32_t number) {
    struct paths_worker w;
    w.crew = crew;
    w.block = block;
    w.number = number;
    w.home = number / crew.block_workers;
    w.place = number % crew.block_workers;
    w.ring = paths_ring_of(&w, w.place);
    w.hand = block.hand + 2 * warp_width * (uint64_t)w.place;
    w.cold = crew.cold + w.home;
    w.spare = DFS_NO_CHUNK;
    w.random = (number + 1) * 2654435761u | 1;
    w.spares = w.steps = w.reached = w.stolen = w.count = w.head = w.bound = 0;
    w.who = w.begin = 0;
    while (paths_find_work(&w)) {
        bool go = true;
        while (go && warp_ballot(w.count > 0))
            go = paths_step(&w);
        if (!go)
            break;
    }
    if (warp_lane() == 0)
        block_store(block.leave, 1);
    uint32_t reached;
    warp_sum_before(w.reached, &reached);
    if (warp_lane() == 0) {
        device_add(&crew.control->reached, reached + block_swap(block.taken, 0));
        device_add(&crew.control->stolen, w.stolen);
    }
}

#endif
