/* Ids become vertex numbers: INTEGER ids ascending, then TEXT ids by their bytes.
**
**     ids as they come    5  'b'  -2   5  'a'  7
**     distinct, in order  -2   5   7  'a' 'b'
**     vertex number        0   1   2   3   4
**
** Integers that lie close together are numbered by a bitmap of their span, with the
** count of set bits before each word:
**
**     span from -2   1 0 0 0 0 0 0 1 0 1      rank 0
**                    ^             ^   ^
**     and where every bit is set, the number is the id less the first id.
**
** Integers far apart go through hash tables, one for each thread, which takes the ids
** whose hash is in its share; so no two threads meet in a table. The distinct ids are
** then sorted, and what the tables gave out in order of arrival is translated:
**
**     ids -> table of the share: arrival number -> rank[share's base + arrival number]
**
** Texts come already distinct: those that occur are sorted (texts.c). */
#include "backend.h"
#include "tuning.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define SIGN_BIT ((uint64_t)1 << 63) /* flipped: signed order becomes unsigned order */

enum { COLUMNS = 3 };

enum integer_mode { CONSECUTIVE, BITMAP, HASHED };

typedef struct id_slot {
    int64_t id;
    uint32_t number;
    bool used;
} id_slot;

typedef struct id_table {
    id_slot *slot;
    uint64_t slots, count;
    uint64_t base; /* first number of this share among all */
} id_table;

typedef struct mapper {
    gpugraph_graph *graph;
    gpugraph_run *run;
    const gpugraph_texts *texts;
    struct column {
        gpugraph_id_column ids;
        uint64_t count;
        gpugraph_id_column *given; /* freed once read; NULL: kept */
        uint32_t **result;         /* NULL: nobody wants the numbers */
        uint32_t *number;          /* NULL until they are needed */
    } column[COLUMNS];
    uint64_t integers, texts_used; /* entries; distinct ones */
    int64_t first, last;           /* smallest and largest INTEGER */
    enum integer_mode mode;
    uint8_t *text_used;
    uint32_t *text_rank;
    int shares;
    id_table *table;
    uint32_t *rank;
} mapper;

static inline bool is_text(const gpugraph_id_column *ids, uint64_t i) {
    return ids->is_text && (ids->is_text[i / 8] >> (i % 8) & 1);
}

/* ---- what there is ---- */

static void survey(mapper *m, const struct column *c) {
    int64_t first = INT64_MAX, last = INT64_MIN;
    uint64_t integers = 0;
    int threads = gg_threads(m->run, c->count);
#pragma omp parallel num_threads(threads)                                                \
    reduction(min : first) reduction(max : last) reduction(+ : integers)
    {
        int t = omp_get_thread_num(), team = omp_get_num_threads();
        uint64_t end = gg_slice(c->count, t + 1, team);
        for (uint64_t i = gg_slice(c->count, t, team); i < end && !gg_leave(m->run, i);
             i++) {
            int64_t id = c->ids.value[i];
            if (!is_text(&c->ids, i)) {
                first = id < first ? id : first;
                last = id > last ? id : last;
                integers++;
            } else if (id >= 0 && id < m->texts->count) {
                __atomic_store_n(&m->text_used[id], 1, __ATOMIC_RELAXED);
            } else {
                gg_fail(m->run, GPUGRAPH_INVALID,
                        "text number %lld is not one of the %lld texts", (long long)id,
                        (long long)m->texts->count);
            }
        }
    }
    m->first = first < m->first ? first : m->first;
    m->last = last > m->last ? last : m->last;
    m->integers += integers;
}

/* ---- integers close together: the bitmap ---- */

/* occurs[id - first] = 1 for one thread's slice of a column. A byte for each: a store need
** not wait for the one before it, as setting bits of one word would. */
static void mark_occurring(const mapper *m, const struct column *c, int t, int threads,
                           uint8_t *occurs) {
    uint64_t end = gg_slice(c->count, t + 1, threads);
    uint64_t i = gg_slice(c->count, t, threads);
    for (; i < end && !gg_leave(m->run, i); i++)
        if (!is_text(&c->ids, i))
            occurs[(uint64_t)c->ids.value[i] - (uint64_t)m->first] = 1;
}

