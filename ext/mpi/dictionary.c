/* Ids of columns to numbers: INTEGERs that are here are made distinct by a hash table first, so that
** each goes out once. */
#include "numbers.h"
#include "post.h"
#include "ids/ids.h"
#include "base/distinct.h"

#include <string.h>

/* ---- INTEGERs that are here ---- */

/* Each INTEGER becomes its place among the distinct ones. */
static bool take_dictionary(struct gg_distinct *d, gpugraph_run *run,
                            const id_list *list) {
    for (uint64_t i = 0; i < list->count; i++) {
        if (gg_leave(run, i)) {
            gg_stopped(run);
            return false;
        }
        if (id_is_text(list, i))
            continue;
        const uint64_t at = gg_distinct_add(d, run, order_of_integer(list->value[i]));
        if (at == UINT64_MAX)
            return false;
        list->value[i] = (int64_t)at;
    }
    return true;
}

/* number_of[i]: of the i-th distinct INTEGER. */
static bool number_integers(dictionary *dict, struct gg_distinct *d, gpugraph_exchange *x,
                            gpugraph_run *run, uint64_t *number_of) {
    uint64_t *record = gg_alloc(run, d->count + 1, sizeof *record);
    uint64_t *number = gg_alloc(run, d->count + 1, sizeof *number);
    uint64_t count = d->count;
    if (record && number) {
        if (count > 0)
            memcpy(record, d->value, count * sizeof *record);
        if (range_make(&dict->integer, x, run, 1, record, &count, number))
            for (uint64_t i = 0; i < count; i++)
                number_of[gg_distinct_find(d, record[i])] = number[i];
    }
    gg_release(record);
    gg_release(number);
    return run->status == GPUGRAPH_OK;
}

/* ---- making ---- */

static void set_numbers(const dictionary *d, const id_list *list,
                        const uint64_t *of_integer, const uint64_t *of_text) {
    for (uint64_t i = 0; i < list->count; i++) {
        const int64_t here = list->value[i];
        if (!id_is_text(list, i))
            list->value[i] = (int64_t)of_integer[here];
        else if (here < 0)
            list->value[i] = -1;
        else
            list->value[i] = (int64_t)(d->integers + of_text[here]);
    }
}

bool dictionary_make(dictionary *d, gpugraph_exchange *x, gpugraph_run *run,
                     const id_list *list, int lists, const gpugraph_texts *texts) {
    struct gg_distinct here = {.count = 0};
    uint64_t *of_integer = NULL, *of_text = NULL;
    bool good = true;
    memset(d, 0, sizeof *d);
    for (int i = 0; good && i < lists; i++)
        good = take_dictionary(&here, run, &list[i]);
    of_text = good ? gg_alloc(run, (uint64_t)texts->count + 1, sizeof *of_text) : NULL;
    of_integer = of_text ? gg_alloc(run, here.count + 1, sizeof *of_integer) : NULL;
    if (of_integer && number_integers(d, &here, x, run, of_integer) &&
        text_range_make(&d->text, x, run, texts, of_text)) {
        d->integers = d->integer.first[x->parts];
        d->count = d->integers + d->text.first[x->parts];
        for (int i = 0; i < lists; i++)
            set_numbers(d, &list[i], of_integer, of_text);
    }
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    gg_distinct_free(&here);
    gg_release(of_integer);
    gg_release(of_text);
    return run->status == GPUGRAPH_OK;
}

void dictionary_close(dictionary *d) {
    range_close(&d->integer);
    text_range_close(&d->text);
}

/* ---- one id ---- */

