/* Maps ids to vertex numbers: INTEGER ids ascending, then TEXT ids by their bytes.
**
**     ids, as given       5  'b'  -2   5  'a'  7
**     distinct, in order  -2   5   7  'a' 'b'
**     vertex number        0   1   2   3   4
**
** If the integers are close together, a bitmap of their span numbers them; rank holds the
** number of set bits before each word:
**
**     span from -2   1 0 0 0 0 0 0 1 0 1      rank 0
**                    ^             ^   ^
**     If every bit is set, the number is the id minus the first id.
**
** Otherwise hash tables number the integers (sparse.c). If a device needs the edges
** anyway, it numbers all integers (ids.cu).
**
** The caller's texts are distinct; the texts that occur are sorted (texts.c). */
#include "ids.h"

#include <stdlib.h>
#include <string.h>

/* ---- survey of the columns ---- */

typedef struct surveying {
    id_mapper *m;
    const struct id_source *c;
    uint64_t least, most, integers; /* least, most: the sign bit is flipped */
} surveying;

/* Surveys 4-byte INTEGERs low .. high - 1. The compiler vectorizes the loop. */
static void survey_narrow(const int32_t *id, uint64_t low, uint64_t high, int64_t *first,
                          int64_t *last) {
    int32_t least = INT32_MAX, most = INT32_MIN;
    for (uint64_t i = low; i < high; i++) {
        least = id[i] < least ? id[i] : least;
        most = id[i] > most ? id[i] : most;
    }
    *first = least < *first ? least : *first;
    *last = most > *last ? most : *last;
}