/* Bytes 64 w .. 64 w + 63 of all threads' maps become the bits of word w. */
static uint64_t pack_word(const uint8_t *occurs, uint64_t w, uint64_t words,
                          int threads) {
    uint8_t any[64] = {0};
    uint64_t bits = 0;
    for (int t = 0; t < threads; t++)
        for (int k = 0; k < 64; k++)
            any[k] |= occurs[((uint64_t)t * words + w) * 64 + (uint64_t)k];
    for (int k = 0; k < 64; k++)
        bits |= (uint64_t)any[k] << k;
    return bits;
}

/* Each thread marks in a map of its own, as many as the ids themselves leave room for. */
static void fill_bitmap(const mapper *m, uint64_t words) {
    uint64_t room = m->integers * sizeof(int64_t) / (words * 64);
    int threads = gg_threads(m->run, m->integers);
    threads = room < 1 ? 1 : room < (uint64_t)threads ? (int)room : threads;
    uint8_t *occurs = gg_alloc_zero(m->run, words * (uint64_t)threads, 64);
    if (!occurs)
        return;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++)
        for (int i = 0; i < COLUMNS; i++)
            mark_occurring(m, &m->column[i], t, threads,
                           occurs + (uint64_t)t * words * 64);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t w = 0; w < words; w++)
        m->graph->id_present[w] = pack_word(occurs, w, words, threads);
    gg_release(occurs);
}

static void list_present(mapper *m, uint64_t words) {
    const gpugraph_graph *graph = m->graph;
    for (uint64_t w = 0; w < words; w++) {
        if (w % GG_POLL_ITEMS == 0 && gg_poll(m->run))
            return;
        uint32_t v = graph->id_rank[w];
        for (uint64_t bits = graph->id_present[w]; bits; bits &= bits - 1)
            graph->id_integer[v++] =
                (int64_t)((uint64_t)m->first + w * 64 + (uint64_t)__builtin_ctzll(bits));
    }
}

static void number_by_bitmap(mapper *m) {
    gpugraph_graph *graph = m->graph;
    uint64_t span = (uint64_t)m->last - (uint64_t)m->first + 1;
    uint64_t words = (span + 63) / 64, distinct = 0;
    graph->ids.first_integer = m->first;
    graph->id_span = span;
    graph->id_present = gg_alloc(m->run, words, sizeof *graph->id_present);
    if (graph->id_present)
        fill_bitmap(m, words);
    if (!gg_stopping(m->run))
        graph->id_rank = gg_alloc(m->run, words, sizeof *graph->id_rank);
    if (!graph->id_rank)
        return;
    for (uint64_t w = 0; w < words; w++) {
        graph->id_rank[w] = (uint32_t)distinct;
        distinct += (uint64_t)gg_count_bits(graph->id_present[w]);
    }
    if (distinct >= GPUGRAPH_NONE) {
        gg_fail(m->run, GPUGRAPH_TOO_LARGE, "there are more than 2^32 - 2 vertices");
        return;
    }
    graph->ids.integer_count = (uint32_t)distinct;
    if (distinct == span) {
        m->mode = CONSECUTIVE;
        gg_release(graph->id_present);
        gg_release(graph->id_rank);
        graph->id_present = NULL;
        graph->id_rank = NULL;
        return;
    }
    m->mode = BITMAP;
    graph->id_integer = gg_alloc(m->run, distinct, sizeof *graph->id_integer);
    if (graph->id_integer)
        list_present(m, words);
}

/* ---- integers far apart: hash tables ---- */

static int share_of(uint64_t hash, int shares) {
    return (int)((hash >> 32) * (uint64_t)shares >> 32);
}

static id_slot *find_slot(const id_table *table, int64_t id, uint64_t hash) {
    uint64_t i = hash & (table->slots - 1);
    while (table->slot[i].used && table->slot[i].id != id)
        i = (i + 1) & (table->slots - 1);
    return &table->slot[i];
}

static void grow(gpugraph_run *run, id_table *table) {
    id_table larger = *table;
    larger.slots = table->slots ? table->slots * 2 : GG_HASH_SLOTS;
    larger.slot = gg_alloc_zero(run, larger.slots, sizeof *larger.slot);
    if (!larger.slot)
        return;
    for (uint64_t i = 0; i < table->slots; i++) {
        const id_slot *old = &table->slot[i];
        if (old->used)
            *find_slot(&larger, old->id, gg_mix((uint64_t)old->id)) = *old;
    }
    gg_release(table->slot);
    *table = larger;
}

