/* The dictionary over processes against a sorted list: INTEGERs and texts, ids that
** several partitions have, partitions without ids, 1 to 9 partitions in threads. The
** model sorts all ids by qsort. */
#include "numbers.h"
#include "distributed/exchange/post.h"
#include "base/run.h"

#include "part_threads.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 9, MOST_IDS = 3000, LISTS = 2, NAME = 72 };

typedef struct id {
    bool text;
    int64_t integer;
    char name[NAME];
} id;

typedef struct world {
    uint32_t parts, kind;
    uint64_t count[MOST_PARTS]; /* ids of each partition, in two lists */
    id *ids[MOST_PARTS];
    id *all; /* distinct and sorted */
    uint64_t distinct;
} world;

static uint64_t draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static int by_order(const void *left, const void *right) {
    const id *a = left, *b = right;
    if (a->text != b->text)
        return a->text ? 1 : -1;
    if (a->text)
        return strcmp(a->name, b->name);
    return (a->integer > b->integer) - (a->integer < b->integer);
}

/* kind 0: few INTEGERs, 1: many and wide ones, 2: both types, 3: texts with long
** common heads, 4: the ends of the range. */
static id draw_id(uint32_t kind, uint64_t *state) {
    static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX};
    id made = {.text = false};
    const uint64_t drawn = draw(state);
    made.integer = (int64_t)(drawn % 50) - 20;
    if (kind == 1)
        made.integer = (int64_t)(drawn << 33 ^ draw(state) << 3);
    else if (kind == 4)
        made.integer = ends[drawn % 6];
    made.text = kind == 3 || (kind == 2 && draw(state) % 2);
    if (made.text && kind == 3)
        snprintf(made.name, NAME, "%.*s%llu", (int)(drawn % 62),
                 "a head that is longer than what samples show of any of the texts ...",
                 (unsigned long long)(draw(state) % 300));
    else if (made.text)
        snprintf(made.name, NAME, "%llu", (unsigned long long)(drawn % 40));
    return made;
}

static void make_world(world *w, uint32_t parts, uint32_t kind, uint64_t seed) {
    uint64_t state = seed, total = 0;
    memset(w, 0, sizeof *w);
    w->parts = parts;
    w->kind = kind;
    w->all = malloc(MOST_PARTS * MOST_IDS * sizeof *w->all);
    for (uint32_t p = 0; p < parts; p++) {
        w->count[p] = draw(&state) % 3 ? draw(&state) % MOST_IDS : 0;
        w->ids[p] = malloc((w->count[p] + 1) * sizeof(id));
        for (uint64_t i = 0; i < w->count[p]; i++)
            w->all[total++] = w->ids[p][i] = draw_id(kind, &state);
    }
    qsort(w->all, total, sizeof *w->all, by_order);
    for (uint64_t i = 0; i < total; i++)
        if (i == 0 || by_order(&w->all[i], &w->all[w->distinct - 1]) != 0)
            w->all[w->distinct++] = w->all[i];
}

static void free_world(world *w) {
    for (uint32_t p = 0; p < w->parts; p++)
        free(w->ids[p]);
    free(w->all);
}

static uint64_t number_in_model(const world *w, const id *one) {
    const id *found = bsearch(one, w->all, w->distinct, sizeof *one, by_order);
    return found ? (uint64_t)(found - w->all) : UINT64_MAX;
}

/* ---- a partition ---- */

struct shares {
    int64_t value[MOST_IDS];
    uint8_t is_text[LISTS][MOST_IDS / 8 + 1];
    uint64_t number[MOST_IDS];
    intern texts;
};

static void lay_out(struct shares *s, const id *ids, uint64_t count, uint64_t half) {
    for (uint64_t i = 0; i < count; i++) {
        const int list = i >= half;
        const uint64_t at = list ? i - half : i;
        s->value[i] = ids[i].text
                          ? intern_text(&s->texts, ids[i].name, strlen(ids[i].name))
                          : ids[i].integer;
        if (ids[i].text)
            s->is_text[list][at / 8] |= (uint8_t)(1u << at % 8);
    }
}

static void check_names(const world *w, const uint64_t *number, uint64_t count,
                        const gpugraph_texts *found) {
    for (uint64_t i = 0; i < count; i++) {
        uint64_t length;
        const char *bytes = gpugraph_text(found, i, &length);
        if (number[i] == UINT64_MAX) {
            ck_assert_uint_eq(length, 0);
            continue;
        }
        const id *one = &w->all[number[i]];
        ck_assert_int_eq(bytes[0], one->text ? 't' : 'i');
        if (one->text) {
            ck_assert_uint_eq(length, strlen(one->name) + 1);
            ck_assert_mem_eq(bytes + 1, one->name, length - 1);
        } else {
            ck_assert_int_eq(integer_of_order(word_in_order(bytes + 1)), one->integer);
        }
    }
}

