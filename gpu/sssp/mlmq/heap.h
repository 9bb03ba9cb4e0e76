/* L2 of a multi-level multi-queue as heaps of batches: one of them is L2PQ, several are
** L2MPQ, where a warp reads from its own and writes to all in turn.
**
**     node 0     buffer: up to batch - 1 elements, sorted
**     node 1     the least batch, sorted; its lock also keeps the size and the buffer
**     node i     a sorted batch; none of its elements is less than any of node i / 2
**
** An insertion merges what is new with the root, then with the buffer; a full batch goes
** down the path to the first free node, merged with every node it passes. A deletion takes
** the root's batch, puts the last node's in its place and lets it sink. Both take locks from
** the root downward and hold at most a node and its children, so that several are under way
** at once. A node that an insertion is still on its way to is not full: who needs it waits
** (the last one) or passes it by (a child). After the batched heap of Chen, Hua, Jin, Zhang,
** "BGPQ: A Heap-Based Priority Queue Design for GPUs" (ICPP 2021).
**
** Order is a matter of speed here, not of right: only no element may be lost. */
#ifndef GPUGRAPH_MLMQ_HEAP_H
#define GPUGRAPH_MLMQ_HEAP_H

#include "mlmq.h"

enum { MLMQ_ROOT = 1 };

/* ---- nodes ---- */

WARP_FUNCTION uint64_t mlmq_node(const struct mlmq *m, uint32_t heap, uint32_t node) {
    return (uint64_t)heap * (m->nodes + 1) + node;
}

/* False: the search is over, and locks no longer matter. */
WARP_FUNCTION bool mlmq_lock(const struct mlmq *m, uint32_t heap, uint32_t node) {
    uint32_t *lock = &m->lock[mlmq_node(m, heap, node)], held = 0, rounds = 0;
    if (warp_lane() == 0)
        while (!(held = device_enter(lock, 0, 1)) && mlmq_waits(m, &rounds, 3))
            ;
    held = warp_from(held, 0);
    warp_sync();
    return held != 0;
}

WARP_FUNCTION void mlmq_unlock(const struct mlmq *m, uint32_t heap, uint32_t node) {
    warp_sync();
    if (warp_lane() == 0)
        device_publish(&m->lock[mlmq_node(m, heap, node)], 0);
    warp_sync();
}

WARP_FUNCTION uint32_t mlmq_ask(uint32_t *at) {
    return warp_from(device_load(at), 0);
}

WARP_FUNCTION void mlmq_tell(uint32_t *at, uint32_t value) {
    if (warp_lane() == 0)
        device_store(at, value);
}

/* Elements of a node to row[at ..], and back. */
WARP_FUNCTION void mlmq_node_load(const struct mlmq_warp *w, uint32_t heap, uint32_t node,
                                  uint32_t row, uint32_t at, uint32_t count) {
    uint64_t first = mlmq_node(w->m, heap, node) * w->m->batch;
    for (uint32_t i = warp_lane(); i < count; i += warp_width) {
#ifdef MLMQ_UINT32
        uint64_t word = device_load_64(&w->m->node[first + i]);
        w->heap->distance[row][at + i] = (uint32_t)(word >> 32);
        w->heap->vertex[row][at + i] = (uint32_t)word;
#else
        uint64_t *word = &w->m->node[2 * (first + i)];
        w->heap->distance[row][at + i] = device_load_64(word);
        w->heap->vertex[row][at + i] = (uint32_t)device_load_64(word + 1);
#endif
    }
}

WARP_FUNCTION void mlmq_node_store(const struct mlmq_warp *w, uint32_t heap,
                                   uint32_t node, uint32_t row, uint32_t at,
                                   uint32_t count) {
    uint64_t first = mlmq_node(w->m, heap, node) * w->m->batch;
    warp_sync();
    for (uint32_t i = warp_lane(); i < count; i += warp_width) {
        mlmq_word distance = w->heap->distance[row][at + i];
        uint32_t vertex = w->heap->vertex[row][at + i];
#ifdef MLMQ_UINT32
        device_store_64(&w->m->node[first + i], (uint64_t)distance << 32 | vertex);
#else
        device_store_64(&w->m->node[2 * (first + i)], distance);
        device_store_64(&w->m->node[2 * (first + i) + 1], vertex);
#endif
    }
}