/* Entries of a column that a share has picked out, whose slots are on their way into the
** cache. */
typedef struct batch {
    uint64_t entry[GG_HASH_BATCH], hash[GG_HASH_BATCH];
    int count;
} batch;

static bool insert_batch(mapper *m, const struct column *c, id_table *table, batch *b) {
    while (table->slots < (table->count + GG_HASH_BATCH) * 2) {
        grow(m->run, table);
        if (gg_stopping(m->run))
            return false;
    }
    for (int k = 0; k < b->count; k++)
        __builtin_prefetch(&table->slot[b->hash[k] & (table->slots - 1)], 1);
    for (int k = 0; k < b->count; k++) {
        uint64_t i = b->entry[k];
        id_slot *slot = find_slot(table, c->ids.value[i], b->hash[k]);
        if (!slot->used)
            *slot = (id_slot){c->ids.value[i], (uint32_t)table->count++, true};
        if (c->number)
            c->number[i] = slot->number;
    }
    b->count = 0;
    return true;
}

/* Entries low .. high - 1 of a column, as far as they belong to this share. */
static void insert_range(mapper *m, const struct column *c, int share, uint64_t low,
                         uint64_t high) {
    batch b = {.count = 0};
    for (uint64_t i = low; i < high && !gg_leave(m->run, i); i++) {
        uint64_t hash = gg_mix((uint64_t)c->ids.value[i]);
        b.entry[b.count] = i;
        b.hash[b.count] = hash;
        b.count += share_of(hash, m->shares) == share && !is_text(&c->ids, i);
        if (b.count == GG_HASH_BATCH && !insert_batch(m, c, &m->table[share], &b))
            return;
    }
    insert_batch(m, c, &m->table[share], &b);
}

/* Distinct ids of all shares, sorted; rank[number among all shares] = vertex. */
static void rank_hashed(mapper *m, uint64_t distinct) {
    gpugraph_run *run = m->run;
    uint64_t *key = gg_alloc(run, distinct, sizeof *key);
    uint64_t *key_scratch = key ? gg_alloc(run, distinct, sizeof *key) : NULL;
    uint32_t *number = key_scratch ? gg_alloc(run, distinct, sizeof *number) : NULL;
    uint32_t *scratch = number ? gg_alloc(run, distinct, sizeof *number) : NULL;
    m->rank = scratch ? gg_alloc(run, distinct, sizeof *m->rank) : NULL;
    m->graph->id_integer =
        m->rank ? gg_alloc(run, distinct, sizeof *m->graph->id_integer) : NULL;
    if (m->graph->id_integer) {
        for (int s = 0; s < m->shares; s++) {
            const id_table *table = &m->table[s];
            for (uint64_t i = 0; i < table->slots; i++) {
                if (!table->slot[i].used)
                    continue;
                uint64_t place = table->base + table->slot[i].number;
                key[place] = (uint64_t)table->slot[i].id ^ SIGN_BIT;
                number[place] = (uint32_t)place;
            }
        }
        if (!gg_sort_pairs(run, distinct, key, number, key_scratch, scratch)) {
            for (uint64_t v = 0; v < distinct; v++) {
                m->graph->id_integer[v] = (int64_t)(key[v] ^ SIGN_BIT);
                m->rank[number[v]] = (uint32_t)v;
            }
        }
    }
    gg_release(key);
    gg_release(key_scratch);
    gg_release(number);
    gg_release(scratch);
}

