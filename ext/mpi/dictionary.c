/* Ids of columns to numbers: INTEGERs that are here are made distinct by a hash table first, so that
** each goes out once. */
#include "numbers.h"
#include "distributed/exchange/post.h"
#include "ids/ids.h"
#include "base/distinct.h"

#include <string.h>

/* ---- ids as strings ---- */

static void write_integer(char to[INTEGER_BYTES], uint64_t order) {
    to[0] = 'i';
    put_word_in_order(to + 1, order);
}

static void write_text(char *to, const char *text, uint64_t length) {
    to[0] = 't';
    memcpy(to + 1, text, length);
}

/* Each INTEGER becomes its place among the distinct ones. */
static bool take_integers(struct gg_distinct *d, gpugraph_run *run, const id_list *list) {
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

/* The distinct INTEGERs, then the texts. number[i]: of string i. */
static bool number_ids(range *d, const struct gg_distinct *integers,
                       const gpugraph_texts *texts, gpugraph_exchange *x,
                       gpugraph_run *run, uint64_t *number) {
    const uint64_t count = integers->count + (uint64_t)texts->count;
    uint64_t *offset = gg_alloc(run, count + 1, sizeof *offset), at = 0, length;
    for (uint64_t i = 0; offset && i < count; i++, at += length) {
        offset[i] = at;
        length = INTEGER_BYTES - 1;
        if (i >= integers->count)
            gpugraph_text(texts, i - integers->count, &length);
        length++;
    }
    char *bytes = offset ? gg_alloc(run, at + 1, 1) : NULL;
    for (uint64_t i = 0; bytes && i < count; i++)
        if (i < integers->count) {
            write_integer(bytes + offset[i], integers->value[i]);
        } else {
            const char *text = gpugraph_text(texts, i - integers->count, &length);
            write_text(bytes + offset[i], text, length);
        }
    if (bytes) {
        offset[count] = at;
        const gpugraph_texts strings = {
            .count = (int64_t)count, .offset = offset, .bytes = bytes};
        range_make(d, x, run, &strings, number);
    }
    gg_release(offset);
    gg_release(bytes);
    return run->status == GPUGRAPH_OK;
}

/* ---- making ---- */

static void set_numbers(const id_list *list, const uint64_t *of_integer,
                        const uint64_t *of_text) {
    for (uint64_t i = 0; i < list->count; i++) {
        const int64_t here = list->value[i];
        if (!id_is_text(list, i))
            list->value[i] = (int64_t)of_integer[here];
        else
            list->value[i] = here < 0 ? -1 : (int64_t)of_text[here];
    }
}

bool dictionary_make(range *d, gpugraph_exchange *x, gpugraph_run *run,
                     const id_list *list, int lists, const gpugraph_texts *texts) {
    struct gg_distinct here = {.count = 0};
    bool good = true;
    *d = (range){.exchange = x};
    for (int i = 0; good && i < lists; i++)
        good = take_integers(&here, run, &list[i]);
    uint64_t *number =
        good ? gg_alloc(run, here.count + (uint64_t)texts->count + 1, sizeof *number)
             : NULL;
    if (number && number_ids(d, &here, texts, x, run, number))
        for (int i = 0; i < lists; i++)
            set_numbers(&list[i], number, number + here.count);
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    gg_distinct_free(&here);
    gg_release(number);
    return run->status == GPUGRAPH_OK;
}

/* ---- one id ---- */

static uint64_t find_integer(const range *d, uint64_t order) {
    char bytes[INTEGER_BYTES];
    write_integer(bytes, order);
    return range_find(d, bytes, sizeof bytes);
}

bool dictionary_find(const range *d, gpugraph_run *run, int64_t integer, const char *text,
                     uint64_t length, uint64_t *number) {
    char *bytes = text ? gg_alloc(run, length + 1, 1) : NULL;
    *number = UINT64_MAX;
    if (bytes)
        write_text(bytes, text, length);
    if (bytes)
        *number = range_find(d, bytes, length + 1);
    else if (!text)
        *number = find_integer(d, order_of_integer(integer));
    gg_release(bytes);
    return run->status == GPUGRAPH_OK &&
           gg_combine(d->exchange, run, GPUGRAPH_LEAST, number, 1) == GPUGRAPH_OK;
}

/* ---- ids in two types ---- */

/* The first INTEGER of a process. */
struct least {
    uint64_t any, order;
};

/* The part whose range of INTEGERs may have this one. */
static uint32_t part_of_integer(const struct least *least, uint32_t parts, uint64_t id) {
    uint32_t part = 0;
    for (uint32_t q = 0; q < parts; q++)
        if (least[q].any && least[q].order <= id)
            part = q;
    return part;
}

/* This process's texts that are numbers, to the parts that may have these as INTEGERs. */
static bool ask_for_numbers(const range *d, gpugraph_run *run, const struct least *least,
                            gg_letters *out) {
    gpugraph_exchange *x = d->exchange;
    const uint64_t count = range_own(d);
    uint64_t *size = gg_alloc_zero(run, x->parts, sizeof *size), numbers = 0;
    uint64_t *number = gg_alloc(run, count + 1, sizeof *number);
    sqlite3_int64 id;
    for (uint64_t i = 0; size && number && i < count; i++)
        if (d->bytes[d->offset[i]] == 't' &&
            id_is_written(d->bytes + d->offset[i] + 1,
                          d->offset[i + 1] - d->offset[i] - 1, &id)) {
            number[numbers] = order_of_integer(id);
            size[part_of_integer(least, x->parts, number[numbers++])] += sizeof *number;
        }
    const bool there = size && number && gg_letters_open(out, x, run, size);
    for (uint32_t q = 0; there && q < x->parts; q++)
        size[q] = out->offset[q] / sizeof *number;
    for (uint64_t i = 0; there && i < numbers; i++)
        ((uint64_t *)out->bytes)[size[part_of_integer(least, x->parts, number[i])]++] =
            number[i];
    gg_release(size);
    gg_release(number);
    return there;
}

bool dictionary_find_mixed(const range *d, gpugraph_run *run, bool *found, int64_t *id,
                           char text[WRITTEN_ID]) {
    gpugraph_exchange *x = d->exchange;
    gg_letters out = {NULL, NULL}, in = {NULL, NULL};
    const uint64_t none = UINT64_MAX; /* of order_of_integer: INT64_MAX as well */
    uint64_t word[2] = {none, none}, number;
    struct least mine = {0}, *least = gg_alloc(run, x->parts, sizeof *least);
    if (range_own(d) > 0 && d->bytes[0] == 'i')
        mine = (struct least){1, word_in_order(d->bytes + 1)};
    if (least && gg_gather(x, run, &mine, sizeof mine, least) == GPUGRAPH_OK &&
        ask_for_numbers(d, run, least, &out) && gg_post(x, run, &out, &in)) {
        const uint64_t *asked = (const uint64_t *)in.bytes;
        for (uint64_t i = 0; i < in.offset[x->parts] / sizeof *asked; i++)
            if (find_integer(d, asked[i]) != UINT64_MAX && asked[i] <= word[1]) {
                word[0] = 0;
                word[1] = asked[i];
            }
        gg_combine(x, run, GPUGRAPH_LEAST, word, 2);
    }
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    gg_release(least);
    gg_letters_close(&out);
    gg_letters_close(&in);
    *found = word[0] == 0;
    *id = integer_of_order(word[1]);
    id_write(*id, 0, text);
    if (run->status == GPUGRAPH_OK && *found &&
        dictionary_find(d, run, 0, text, strlen(text), &number) && number == UINT64_MAX)
        id_write(*id, 1, text);
    return run->status == GPUGRAPH_OK;
}

/* ---- back ---- */

bool dictionary_look_up(const range *d, gpugraph_run *run, const uint64_t *number,
                        uint64_t count, id_names *names) {
    uint64_t asked = 0, at = 0, *ask = gg_alloc(run, count + 1, sizeof *ask);
    *names = (id_names){gg_alloc(run, count + 1, 1), gg_alloc(run, count + 1, 8),
                        gg_alloc(run, count + 1, 8), NULL};
    for (uint64_t i = 0; ask && i < count; i++)
        if (number[i] != UINT64_MAX)
            ask[asked++] = number[i];
    if (run->status == GPUGRAPH_OK &&
        range_look_up(d, run, ask, asked, names->length, &names->bytes)) {
        memcpy(ask, names->length, asked * sizeof *ask);
        asked = 0;
        for (uint64_t i = 0; i < count; i++) {
            const char *id = names->bytes + at;
            names->type[i] = number[i] == UINT64_MAX ? 'n' : *id;
            if (names->type[i] == 'n')
                continue;
            names->length[i] = ask[asked] - 1;
            names->value[i] =
                *id == 'i' ? integer_of_order(word_in_order(id + 1)) : (int64_t)(at + 1);
            at += ask[asked++];
        }
    }
    if (run->status != GPUGRAPH_OK)
        d->exchange->calls->fail(d->exchange, run);
    gg_release(ask);
    return run->status == GPUGRAPH_OK;
}

void id_names_close(id_names *names) {
    gg_release(names->type);
    gg_release(names->value);
    gg_release(names->length);
    gg_release(names->bytes);
    *names = (id_names){NULL, NULL, NULL, NULL};
}
