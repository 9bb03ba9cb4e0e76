/* Numbers the ids of columns. A hash table first removes repeated INTEGERs, so a process
** sends each INTEGER once. */
#include "numbers.h"
#include "distributed/exchange/post.h"
#include "ids/ids.h"
#include "base/distinct.h"

#include <string.h>

/* ---- ids as strings ---- */

static bool is_text_of_list(const id_list *list, uint64_t i) {
    return list->id->is_text && list->id->is_text[i / 8] >> i % 8 & 1;
}

/* True if list i has the texts of the list before it. */
static bool has_texts_of(const id_list *list, int i) {
    return i > 0 && list[i].texts == list[i - 1].texts;
}

/* Collects distinct INTEGERs; number[i] becomes the index of INTEGER i among them. */
static bool take_integers(struct gg_distinct *d, gpugraph_run *run, const id_list *list) {
    for (uint64_t i = 0; i < list->count; i++) {
        if (gg_leave(run, i)) {
            gg_stopped(run);
            return false;
        }
        if (is_text_of_list(list, i))
            continue;
        const uint64_t at =
            gg_distinct_add(d, run, order_of_integer(id_entry(list->id, (int64_t)i)));
        if (at == UINT64_MAX)
            return false;
        if (list->number)
            list->number[i] = at;
    }
    return true;
}

/* ---- making ---- */

/* Writes the distinct INTEGERs, then the texts of all lists. */
static bool write_strings_of_lists(gpugraph_run *run, const struct gg_distinct *integers,
                                   id_list *list, int lists, gpugraph_texts *strings) {
    uint64_t count = integers->count, size = count * INTEGER_BYTES, at = 0, s = 0;
    for (int i = 0; i < lists; i++) {
        list[i].first_text = has_texts_of(list, i) ? list[i - 1].first_text : count;
        if (!has_texts_of(list, i) && list[i].texts->count > 0) {
            count += (uint64_t)list[i].texts->count;
            size += (uint64_t)list[i].texts->count +
                    list[i].texts->offset[list[i].texts->count];
        }
    }
    uint64_t *offset = gg_alloc(run, count + 1, sizeof *offset);
    char *bytes = gg_alloc(run, size + 1, 1);
    *strings =
        (gpugraph_texts){.count = (int64_t)count, .offset = offset, .bytes = bytes};
    if (!offset || !bytes)
        return false;
    for (; s < integers->count; s++, at += INTEGER_BYTES) {
        offset[s] = at;
        write_integer(bytes + at, integer_of_order(integers->value[s]));
    }
    for (int i = 0; i < lists; i++) {
        const intern *texts = list[i].texts;
        for (int64_t t = 0; t < texts->count && !has_texts_of(list, i); t++) {
            const uint64_t length = texts->offset[t + 1] - texts->offset[t];
            offset[s++] = at;
            bytes[at] = 't';
            at += list[i].of_edges ? 0 : 1;
            memcpy(bytes + at, texts->bytes + texts->offset[t], length);
            at += length;
        }
    }
    offset[count] = at;
    return true;
}

static void set_numbers(const id_list *list, const uint64_t *of_string) {
    for (uint64_t i = 0; list->number && i < list->count; i++) {
        const uint64_t text = list->first_text + (uint64_t)id_entry(list->id, (int64_t)i);
        list->number[i] = of_string[is_text_of_list(list, i) ? text : list->number[i]];
    }
}

bool dictionary_make(range *d, gpugraph_exchange *x, gpugraph_run *run, id_list *list,
                     int lists) {
    struct gg_distinct integers = {.count = 0};
    gpugraph_texts strings = {.count = 0};
    bool good = run->status == GPUGRAPH_OK;
    *d = (range){.exchange = x};
    for (int i = 0; good && i < lists; i++)
        good = take_integers(&integers, run, &list[i]);
    good = good && write_strings_of_lists(run, &integers, list, lists, &strings);
    uint64_t *number =
        good ? gg_alloc(run, (uint64_t)strings.count + 1, sizeof *number) : NULL;
    gg_distinct_free(&integers);
    if (number && range_make(d, x, run, &strings, number))
        for (int i = 0; i < lists; i++)
            set_numbers(&list[i], number);
    gg_release((void *)strings.offset);
    gg_release((void *)strings.bytes);
    gg_release(number);
    return gg_end_call(x, run);
}