static void number_by_hashing(mapper *m) {
    uint64_t distinct = 0;
    m->mode = HASHED;
    for (int i = 0; i < COLUMNS && !gg_stopping(m->run); i++)
        if (m->column[i].result)
            m->column[i].number =
                gg_alloc_roomy(m->run, m->column[i].count, sizeof *m->column[i].number);
    if (gg_stopping(m->run))
        return;
    m->shares = gg_threads(m->run, m->integers);
    m->table = gg_alloc_zero(m->run, (uint64_t)m->shares, sizeof *m->table);
    if (!m->table)
        return;
#pragma omp parallel for num_threads(m->shares) schedule(static, 1)
    for (int s = 0; s < m->shares; s++) {
        for (int i = 0; i < COLUMNS; i++) {
            /* Each share begins at its own place: neighbours in `number` belong to
            ** different shares, and one cache line should not be wanted by all. */
            const struct column *c = &m->column[i];
            uint64_t begin = gg_slice(c->count, s, m->shares);
            insert_range(m, c, s, begin, c->count);
            insert_range(m, c, s, 0, begin);
        }
    }
    for (int s = 0; s < m->shares; s++) {
        m->table[s].base = distinct;
        distinct += m->table[s].count;
    }
    if (distinct >= GPUGRAPH_NONE)
        gg_fail(m->run, GPUGRAPH_TOO_LARGE, "there are more than 2^32 - 2 vertices");
    else if (!gg_stopping(m->run))
        rank_hashed(m, distinct);
    m->graph->ids.integer_count = (uint32_t)distinct;
}

/* ---- texts ---- */

static void copy_texts(mapper *m, const uint32_t *order) {
    gpugraph_graph *graph = m->graph;
    const gpugraph_texts *texts = m->texts;
    uint64_t bytes = 0;
    for (uint64_t k = 0; k < m->texts_used; k++) {
        uint64_t t = order[k];
        graph->id_text_offset[k] = bytes;
        bytes += texts->offset[t + 1] - texts->offset[t];
        m->text_rank[t] = (uint32_t)k;
    }
    graph->id_text_offset[m->texts_used] = bytes;
    graph->id_text_bytes = gg_alloc(m->run, bytes, 1);
    if (!graph->id_text_bytes)
        return;
    for (uint64_t k = 0; k < m->texts_used; k++) {
        uint64_t from = texts->offset[order[k]], to = graph->id_text_offset[k];
        size_t length = (size_t)(graph->id_text_offset[k + 1] - to);
        if (length)
            memcpy(graph->id_text_bytes + to, texts->bytes + from, length);
    }
}

static void number_texts(mapper *m) {
    gpugraph_graph *graph = m->graph;
    uint64_t used = 0;
    uint32_t *order = gg_alloc(m->run, (uint64_t)m->texts->count, sizeof *order);
    if (!order)
        return;
    for (uint64_t t = 0; t < (uint64_t)m->texts->count; t++)
        if (m->text_used[t])
            order[used++] = (uint32_t)t;
    m->texts_used = used;
    if (!gg_sort_texts(m->run, m->texts, order, used)) {
        m->text_rank = gg_alloc(m->run, (uint64_t)m->texts->count, sizeof *m->text_rank);
        if (m->text_rank)
            graph->id_text_offset =
                gg_alloc(m->run, used + 1, sizeof *graph->id_text_offset);
        if (graph->id_text_offset)
            copy_texts(m, order);
    }
    gg_release(order);
}

/* ---- numbers for every entry ---- */

static inline uint32_t number_of(const mapper *m, const struct column *c, uint64_t i) {
    int64_t id = c->ids.value[i];
    if (is_text(&c->ids, i))
        return m->graph->ids.integer_count + m->text_rank[id];
    if (m->mode == HASHED) {
        int share = share_of(gg_mix((uint64_t)id), m->shares);
        return m->rank[m->table[share].base + c->number[i]];
    }
    uint64_t place = (uint64_t)id - (uint64_t)m->first;
    return m->mode == CONSECUTIVE ? (uint32_t)place : gg_id_rank(m->graph, place);
}

typedef struct numbering {
    const mapper *m;
    const struct column *c;
} numbering;

/* The numbers of entries low .. high - 1; fits gg_narrow. */
static void assign_part(const void *of, uint64_t low, uint64_t high, uint32_t *to) {
    const mapper *m = ((const numbering *)of)->m;
    const struct column *c = ((const numbering *)of)->c;
    if (m->mode == CONSECUTIVE && !c->ids.is_text) /* a loop to turn into vectors */
        for (uint64_t i = low; i < high; i++)
            to[i - low] = (uint32_t)((uint64_t)c->ids.value[i] - (uint64_t)m->first);
    else
        for (uint64_t i = low; i < high; i++)
            to[i - low] = number_of(m, c, i);
}

