/* Batches on the host in order of their sources, and where runs of a source begin. On a device:
** sort.cu. */
#include "dynamic.h"

struct sort_space {
    uint64_t *key, *key_scratch;
    uint32_t *item, *item_scratch;
    uint32_t *source, *target, *value; /* of the batch as it is sorted */
    uint32_t *run, *runs;
};

static bool make_space(gpugraph_dynamic *d, uint64_t count, struct sort_space *s) {
    const uint64_t bytes = count * (2 * sizeof *s->key + 6 * sizeof *s->item);
    if (!gg_dynamic_make_room(d, &d->sorted, bytes + sizeof *s->runs))
        return false;
    s->key = d->sorted.block;
    s->key_scratch = s->key + count;
    s->item = (uint32_t *)(s->key_scratch + count);
    uint32_t **const column[] = {&s->item_scratch, &s->source, &s->target,
                                 &s->value,        &s->run,    &s->runs};
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        *column[i] = s->item + (i + 1) * count;
    return true;
}

typedef struct item_sort {
    const gpugraph_dynamic *d;
    const struct dynamic_batch *b;
    const struct sort_space *s;
} item_sort;

static void key_items(void *job, uint64_t low, uint64_t high) {
    const item_sort *of = job;
    for (uint64_t i = low; i < high; i++) {
        of->s->key[i] = of->b->source[i];
        of->s->item[i] = (uint32_t)i;
    }
}

static void place_items(void *job, uint64_t low, uint64_t high) {
    const item_sort *of = job;
    const struct dynamic_batch *b = of->b;
    const struct sort_space *s = of->s;
    for (uint64_t i = low; i < high; i++) {
        s->source[i] = b->source[s->item[i]];
        s->target[i] = b->target[s->item[i]];
        s->value[i] = of->d->valued ? b->value[s->item[i]] : 0;
    }
}

static bool sort_items(gpugraph_dynamic *d, struct dynamic_batch *b,
                       const struct sort_space *s) {
    item_sort of = {d, b, s};
    int threads = gg_threads(d->run, b->count);
    gg_slices(threads, b->count, key_items, &of);
    if (gg_sort_pairs(d->run, b->count, s->key, s->item, s->key_scratch, s->item_scratch))
        return false;
    gg_slices(threads, b->count, place_items, &of);
    b->source = s->source;
    b->target = s->target;
    b->value = s->value;
    b->unsorted = true;
    return true;
}

void gg_dynamic_sort_on_host(gpugraph_dynamic *d, struct dynamic_batch *b) {
    struct sort_space s;
    if (!gg_dynamic_going(d) || !make_space(d, b->count, &s) ||
        (!b->ordered && !sort_items(d, b, &s)))
        return;
    *s.runs = 0;
    for (uint64_t i = 0; i < b->count; i++)
        if (i == 0 || b->source[i] != b->source[i - 1])
            s.run[(*s.runs)++] = (uint32_t)i;
    b->run = s.run;
    b->runs = s.runs;
}
