/* The workers of the device's depth-first search: how they walk, share and end.
**
**     a worker    holds one entry in its hands and descends from it. Its deque
**                 (dfs/deque.h) has the entries that it leaves on the way.
**     work        comes from the worker's own ring, its own cold list, the list of roots,
**                 the rings of its block, and, if its whole block is idle, from cold
**                 lists of other blocks.
**     busy        the number of workers that hold work or are about to take some. A thief
**                 counts itself before it takes work. At 0 all rings and lists are empty.
**     opener      the worker that raises busy from 0 to 1. It is alone, and opens the
**                 next root of a forest or ends the search.
**
** A vertex belongs to the worker that sets its depth. The worker writes the parent next,
** before any entry names the vertex. The trees of the listed roots of a forest may grow
** at the same time, because no arc leads from one to another. Further roots are opened
** one after the other, in the order of numbers, each when no other work exists. Each loop
** looks at `stop`. */
#ifndef GPUGRAPH_DFS_CREW_H
#define GPUGRAPH_DFS_CREW_H

#include "dfs/control.h"
#include "dfs/deque.h"

/* A thief takes from the most loaded of this many blocks: two, as published. With 32
** rmat22 took 46 ms instead of 37, mesh16m 377 instead of 323. */
#define DFS_CHOICES 2

/* The state that the workers share, passed by value. */
struct dfs_crew {
    const uint64_t *begin, *end;
    const uint32_t *target;
    uint32_t *depth, *parent; /* at first DFS_NONE, but depth 0 at the listed roots */
    const uint32_t *root;     /* the roots to begin with */
    uint32_t n, roots;
    bool all_vertices; /* a forest: further roots are opened */
    struct dfs_control *control;
    struct dfs_pool pool;
    uint64_t *cold, *under; /* by worker: words of its cold chunks */
    uint32_t *cold_chunk;   /* by worker: shape.cold chunks */
    uint32_t workers, block_workers;
    struct dfs_shape shape;
    const uint32_t *host_stop;
};

struct dfs_block {          /* in memory that the workers of the block share */
    uint64_t *word, *entry; /* rings */
    uint32_t *busy;         /* busy workers of the block */
};

struct dfs_worker {
    struct dfs_crew crew;
    struct dfs_block block;
    struct dfs_ring ring;
    uint32_t number, place; /* in the crew, in the block */
    uint32_t spare;         /* an empty chunk, or DFS_NO_CHUNK */
    uint32_t random, steps, reached, stolen;
    uint64_t hands; /* the entry from which the worker continues */
};

WARP_FUNCTION struct dfs_ring dfs_ring_of(const struct dfs_worker *w, uint32_t place) {
    struct dfs_ring ring;
    ring.word = w->block.word + place;
    ring.size = w->crew.shape.ring;
    ring.entry = w->block.entry + (uint64_t)place * ring.size;
    return ring;
}

WARP_FUNCTION struct dfs_cold dfs_cold_of(const struct dfs_worker *w, uint32_t number) {
    struct dfs_cold cold;
    cold.word = w->crew.cold + number;
    cold.under = w->crew.under + number;
    cold.size = w->crew.shape.cold;
    cold.chunk = w->crew.cold_chunk + (uint64_t)number * cold.size;
    return cold;
}

/* ---- the end ---- */

/* True if the worker must leave. Only the workers of the first block ask the host. */
WARP_FUNCTION bool dfs_must_leave(struct dfs_worker *w, bool ask_host) {
    ask_host = ask_host && w->number < w->crew.block_workers;
    return dfs_stops(w->crew.control, ask_host, w->crew.host_stop);
}

WARP_FUNCTION bool dfs_attend(struct dfs_worker *w) {
    w->steps++;
    return w->steps % DFS_ATTEND != 0 || !dfs_must_leave(w, w->steps % DFS_ASK_HOST == 0);
}