static uint64_t find_integer(const range *r, uint64_t id) {
    uint64_t low = 0,
             high = r->first[r->exchange->part + 1] - r->first[r->exchange->part];
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (r->record[middle] == id)
            return r->first[r->exchange->part] + middle;
        if (r->record[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT64_MAX;
}

static uint64_t find_text(const text_range *r, const char *text, uint64_t length) {
    uint64_t low = 0,
             high = r->first[r->exchange->part + 1] - r->first[r->exchange->part];
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const int order =
            gg_compare_texts(r->bytes + r->offset[middle],
                             r->offset[middle + 1] - r->offset[middle], text, length);
        if (order == 0)
            return r->first[r->exchange->part] + middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT64_MAX;
}

bool dictionary_find(const dictionary *d, gpugraph_run *run, int64_t integer,
                     const char *text, uint64_t length, uint64_t *number) {
    gpugraph_exchange *x = d->integer.exchange;
    if (!text) {
        *number = find_integer(&d->integer, order_of_integer(integer));
    } else {
        *number = find_text(&d->text, text, length);
        if (*number != UINT64_MAX)
            *number += d->integers;
    }
    return x->calls->combine(x, run, GPUGRAPH_LEAST, number, 1) == GPUGRAPH_OK;
}

/* ---- ids in two types ---- */

/* The part whose range of INTEGERs may have this one. least[q]: part q's first, of those that are
** not empty. */
static uint32_t part_of_integer(const range *r, const uint64_t *least, uint64_t id) {
    uint32_t part = 0;
    for (uint32_t q = 0; q < r->exchange->parts; q++)
        if (r->first[q + 1] > r->first[q] && least[q] <= id)
            part = q;
    return part;
}

/* This process's texts that are numbers, to the parts that may have these as INTEGERs. */
static bool ask_for_numbers(const dictionary *d, gpugraph_run *run, const uint64_t *least,
                            letters *out) {
    gpugraph_exchange *x = d->integer.exchange;
    const text_range *t = &d->text;
    const uint64_t count = t->first[x->part + 1] - t->first[x->part];
    uint64_t *size = gg_alloc_zero(run, x->parts, sizeof *size), numbers = 0;
    uint64_t *number = gg_alloc(run, count + 1, sizeof *number);
    sqlite3_int64 id;
    for (uint64_t i = 0; size && number && i < count; i++)
        if (id_is_written(t->bytes + t->offset[i], t->offset[i + 1] - t->offset[i],
                          &id)) {
            number[numbers] = order_of_integer(id);
            size[part_of_integer(&d->integer, least, number[numbers++])] +=
                sizeof *number;
        }
    const bool there = size && number && letters_open(out, x, run, size);
    for (uint32_t q = 0; there && q < x->parts; q++)
        size[q] = out->offset[q] / sizeof *number;
    for (uint64_t i = 0; there && i < numbers; i++)
        ((uint64_t *)out->bytes)[size[part_of_integer(&d->integer, least, number[i])]++] =
            number[i];
    gg_release(size);
    gg_release(number);
    return there;
}

bool dictionary_find_mixed(const dictionary *d, gpugraph_run *run, bool *found,
                           int64_t *id, char text[WRITTEN_ID]) {
    const range *r = &d->integer;
    gpugraph_exchange *x = r->exchange;
    letters out = {NULL, NULL}, in = {NULL, NULL};
    const uint64_t none = UINT64_MAX; /* of order_of_integer: INT64_MAX as well */
    uint64_t word[2] = {none, none}, number;
    uint64_t *least = gg_alloc(run, x->parts, sizeof *least);
    const bool any = r->first[x->part + 1] > r->first[x->part];
    if (least &&
        x->calls->gather(x, run, any ? r->record : &none, sizeof none, least) ==
            GPUGRAPH_OK &&
        ask_for_numbers(d, run, least, &out) && post(x, run, &out, &in)) {
        const uint64_t *asked = (const uint64_t *)in.bytes;
        for (uint64_t i = 0; i < in.offset[x->parts] / sizeof *asked; i++)
            if (find_integer(r, asked[i]) != UINT64_MAX && asked[i] <= word[1]) {
                word[0] = 0;
                word[1] = asked[i];
            }
        x->calls->combine(x, run, GPUGRAPH_LEAST, word, 2);
    }
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    gg_release(least);
    letters_close(&out);
    letters_close(&in);
    *found = word[0] == 0;
    *id = integer_of_order(word[1]);
    id_write(*id, 0, text);
    if (run->status == GPUGRAPH_OK && *found &&
        dictionary_find(d, run, 0, text, strlen(text), &number) && number == UINT64_MAX)
        id_write(*id, 1, text);
    return run->status == GPUGRAPH_OK;
}

/* ---- back ---- */

struct asked {
    uint64_t integers, texts;
    uint64_t *integer, *text; /* numbers */
    uint64_t *word;
};

static bool sort_out(struct asked *a, const dictionary *d, gpugraph_run *run,
                     const uint64_t *number, uint64_t count, char *type) {
    a->integer = gg_alloc(run, count + 1, sizeof *a->integer);
    a->text = gg_alloc(run, count + 1, sizeof *a->text);
    a->word = gg_alloc(run, count + 1, sizeof *a->word);
    if (!a->integer || !a->text || !a->word)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        type[i] = number[i] == UINT64_MAX ? 'n' : number[i] < d->integers ? 'i' : 't';
        if (type[i] == 'i')
            a->integer[a->integers++] = number[i];
        else if (type[i] == 't')
            a->text[a->texts++] = number[i] - d->integers;
    }
    return true;
}

bool dictionary_look_up(const dictionary *d, gpugraph_run *run, const uint64_t *number,
                        uint64_t count, id_names *names) {
    struct asked a = {.integers = 0};
    gpugraph_exchange *x = d->integer.exchange;
    *names = (id_names){gg_alloc(run, count + 1, 1), gg_alloc(run, count + 1, 8),
                        gg_alloc(run, count + 1, 8), NULL};
    uint64_t integers = 0, texts = 0, at = 0;
    if (names->type && names->value && names->length &&
        sort_out(&a, d, run, number, count, names->type) &&
        range_look_up(&d->integer, run, a.integer, a.integers, a.word) &&
        text_range_look_up(&d->text, run, a.text, a.texts, a.text, &names->bytes))
        for (uint64_t i = 0; i < count; i++) {
            if (names->type[i] == 'i') {
                names->value[i] = integer_of_order(a.word[integers++]);
            } else if (names->type[i] == 't') {
                names->value[i] = (int64_t)at;
                names->length[i] = a.text[texts++];
                at += names->length[i];
            }
        }
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    gg_release(a.integer);
    gg_release(a.text);
    gg_release(a.word);
    return run->status == GPUGRAPH_OK;
}

void id_names_close(id_names *names) {
    gg_release(names->type);
    gg_release(names->value);
    gg_release(names->length);
    gg_release(names->bytes);
    *names = (id_names){NULL, NULL, NULL, NULL};
}
