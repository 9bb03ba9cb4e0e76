/* Ghosts into masters, masters to ghosts: those that have changed, in the shortest of three forms.
**
**     list      count | place, place, ... | values           4 + size bytes for each
**     bitmap    a bit for each place | values                size bytes for each that is set
**     all       values                                       size bytes for each place
**
** A place is that of a ghost among the ghosts that one part has of another's masters: both ends
** have these in the same order. */
#include "part.h"

#include <string.h>

enum form { AS_LIST, AS_BITMAP, AS_ALL };

struct head {
    uint32_t form, count; /* of values */
};

/* ---- changes ---- */

bool part_changes_open(const gpugraph_part *p, gpugraph_run *run,
                       struct part_changes *c) {
    c->count = 0;
    c->list = gg_alloc(run, p->locals, sizeof *c->list);
    c->flag = gg_alloc_zero(run, p->locals, sizeof *c->flag);
    return c->list && c->flag;
}

void part_changes_close(struct part_changes *c) {
    gg_release(c->list);
    gg_release(c->flag);
}

void part_forget(struct part_changes *c) {
    for (uint32_t i = 0; i < c->count; i++)
        c->flag[c->list[i]] = 0;
    c->count = 0;
}

/* ---- sizes ---- */

static uint64_t words_of(uint32_t places) {
    return ((uint64_t)places + 63) / 64;
}

static enum form form_of(uint32_t count, uint32_t places) {
    return count == places                               ? AS_ALL
           : (uint64_t)count * 4 <= words_of(places) * 8 ? AS_LIST
                                                         : AS_BITMAP;
}

static uint64_t align8(uint64_t bytes) {
    return (bytes + 7) / 8 * 8;
}

/* Of a message with so many of the places. */
static uint64_t bytes_of(uint32_t count, uint32_t places, uint32_t size) {
    const enum form form = form_of(count, places);
    const uint64_t index = form == AS_LIST     ? align8((uint64_t)count * 4)
                           : form == AS_BITMAP ? words_of(places) * 8
                                               : 0;
    return sizeof(struct head) + index + align8((uint64_t)count * size);
}

/* No message is longer: a list is only where it is no longer than the bitmap. */
static uint64_t room_of(uint32_t places, uint32_t size) {
    return places ? sizeof(struct head) + words_of(places) * 8 +
                        align8((uint64_t)places * size)
                  : 0;
}

/* ---- one message ---- */

/* What the parts of a message are while it is written: first the count, then the places in any order. */
struct letter {
    struct head *head;
    uint32_t *list;
    uint64_t *bits;
    char *value; /* AS_LIST: as they come */
    uint32_t at;
};

static void *index_of(void *message) {
    return (struct head *)message + 1;
}

static char *values_of(void *message, uint32_t places) {
    const struct head *head = message;
    const uint64_t index = head->form == AS_LIST     ? align8((uint64_t)head->count * 4)
                           : head->form == AS_BITMAP ? words_of(places) * 8
                                                     : 0;
    return (char *)index_of(message) + index;
}

static void begin_letter(struct letter *l, gpugraph_parcel *to, uint32_t count,
                         uint32_t places, uint32_t size) {
    l->head = to->bytes;
    *l->head = (struct head){form_of(count, places), count};
    l->list = index_of(to->bytes);
    l->bits = index_of(to->bytes);
    l->value = values_of(to->bytes, places);
    l->at = 0;
    if (l->head->form == AS_BITMAP)
        memset(l->bits, 0, words_of(places) * 8);
    to->size = bytes_of(count, places, size);
}

/* Values of a bitmap are in the order of places: they are put in by finish_letter. */
static void write_place(struct letter *l, uint32_t place, const char *value,
                        uint32_t size) {
    if (l->head->form == AS_BITMAP) {
        l->bits[place / 64] |= (uint64_t)1 << place % 64;
        return;
    }
    if (l->head->form == AS_LIST)
        l->list[l->at] = place;
    const uint64_t at = l->head->form == AS_LIST ? l->at++ : place;
    memcpy(l->value + at * size, value, size);
}