/* Looks up random numbers, repeated ones, and UINT64_MAX. */
static void check_look_up(const world *w, const range *d, uint32_t part,
                          gpugraph_run *run) {
    uint64_t number[200] = {0}, state = part + 77;
    strings found;
    const uint64_t count = w->distinct && part != 1 ? 200 : 0;
    for (uint64_t i = 0; i < count; i++)
        number[i] = i % 9 == 8 ? UINT64_MAX : draw(&state) % w->distinct;
    ck_assert(range_look_up(d, run, number, count, &found));
    check_names(w, number, count, &found.texts);
    strings_close(&found);
}

static void check_find(const world *w, const range *d, gpugraph_run *run) {
    uint64_t state = 5, number;
    for (int i = 0; i < 20; i++) {
        const id one = draw_id(w->kind, &state);
        ck_assert(dictionary_find(d, run, one.integer, one.text ? one.name : NULL,
                                  strlen(one.name), &number));
        ck_assert_uint_eq(number, number_in_model(w, &one));
    }
}

static gpugraph_status number_part(void *job, gpugraph_exchange *x, gpugraph_run *run) {
    const world *w = job;
    const uint64_t count = w->count[x->part], half = count / 3;
    struct shares *s = calloc(1, sizeof *s);
    range d;
    lay_out(s, w->ids[x->part], count, half);
    const id_array ids[LISTS] = {{s->value, s->is_text[0], NULL},
                                 {s->value + half, s->is_text[1], NULL}};
    id_list list[LISTS] = {
        {&ids[0], half, &s->texts, s->number, false, 0},
        {&ids[1], count - half, &s->texts, s->number + half, false, 0}};
    ck_assert(dictionary_make(&d, x, run, list, LISTS));
    ck_assert_uint_eq(range_all(&d), w->distinct);
    for (uint64_t i = 0; i < count; i++)
        ck_assert_uint_eq(s->number[i], number_in_model(w, &w->ids[x->part][i]));
    check_look_up(w, &d, x->part, run);
    check_find(w, &d, run);
    range_close(&d);
    intern_clear(&s->texts);
    free(s);
    return run->status;
}

START_TEST(numbers_are_places_in_order) {
    const uint32_t parts[] = {1, 2, 3, 4, 9};
    for (uint32_t kind = 0; kind < 5; kind++) {
        world w;
        gpugraph_run run = {.threads = 1};
        make_world(&w, parts[_i], kind, 1000 * kind + parts[_i]);
        ck_assert_int_eq(gpugraph_in_parts(w.parts, number_part, &w, &run), GPUGRAPH_OK);
        free_world(&w);
    }
}
END_TEST

/* ---- pairs ---- */

static gpugraph_status number_pairs(void *job, gpugraph_exchange *x, gpugraph_run *run) {
    const uint64_t each = *(const uint64_t *)job;
    uint64_t *offset = malloc((each + 1) * sizeof *offset);
    uint64_t *number = malloc((each + 1) * sizeof *number);
    char *bytes = malloc(16 * each + 1);
    strings found;
    range r;
    for (uint64_t i = 0; i <= each;
         i++) { /* partition, then index, of all pairs with that word */
        offset[i] = 16 * i;
        if (i < each) {
            put_word_in_order(bytes + 16 * i, (each - 1 - i) % 7);
            put_word_in_order(bytes + 16 * i + 8, x->part * each + i);
        }
    }
    const gpugraph_texts pairs = {
        .count = (int64_t)each, .offset = offset, .bytes = bytes};
    ck_assert(range_make(&r, x, run, &pairs, number));
    ck_assert_uint_eq(range_all(&r), each * x->parts);
    for (uint64_t i = 0; i < each; i++) { /* counted one by one */
        uint64_t before = 0;
        for (uint64_t other = 0; other < each * x->parts; other++) {
            const uint64_t own = (each - 1 - i) % 7, word = (each - 1 - other % each) % 7;
            before += word < own || (word == own && other < x->part * each + i);
        }
        ck_assert_uint_eq(number[i], before);
    }
    const uint64_t ends[] = {each * x->parts - 1, 0};
    ck_assert(range_look_up(&r, run, ends, each ? 2 : 0, &found));
    if (each) {
        ck_assert_uint_eq(word_in_order(found.texts.bytes), each > 6 ? 6 : each - 1);
        ck_assert_uint_eq(word_in_order(found.texts.bytes + 16), 0);
    }
    strings_close(&found);
    range_close(&r);
    free(offset);
    free(bytes);
    free(number);
    return run->status;
}

START_TEST(pairs_have_all_their_ranks) {
    const uint64_t each[] = {0, 1, 5, 400};
    for (uint32_t parts = 1; parts <= 4; parts++) {
        gpugraph_run run = {.threads = 1};
        uint64_t count = each[_i];
        ck_assert_int_eq(gpugraph_in_parts(parts, number_pairs, &count, &run),
                         GPUGRAPH_OK);
    }
}
END_TEST

const struct suite suite = {
    "numbers",
    {{"numbers", .timeout = 60,
      .cases = {{&numbers_are_places_in_order, 5}, {&pairs_have_all_their_ranks, 4}}}},
};
