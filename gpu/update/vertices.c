/* The vertices of a batch: looks up the ends of added edges, gives new vertices the next
** numbers, and turns vertices that lose their last edge into tombstones.
**
**     ids           1 3 4 7 'a'      the last edge of 4 is removed; an added edge names 5
**     new           5                its number is 5
**     vanished      4                unless 4 is kept: a tombstone at number 2
**     ids           1 3 - 7 'a' 5    an edge that names 4 again fills the tombstone
**
** A vertex vanishes if the batch removes as many ends as its degree. If the lengths of
** rows cannot rule this out, the batch counts all degrees, and later batches update
** them. */
#include "update.h"
#include "graph/copy.h"
#include "ids/ids.h"

enum { LOOKUP_ITEMS = 32 }; /* items of gg_threads that take as long as a look-up */

/* ---- ends of added edges ---- */

/* States of a text of the batch before its look-up. */
enum { UNUSED = -2, USED = -1 };

/* The names in a batch: its lone vertices, then the ends of added edges, unless the
** batch changes weights only. */
static uint64_t name_count(const update *u) {
    return u->lone_count + (u->reweights ? 0 : 2 * u->added_count);
}

static bool is_text(const update *u, uint64_t k, int64_t *value) {
    const uint64_t end = k - u->lone_count, i = k < u->lone_count ? k : end / 2;
    const gpugraph_id_column *column = k < u->lone_count ? &u->added->vertex
                                       : end % 2         ? &u->added->target
                                                         : &u->added->source;
    *value = gg_id_at(column, i);
    return gg_text_at(column, i);
}

static bool is_new(const update *u, uint64_t k) {
    return u->named[k] >= u->graph->n;
}

/* Looks up the vertices of names. */
typedef struct id_lookup {
    update *u;
    int64_t *of_text; /* the vertex of each used text, or GPUGRAPH_NONE */
} id_lookup;

static void find_some_texts(void *lookup, uint64_t low, uint64_t high) {
    const id_lookup *l = lookup;
    const gpugraph_texts *texts = &l->u->added->texts;
    for (uint64_t t = low; t < high; t++) {
        uint64_t length;
        const char *text = gpugraph_text(texts, t, &length);
        if (l->of_text[t] == USED && !gg_leave(l->u->run, t))
            l->of_text[t] = gg_number_of(
                l->u->graph,
                &(gpugraph_id){.is_text = true, .text = text, .length = length});
    }
}

static void find_texts(id_lookup *l) {
    enum { TEXTS = 256 }; /* texts that a thread takes at a time */
    update *u = l->u;
    const gpugraph_texts *texts = &u->added->texts;
    int64_t t;
    for (t = 0; t < texts->count; t++)
        l->of_text[t] = UNUSED;
    for (uint64_t k = 0; k < name_count(u); k++) {
        if (!is_text(u, k, &t))
            continue;
        if (t < 0 || t >= texts->count) {
            gg_fail(u->run, GPUGRAPH_INVALID,
                    "text number %lld is not one of the %lld texts", (long long)t,
                    (long long)texts->count);
            return;
        }
        l->of_text[t] = USED;
    }
    uint64_t count = (uint64_t)texts->count;
    gg_chunks(gg_threads(u->run, count * LOOKUP_ITEMS), count, TEXTS, find_some_texts, l);
}

static void find_some_names(void *lookup, uint64_t low, uint64_t high) {
    const id_lookup *l = lookup;
    const update *u = l->u;
    for (uint64_t k = low; k < high && !gg_leave(u->run, k); k++) {
        int64_t id;
        u->named[k] = is_text(u, k, &id)
                          ? (uint32_t)l->of_text[id]
                          : gg_number_of(u->graph, &(gpugraph_id){.integer = id});
    }
}

static void find_names(id_lookup *l) {
    const update *u = l->u;
    /* a look-up of consecutive ids needs no search */
    uint64_t each = u->graph->ids.integer ? LOOKUP_ITEMS : 1;
    gg_slices(gg_threads(u->run, name_count(u) / 2 * each), name_count(u),
              find_some_names, l);
}

/* ---- new vertices: numbers from the graph's n on ---- */

/* Numbers the distinct INTEGERs without a vertex, in order. */
static void number_integers(update *u, uint32_t *name) {
    uint64_t count = 0;
    int64_t id;
    for (uint64_t k = 0; k < name_count(u); k++)
        if (is_new(u, k) && !is_text(u, k, &id)) {
            u->key[count] = (uint64_t)id ^ GG_SIGN_BIT;
            name[count++] = (uint32_t)k;
        }
    gg_update_sort(u, name, count);
    for (uint64_t i = 0; i < count && !gg_stopping(u->run); i++) {
        if (i == 0 || u->key[i] != u->key[i - 1])
            u->fresh_id[u->fresh++] = (int64_t)(u->key[i] ^ GG_SIGN_BIT);
        u->named[name[i]] = u->graph->n + u->fresh - 1;
    }
    u->fresh_integers = u->fresh;
}

