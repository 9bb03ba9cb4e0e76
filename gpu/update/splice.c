#include "splice.h"

#include <string.h>

static void cut(splice *s, const uint64_t *removed, uint64_t removed_count,
                const uint64_t *inserted, uint64_t inserted_count, uint64_t *place) {
    uint64_t at = 0, to = 0, r = 0, i = 0;
    for (;;) {
        uint64_t next = s->before;
        if (r < removed_count && removed[r] < next)
            next = removed[r];
        if (i < inserted_count && inserted[i] < next)
            next = inserted[i];
        if (next > at) {
            s->piece[s->pieces++] = (splice_piece){at, to, next - at};
            to += next - at;
            at = next;
        }
        while (i < inserted_count && inserted[i] == at)
            place[i++] = to++;
        if (r == removed_count || removed[r] != at) {
            if (at == s->before)
                break;
            continue;
        }
        at++;
        r++;
    }
    s->after = to;
}

/* What can be said of all pieces at once. */
static void look_at_moves(splice *s) {
    uint64_t k = 0;
    s->bound = UINT64_MAX;
    while (k < s->pieces && s->piece[k].to == s->piece[k].from)
        k++;
    s->still = k == s->pieces;
    if (s->still) {
        s->bound = s->before;
        return;
    }
    uint64_t first = k, shift = s->piece[k].to - s->piece[k].from;
    while (k < s->pieces && s->piece[k].to - s->piece[k].from == shift)
        k++;
    if (k == s->pieces) {
        s->bound = s->piece[first].from;
        s->shift = shift;
    }
}

gpugraph_status gg_splice_make(gpugraph_run *run, splice *s, uint64_t before,
                               const uint64_t *removed, uint64_t removed_count,
                               const uint64_t *inserted, uint64_t inserted_count,
                               uint64_t *place) {
    *s = (splice){.before = before};
    s->piece = gg_alloc(run, removed_count + inserted_count + 1, sizeof *s->piece);
    if (!s->piece)
        return run->status;
    cut(s, removed, removed_count, inserted, inserted_count, place);
    look_at_moves(s);
    return run->status;
}

void gg_splice_free(splice *s) {
    gg_release(s->piece);
    gg_release(s->first);
    gg_release(s->map);
    s->piece = NULL;
    s->first = s->map = NULL;
}

static void move_piece(const splice_piece *piece, char *to, const char *from,
                       size_t size) {
    memmove(to + piece->to * size, from + piece->from * size, piece->count * size);
}

/* In one array, pieces that go down overwrite only what earlier ones have left, in
** ascending order; pieces that go up only what later ones have left, in descending order;
** and the two kinds never meet. */
void gg_splice_move(const splice *s, void *to, const void *from, size_t size) {
    bool copy = to != from;
    for (uint64_t k = 0; k < s->pieces && (copy || !s->still); k++)
        if (copy || s->piece[k].to < s->piece[k].from)
            move_piece(&s->piece[k], to, from, size);
    for (uint64_t k = s->pieces; !copy && !s->still && k-- > 0;)
        if (s->piece[k].to > s->piece[k].from)
            move_piece(&s->piece[k], to, from, size);
}

static void index_blocks(splice *s, uint64_t blocks) {
    for (uint64_t b = 0, k = 0; b < blocks; b++) {
        while (k + 1 < s->pieces && s->piece[k].from + s->piece[k].count <= b * 64)
            k++;
        s->first[b] = (uint32_t)k;
    }
}

/* What goes has any number that is in range. */
static void map_all(splice *s) {
    uint64_t x = 0;
    for (uint64_t k = 0; k < s->pieces; k++) {
        const splice_piece *piece = &s->piece[k];
        while (x < piece->from)
            s->map[x++] = 0;
        for (uint32_t to = (uint32_t)piece->to; x < piece->from + piece->count; x++)
            s->map[x] = to++;
    }
    while (x < s->before)
        s->map[x++] = 0;
}

gpugraph_status gg_splice_index(gpugraph_run *run, splice *s, bool wide) {
    uint64_t blocks = s->before / 64 + 1;
    if (!gg_renumbers(s))
        return run->status;
    bool many = s->pieces > blocks / GG_MAP_BLOCKS || s->before <= GG_MAP_NUMBERS;
    if (many && !wide && s->bound == UINT64_MAX) {
        s->map = gg_alloc(run, s->before, sizeof *s->map);
        if (s->map)
            map_all(s);
    } else {
        s->first = gg_alloc(run, blocks, sizeof *s->first);
        if (s->first)
            index_blocks(s, blocks);
    }
    return run->status;
}

void gg_renumber_all(const splice *s, uint32_t *number, uint64_t count) {
    uint32_t bound = (uint32_t)s->bound, shift = (uint32_t)s->shift;
    uint32_t last = (uint32_t)s->after - 1;
    if (!gg_renumbers(s) || !s->after)
        return;
    if (s->bound == UINT64_MAX && s->map) {
        for (uint64_t i = 0; i < count; i++)
            number[i] = s->map[number[i]];
        return;
    }
    if (s->bound == UINT64_MAX) {
        for (uint64_t i = 0; i < count; i++)
            number[i] = gg_renumber(s, number[i]);
        return;
    }
    for (uint64_t i = 0; i < count; i++) { /* a loop to turn into vectors */
        uint32_t x = number[i] + (number[i] >= bound ? shift : 0);
        number[i] = x < last ? x : last;
    }
}

void gg_renumber_all_wide(const splice *s, uint64_t *number, uint64_t count) {
    if (!gg_renumbers(s) || !s->after)
        return;
    for (uint64_t i = 0; i < count; i++)
        number[i] = gg_renumber_wide(s, number[i]);
}
