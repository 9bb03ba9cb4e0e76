/* Maps INTEGER ids that lie far apart to vertex numbers.
**
**     columns     9 5 7 9 | 5 8 9 5       in the order of edges, a slice per thread
**        |  each thread distributes its slice by a placing hash (hash.h): equal ids go
**        v  to one part
**     parts       5 | 5 5 . 9 7 9 | 9 . 8 |
**        |  a thread numbers a part by a hash table that fits the cache: an id's arrival
**        |  number in its part replaces the id
**        |  the distinct ids of all parts are sorted: rank[base of part + arrival number]
**        v
**     parts       vertex numbers in place of ids
**        |  each thread reads its slice again: the number of an entry is where the
**        v  thread wrote the id, which is the next position of the part
**     columns     vertex numbers in the order of edges
**
** So each table, each part of `rank` and the ranges that a thread writes fit the cache,
** and no entry stores its position. */
#include "ids.h"
#include "base/distinct.h"

#include <string.h>

enum {
    /* log2 of the largest number of parts: a second-level cache can hold one line of each
    ** part for writing. */
    ID_PART_BITS = 11,
    ID_PART = 32768 /* ids that need another part: a table of fewer ids fits this cache */
};

typedef struct id_part {
    uint64_t *id; /* the distinct ids in order of arrival */
    uint64_t count, base;
} id_part;

typedef struct parting {
    id_mapper *m;
    struct gg_placing placing;
    int threads, bits; /* log2 of parts: the highest bits of a hash */
    uint64_t parts;
    uint64_t *start; /* [threads][parts]: where a thread writes its next id of a part */
    uint64_t *begin; /* [parts + 1] */
    int64_t *entry;  /* ids of all columns, then arrival numbers, then vertex numbers */
    id_part *part;
    uint32_t *rank;
    uint64_t taken; /* parts that threads have begun to number */
} parting;

static inline uint64_t part_sparse_of(const parting *p, int64_t id) {
    return gg_place_integer(p->placing, (uint64_t)id) >> 1 >> (63 - p->bits);
}

/* ---- distributing ids to parts ---- */

/* The first run counts the ids of a slice by part. The second run, with p->entry, writes
** the ids, and advances each start to the position where the next thread begins. */
static void count_or_write(void *parts, uint64_t thread) {
    const parting *p = parts;
    uint64_t *next = p->start + thread * p->parts;
    int64_t *entry = p->entry;
    for (int c = 0; c < ID_COLUMNS; c++) {
        const gpugraph_id_column ids = p->m->column[c].ids;
        const uint64_t all = p->m->column[c].count;
        uint64_t end = gg_slice(all, (int)thread + 1, p->threads);
        uint64_t i = gg_slice(all, (int)thread, p->threads);
        for (; i < end && !gg_leave(p->m->run, i); i++) {
            if (gg_id_is_text(&ids, i))
                continue;
            const int64_t id = gg_id_at(&ids, i);
            const uint64_t at = next[part_sparse_of(p, id)]++;
            if (entry)
                entry[at] = id;
        }
    }
}

static void part_columns(parting *p) {
    gpugraph_run *run = p->m->run;
    const uint64_t threads = (uint64_t)p->threads;
    p->start = gg_alloc_zero(run, threads * p->parts, sizeof *p->start);
    p->begin = p->start ? gg_alloc(run, p->parts + 1, sizeof *p->begin) : NULL;
    if (!p->begin)
        return;
    gg_parts(p->threads, threads, count_or_write, p);
    gg_counts_to_starts(p->threads, p->parts, p->start, p->begin);
    if (!gg_stopping(run))
        p->entry = gg_alloc(run, p->begin[p->parts], sizeof *p->entry);
    if (p->entry)
        gg_parts(p->threads, threads, count_or_write, p);
}

/* ---- ids of a part to arrival numbers ---- */

static void number_entries(const parting *p, uint64_t k, struct gg_distinct *ids) {
    gpugraph_run *run = p->m->run;
    for (uint64_t i = p->begin[k]; i < p->begin[k + 1] && !gg_leave(run, i); i++)
        p->entry[i] = (int64_t)gg_distinct_add(ids, run, (uint64_t)p->entry[i]);
}

/* Numbers parts until all are taken. */
static void number_parts(void *parts, int member, int team) {
    parting *p = parts;
    uint64_t k;
    (void)member, (void)team;
    while ((k = __atomic_fetch_add(&p->taken, 1, __ATOMIC_RELAXED)) < p->parts &&
           !gg_pause(p->m->run)) {
        struct gg_distinct ids = {0};
        number_entries(p, k, &ids);
        p->part[k].id = ids.value;
        p->part[k].count = ids.count;
        ids.value = NULL;
        gg_distinct_free(&ids);
    }
}

/* ---- arrival numbers to vertex numbers ---- */

typedef struct sort_arrays {
    const parting *p;
    uint64_t *key, *key_scratch;
    uint32_t *number, *scratch;
} sort_arrays;

static void list_part(void *arrays, uint64_t k) {
    const sort_arrays *a = arrays;
    const id_part *part = &a->p->part[k];
    for (uint64_t i = 0; i < part->count && !gg_leave(a->p->m->run, i); i++) {
        a->key[part->base + i] = part->id[i] ^ GG_SIGN_BIT;
        a->number[part->base + i] = (uint32_t)(part->base + i);
    }
}

