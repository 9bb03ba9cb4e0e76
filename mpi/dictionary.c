/* Ids of columns to numbers: INTEGERs that are here are made distinct by a hash table first, so that
** each goes out once. */
#include "numbers.h"
#include "backend.h"
#include "base/distinct.h"

#include <string.h>

/* ---- INTEGERs that are here ---- */

/* Each INTEGER becomes its place among the distinct ones. */
static bool take(struct gg_distinct *d, gpugraph_run *run, const id_list *list) {
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
        good = take(&here, run, &list[i]);
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
