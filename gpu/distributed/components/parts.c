/* Components over partitions. weak_parts.c has the weak ones.
**
** Strong components, after Orzan's colouring ("On Distributed Verification and Verified
** Distribution", 2004), repeat three steps on the remaining vertices:
**
**     trim       a vertex without arcs in or without arcs out is a component
**     colour     each vertex gets the smallest number that reaches it, along arcs
**     root       a root has its own number as colour; vertices of its colour that
**                reach it are its component
**
** When few arcs remain, partition 0 gathers them and finds the rest alone. */
#include "base/limits.h"
#include "distributed/partition/part.h"

#include <stdlib.h>
#include <string.h>

/* ---- strong ---- */

struct strong {
    gpugraph_part *p;
    gpugraph_run *run;
    struct part_transpose back;
    uint64_t *component; /* of each local; UINT64_MAX: it remains */
    uint64_t *colour;
    uint32_t *in, *out; /* degrees among remaining vertices; masters have sums */
    uint8_t *mark;      /* reaches the root of its colour */
    struct part_rounds r;
};

static bool is_left(const struct strong *s, uint32_t v) {
    return s->component[v] == UINT64_MAX;
}

/* Removes vertices without arcs in or out, and counts degrees again. */
static bool trim_vertices(struct strong *s) {
    gpugraph_part *p = s->p;
    const struct part_field removed = {s->component, sizeof *s->component, NULL};
    const struct part_field in = {s->in, sizeof *s->in, part_sum_32},
                            out = {s->out, sizeof *s->out, part_sum_32};
    uint64_t count = 1;
    while (count > 0) {
        memset(s->in, 0, p->locals * sizeof *s->in);
        memset(s->out, 0, p->locals * sizeof *s->out);
        for (uint32_t u = 0; u < p->locals && !gg_leave(s->run, u); u++)
            for (uint64_t a = p->offset[u]; a < p->offset[u + 1] && is_left(s, u); a++)
                if (is_left(s, p->target[a]) && p->target[a] != u) {
                    s->out[u]++;
                    s->in[p->target[a]]++;
                }
        if (gg_stopping(s->run) || gg_reduce(p, s->run, in, NULL) != GPUGRAPH_OK ||
            gg_reduce(p, s->run, out, NULL) != GPUGRAPH_OK)
            return false;
        count = 0;
        for (uint32_t v = 0; v < p->masters; v++)
            if (is_left(s, v) && (s->in[v] == 0 || s->out[v] == 0)) {
                s->component[v] = p->number[v];
                part_note(&s->r.now, v);
                count++;
            }
        if (gg_broadcast(p, s->run, removed, &s->r.now) != GPUGRAPH_OK)
            return false;
        part_forget(&s->r.now);
        if (!part_sum(p, s->run, &count))
            return false;
        if (count < p->vertices / 64) /* too few for another pass */
            break;
    }
    return true;
}

/* Rounds from the masters in r.now until nothing changes. Afterwards all copies agree. */
static bool go_strong_rounds(struct strong *s, struct part_field field,
                             void (*visit)(struct part_rounds *, uint32_t)) {
    uint32_t rounds;
    s->r.field = field;
    s->r.visit = visit;
    s->r.search = s;
    s->r.up = s->r.down = true;
    return part_go_rounds(&s->r, UINT32_MAX, &rounds);
}

static void paint_row(struct part_rounds *r, uint32_t u) {
    const struct strong *s = r->search;
    for (uint64_t a = r->p->offset[u]; a < r->p->offset[u + 1]; a++) {
        const uint32_t v = r->p->target[a];
        if (is_left(s, v) && s->colour[u] < s->colour[v]) {
            s->colour[v] = s->colour[u];
            part_note(&r->next, v);
        }
    }
}

/* Spreads colours along arcs among remaining vertices. */
static bool paint_colours(struct strong *s) {
    gpugraph_part *p = s->p;
    for (uint32_t v = 0; v < p->locals; v++) {
        s->colour[v] = p->number[v];
        if (is_left(s, v) && v < p->masters)
            part_note(&s->r.now, v);
    }
    return go_strong_rounds(
        s, (struct part_field){s->colour, sizeof *s->colour, part_least_64}, paint_row);
}