WARP_FUNCTION void dfs_get_busy(struct dfs_worker *w) {
    if (warp_lane() == 0) {
        device_add(&w->crew.control->busy, 1);
        block_add(w->block.busy, 1);
    }
    warp_sync();
}

WARP_FUNCTION void dfs_get_idle(struct dfs_worker *w) {
    warp_sync();
    if (warp_lane() == 0) {
        block_add(w->block.busy, UINT32_MAX);
        device_add(&w->crew.control->busy, UINT32_MAX);
    }
}

/* ---- descending ---- */

/* Takes v as a child of u if no worker has v. v is the same in all lanes. */
WARP_FUNCTION bool dfs_claim(struct dfs_worker *w, uint32_t v, uint32_t u,
                             uint32_t depth) {
    uint32_t mine = 0;
    if (warp_lane() == 0) {
        uint32_t none = DFS_NONE;
        mine = device_try(&w->crew.depth[v], &none, depth);
        if (mine)
            w->crew.parent[v] = u;
    }
    return warp_from(mine, 0) != 0;
}

/* Claims the first open target of the arcs [*next, degree) of u, and gives it that depth.
** Each lane looks at one arc at a time. Returns DFS_NONE if there is no open target, or
** if the worker must leave. *next: the arc behind the target. */
WARP_FUNCTION uint32_t dfs_claim_next(struct dfs_worker *w, uint32_t u, uint32_t depth,
                                      uint32_t degree, uint32_t *next) {
    uint64_t first = w->crew.begin[u];
    for (uint32_t base = *next; base < degree; base += warp_width) {
        uint32_t arc = base + warp_lane(), v = 0;
        bool open = false;
        if (arc < degree && arc >= base) {
            v = w->crew.target[first + arc];
            open = device_load(&w->crew.depth[v]) == DFS_NONE;
        }
        uint32_t lanes = warp_ballot(open);
        for (; lanes != 0; lanes &= lanes - 1) {
            unsigned lane = lowest_bit(lanes);
            uint32_t mine = warp_from(v, lane);
            if (dfs_claim(w, mine, u, depth)) {
                *next = base + lane + 1;
                return mine;
            }
        }
        if (!dfs_attend(w) || degree - base <= warp_width)
            break;
    }
    *next = degree;
    return DFS_NONE;
}

/* Leaves an entry in the deque. Returns false if the worker must leave. */
WARP_FUNCTION bool dfs_leave(struct dfs_worker *w, uint64_t entry) {
    while (!dfs_push(w->ring, entry)) {
        if (w->spare == DFS_NO_CHUNK) {
            uint32_t chunk = DFS_NO_CHUNK;
            if (warp_lane() == 0)
                chunk = dfs_take_chunk(w->crew.pool);
            w->spare = warp_from(chunk, 0);
            warp_sync();
        }
        if (w->spare == DFS_NO_CHUNK) {
            dfs_exhaust(w->crew.control);
            return false;
        }
        if (dfs_flush(w->ring, dfs_cold_of(w, w->number), w->crew.pool, w->spare))
            w->spare = DFS_NO_CHUNK;
    }
    return true;
}

/* Descends from the entry in the hands until no open vertex follows. Returns false if the
** worker must leave. */
WARP_FUNCTION bool dfs_descend(struct dfs_worker *w) {
    uint32_t u = (uint32_t)(w->hands >> 32), next = (uint32_t)w->hands;
    uint32_t depth = device_load(&w->crew.depth[u]);
    for (;;) {
        uint32_t degree = (uint32_t)(w->crew.end[u] - w->crew.begin[u]);
        uint32_t v = dfs_claim_next(w, u, ++depth, degree, &next);
        if (!dfs_attend(w))
            return false;
        if (v == DFS_NONE)
            return true;
        w->reached++;
        if (next < degree && !dfs_leave(w, (uint64_t)u << 32 | next))
            return false;
        u = v;
        next = 0;
    }
}

