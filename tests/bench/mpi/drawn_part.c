/* Makes a partition of a graph whose rows are all in this process: threads copy the rows
** of the masters.
**
**     masters    by owner, as in every partition           part_lay_out
**     local[]    of each number of the graph               masters, then ghosts by owner
**     ghosts     neighbours of masters that others own
**     peer       since arcs go both ways, masters with a neighbour that the peer owns are
**                ghosts there */
#include "drawn_part.h"
#include "distributed/partition/part.h"
#include "team.h"

#include <string.h>

struct picking {
    const csr *rows;
    gpugraph_part *p;
    gpugraph_run *run;
    uint32_t *local; /* of each number; GPUGRAPH_NONE: none here */
    uint8_t *ghost;  /* of each number: 1 if it is a ghost here */
    uint8_t *linked; /* of each peer and master: 1 if the master is a ghost there */
};

void drawn_rows_close(struct drawn_rows *rows) {
    gpugraph_free(rows->graph);
    *rows = (struct drawn_rows){0};
}

static void each(struct picking *k, uint64_t count, gg_span *range) {
    enum { CHUNK = 1 << 12 };
    gg_chunks(gg_team_limit(0), count, CHUNK, range, k);
}

/* Masters low .. high - 1. */
static void mark_ghosts(void *picking, uint64_t low, uint64_t high) {
    struct picking *k = picking;
    const csr *rows = k->rows;
    const gpugraph_part *p = k->p;
    for (uint64_t v = low; v < high; v++)
        for (uint64_t a = rows->begin[p->number[v]]; a < rows->end[p->number[v]]; a++) {
            const uint32_t w = rows->target[a];
            if (k->local[w] != GPUGRAPH_NONE)
                continue;
            __atomic_store_n(&k->ghost[w], 1, __ATOMIC_RELAXED);
            k->linked[(uint64_t)part_owner(p, w) * p->masters + v] = 1;
        }
}

/* Numbers ghosts by owner, then by number, and sets their local[]. */
static bool place_ghosts(struct picking *k) {
    gpugraph_part *p = k->p;
    uint64_t ghosts = 0;
    for (uint32_t w = 0; w < k->rows->n; w++)
        ghosts += k->ghost[w];
    uint64_t *number = gg_alloc(k->run, p->masters + ghosts, sizeof *number);
    if (!number)
        return false;
    memcpy(number, p->number, p->masters * sizeof *number);
    gg_release(p->number);
    p->number = number;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        p->peer[q].first_ghost = p->locals;
        for (uint32_t w = 0; w < k->rows->n; w++)
            if (k->ghost[w] && part_owner(p, w) == q) {
                k->local[w] = p->locals;
                number[p->locals++] = w;
            }
        p->peer[q].ghosts = p->locals - p->peer[q].first_ghost;
    }
    return true;
}

static bool list_linked_masters(struct picking *k) {
    gpugraph_part *p = k->p;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        const uint8_t *linked = k->linked + (uint64_t)q * p->masters;
        struct part_peer *peer = &p->peer[q];
        peer->master = gg_alloc(k->run, p->masters, sizeof *peer->master);
        for (uint32_t v = 0; peer->master && v < p->masters; v++)
            if (linked[v])
                peer->master[peer->masters++] = v;
    }
    return k->run->status == GPUGRAPH_OK;
}

/* ---- rows ---- */

/* Fills the row of a master; rows of ghosts are empty. */
static uint64_t fill_row(const struct picking *k, uint64_t v, uint32_t *to) {
    const csr *rows = k->rows;
    const gpugraph_part *p = k->p;
    uint64_t arcs = 0;
    for (uint64_t a = rows->begin[p->number[v]];
         v < p->masters && a < rows->end[p->number[v]]; a++, arcs++)
        if (to)
            to[arcs] = k->local[rows->target[a]];
    return arcs;
}

static void count_rows(void *picking, uint64_t low, uint64_t high) {
    struct picking *k = picking;
    for (uint64_t v = low; v < high; v++)
        k->p->offset[v + 1] = fill_row(k, v, NULL);
}

static void fill_rows(void *picking, uint64_t low, uint64_t high) {
    struct picking *k = picking;
    for (uint64_t v = low; v < high; v++)
        fill_row(k, v, k->p->target + k->p->offset[v]);
}

static bool make_rows(struct picking *k) {
    gpugraph_part *p = k->p;
    p->offset = gg_alloc_zero(k->run, (uint64_t)p->locals + 1, sizeof *p->offset);
    if (!p->offset)
        return false;
    each(k, p->locals, count_rows);
    for (uint32_t v = 0; v < p->locals; v++)
        p->offset[v + 1] += p->offset[v];
    p->arcs = p->offset[p->locals];
    p->target = gg_alloc(k->run, p->arcs, sizeof *p->target);
    if (p->target)
        each(k, p->locals, fill_rows);
    return p->target != NULL;
}

/* ---- the partition ---- */

static bool make(struct picking *k) {
    gpugraph_part *p = k->p;
    const uint32_t parts = p->exchange->parts;
    p->peer = gg_alloc_zero(k->run, parts, sizeof *p->peer);
    p->out = gg_alloc_zero(k->run, parts, sizeof *p->out);
    p->in = gg_alloc_zero(k->run, parts, sizeof *p->in);
    if (k->run->status || !part_lay_out(p, k->run))
        return false;
    p->locals = p->masters;
    p->number = gg_alloc(k->run, p->masters, sizeof *p->number);
    for (uint32_t v = 0; p->number && v < p->masters; v++)
        p->number[v] = several_number_of(&p->places, p->exchange->part, v);
    k->local = gg_alloc(k->run, k->rows->n, sizeof *k->local);
    k->ghost = gg_alloc_zero(k->run, k->rows->n, 1);
    k->linked = gg_alloc_zero(k->run, (uint64_t)parts * p->masters, 1);
    if (k->run->status)
        return false;
    memset(k->local, 0xff, k->rows->n * sizeof *k->local);
    for (uint32_t v = 0; v < p->masters; v++)
        k->local[p->number[v]] = v;
    each(k, p->masters, mark_ghosts);
    return place_ghosts(k) && list_linked_masters(k) && make_rows(k);
}

gpugraph_part *drawn_part(const struct drawn_rows *rows, gpugraph_exchange *x,
                          gpugraph_run *run) {
    gpugraph_part *p = gg_alloc_zero(run, 1, sizeof *p);
    struct picking k = {.rows = &rows->of, .p = p, .run = run};
    if (p) {
        *p = (gpugraph_part){.exchange = x,
                             .partition = GPUGRAPH_BY_SOURCE,
                             .direction = GPUGRAPH_BOTH,
                             .simple = true,
                             .vertices = rows->of.n,
                             .columns = 1};
        make(&k);
    }
    gg_release(k.local);
    gg_release(k.ghost);
    gg_release(k.linked);
    if (part_end(x, run) != GPUGRAPH_OK) {
        gpugraph_part_free(p);
        return NULL;
    }
    return p;
}