static void survey_slice(void *of, uint64_t low, uint64_t high) {
    surveying *s = of;
    const id_mapper *m = s->m;
    const gpugraph_id_column ids = s->c->ids;
    int64_t first = INT64_MAX, last = INT64_MIN;
    uint64_t integers = 0;
    for (; ids.value32 && !ids.is_text && low < high && !gg_pause(m->run);) {
        uint64_t next = high - low < GG_POLL_ITEMS ? high : low + GG_POLL_ITEMS;
        survey_narrow(ids.value32, low, next, &first, &last);
        integers += next - low;
        low = next;
    }
    for (uint64_t i = low; i < high && !gg_leave(m->run, i); i++) {
        int64_t id = gg_id_at(&ids, i);
        if (!gg_id_is_text(&ids, i)) {
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
    gg_lower(&s->least, (uint64_t)first ^ GG_SIGN_BIT);
    gg_raise(&s->most, (uint64_t)last ^ GG_SIGN_BIT);
    __atomic_fetch_add(&s->integers, integers, __ATOMIC_RELAXED);
}

static void survey(id_mapper *m, const struct id_source *c) {
    surveying s = {m, c, UINT64_MAX, 0, 0};
    gg_slices(gg_threads(m->run, c->count), c->count, survey_slice, &s);
    int64_t first = (int64_t)(s.least ^ GG_SIGN_BIT),
            last = (int64_t)(s.most ^ GG_SIGN_BIT);
    m->first = first < m->first ? first : m->first;
    m->last = last > m->last ? last : m->last;
    m->integers += s.integers;
}

/* ---- integers close together: the bitmap ---- */

/* Byte maps, one per thread: each marks the ids in one slice of every column. */
typedef struct id_maps {
    const id_mapper *m;
    uint64_t words; /* in each map */
    int maps;
    uint8_t *occurs; /* [maps][64 * words] */
} id_maps;

/* Fills a map: occurs[id - first] = 1. An id has a byte, because with bits each store
** would wait for the previous store to the same word. */
static void mark_occurring(void *of, uint64_t map) {
    const id_maps *o = of;
    const id_mapper *m = o->m;
    uint8_t *occurs = o->occurs + map * o->words * 64;
    for (int k = 0; k < ID_COLUMNS; k++) {
        const struct id_source *c = &m->column[k];
        /* a copy, since the stores below could alias it */
        const gpugraph_id_column ids = c->ids;
        const uint64_t first = (uint64_t)m->first;
        uint64_t i = gg_slice(c->count, (int)map, o->maps);
        uint64_t end = gg_slice(c->count, (int)map + 1, o->maps);
        for (; i < end && !gg_leave(m->run, i); i++)
            if (!gg_id_is_text(&ids, i))
                occurs[(uint64_t)gg_id_at(&ids, i) - first] = 1;
    }
}

/* Packs bytes 64 w .. 64 w + 63 of all maps into the bits of word w. */
static uint64_t pack_word(const id_maps *o, uint64_t w) {
    uint8_t any[64] = {0};
    uint64_t bits = 0;
    for (int map = 0; map < o->maps; map++)
        for (int k = 0; k < 64; k++)
            any[k] |= o->occurs[((uint64_t)map * o->words + w) * 64 + (uint64_t)k];
    for (int k = 0; k < 64; k++)
        bits |= (uint64_t)any[k] << k;
    return bits;
}

static void pack_words(void *of, uint64_t low, uint64_t high) {
    const id_maps *o = of;
    for (uint64_t w = low; w < high && !gg_leave(o->m->run, w); w++)
        o->m->graph->id.present[w] = pack_word(o, w);
}

/* Each thread fills its own map. The maps together take at most 8 bytes per INTEGER. */
static void fill_bitmap(const id_mapper *m, uint64_t words) {
    uint64_t room = m->integers * sizeof(int64_t) / (words * 64);
    int threads = gg_threads(m->run, m->integers);
    threads = room < 1 ? 1 : room < (uint64_t)threads ? (int)room : threads;
    id_maps o = {m, words, threads, gg_alloc_zero(m->run, words * (uint64_t)threads, 64)};
    if (!o.occurs)
        return;
    gg_parts(threads, (uint64_t)threads, mark_occurring, &o);
    gg_slices(threads, words, pack_words, &o);
    gg_release(o.occurs);
}

static void list_words(void *mapper, uint64_t low, uint64_t high) {
    const id_mapper *m = mapper;
    const gpugraph_graph *graph = m->graph;
    for (uint64_t w = low; w < high && !gg_leave(m->run, w); w++) {
        uint32_t v = graph->id.rank[w];
        for (uint64_t bits = graph->id.present[w]; bits; bits &= bits - 1)
            graph->id.integer[v++] =
                (int64_t)((uint64_t)m->first + w * 64 + (uint64_t)__builtin_ctzll(bits));
    }
}

static void number_by_bitmap(id_mapper *m) {
    gpugraph_graph *graph = m->graph;
    uint64_t span = (uint64_t)m->last - (uint64_t)m->first + 1;
    uint64_t words = (span + 63) / 64, distinct = 0;
    graph->ids.first_integer = m->first;
    graph->id.span = span;
    graph->id.present = gg_alloc_slack(m->run, words, sizeof *graph->id.present);
    if (graph->id.present)
        fill_bitmap(m, words);
    if (!gg_stopping(m->run))
        graph->id.rank = gg_alloc_slack(m->run, words, sizeof *graph->id.rank);
    if (!graph->id.rank)
        return;
    for (uint64_t w = 0; w < words && !gg_leave(m->run, w); w++) {
        graph->id.rank[w] = (uint32_t)distinct;
        distinct += (uint64_t)gg_count_bits(graph->id.present[w]);
    }
    if (distinct >= GPUGRAPH_NONE)
        gg_fail(m->run, GPUGRAPH_TOO_LARGE, "there are more than 2^32 - 2 vertices");
    if (gg_stopping(m->run))
        return;
    graph->ids.integer_count = (uint32_t)distinct;
    if (distinct == span) {
        m->mode = IDS_CONSECUTIVE;
        gg_release(graph->id.present);
        gg_release(graph->id.rank);
        graph->id.present = NULL;
        graph->id.rank = NULL;
        return;
    }
    m->mode = IDS_BITMAP;
    graph->id.integer = gg_alloc_slack(m->run, distinct, sizeof *graph->id.integer);
    if (graph->id.integer)
        gg_slices(gg_threads(m->run, distinct), words, list_words, m);
}

/* ---- texts ---- */

static void copy_texts(id_mapper *m, const uint32_t *order) {
    gpugraph_graph *graph = m->graph;
    const gpugraph_texts *texts = m->texts;
    uint64_t bytes = 0, length;
    for (uint64_t k = 0; k < m->texts_used && !gg_leave(m->run, k); k++) {
        graph->id.text_offset[k] = bytes;
        gpugraph_text(texts, order[k], &length);
        bytes += length;
        m->text_rank[order[k]] = (uint32_t)k;
    }
    graph->id.text_offset[m->texts_used] = bytes;
    if (!gg_stopping(m->run))
        graph->id.text_bytes = gg_alloc(m->run, bytes, 1);
    if (!graph->id.text_bytes)
        return;
    for (uint64_t k = 0; k < m->texts_used && !gg_leave(m->run, k); k++) {
        const char *text = gpugraph_text(texts, order[k], &length);
        if (length)
            memcpy(graph->id.text_bytes + graph->id.text_offset[k], text, length);
    }
}

static void number_texts(id_mapper *m) {
    gpugraph_graph *graph = m->graph;
    uint64_t used = 0;
    uint32_t *order = gg_alloc(m->run, (uint64_t)m->texts->count, sizeof *order);
    if (!order)
        return;
    for (uint64_t t = 0; t < (uint64_t)m->texts->count && !gg_leave(m->run, t); t++)
        if (m->text_used[t])
            order[used++] = (uint32_t)t;
    m->texts_used = used;
    if (!gg_stopping(m->run) && !gg_sort_texts(m->run, m->texts, order, used)) {
        m->text_rank = gg_alloc(m->run, (uint64_t)m->texts->count, sizeof *m->text_rank);
        if (m->text_rank)
            graph->id.text_offset =
                gg_alloc(m->run, used + 1, sizeof *graph->id.text_offset);
        if (graph->id.text_offset)
            copy_texts(m, order);
    }
    gg_release(order);
}

/* ---- numbers for every entry ---- */

static inline uint32_t number_ids_of(const id_mapper *m, const struct id_source *c,
                                     uint64_t i) {
    int64_t id = gg_id_at(&c->ids, i);
    if (gg_id_is_text(&c->ids, i))
        return m->graph->ids.integer_count + m->text_rank[id];
    if (m->mode == IDS_SPARSE) /* already numbered */
        return c->number ? c->number[i] : (uint32_t)id;
    uint64_t place = (uint64_t)id - (uint64_t)m->first;
    return m->mode == IDS_CONSECUTIVE ? (uint32_t)place : gg_id_rank(m->graph, place);
}

typedef struct numbering {
    const id_mapper *m;
    const struct id_source *c;
} numbering;

/* Numbers 4-byte entries if the ids are consecutive; `to` may be the array `id`. The
** compiler vectorizes the loops. */
static void assign_narrow(const int32_t *id, uint32_t first, uint64_t count,
                          uint32_t *to) {
    if ((const void *)id != to)
        for (uint64_t i = 0; i < count; i++)
            to[i] = (uint32_t)id[i] - first;
    else if (first)
        for (uint64_t i = 0; i < count; i++)
            to[i] -= first;
}

/* A callback of gg_narrow: writes the vertex numbers of entries low .. high - 1. */
static void assign_part(const void *of, uint64_t low, uint64_t high, uint32_t *to) {
    const id_mapper *m = ((const numbering *)of)->m;
    const struct id_source *c = ((const numbering *)of)->c;
    if (m->mode == IDS_CONSECUTIVE && !c->ids.is_text && c->ids.value32)
        assign_narrow(c->ids.value32 + low, (uint32_t)m->first, high - low, to);
    else if (m->mode == IDS_CONSECUTIVE &&
             !c->ids.is_text) /* the compiler vectorizes this loop */
        for (uint64_t i = low; i < high; i++)
            to[i - low] = (uint32_t)((uint64_t)c->ids.value[i] - (uint64_t)m->first);
    else
        for (uint64_t i = low; i < high; i++)
            to[i - low] = number_ids_of(m, c, i);
}

static void assign_slice(void *of, uint64_t low, uint64_t high) {
    const numbering *a = of;
    for (uint64_t i = low; i < high && !gg_pause(a->m->run); i += GG_POLL_ITEMS)
        assign_part(of, i, high - i < GG_POLL_ITEMS ? high : i + GG_POLL_ITEMS,
                    a->c->number + i);
}

/* Writes the numbers of a column to c->number, or to a new array. */
static void assign(const id_mapper *m, struct id_source *c) {
    numbering of = {m, c};
    if (!c->number)
        c->number = gg_alloc_slack(m->run, c->count, sizeof *c->number);
    if (!c->number)
        return;
    gg_slices(gg_threads(m->run, c->count), c->count, assign_slice, &of);
}

/* Writes the numbers of a column of 4-byte ids over its ids. */
static uint32_t *assign_in_place(const id_mapper *m, struct id_source *c) {
    uint32_t *number = c->number = (uint32_t *)c->ids.value32;
    assign(m, c);
    c->number = NULL;
    uint32_t *kept =
        gg_stopping(m->run) ? NULL : gg_shrink(m->run, number, c->count, sizeof *kept);
    if (!kept)
        free(number);
    return kept;
}

/* Sets the numbers of a column; they overwrite its ids if the caller gave it away. */
static void finish_column(id_mapper *m, struct id_source *c) {
    if (c->given && !c->number && c->ids.value32) {
        c->given->value32 = NULL;
        *c->result = assign_in_place(m, c);
    } else if (c->given && !c->number) {
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
        free((void *)c->given->value32);
        free((void *)c->given->is_text);
        *c->given = (gpugraph_id_column){NULL, NULL, NULL};
    }
}

static void map(id_mapper *m) {
    gpugraph_graph *graph = m->graph;
    gpugraph_run *run = m->run;
    if (m->texts->count >= (int64_t)GPUGRAPH_NONE) {
        gg_fail(run, GPUGRAPH_TOO_LARGE, "there are more than 2^32 - 2 texts");
        return;
    }
    m->text_used = gg_alloc_zero(run, (uint64_t)m->texts->count, 1);
    for (int i = 0; i < ID_COLUMNS && !gg_stopping(run); i++)
        survey(m, &m->column[i]);
    if (gg_stopping(run) || !m->integers)
        m->mode = IDS_CONSECUTIVE;
    else if (gg_close_together(m->integers, m->first, m->last))
        number_by_bitmap(m);
    else
        gg_number_sparse_ids(m);
    if (!gg_stopping(run) && m->texts->count)
        number_texts(m);
    uint64_t n = graph->ids.integer_count + m->texts_used;
    if (n >= GPUGRAPH_NONE)
        gg_fail(run, GPUGRAPH_TOO_LARGE, "there are more than 2^32 - 2 vertices");
    graph->n = (uint32_t)n;
    for (int i = 0; i < ID_COLUMNS && !gg_stopping(run); i++)
        if (m->column[i].result)
            finish_column(m, &m->column[i]);
}

/* Returns false if the host must map the ids. */
static bool map_on_device(id_mapper *m) {
    gg_device_mapper(m);
    /* Without the columns on the host, a failure is final. */
    if (!m->run->status || m->cells || m->graph->device_resident ||
        m->run->status == GPUGRAPH_INTERRUPTED)
        return true;
    gg_begin(m->run); /* the search will report the device's failure */
    return false;
}

gpugraph_status gg_map_ids(gpugraph_graph *graph, gpugraph_edges *edges,
                           gpugraph_run *run, id_mapping *how) {
    uint64_t m = (uint64_t)edges->count, more = (uint64_t)edges->vertex_count;
    id_mapper map_all = {
        .graph = graph,
        .run = run,
        .texts = &edges->texts,
        .cells = edges->cells,
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
    how->on_device = how->on_device && map_on_device(&map_all);
    how->moved_ms = map_all.moved_ms;
    if (!how->on_device && edges->cells)
        gg_fail(run, GPUGRAPH_DEVICE_FAILED,
                "the edges are on a device that cannot number their ends");
    else if (!how->on_device)
        map(&map_all);
    for (int i = 0; i < ID_COLUMNS; i++)
        gg_release(map_all.column[i].number);
    gg_release(map_all.text_used);
    gg_release(map_all.text_rank);

    graph->ids.integer = graph->id.integer;
    graph->ids.texts = (gpugraph_texts){.count = (int64_t)map_all.texts_used,
                                        .offset = graph->id.text_offset,
                                        .bytes = graph->id.text_bytes};
    static const char *const notes[2][3] = {
        {"consecutive integers", "integers by bitmap", "integers by hashing"},
        {"consecutive integers, on the device", "integers by bitmap, on the device",
         "integers by sorting, on the device"}};
    how->note = !map_all.integers ? "texts" : notes[how->on_device][map_all.mode];
    return gg_stopping(run) ? gg_stopped(run) : run->status;
}

void gg_free_ids(gpugraph_graph *graph) {
    gg_release(graph->id.integer);
    gg_release(graph->id.present);
    gg_release(graph->id.rank);
    gg_release(graph->id.text_offset);
    gg_release(graph->id.text_bytes);
    gg_release(graph->id.tombstones.vertex);
    gg_free_later(&graph->id.later);
    gg_release(graph->id.text_index);
    graph->id = (struct graph_ids){.integer = NULL};
}