static void take_ranks(void *arrays, uint64_t low, uint64_t high) {
    const sort_arrays *a = arrays;
    for (uint64_t v = low; v < high && !gg_leave(a->p->m->run, v); v++) {
        a->p->m->graph->id.integer[v] = (int64_t)(a->key[v] ^ GG_SIGN_BIT);
        a->p->rank[a->number[v]] = (uint32_t)v;
    }
}

/* Sorts the distinct ids of all parts, with base + arrival number, by id. */
static void rank_ids(parting *p, uint64_t distinct) {
    gpugraph_run *run = p->m->run;
    sort_arrays a = {.p = p};
    a.key = gg_alloc(run, distinct, sizeof *a.key);
    a.key_scratch = a.key ? gg_alloc(run, distinct, sizeof *a.key) : NULL;
    a.number = a.key_scratch ? gg_alloc(run, distinct, sizeof *a.number) : NULL;
    a.scratch = a.number ? gg_alloc(run, distinct, sizeof *a.number) : NULL;
    p->rank = a.scratch ? gg_alloc(run, distinct, sizeof *p->rank) : NULL;
    int64_t *integer = p->rank ? gg_alloc_slack(run, distinct, sizeof *integer) : NULL;
    p->m->graph->id.integer = integer;
    if (integer)
        gg_parts(p->threads, p->parts, list_part, &a);
    if (!gg_stopping(run) &&
        !gg_sort_pairs(run, false, distinct, a.key, a.number, a.key_scratch, a.scratch))
        gg_slices(p->threads, distinct, take_ranks, &a);
    gg_release(a.key);
    gg_release(a.key_scratch);
    gg_release(a.number);
    gg_release(a.scratch);
}

static void translate_part(void *parts, uint64_t k) {
    const parting *p = parts;
    const uint32_t *rank = p->rank + p->part[k].base;
    for (uint64_t i = p->begin[k]; i < p->begin[k + 1] && !gg_leave(p->m->run, i); i++)
        p->entry[i] = rank[p->entry[i]];
}

/* ---- numbers back to the columns ---- */

/* Reads the numbers of a slice in the order in which count_or_write wrote its ids. */
static void read_slice(void *parts, uint64_t thread) {
    const parting *p = parts;
    uint64_t next[(uint64_t)1 << ID_PART_BITS];
    memcpy(next, thread ? p->start + (thread - 1) * p->parts : p->begin,
           p->parts * sizeof *next);
    for (int k = 0; k < ID_COLUMNS && p->m->column[k].result; k++) {
        const struct id_source *c = &p->m->column[k];
        const gpugraph_id_column ids = c->ids;
        /* these arrays are written only if the caller gave the column away */
        int64_t *wide = (int64_t *)ids.value;
        uint32_t *narrow = c->number ? c->number : (uint32_t *)ids.value32;
        uint64_t end = gg_slice(c->count, (int)thread + 1, p->threads);
        uint64_t i = gg_slice(c->count, (int)thread, p->threads);
        for (; i < end && !gg_leave(p->m->run, i); i++) {
            if (gg_id_is_text(&ids, i))
                continue;
            int64_t number = p->entry[next[part_sparse_of(p, gg_id_at(&ids, i))]++];
            if (narrow)
                narrow[i] = (uint32_t)number;
            else
                wide[i] = number;
        }
    }
}

static void read_columns(const parting *p) {
    gpugraph_run *run = p->m->run;
    for (int k = 0; k < ID_COLUMNS; k++) {
        struct id_source *c = &p->m->column[k];
        if (c->result && !c->given && !gg_stopping(run))
            c->number = gg_alloc(run, c->count, sizeof *c->number);
    }
    if (!gg_stopping(run))
        gg_parts(p->threads, (uint64_t)p->threads, read_slice, (void *)p);
}

/* ---- the whole mapping ---- */

static void plan(parting *p) {
    uint64_t integers = p->m->integers;
    p->threads = gg_threads(p->m->run, integers);
    while (p->bits < ID_PART_BITS && integers >> p->bits > ID_PART)
        p->bits++;
    p->parts = (uint64_t)1 << p->bits;
    p->part = gg_alloc_zero(p->m->run, p->parts, sizeof *p->part);
}

static void release_sparse(parting *p) {
    for (uint64_t k = 0; k < p->parts && p->part; k++)
        gg_release(p->part[k].id);
    gg_release(p->start);
    gg_release(p->begin);
    gg_release(p->entry);
    gg_release(p->part);
    gg_release(p->rank);
}

static void number_all(parting *p) {
    id_mapper *m = p->m;
    uint64_t distinct = 0;
    part_columns(p);
    if (!gg_stopping(m->run))
        gg_team(p->threads, number_parts, p);
    for (uint64_t k = 0; k < p->parts && p->part; k++) {
        p->part[k].base = distinct;
        distinct += p->part[k].count;
    }
    if (distinct >= GPUGRAPH_NONE)
        gg_fail(m->run, GPUGRAPH_TOO_LARGE, "there are more than 2^32 - 2 vertices");
    if (!gg_stopping(m->run))
        rank_ids(p, distinct);
    m->graph->ids.integer_count = (uint32_t)distinct;
    if (!gg_stopping(m->run))
        gg_parts(p->threads, p->parts, translate_part, p);
    read_columns(p);
}

void gg_number_sparse_ids(id_mapper *m) {
    parting p = {.m = m, .placing = gg_placing()};
    m->mode = IDS_SPARSE;
    plan(&p);
    if (p.part)
        number_all(&p);
    release_sparse(&p);
}