static void number_texts(update *u, int64_t *of_text, uint32_t *text) {
    const gpugraph_texts *texts = &u->added->texts;
    uint64_t count = 0;
    int64_t t;
    for (t = 0; t < texts->count; t++)
        if (of_text[t] == GPUGRAPH_NONE)
            text[count++] = (uint32_t)t;
    if (gg_sort_texts(u->run, texts, text, count))
        return;
    for (uint64_t i = 0; i < count; i++) {
        of_text[text[i]] = (int64_t)u->graph->n + u->fresh;
        u->fresh_id[u->fresh++] = text[i];
    }
    for (uint64_t k = 0; k < name_count(u); k++)
        if (is_new(u, k) && is_text(u, k, &t))
            u->named[k] = (uint32_t)of_text[t];
}

static void find_new_vertices(update *u) {
    gpugraph_run *run = u->run;
    const uint64_t texts = (uint64_t)u->added->texts.count, names = name_count(u);
    int64_t *of_text = gg_alloc(run, texts, sizeof *of_text);
    uint32_t *text = gg_alloc(run, texts, sizeof *text);
    id_lookup lookup = {u, of_text};
    u->named = gg_alloc(run, names, sizeof *u->named);
    u->fresh_id = gg_alloc(run, names, sizeof *u->fresh_id);
    if (!gg_stopping(run))
        find_texts(&lookup);
    if (!gg_stopping(run))
        find_names(&lookup);
    if (!gg_stopping(run))
        number_integers(u, u->added_arc);
    if (!gg_stopping(run))
        number_texts(u, of_text, text);
    if ((uint64_t)u->graph->n + u->fresh >= GPUGRAPH_NONE)
        gg_fail(run, GPUGRAPH_TOO_LARGE, "there are more than 2^32 - 2 vertices");
    gg_release(of_text);
    gg_release(text);
}

/* ---- vertices that vanish ---- */

/* How a batch touches a vertex: it removes an end of an edge there, lists the vertex as
** loose, or keeps the vertex by an added edge or another list. */
enum { REMOVED, LOOSE, KEEPS, HOWS, HOW_BITS = 2, HOW_MASK = 3 };

/* Lists touched old vertices as v << HOW_BITS | how; returns their number. */
static uint64_t list_touched(update *u, uint64_t *touched) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < u->removed_count; i++) {
        touched[count++] = (uint64_t)u->removed_ends.source[i] << HOW_BITS | REMOVED;
        touched[count++] = (uint64_t)u->removed_ends.target[i] << HOW_BITS | REMOVED;
    }
    for (uint64_t k = 0; k < name_count(u); k++)
        if (!is_new(u, k))
            touched[count++] = (uint64_t)u->named[k] << HOW_BITS | KEEPS;
    for (int64_t i = 0; i < u->changes->kept_count; i++)
        touched[count++] = (uint64_t)u->changes->kept[i] << HOW_BITS | KEEPS;
    for (int64_t i = 0; i < u->changes->loose_count; i++)
        touched[count++] = (uint64_t)u->changes->loose[i] << HOW_BITS | LOOSE;
    return count;
}

static gpugraph_status make_degrees(gpugraph_graph *graph, gpugraph_run *run) {
    uint32_t *degree = gg_alloc_slack(run, graph->n, sizeof *degree);
    const bool counted =
        degree && graph->device && gg_copies.count_degrees(graph, run, degree);
    if (degree && !counted)
        gg_count_degrees(graph, GPUGRAPH_BOTH, run, degree);
    if (gg_stopping(run))
        gg_release(degree);
    else
        graph->derived.degree = degree;
    return run->status;
}

/* True if v has more edges than `removed`. Degrees are counted only if the rows that
** exist do not show it. */
static bool has_more(update *u, const csr rows[2], uint64_t v, uint64_t removed) {
    gpugraph_graph *graph = u->graph;
    if (!graph->derived.degree) {
        for (int side = GPUGRAPH_OUT; side <= GPUGRAPH_IN; side++)
            if (rows[side].begin && rows[side].end[v] - rows[side].begin[v] > removed)
                return true;
        if (make_degrees(graph, u->run))
            return true;
    }
    return graph->derived.degree[v] > removed;
}

/* Lists the touched vertices that vanish; `touched` is sorted. */
static void find_vanished(update *u, const uint64_t *touched, uint64_t count) {
    csr rows[2] = {{.n = 0}};
    gg_existing_rows(u->graph, CSR_OUT, &rows[GPUGRAPH_OUT]);
    gg_existing_rows(u->graph, CSR_IN, &rows[GPUGRAPH_IN]);
    for (uint64_t i = 0, next; i < count && !gg_stopping(u->run); i = next) {
        const uint32_t *degree = u->graph->derived.degree;
        uint64_t v = touched[i] >> HOW_BITS, touches[HOWS] = {0};
        for (next = i; next < count && touched[next] >> HOW_BITS == v; next++) {
            touches[touched[next] & HOW_MASK]++;
            if (degree && next + GG_FETCH_AHEAD < count)
                gg_fetch(&degree[touched[next + GG_FETCH_AHEAD] >> HOW_BITS]);
        }
        if (!touches[KEEPS] && !has_more(u, rows, v, touches[REMOVED]))
            u->vanished_at[u->vanished++] = v;
    }
}