/* ---- finding work ---- */

WARP_FUNCTION void dfs_keep_chunk(struct dfs_worker *w, uint32_t chunk) {
    if (w->spare == DFS_NO_CHUNK) {
        w->spare = chunk;
        return;
    }
    if (warp_lane() == 0)
        dfs_list_push(w->crew.pool.free, w->crew.pool, chunk);
    warp_sync();
}

/* Refills the ring from the cold chunks of worker `number`. */
WARP_FUNCTION bool dfs_refill_from(struct dfs_worker *w, uint32_t number) {
    uint32_t chunk =
        dfs_refill(w->ring, dfs_cold_of(w, number), number == w->number, w->crew.pool);
    if (chunk == DFS_NO_CHUNK)
        return false;
    dfs_keep_chunk(w, chunk);
    return true;
}

/* Takes the next root of the list. */
WARP_FUNCTION bool dfs_take_root(struct dfs_worker *w) {
    uint32_t at = dfs_take_roots(w->crew.control, w->crew.roots, 1);
    if (at >= w->crew.roots)
        return false;
    w->hands = (uint64_t)w->crew.root[at] << 32;
    w->reached++;
    return true;
}

/* Returns the number of cold chunks of a block, and in *victim its worker with most of
** them. Chunks under a full array do not count. Each lane looks at another block. */
WARP_FUNCTION uint32_t dfs_load_of(struct dfs_worker *w, uint32_t block,
                                   uint32_t *victim) {
    uint32_t sum = 0, most = 0, first = block * w->crew.block_workers;
    for (uint32_t i = 0; i < w->crew.block_workers; i++) {
        uint32_t chunks = dfs_count(device_load_64(&w->crew.cold[first + i]));
        sum += chunks;
        most = chunks << 16 > most ? chunks << 16 | i : most;
    }
    const bool pays = (most >> 16) * w->crew.shape.batch >= w->crew.shape.cold_cutoff;
    *victim = most > 0 && pays ? first + (most & 0xffff) : DFS_NONE;
    return sum;
}

/* Returns a worker with cold chunks of at least cold_cutoff entries, in the most loaded
** of DFS_CHOICES blocks, or DFS_NONE. */
WARP_FUNCTION uint32_t dfs_look_far(struct dfs_worker *w) {
    uint32_t blocks = w->crew.workers / w->crew.block_workers, victim = DFS_NONE;
    uint32_t most = 0, dice = dfs_random(&w->random);
    for (uint32_t i = warp_lane(); i < DFS_CHOICES; i += warp_width) {
        uint32_t other, block = ((dice + i * 0x9E3779B9u) >> 8) % blocks;
        uint32_t load = dfs_load_of(w, block, &other);
        if (other != DFS_NONE && load > most) {
            most = load;
            victim = other;
        }
    }
    /* The loads of the lanes, with the number of the lane in the low bits. */
    most = most < 0x3ffffff ? most : 0x3ffffff;
    uint32_t best = warp_max(most << 5 | warp_lane());
    return best >> 5 ? warp_from(victim, best & 31) : DFS_NONE;
}

/* Tries once to steal from other workers. The caller is idle before, and busy if it finds
** work. */
WARP_FUNCTION bool dfs_steal_once(struct dfs_worker *w) {
    uint32_t near =
        dfs_fullest(w->block.word, w->crew.block_workers, w->crew.shape.hot_cutoff);
    uint32_t far = DFS_NONE, alone = 0;
    if (near == DFS_NONE) {
        if (warp_lane() == 0)
            alone = block_load(w->block.busy) == 0;
        if (warp_from(alone, 0))
            far = dfs_look_far(w);
    }
    if (near == DFS_NONE && far == DFS_NONE)
        return false;
    dfs_get_busy(w);
    if (near != DFS_NONE ? dfs_steal(dfs_ring_of(w, near), w->ring, w->crew.shape) > 0
                         : dfs_refill_from(w, far)) {
        w->stolen++;
        return true;
    }
    dfs_get_idle(w);
    return false;
}