/* ---- rows on chip ---- */

WARP_FUNCTION void mlmq_row_copy(const struct mlmq_warp *w, uint32_t to, uint32_t to_at,
                                 uint32_t from, uint32_t from_at, uint32_t count) {
    warp_sync();
    for (uint32_t i = warp_lane(); i < count; i += warp_width) {
        w->heap->distance[to][to_at + i] = w->heap->distance[from][from_at + i];
        w->heap->vertex[to][to_at + i] = w->heap->vertex[from][from_at + i];
    }
    warp_sync();
}

/* How many of the sorted elements [first, first + count) come before a distance; or_equal:
** are equal ones among them? */
WARP_FUNCTION uint32_t mlmq_before(const mlmq_word *distance, uint32_t first,
                                   uint32_t count, mlmq_word than, bool or_equal) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        mlmq_word here = distance[first + middle];
        if (here < than || (or_equal && here == than))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Two sorted runs, a elements and then b, of row 0 become one of another row. */
WARP_FUNCTION void mlmq_merge(const struct mlmq_warp *w, uint32_t a, uint32_t b,
                              uint32_t to) {
    const mlmq_word *distance = w->heap->distance[0];
    warp_sync();
    for (uint32_t i = warp_lane(); i < a + b; i += warp_width) {
        uint32_t place = i < a ? i + mlmq_before(distance, a, b, distance[i], false)
                               : i - a + mlmq_before(distance, 0, a, distance[i], true);
        w->heap->distance[to][place] = distance[i];
        w->heap->vertex[to][place] = w->heap->vertex[0][i];
    }
    warp_sync();
}

/* The elements of the lanes with `valid`, sorted, to row 1. */
WARP_FUNCTION void mlmq_sort(const struct mlmq_warp *w, struct mlmq_element e,
                             bool valid) {
    uint32_t lanes = warp_ballot(valid), count = set_bits(lanes), at = mlmq_rank(lanes);
    uint32_t place = 0;
    warp_sync();
    if (valid)
        w->heap->distance[0][at] = e.distance;
    warp_sync();
    for (uint32_t i = 0; i < count; i++) {
        mlmq_word other = w->heap->distance[0][i];
        place += other < e.distance || (other == e.distance && i < at);
    }
    if (valid) {
        w->heap->distance[1][place] = e.distance;
        w->heap->vertex[1][place] = e.vertex;
    }
    warp_sync();
}

/* ---- insertion ---- */

/* Row 1 holds a full batch for node `target`, whose path begins at the root, that is locked
** and is let go. */
WARP_FUNCTION void mlmq_heap_descend(const struct mlmq_warp *w, uint32_t heap,
                                     uint32_t target) {
    const struct mlmq *m = w->m;
    const uint32_t batch = m->batch;
    uint32_t here = MLMQ_ROOT, levels = 0;
    while (target >> (levels + 1) > 0)
        levels++;
    while (levels > 0) {
        uint32_t next = target >> --levels;
        if (!mlmq_lock(m, heap, next))
            return;
        mlmq_unlock(m, heap, here);
        here = next;
        if (here == target)
            break;
        mlmq_node_load(w, heap, here, 0, 0, batch);
        mlmq_row_copy(w, 0, batch, 1, 0, batch);
        mlmq_merge(w, batch, batch, 2);
        mlmq_node_store(w, heap, here, 2, 0, batch);
        mlmq_row_copy(w, 1, 0, 2, batch, batch);
    }
    mlmq_node_store(w, heap, target, 1, 0, batch);
    mlmq_tell(&m->node_full[mlmq_node(m, heap, target)], 1);
    mlmq_unlock(m, heap, target);
}

/* There is no node left for the elements of row 2 from `batch` on. */
WARP_FUNCTION void mlmq_heap_spill(const struct mlmq_warp *w, uint32_t count) {
    warp_sync();
    for (uint32_t i = 0; i < count; i += warp_width) {
        bool lost = i + warp_lane() < count;
        struct mlmq_element e = {0, 0};
        if (lost) {
            e.distance = w->heap->distance[2][w->m->batch + i + warp_lane()];
            e.vertex = w->heap->vertex[2][w->m->batch + i + warp_lane()];
        }
        mlmq_spill(w, e, lost);
    }
    warp_sync();
    if (warp_lane() == 0)
        device_add(&w->m->control->done[MLMQ_HEAPS], count);
}