static void find_touched(update *u) {
    uint64_t most = 2 * u->removed_count + (uint64_t)u->changes->loose_count;
    u->vanished_at = gg_alloc(u->run, most, sizeof *u->vanished_at);
    if (!u->vanished_at)
        return;
    uint64_t count = list_touched(u, u->key);
    gg_update_sort(u, u->removed_arc, count);
    if (!gg_stopping(u->run))
        find_vanished(u, u->key, count);
}

void gg_commit_degrees(update *u) {
    uint32_t **degree = &u->graph->derived.degree;
    gg_take_longer((void **)degree, (void **)&u->longer_degree);
    if (!*degree)
        return;
    for (uint32_t v = u->graph->n; v < u->n; v++)
        (*degree)[v] = 0;
    for (uint64_t i = 0; i < u->removed_count; i++) {
        (*degree)[u->removed_ends.source[i]]--;
        (*degree)[u->removed_ends.target[i]]--;
    }
    for (uint64_t i = 0; i < u->added_count; i++) {
        (*degree)[u->added_ends.source[i]]++;
        (*degree)[u->added_ends.target[i]]++;
    }
}

/* ---- tombstones ---- */

bool gg_may_stay_loose(const gpugraph_graph *graph) {
    return graph->id.tombstones.count + graph->id.later.count <=
           gg_limits.most_loose + graph->n / 1024;
}

static void fill_tombstone(const update *u, uint32_t v, uint8_t *filled) {
    uint64_t place;
    if (gg_find_tombstone(u->graph, v, &place))
        filled[place] = 1;
}

/* Marks tombstones that the batch names: ends of edges, lone vertices, kept vertices. */
static uint64_t find_filled(const update *u, uint8_t *filled) {
    uint64_t count = 0;
    for (uint64_t k = 0; k < name_count(u); k++)
        fill_tombstone(u, u->named[k], filled);
    for (int64_t i = 0; i < u->changes->kept_count; i++)
        fill_tombstone(u, u->changes->kept[i], filled);
    for (uint64_t i = 0; i < u->graph->id.tombstones.count; i++)
        count += filled[i];
    return count;
}

/* Merges remaining tombstones and vanished vertices, ascending, each once. */
static void merge_tombstones(update *u, const uint8_t *filled) {
    const struct tombstones *before = &u->graph->id.tombstones;
    struct tombstones *to = &u->tombstones;
    uint64_t i = 0, k = 0;
    while (i < before->count || k < u->vanished) {
        const uint64_t old = i < before->count ? before->vertex[i] : UINT64_MAX,
                       new = k < u->vanished ? u->vanished_at[k] : UINT64_MAX;
        const bool stays = old <= new && !filled[i];
        if (stays || new < old)
            to->vertex[to->count++] = (uint32_t)(stays ? old : new);
        k += new <= old;
        i += old <= new;
    }
}

static void update_tombstones(update *u) {
    const uint64_t had = u->graph->id.tombstones.count;
    if (had + u->vanished == 0)
        return;
    uint8_t *filled = gg_alloc_zero(u->run, had, sizeof *filled);
    if (filled && find_filled(u, filled) + u->vanished > 0) {
        u->tombstones.vertex =
            gg_alloc(u->run, had + u->vanished, sizeof *u->tombstones.vertex);
        u->tombstones_change = u->tombstones.vertex != NULL;
        if (u->tombstones_change)
            merge_tombstones(u, filled);
    }
    gg_release(filled);
}

/* ---- all steps ---- */

/* Lists the vertex numbers of the ends of added edges. */
static void list_added_ends(update *u) {
    const uint64_t count = u->added_count;
    const uint32_t *named = u->named + u->lone_count;
    edge_ends *ends = &u->added_ends;
    ends->source = gg_alloc(u->run, count, sizeof *ends->source);
    ends->target = gg_alloc(u->run, count, sizeof *ends->target);
    for (uint64_t i = 0; i < count && !gg_stopping(u->run); i++) {
        ends->source[i] = u->reweights ? u->removed_ends.source[i] : named[2 * i];
        ends->target[i] = u->reweights ? u->removed_ends.target[i] : named[2 * i + 1];
    }
}

void gg_update_vertices(update *u) {
    gpugraph_run *run = u->run;
    find_new_vertices(u);
    if (!gg_stopping(run) && !u->reweights &&
        (u->removed_count || u->changes->loose_count))
        find_touched(u);
    if (!gg_stopping(run))
        update_tombstones(u);
    u->n = u->graph->n + u->fresh;
    if (u->graph->derived.degree)
        u->longer_degree = gg_longer(u, u->graph->derived.degree, u->graph->n, u->n,
                                     sizeof *u->longer_degree);
    if (!gg_stopping(run))
        list_added_ends(u);
}