/* ---- one id ---- */

static uint64_t find_integer(const range *d, int64_t id) {
    char bytes[INTEGER_BYTES];
    write_integer(bytes, id);
    return range_find(d, bytes, sizeof bytes);
}

bool dictionary_find(const range *d, gpugraph_run *run, int64_t integer, const char *text,
                     uint64_t length, uint64_t *number) {
    char *bytes = text ? gg_alloc(run, length + 1, 1) : NULL;
    *number = UINT64_MAX;
    if (bytes) {
        bytes[0] = 't';
        memcpy(bytes + 1, text, length);
        *number = range_find(d, bytes, length + 1);
    } else if (!text) {
        *number = find_integer(d, integer);
    }
    gg_release(bytes);
    return run->status == GPUGRAPH_OK &&
           gg_combine(d->exchange, run, GPUGRAPH_LEAST, number, 1) == GPUGRAPH_OK;
}

/* ---- ids of both types ---- */

/* The smallest INTEGER of a process, if `any`, as its order (order_of_integer). */
struct least {
    uint64_t any, order;
};

/* The partition whose range of INTEGERs may contain this one. */
static uint32_t part_of_integer(const struct least *least, uint32_t parts, uint64_t id) {
    uint32_t part = 0;
    for (uint32_t q = 0; q < parts; q++)
        if (least[q].any && least[q].order <= id)
            part = q;
    return part;
}

/* Sends each INTEGER that a text spells to the partition that may have the INTEGER. */
static bool ask_for_numbers(const range *d, gpugraph_run *run, const struct least *least,
                            struct gg_records *received) {
    const uint64_t count = range_own(d);
    uint64_t *number = gg_alloc(run, count, sizeof *number), numbers = 0;
    uint32_t *to = gg_alloc(run, count, sizeof *to);
    sqlite3_int64 id;
    for (uint64_t i = 0; number && to && i < count; i++)
        if (d->bytes[d->offset[i]] == 't' &&
            id_is_written(d->bytes + d->offset[i] + 1,
                          d->offset[i + 1] - d->offset[i] - 1, &id)) {
            number[numbers] = order_of_integer(id);
            to[numbers] = part_of_integer(least, d->exchange->parts, number[numbers]);
            numbers++;
        }
    const bool there =
        number && to &&
        gg_post_records(d->exchange, run, 1, number, numbers, to, received);
    gg_release(number);
    gg_release(to);
    return there;
}

bool dictionary_find_mixed(const range *d, gpugraph_run *run, bool *found, int64_t *id,
                           char text[WRITTEN_ID]) {
    gpugraph_exchange *x = d->exchange;
    struct gg_records asked = {0};
    const uint64_t none = UINT64_MAX; /* also the order of INT64_MAX */
    uint64_t word[2] = {none, none}, number;
    struct least mine = {0}, *least = gg_alloc(run, x->parts, sizeof *least);
    if (range_own(d) > 0 && d->bytes[0] == 'i')
        mine = (struct least){1, word_in_order(d->bytes + 1)};
    if (least && gg_gather(x, run, &mine, sizeof mine, least) == GPUGRAPH_OK &&
        ask_for_numbers(d, run, least, &asked)) {
        for (uint64_t i = 0; i < asked.count; i++)
            if (find_integer(d, integer_of_order(asked.word[i])) != UINT64_MAX &&
                asked.word[i] <= word[1]) {
                word[0] = 0;
                word[1] = asked.word[i];
            }
        gg_combine(x, run, GPUGRAPH_LEAST, word, 2);
    }
    if (run->status != GPUGRAPH_OK)
        x->calls->fail(x, run);
    gg_release(least);
    gg_records_close(&asked);
    *found = word[0] == 0;
    *id = integer_of_order(word[1]);
    id_write(*id, 0, text);
    if (run->status == GPUGRAPH_OK && *found &&
        dictionary_find(d, run, 0, text, strlen(text), &number) && number == UINT64_MAX)
        id_write(*id, 1, text);
    return run->status == GPUGRAPH_OK;
}