WARP_FUNCTION void mlmq_heap_insert(const struct mlmq_warp *w, uint32_t heap,
                                    uint32_t count) {
    const struct mlmq *m = w->m;
    const uint32_t batch = m->batch;
    if (!mlmq_lock(m, heap, MLMQ_ROOT))
        return;
    uint32_t size = mlmq_ask(&m->heap_size[heap]);
    uint32_t waiting = mlmq_ask(&m->heap_buffer[heap]);
    if (size > 0) {
        mlmq_node_load(w, heap, MLMQ_ROOT, 0, 0, batch);
        mlmq_row_copy(w, 0, batch, 1, 0, count);
        mlmq_merge(w, batch, count, 2);
        mlmq_node_store(w, heap, MLMQ_ROOT, 2, 0, batch);
    } else {
        mlmq_row_copy(w, 2, batch, 1, 0, count);
    }
    if (waiting + count >= batch && size == m->nodes) {
        mlmq_unlock(m, heap, MLMQ_ROOT);
        mlmq_heap_spill(w, count);
        return;
    }
    mlmq_node_load(w, heap, 0, 0, 0, waiting);
    mlmq_row_copy(w, 0, waiting, 2, batch, count);
    mlmq_merge(w, waiting, count, 1);
    waiting += count;
    if (waiting < batch) {
        mlmq_node_store(w, heap, 0, 1, 0, waiting);
        mlmq_tell(&m->heap_buffer[heap], waiting);
        mlmq_unlock(m, heap, MLMQ_ROOT);
        return;
    }
    mlmq_node_store(w, heap, 0, 1, batch, waiting - batch);
    mlmq_tell(&m->heap_buffer[heap], waiting - batch);
    mlmq_tell(&m->heap_size[heap], size + 1);
    mlmq_heap_descend(w, heap, size + 1);
}

WARP_FUNCTION void mlmq_heap_write(struct mlmq_warp *w, struct mlmq_element e,
                                   bool valid) {
    uint32_t count = set_bits(warp_ballot(valid));
    if (count == 0)
        return;
    if (warp_lane() == 0)
        device_take(&w->m->control->tail[MLMQ_HEAPS], count);
    mlmq_sort(w, e, valid);
    mlmq_heap_insert(w, w->next_heap++ % w->m->heaps, count);
}

/* ---- deletion ---- */

/* Takes the last node's batch to row 1. False: the search is over. */
WARP_FUNCTION bool mlmq_heap_take_last(const struct mlmq_warp *w, uint32_t heap,
                                       uint32_t last) {
    const struct mlmq *m = w->m;
    uint32_t *full = &m->node_full[mlmq_node(m, heap, last)], rounds = 0;
    for (;;) {
        if (!mlmq_lock(m, heap, last))
            return false;
        if (mlmq_ask(full))
            break;
        mlmq_unlock(m, heap, last);
        if (!warp_from(mlmq_waits(m, &rounds, 4), 0))
            return false;
    }
    mlmq_node_load(w, heap, last, 1, 0, m->batch);
    mlmq_tell(full, 0);
    mlmq_unlock(m, heap, last);
    return true;
}

/* Is there such a full node? Then it is locked. */
WARP_FUNCTION bool mlmq_lock_full(const struct mlmq *m, uint32_t heap, uint32_t node,
                                  uint32_t size) {
    if (node > size || !mlmq_lock(m, heap, node))
        return false;
    if (mlmq_ask(&m->node_full[mlmq_node(m, heap, node)]))
        return true;
    mlmq_unlock(m, heap, node);
    return false;
}