static void mark_row(struct part_rounds *r, uint32_t v) {
    const struct strong *s = r->search;
    for (uint64_t k = s->back.offset[v]; k < s->back.offset[v + 1]; k++) {
        const uint32_t u = s->back.source[k];
        if (is_left(s, u) && !s->mark[u] && s->colour[u] == s->colour[v]) {
            s->mark[u] = 1;
            part_note(&r->next, u);
        }
    }
}

/* Goes against arcs from the roots, within their colours. The marked vertices of a colour
** are a component. */
static bool find_roots(struct strong *s) {
    gpugraph_part *p = s->p;
    memset(s->mark, 0, p->locals);
    for (uint32_t v = 0; v < p->masters; v++)
        if (is_left(s, v) && s->colour[v] == p->number[v]) {
            s->mark[v] = 1;
            part_note(&s->r.now, v);
        }
    if (!go_strong_rounds(s, (struct part_field){s->mark, sizeof *s->mark, part_most_8},
                          mark_row))
        return false;
    for (uint32_t v = 0; v < p->locals; v++)
        if (is_left(s, v) && s->mark[v])
            s->component[v] = s->colour[v];
    return true;
}

/* ---- the rest, at partition 0 ---- */

static bool is_arc_left(const struct strong *s, uint32_t u, uint64_t arc) {
    return is_left(s, u) && is_left(s, s->p->target[arc]);
}

static uint64_t arcs_left(const struct strong *s) {
    uint64_t count = 0;
    for (uint32_t u = 0; u < s->p->locals; u++)
        for (uint64_t a = s->p->offset[u]; a < s->p->offset[u + 1]; a++)
            count += is_arc_left(s, u, a);
    return count;
}

/* Finds components of the gathered arcs by the search of one graph, and sends to each
** master its component. */
static bool solve_rest(struct strong *s, const int64_t *source, const int64_t *target,
                       uint64_t arcs, uint64_t *delivered) {
    const gpugraph_edges edges = {
        .count = (int64_t)arcs, .source = {.value = source}, .target = {.value = target}};
    gpugraph_graph *graph = NULL;
    gpugraph_run run = {.backend = GPUGRAPH_CPU,
                        .threads = s->run->threads,
                        .interrupted = s->run->interrupted,
                        .listener = s->run->listener};
    uint32_t *found = NULL, n = 0;
    uint64_t *number = NULL, *value = NULL;
    if (gpugraph_create(&edges, &run, &graph) == GPUGRAPH_OK) {
        n = gpugraph_vertex_count(graph);
        found = gg_alloc(&run, n, sizeof *found);
        number = gg_alloc(&run, n, sizeof *number);
        value = gg_alloc(&run, n, sizeof *value);
        if (found && number && value)
            gpugraph_components(graph, GPUGRAPH_STRONG, &run, found);
    }
    const gpugraph_ids *ids = graph ? gpugraph_vertex_ids(graph) : NULL;
    for (uint32_t v = 0; run.status == GPUGRAPH_OK && v < n; v++) {
        const uint32_t c = found[v];
        number[v] = (uint64_t)(ids->integer ? ids->integer[v] : ids->first_integer + v);
        value[v] = (uint64_t)(ids->integer ? ids->integer[c] : ids->first_integer + c);
    }
    if (run.status != GPUGRAPH_OK)
        gg_fail(s->run, run.status, "%s", run.message);
    else
        gpugraph_part_deliver(s->p, s->run, n, number, value, delivered);
    gpugraph_free(graph);
    gg_release(found);
    gg_release(number);
    gg_release(value);
    return s->run->status == GPUGRAPH_OK;
}