/* ---- opening roots ---- */

/* The opener makes the next unvisited vertex with arcs a root, and takes the root's entry
** into the hands. Unvisited vertices without arcs become roots, but need no search. */
WARP_FUNCTION bool dfs_open_root(struct dfs_worker *w) {
    struct dfs_control *control = w->crew.control;
    uint64_t at = w->crew.all_vertices ? device_load(&control->opened) : w->crew.n;
    for (; at < w->crew.n; at += warp_width) {
        uint64_t v = at + warp_lane();
        bool open = v < w->crew.n && device_load(&w->crew.depth[v]) == DFS_NONE;
        bool arcs = open && w->crew.end[v] > w->crew.begin[v];
        uint32_t with_arcs = warp_ballot(arcs);
        unsigned end = with_arcs ? lowest_bit(with_arcs) + 1 : warp_width;
        bool opens = open && warp_lane() < end;
        if (opens)
            device_store(&w->crew.depth[v], 0);
        w->reached += set_bits(warp_ballot(opens));
        if (with_arcs) {
            warp_sync();
            if (warp_lane() == 0)
                device_store(&control->opened, (uint32_t)(at + end));
            w->hands = (at + end - 1) << 32;
            return true;
        }
        if (!dfs_attend(w))
            return false;
    }
    return false;
}

/* If no worker is busy, this worker alone opens a root or ends the search. Returns true
** if it has a root and is busy. */
WARP_FUNCTION bool dfs_be_opener(struct dfs_worker *w) {
    struct dfs_control *control = w->crew.control;
    uint32_t alone = 0;
    if (warp_lane() == 0 && device_load(&control->busy) == 0)
        alone = device_enter(&control->busy, 0, 1);
    if (!warp_from(alone, 0))
        return false;
    if (warp_lane() == 0)
        block_add(w->block.busy, 1);
    warp_sync();
    if (dfs_open_root(w))
        return true;
    if (warp_lane() == 0)
        device_store(&control->over, 1);
    dfs_get_idle(w);
    return false;
}

/* Finds an entry for the worker's hands. Returns false if the search is over or
** stopped. */
WARP_FUNCTION bool dfs_find_work(struct dfs_worker *w) {
    for (;;) {
        if (dfs_pop(w->ring, &w->hands))
            return true;
        if (dfs_refill_from(w, w->number))
            continue;
        if (dfs_take_root(w))
            return true;
        dfs_get_idle(w);
        for (unsigned rounds = 0;; rounds++) {
            bool asks = w->place == 0 || rounds % DFS_ASK_SELDOM == 0;
            if (asks && (dfs_load(&w->crew.control->over) ||
                         dfs_must_leave(w, rounds % DFS_ASK_IDLE == 0)))
                return false;
            if (dfs_steal_once(w))
                break;
            if (dfs_be_opener(w))
                return true;
            warp_rest(rounds);
        }
    }
}

/* ---- a worker's life ---- */

/* All workers count as busy when the first worker begins. All rings are empty. */
WARP_FUNCTION void dfs_work(struct dfs_crew crew, struct dfs_block block,
                            uint32_t number) {
    struct dfs_worker w;
    w.crew = crew;
    w.block = block;
    w.number = number;
    w.place = number % crew.block_workers;
    w.ring = dfs_ring_of(&w, w.place);
    w.spare = DFS_NO_CHUNK;
    w.random = (number + 1) * 2654435761u | 1;
    w.steps = w.reached = w.stolen = 0;
    w.hands = 0;
    while (dfs_find_work(&w) && dfs_descend(&w))
        ;
    if (warp_lane() == 0) {
        device_add(&crew.control->reached, w.reached);
        device_add(&crew.control->stolen, w.stolen);
    }
}

#endif
