/* Makes the rows of CSR_SIMPLE: undirected, ascending, without loops and repeats. Pass 1
** (csr.c) and pass 2 work in the block that becomes the targets:
**
**     pass 1     distributes both directions of each edge to parts, which are ranges of
**                rows; an arc takes 8 bytes
**                | part 0 . . . . | part 1 . . . . . . | part 2 . . |
**     pass 2     copies a part's columns to the thread's own block, row by row, sorts
**                each row, and writes its distinct columns to the begin of the part
**                | aaa            | bbbb               | cc         |
**     together   moves the parts together and frees the rest of the block
**                | aaabbbbcc | */
#include "arc_sort.h"

#include <string.h>

/* ---- sorting a row ---- */

enum {
    FEW = 32,    /* insertion sort up to this length, radix sort of longer rows */
    MANY = 1024, /* digits have up to 11 bits in rows of this length, otherwise 8 */
    DIGITS = 4,
    MOST_PLACES = 1 << 11
};

static void insert_all(uint32_t *row, uint64_t count) {
    for (uint64_t i = 1; i < count; i++) {
        uint32_t x = row[i];
        uint64_t at = i;
        for (; at > 0 && row[at - 1] > x; at--)
            row[at] = row[at - 1];
        row[at] = x;
    }
}

static void move_by_digit(gpugraph_run *run, uint32_t *to, const uint32_t *from,
                          uint64_t count, int shift, int width, uint32_t *place) {
    uint32_t at = 0, mask = ((uint32_t)1 << width) - 1;
    for (uint32_t digit = 0; digit <= mask; digit++) {
        uint32_t here = place[digit];
        place[digit] = at;
        at += here;
    }
    for (uint64_t i = 0; i < count && !gg_leave(run, i); i++)
        to[place[from[i] >> shift & mask]++] = from[i];
}

/* If a caller passes a constant for `digits`, the compiler unrolls the inner loop. */
static inline void count_digits(gpugraph_run *run, const uint32_t *row, uint64_t count,
                                int digits, int width, uint32_t place[][MOST_PLACES]) {
    const uint32_t mask = ((uint32_t)1 << width) - 1;
    for (int d = 0; d < digits; d++)
        memset(place[d], 0, sizeof *place[d] << width);
    for (uint64_t i = 0; i < count && !gg_leave(run, i); i++)
        for (int d = 0; d < digits; d++)
            place[d][row[i] >> d * width & mask]++;
}

/* A radix sort, lowest digit first. Returns the array that has the result. */
static uint32_t *sort_by_digits(gpugraph_run *run, uint32_t *row, uint32_t *scratch,
                                uint64_t count, int bits) {
    uint32_t place[DIGITS][MOST_PLACES];
    int most = count < MANY ? 8 : 11, digits = (bits + most - 1) / most;
    int width = (bits + digits - 1) / digits;
    if (digits == 2)
        count_digits(run, row, count, 2, width, place);
    else if (digits == 3)
        count_digits(run, row, count, 3, width, place);
    else
        count_digits(run, row, count, digits, width, place);
    for (int d = 0; d < digits && !gg_stopping(run); d++) {
        move_by_digit(run, scratch, row, count, d * width, width, place[d]);
        uint32_t *sorted = scratch;
        scratch = row;
        row = sorted;
    }
    return row;
}

static const uint32_t *sort_row(gpugraph_run *run, uint32_t *row, uint32_t *scratch,
                                uint64_t count, int bits) {
    uint64_t i = 1;
    while (i < count && row[i - 1] <= row[i])
        i++;
    if (i >= count)
        return row;
    if (count > FEW)
        return sort_by_digits(run, row, scratch, count, bits);
    insert_all(row, count);
    return row;
}

static uint64_t put_distinct(uint32_t *to, const uint32_t *row, uint64_t count) {
    uint64_t put = 0;
    for (uint64_t i = 0; i < count; i++) {
        to[put] = row[i];
        put += i + 1 == count || row[i] != row[i + 1];
    }
    return put;
}

/* ---- pass 2 ---- */