/* The batch in row 1 sinks from the root, which is locked and is let go. */
WARP_FUNCTION void mlmq_heap_sink(const struct mlmq_warp *w, uint32_t heap,
                                  uint32_t size) {
    const struct mlmq *m = w->m;
    const uint32_t batch = m->batch;
    uint32_t here = MLMQ_ROOT;
    for (;;) {
        uint32_t next = 2 * here, other = next + 1;
        bool one = mlmq_lock_full(m, heap, next, size);
        bool two = mlmq_lock_full(m, heap, other, size);
        if (!one && !two)
            break;
        if (!one)
            next = other;
        mlmq_node_load(w, heap, next, 0, 0, batch);
        if (one && two) {
            mlmq_node_load(w, heap, other, 0, batch, batch);
            warp_sync();
            const mlmq_word *distance = w->heap->distance[0];
            bool swap = distance[batch - 1] > distance[2 * batch - 1];
            mlmq_merge(w, batch, batch, 2);
            /* The larger half stays where the larger ones were. */
            uint32_t larger = swap ? next : other;
            next = swap ? other : next;
            mlmq_node_store(w, heap, larger, 2, batch, batch);
            mlmq_unlock(m, heap, larger);
            mlmq_row_copy(w, 0, 0, 2, 0, batch);
        }
        mlmq_row_copy(w, 0, batch, 1, 0, batch);
        mlmq_merge(w, batch, batch, 2);
        mlmq_node_store(w, heap, here, 2, 0, batch);
        mlmq_unlock(m, heap, here);
        mlmq_row_copy(w, 1, 0, 2, batch, batch);
        here = next;
    }
    mlmq_node_store(w, heap, here, 1, 0, batch);
    mlmq_unlock(m, heap, here);
}

/* `count` elements of row 0 are what was read. */
WARP_FUNCTION void mlmq_inbox_fill(struct mlmq_warp *w, uint32_t count) {
    warp_sync();
    for (uint32_t i = warp_lane(); i < count; i += warp_width) {
        w->heap->in_distance[i] = w->heap->distance[0][i];
        w->heap->in_vertex[i] = w->heap->vertex[0][i];
    }
    warp_sync();
    w->in_first = 0;
    w->in_count = count;
    w->account = MLMQ_HEAPS;
    w->taken = count;
}

WARP_FUNCTION void mlmq_heap_delete(struct mlmq_warp *w, uint32_t heap) {
    const struct mlmq *m = w->m;
    if (!mlmq_lock(m, heap, MLMQ_ROOT))
        return;
    uint32_t size = mlmq_ask(&m->heap_size[heap]);
    if (size == 0) {
        uint32_t waiting = mlmq_ask(&m->heap_buffer[heap]);
        mlmq_node_load(w, heap, 0, 0, 0, waiting);
        mlmq_tell(&m->heap_buffer[heap], 0);
        mlmq_unlock(m, heap, MLMQ_ROOT);
        mlmq_inbox_fill(w, waiting);
        return;
    }
    mlmq_node_load(w, heap, MLMQ_ROOT, 0, 0, m->batch);
    mlmq_inbox_fill(w, m->batch);
    if (size == 1) {
        mlmq_tell(&m->node_full[mlmq_node(m, heap, MLMQ_ROOT)], 0);
        mlmq_tell(&m->heap_size[heap], 0);
        mlmq_unlock(m, heap, MLMQ_ROOT);
        return;
    }
    if (!mlmq_heap_take_last(w, heap, size))
        return;
    mlmq_tell(&m->heap_size[heap], size - 1);
    mlmq_heap_sink(w, heap, size - 1);
}

/* From the batch that was read, up to one element for each lane. */
WARP_FUNCTION uint32_t mlmq_inbox_read(struct mlmq_warp *w, struct mlmq_element *e,
                                       bool *valid) {
    uint32_t count = w->in_count < warp_width ? w->in_count : warp_width;
    *valid = warp_lane() < count;
    if (*valid) {
        e->distance = w->heap->in_distance[w->in_first + warp_lane()];
        e->vertex = w->heap->in_vertex[w->in_first + warp_lane()];
    }
    w->in_first += count;
    w->in_count -= count;
    return count;
}

WARP_FUNCTION uint32_t mlmq_heap_read(struct mlmq_warp *w, struct mlmq_element *e,
                                      bool *valid) {
    uint32_t heap = w->number % w->m->heaps;
    if (mlmq_ask(&w->m->heap_size[heap]) + mlmq_ask(&w->m->heap_buffer[heap]) > 0)
        mlmq_heap_delete(w, heap);
    return mlmq_inbox_read(w, e, valid);
}

#endif