/* What reads a message calls take(of, place, value). */
typedef void take_value(void *of, uint32_t place, const void *value);

static void read_letter(const gpugraph_parcel *from, uint32_t places, uint32_t size,
                        take_value *take, void *of) {
    if (from->size == 0)
        return;
    const struct head *head = from->bytes;
    const uint32_t *list = index_of(from->bytes);
    const uint64_t *bits = index_of(from->bytes);
    const char *value = values_of(from->bytes, places);
    if (head->form == AS_BITMAP) {
        for (uint64_t w = 0; w < words_of(places); w++)
            for (uint64_t rest = bits[w]; rest; rest &= rest - 1, value += size)
                take(of, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(rest), value);
        return;
    }
    for (uint32_t i = 0; i < head->count; i++, value += size)
        take(of, head->form == AS_LIST ? list[i] : i, value);
}

/* ---- both ways ---- */

struct sync {
    gpugraph_part *p;
    gpugraph_run *run;
    struct part_field f;
    struct part_changes *c;
    struct letter *letter;
    uint32_t *count;
    uint32_t peer; /* whose message is read */
    bool up;       /* ghosts into masters */
};

static uint32_t places_out(const struct sync *s, uint32_t q) {
    return s->up ? s->p->peer[q].ghosts : s->p->peer[q].masters;
}
static uint32_t places_in(const struct sync *s, uint32_t q) {
    return s->up ? s->p->peer[q].masters : s->p->peer[q].ghosts;
}
static uint32_t local_out(const struct sync *s, uint32_t q, uint32_t place) {
    const struct part_peer *peer = &s->p->peer[q];
    return s->up ? peer->first_ghost + place : peer->master[place];
}
static const char *value_at(const struct sync *s, uint32_t local) {
    return (const char *)s->f.value + (uint64_t)local * s->f.size;
}

/* Calls each(s, peer, place, local) for all that goes out. */
static void each_out(struct sync *s, void (*each)(struct sync *, uint32_t q,
                                                  uint32_t place, uint32_t local)) {
    const gpugraph_part *p = s->p;
    if (!s->c) {
        for (uint32_t q = 0; q < p->exchange->parts; q++)
            for (uint32_t i = 0; i < places_out(s, q); i++)
                each(s, q, i, local_out(s, q, i));
        return;
    }
    for (uint32_t i = 0; i < s->c->count; i++) {
        const uint32_t v = s->c->list[i];
        if (s->up && v >= p->masters) {
            const uint32_t q = part_owner(p, p->number[v]);
            each(s, q, v - p->peer[q].first_ghost, v);
        } else if (!s->up && v < p->masters) {
            for (uint64_t k = p->first_link[v]; k < p->first_link[v + 1]; k++)
                each(s, p->link[k].peer, p->link[k].place, v);
        }
    }
}

static void count_out(struct sync *s, uint32_t q, uint32_t place, uint32_t local) {
    (void)place, (void)local;
    s->count[q]++;
}

static void write_out(struct sync *s, uint32_t q, uint32_t place, uint32_t local) {
    write_place(&s->letter[q], place, value_at(s, local), s->f.size);
}

static void finish_letter(struct sync *s, uint32_t q) {
    struct letter *l = &s->letter[q];
    char *to = l->value;
    if (l->head->form != AS_BITMAP)
        return;
    for (uint64_t w = 0; w < words_of(places_out(s, q)); w++)
        for (uint64_t rest = l->bits[w]; rest; rest &= rest - 1, to += s->f.size)
            memcpy(to,
                   value_at(s, local_out(s, q,
                                         (uint32_t)(w * 64) +
                                             (uint32_t)__builtin_ctzll(rest))),
                   s->f.size);
}

static bool address_letters(struct sync *s) {
    gpugraph_part *p = s->p;
    uint64_t out = 0, in = 0;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        out += room_of(places_out(s, q), s->f.size);
        in += room_of(places_in(s, q), s->f.size);
    }
    if (!part_mail_room(p, s->run, out, in))
        return false;
    char *to = p->sent.block, *from = p->come.block;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        const uint64_t room = room_of(places_out(s, q), s->f.size);
        p->out[q] = (gpugraph_parcel){to, room, 0};
        p->in[q] = (gpugraph_parcel){from, room_of(places_in(s, q), s->f.size), 0};
        to += room;
        from += p->in[q].room;
        if (room)
            begin_letter(&s->letter[q], &p->out[q], s->count[q], places_out(s, q),
                         s->f.size);
    }
    return true;
}