static void assign(const mapper *m, struct column *c) {
    const numbering of = {m, c};
    int threads = gg_threads(m->run, c->count);
    if (!c->number)
        c->number = gg_alloc_roomy(m->run, c->count, sizeof *c->number);
    if (!c->number)
        return;
#pragma omp parallel num_threads(threads)
    {
        int t = omp_get_thread_num(), team = omp_get_num_threads();
        uint64_t end = gg_slice(c->count, t + 1, team);
        uint64_t i = gg_slice(c->count, t, team);
        for (; i < end && !gg_pause(m->run); i += GG_POLL_ITEMS)
            assign_part(&of, i, end - i < GG_POLL_ITEMS ? end : i + GG_POLL_ITEMS,
                        c->number + i);
    }
}

/* The numbers of a column, in the place of its ids where these may go. */
static void finish_column(mapper *m, struct column *c) {
    if (c->given && !c->number) {
        const numbering of = {m, c};
        c->given->value = NULL;
        *c->result =
            gg_narrow(m->run, (int64_t *)c->ids.value, c->count, assign_part, &of);
    } else {
        assign(m, c);
        *c->result = c->number;
        c->number = NULL;
    }
    if (c->given) {
        free((void *)c->given->value);
        free((void *)c->given->is_text);
        *c->given = (gpugraph_id_column){NULL, NULL};
    }
}

static void map(mapper *m) {
    gpugraph_graph *graph = m->graph;
    gpugraph_run *run = m->run;
    if (m->texts->count >= (int64_t)GPUGRAPH_NONE) {
        gg_fail(run, GPUGRAPH_TOO_LARGE, "there are more than 2^32 - 2 texts");
        return;
    }
    m->text_used = gg_alloc_zero(run, (uint64_t)m->texts->count, 1);
    for (int i = 0; i < COLUMNS && !gg_stopping(run); i++)
        survey(m, &m->column[i]);
    if (gg_stopping(run) || !m->integers)
        m->mode = CONSECUTIVE;
    else if (gg_close_together(m->integers, m->first, m->last))
        number_by_bitmap(m);
    else
        number_by_hashing(m);
    if (!gg_stopping(run) && m->texts->count)
        number_texts(m);
    uint64_t n = graph->ids.integer_count + m->texts_used;
    if (n >= GPUGRAPH_NONE)
        gg_fail(run, GPUGRAPH_TOO_LARGE, "there are more than 2^32 - 2 vertices");
    graph->n = (uint32_t)n;
    for (int i = 0; i < COLUMNS && !gg_stopping(run); i++)
        if (m->column[i].result)
            finish_column(m, &m->column[i]);
}

gpugraph_status gg_map_ids(gpugraph_graph *graph, gpugraph_edges *edges,
                           gpugraph_run *run, const char **map_note) {
    uint64_t m = (uint64_t)edges->count, more = (uint64_t)edges->vertex_count;
    mapper map_all = {
        .graph = graph,
        .run = run,
        .texts = &edges->texts,
        .column = {{.ids = edges->source, .count = m, .result = &graph->source},
                   {.ids = edges->target, .count = m, .result = &graph->target},
                   {.ids = edges->vertex, .count = more}},
        .first = INT64_MAX,
        .last = INT64_MIN,
    };
    if (edges->take_over) {
        map_all.column[0].given = &edges->source;
        map_all.column[1].given = &edges->target;
    }
    map(&map_all);
    for (int i = 0; i < COLUMNS; i++)
        gg_release(map_all.column[i].number);
    for (int s = 0; s < map_all.shares && map_all.table; s++)
        gg_release(map_all.table[s].slot);
    gg_release(map_all.table);
    gg_release(map_all.rank);
    gg_release(map_all.text_used);
    gg_release(map_all.text_rank);

    graph->integer_ends = map_all.integers;
    graph->ids.integer = graph->id_integer;
    graph->ids.texts = (gpugraph_texts){(int64_t)map_all.texts_used,
                                        graph->id_text_offset, graph->id_text_bytes};
    static const char *const notes[] = {"consecutive integers", "integers by bitmap",
                                        "integers by hashing"};
    *map_note = !map_all.integers ? "texts" : notes[map_all.mode];
    return gg_stopping(run) ? gg_stopped(run) : run->status;
}

void gg_free_ids(gpugraph_graph *graph) {
    gg_release(graph->id_integer);
    gg_release(graph->id_present);
    gg_release(graph->id_rank);
    gg_release(graph->id_text_offset);
    gg_release(graph->id_text_bytes);
}