static bool gather_rest(struct strong *s, uint64_t mine) {
    gpugraph_part *p = s->p;
    uint64_t *delivered = gg_alloc(s->run, p->masters, sizeof *delivered), at = 0;
    uint64_t *end = gg_alloc(s->run, mine, 2 * sizeof *end);
    uint32_t *to = gg_alloc_zero(s->run, mine, sizeof *to);
    struct gg_records source = {0}, target = {0};
    bool go = delivered && end && to;
    for (uint32_t u = 0; go && u < p->locals; u++)
        for (uint64_t a = p->offset[u]; a < p->offset[u + 1]; a++)
            if (is_arc_left(s, u, a)) {
                end[at] = p->number[u];
                end[mine + at++] = p->number[p->target[a]];
            }
    if (go)
        memset(delivered, 0xff, p->masters * sizeof *delivered);
    go = go && gg_post_records(p->exchange, s->run, 1, end, mine, to, &source) &&
         gg_post_records(p->exchange, s->run, 1, end + mine, mine, to, &target) &&
         solve_rest(s, (int64_t *)source.word, (int64_t *)target.word, source.count,
                    delivered);
    /* A remaining vertex without remaining arcs is a component of its own. */
    for (uint32_t v = 0; go && v < p->masters; v++)
        if (is_left(s, v))
            s->component[v] = delivered[v] == UINT64_MAX ? p->number[v] : delivered[v];
    gg_release(delivered);
    gg_release(end);
    gg_release(to);
    gg_records_close(&source);
    gg_records_close(&target);
    return go;
}

static bool find_strong_of_parts(struct strong *s) {
    gpugraph_part *p = s->p;
    uint64_t whole = p->arcs;
    if (!part_sum(p, s->run, &whole))
        return false;
    for (;;) {
        if (!trim_vertices(s))
            return false;
        const uint64_t mine = arcs_left(s);
        uint64_t left = mine;
        if (!part_sum(p, s->run, &left))
            return false;
        if (left <= gg_limits.part_gathered ||
            (gg_limits.part_gathered > 0 && left <= whole / p->exchange->parts))
            return gather_rest(s, mine);
        if (!paint_colours(s) || !find_roots(s))
            return false;
    }
}

static void strong_components(gpugraph_part *p, gpugraph_run *run, uint64_t *component) {
    struct strong s = {.p = p, .run = run};
    s.component = gg_alloc(run, p->locals, sizeof *s.component);
    s.colour = gg_alloc(run, p->locals, sizeof *s.colour);
    s.in = gg_alloc(run, p->locals, sizeof *s.in);
    s.out = gg_alloc(run, p->locals, sizeof *s.out);
    s.mark = gg_alloc(run, p->locals, sizeof *s.mark);
    if (run->status == GPUGRAPH_OK && part_transpose_open(p, run, &s.back) &&
        part_rounds_open(&s.r, p, run)) {
        memset(s.component, 0xff, p->locals * sizeof *s.component);
        if (find_strong_of_parts(&s))
            memcpy(component, s.component, p->masters * sizeof *component);
    }
    part_rounds_close(&s.r);
    part_transpose_close(&s.back);
    void *blocks[] = {s.component, s.colour, s.in, s.out, s.mark};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gg_release(blocks[i]);
}

/* ---- the public function ---- */

gpugraph_status gpugraph_part_components(gpugraph_part *p, gpugraph_component_kind kind,
                                         gpugraph_run *run, uint64_t *component) {
    gg_begin(run);
    const double start = gg_now_ms();
    if (kind != GPUGRAPH_WEAK && kind != GPUGRAPH_STRONG)
        gg_fail(run, GPUGRAPH_INVALID, "there is no kind %d of components", (int)kind);
    else if (kind == GPUGRAPH_STRONG && p->direction == GPUGRAPH_BOTH)
        gg_fail(run, GPUGRAPH_INVALID,
                "strong components need arcs of one direction, not of both");
    else if (gg_needs(run, component, p->masters, "component"))
        (kind == GPUGRAPH_WEAK ? part_weak_components : strong_components)(p, run,
                                                                           component);
    if (part_end(p->exchange, run) == GPUGRAPH_OK)
        gg_phase(run, "search", start, (int64_t)p->arcs, "over %u parts",
                 p->exchange->parts);
    return run->status;
}
