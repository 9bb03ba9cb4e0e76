/* Sorts texts by their bytes, seven at a time.
**
** The texts of a group agree in their first `depth` bytes. A key sorts the group: the
** next seven bytes, then the number of remaining bytes, at most 8. Longer texts with
** equal keys form a smaller group, seven bytes deeper:
**
**     depth       key
**       v        v
**     /road/ 0001    -> "0001\0\0\0" 4
**     /road/ 0001/a  -> "0001/a\0" 6
**     /road/ 00017 north -> "00017 n" 8
**     \____/ skipped: common to the whole group */
#include "ids.h"

#include <string.h>

enum { FEW_TEXTS = 24 }; /* insertion sort for groups of up to 24 texts */

enum { KEY_BYTES = 7 };

typedef struct text_sorter {
    gpugraph_run *run;
    const gpugraph_texts *texts;
    uint32_t *number, *number_scratch;
    uint64_t *key, *key_scratch;
} text_sorter;

int gg_compare_texts(const char *a, uint64_t a_length, const char *b, uint64_t b_length) {
    uint64_t both = a_length < b_length ? a_length : b_length;
    int order = both ? memcmp(a, b, (size_t)both) : 0;
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

static uint64_t length_of(const gpugraph_texts *texts, uint32_t t) {
    uint64_t length;
    gpugraph_text(texts, t, &length);
    return length;
}

/* Compares two texts that agree in their first `depth` bytes. */
static int compare_from(const gpugraph_texts *texts, uint32_t a, uint32_t b,
                        uint64_t depth) {
    return gg_compare_texts(
        texts->bytes + texts->offset[a] + depth, length_of(texts, a) - depth,
        texts->bytes + texts->offset[b] + depth, length_of(texts, b) - depth);
}

static void sort_few(const text_sorter *s, uint64_t low, uint64_t high, uint64_t depth) {
    for (uint64_t i = low + 1; i < high; i++) {
        uint32_t moving = s->number[i];
        uint64_t place = i;
        for (; place > low &&
               compare_from(s->texts, s->number[place - 1], moving, depth) > 0;
             place--)
            s->number[place] = s->number[place - 1];
        s->number[place] = moving;
    }
}

/* Returns the number of bytes behind `depth` that the whole group has in common. */
static uint64_t common_bytes(const text_sorter *s, uint64_t low, uint64_t high,
                             uint64_t depth) {
    const gpugraph_texts *texts = s->texts;
    const char *first = texts->bytes + texts->offset[s->number[low]] + depth;
    uint64_t common = length_of(texts, s->number[low]) - depth;
    for (uint64_t i = low + 1; i < high && common; i++) {
        const char *other = texts->bytes + texts->offset[s->number[i]] + depth;
        uint64_t length = length_of(texts, s->number[i]) - depth, same = 0;
        uint64_t most = length < common ? length : common;
        while (same < most && first[same] == other[same])
            same++;
        common = same;
    }
    return common;
}

static uint64_t key_at(const gpugraph_texts *texts, uint32_t t, uint64_t depth) {
    uint64_t left = length_of(texts, t) - depth, key = 0;
    const char *bytes = texts->bytes + texts->offset[t] + depth;
    for (uint64_t i = 0; i < KEY_BYTES; i++)
        key = key << 8 | (i < left ? (uint8_t)bytes[i] : 0);
    return key << 8 | (left <= KEY_BYTES ? left : KEY_BYTES + 1);
}

typedef struct group {
    const text_sorter *s;
    uint64_t first, depth;
} group;

static void take_keys(void *of, uint64_t low, uint64_t high) {
    const group *g = of;
    const text_sorter *s = g->s;
    for (uint64_t i = g->first + low; i < g->first + high; i++)
        s->key[i] = key_at(s->texts, s->number[i], g->depth);
}

static void sort_group(const text_sorter *s, uint64_t low, uint64_t high,
                       uint64_t depth) {
    if (high - low <= FEW_TEXTS) {
        sort_few(s, low, high, depth);
        return;
    }
    if (gg_poll(s->run))
        return;
    depth += common_bytes(s, low, high, depth);
    group g = {s, low, depth};
    gg_slices(gg_threads(s->run, high - low), high - low, take_keys, &g);
    if (gg_sort_pairs(s->run, false, high - low, s->key + low, s->number + low,
                      s->key_scratch + low, s->number_scratch + low))
        return;
    for (uint64_t i = low, end; i < high && !gg_stopping(s->run); i = end) {
        end = i + 1;
        while (end < high && s->key[end] == s->key[i])
            end++;
        if (end - i > 1 && (s->key[i] & UINT8_MAX) > KEY_BYTES)
            sort_group(s, i, end, depth + KEY_BYTES);
    }
}

gpugraph_status gg_sort_texts(gpugraph_run *run, const gpugraph_texts *texts,
                              uint32_t *number, uint64_t count) {
    text_sorter s = {run, texts, number, NULL, NULL, NULL};
    s.number_scratch = gg_alloc(run, count, sizeof *s.number_scratch);
    s.key = s.number_scratch ? gg_alloc(run, count, sizeof *s.key) : NULL;
    s.key_scratch = s.key ? gg_alloc(run, count, sizeof *s.key_scratch) : NULL;
    if (s.key_scratch)
        sort_group(&s, 0, count, 0);
    gg_release(s.number_scratch);
    gg_release(s.key);
    gg_release(s.key_scratch);
    return gg_stopping(run) ? gg_stopped(run) : run->status;
}