static void drop_ghosts(struct sync *s) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->c->count; i++) {
        const uint32_t v = s->c->list[i];
        if (v < s->p->masters)
            s->c->list[kept++] = v;
        else
            s->c->flag[v] = 0;
    }
    s->c->count = kept;
}

static void merge_into(void *sync, uint32_t place, const void *value) {
    struct sync *s = sync;
    const uint32_t v = s->p->peer[s->peer].master[place];
    if (s->f.merge((char *)s->f.value + (uint64_t)v * s->f.size, value) && s->c)
        part_note(s->c, v);
}

static void copy_into(void *sync, uint32_t place, const void *value) {
    struct sync *s = sync;
    const uint32_t v = s->p->peer[s->peer].first_ghost + place;
    memcpy((char *)s->f.value + (uint64_t)v * s->f.size, value, s->f.size);
    if (s->c)
        part_note(s->c, v);
}

static gpugraph_status synchronise(struct sync *s) {
    gpugraph_part *p = s->p;
    const uint32_t parts = p->exchange->parts;
    if (parts == 1)
        return s->run->status;
    s->letter = gg_alloc(s->run, parts, sizeof *s->letter);
    s->count = gg_alloc_zero(s->run, parts, sizeof *s->count);
    if (s->letter && s->count) {
        each_out(s, count_out);
        if (address_letters(s)) {
            each_out(s, write_out);
            for (uint32_t q = 0; q < parts; q++)
                if (places_out(s, q))
                    finish_letter(s, q);
            if (p->exchange->calls->swap(p->exchange, s->run, p->out, p->in) ==
                GPUGRAPH_OK) {
                if (s->up && s->c)
                    drop_ghosts(s);
                for (s->peer = 0; s->peer < parts; s->peer++)
                    read_letter(&p->in[s->peer], places_in(s, s->peer), s->f.size,
                                s->up ? merge_into : copy_into, s);
            }
        }
    }
    gg_release(s->letter);
    gg_release(s->count);
    return s->run->status;
}

gpugraph_status gg_reduce(gpugraph_part *p, gpugraph_run *run, struct part_field f,
                          struct part_changes *c) {
    struct sync s = {.p = p, .run = run, .f = f, .c = c, .up = true};
    return synchronise(&s);
}

gpugraph_status gg_broadcast(gpugraph_part *p, gpugraph_run *run, struct part_field f,
                             struct part_changes *c) {
    struct sync s = {.p = p, .run = run, .f = f, .c = c};
    return synchronise(&s);
}

/* ---- merges ---- */

bool part_least_32(void *into, const void *from) {
    uint32_t a, b;
    memcpy(&a, into, sizeof a);
    memcpy(&b, from, sizeof b);
    if (b < a)
        memcpy(into, &b, sizeof b);
    return b < a;
}

bool part_least_64(void *into, const void *from) {
    uint64_t a, b;
    memcpy(&a, into, sizeof a);
    memcpy(&b, from, sizeof b);
    if (b < a)
        memcpy(into, &b, sizeof b);
    return b < a;
}

bool part_most_8(void *into, const void *from) {
    uint8_t *a = into, b = *(const uint8_t *)from;
    const bool more = b > *a;
    *a = more ? b : *a;
    return more;
}

bool part_sum_32(void *into, const void *from) {
    uint32_t a, b;
    memcpy(&a, into, sizeof a);
    memcpy(&b, from, sizeof b);
    a += b;
    memcpy(into, &a, sizeof a);
    return b != 0;
}

bool part_sum_128(void *into, const void *from) {
    unsigned __int128 a, b;
    memcpy(&a, into, sizeof a);
    memcpy(&b, from, sizeof b);
    a += b;
    memcpy(into, &a, sizeof a);
    return b != 0;
}