/* Writes the begin of each row, relative to the part, to offset[], and returns the number
** of distinct arcs. The first half of the part receives the targets; the second half is
** scratch for the sort. */
static uint64_t sort_part(const arc_sort *s, uint64_t part, uint32_t *column,
                          uint64_t *offset) {
    uint64_t low = part << s->shift, high = (part + 1) << s->shift;
    uint64_t count = s->begin[part + 1] - s->begin[part], place = 0, from = 0, put = 0;
    const uint64_t *arc = s->arc + s->begin[part];
    uint32_t *target = (uint32_t *)arc;
    int bits = s->n > 1 ? 32 - __builtin_clz(s->n - 1) : 1;
    high = high < s->n ? high : s->n;
    memset(offset + low, 0, sizeof *offset * (high - low));
    for (uint64_t i = 0; i < count && !gg_leave(s->run, i); i++)
        offset[arc[i] >> 32]++;
    for (uint64_t v = low; v < high; v++) {
        uint64_t degree = offset[v];
        offset[v] = place;
        place += degree;
    }
    for (uint64_t i = 0; i < count && !gg_leave(s->run, i); i++)
        column[offset[arc[i] >> 32]++] = (uint32_t)arc[i];
    for (uint64_t v = low; v < high && !gg_stopping(s->run); v++) {
        uint64_t end = offset[v];
        offset[v] = put;
        put += put_distinct(
            target + put,
            sort_row(s->run, column + from, target + count + from, end - from, bits),
            end - from);
        from = end;
    }
    return put;
}

/* The threads of pass 2 share this state. */
typedef struct row_sort {
    const arc_sort *s;
    uint64_t *offset, *arcs; /* arcs[p]: distinct arcs of part p */
    uint64_t taken;
} row_sort;

/* Sorts parts until all are taken. */
static void sort_parts(void *rows, int member, int team) {
    row_sort *r = rows;
    const arc_sort *s = r->s;
    uint32_t *column = NULL;
    uint64_t capacity = 0, p;
    (void)member, (void)team;
    while ((p = __atomic_fetch_add(&r->taken, 1, __ATOMIC_RELAXED)) < s->parts &&
           !gg_pause(s->run)) {
        uint64_t count = s->begin[p + 1] - s->begin[p];
        if (count > capacity || !column) {
            gg_release(column);
            column = gg_alloc_slack(s->run, capacity = count, sizeof *column);
        }
        if (column)
            r->arcs[p] = sort_part(s, p, column, r->offset);
    }
    gg_release(column);
}

/* ---- moving parts together ---- */

typedef struct closing_up {
    const arc_sort *s;
    const uint64_t *start; /* start[p]: arcs of the parts before p */
    uint64_t *offset;
    uint64_t done; /* parts that are in their final position */
} closing_up;

static void move_part(void *job, uint64_t i) {
    const closing_up *c = job;
    const uint64_t part = c->done + i, to = c->start[part];
    uint32_t *target = (uint32_t *)c->s->arc;
    memmove(target + to, target + 2 * c->s->begin[part],
            sizeof *target * (c->start[part + 1] - to));
}

/* Moves groups of parts. The parts of a group may move in parallel, because their
** destination ends before the first of them begins. A group is about as large as all
** earlier groups together. */
static void move_together(closing_up *c) {
    const arc_sort *s = c->s;
    for (uint64_t next; c->done < s->parts && !gg_poll(s->run); c->done = next) {
        for (next = c->done + 1; next < s->parts; next++)
            if (c->start[next + 1] > 2 * s->begin[c->done])
                break;
        int threads = gg_threads(s->run, c->start[next] - c->start[c->done]);
        gg_parts(threads, next - c->done, move_part, c);
    }
}

static void shift_offsets_of_csr_simple(void *job, uint64_t part) {
    const closing_up *c = job;
    const arc_sort *s = c->s;
    uint64_t low = part << s->shift, high = (part + 1) << s->shift;
    for (uint64_t v = low; v < high && v < s->n; v++)
        c->offset[v] += c->start[part];
}

static void make_rows(arc_sort *s, uint64_t *start, struct csr_slot *slot) {
    row_sort rows = {s, slot->offset, start + 1, 0};
    closing_up close = {s, start, slot->offset, 0};
    gg_team(s->threads, sort_parts, &rows);
    for (uint64_t p = 0; p < s->parts; p++)
        start[p + 1] += start[p];
    if (!gg_stopping(s->run))
        move_together(&close);
    if (gg_stopping(s->run))
        return;
    gg_parts(s->threads, s->parts, shift_offsets_of_csr_simple, &close);
    slot->offset[s->n] = start[s->parts];
    slot->m = start[s->parts];
    slot->target = gg_shrink(s->run, s->arc, slot->m, sizeof *slot->target);
    if (slot->target)
        s->arc = NULL;
}

void gg_simple_rows(const gpugraph_graph *graph, gpugraph_run *run,
                    struct csr_slot *slot) {
    arc_sort s = {.run = run,
                  .n = graph->n,
                  .list = {graph->source, graph->target, NULL, graph->m, true, false}};
    uint64_t *start = NULL;
    if (gg_part_arcs(&s))
        slot->offset = gg_alloc_slack(run, (uint64_t)s.n + 1, sizeof *slot->offset);
    if (!gg_stopping(run))
        start = gg_alloc_zero(run, s.parts + 1, sizeof *start);
    if (!gg_stopping(run))
        make_rows(&s, start, slot);
    gg_release(start);
    gg_free_parts(&s);
}
