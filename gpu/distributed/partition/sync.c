/* Ghosts into masters, masters to ghosts: those that have changed, in one of three forms, mostly the
** shortest.
**
**     list      count | place, place, ... | values           4 + size bytes for each
**     bitmap    a bit for each place | values                size bytes for each that is set
**     all       values                                       size bytes for each place
**
** A place is that of a ghost among the ghosts that one part has of another's masters: both ends
** have these in the same order. Where all values are alike there is one. A list is made from the changes, a
** bitmap from their flags, in the order of places. */
#include "part.h"

#include <string.h>

enum form { AS_LIST, AS_BITMAP, AS_ALL };
/* Changes are looked for along all places where they are more than a share of these. */
enum { PLACES_A_CHANGE = 16 };

struct head {
    uint32_t form, count; /* of places that have changed */
};

/* ---- changes ---- */

bool part_changes_open(const gpugraph_part *p, gpugraph_run *run,
                       struct part_changes *c) {
    c->count = 0;
    c->locals = p->locals;
    c->alike = false;
    c->list = gg_alloc(run, (uint64_t)p->locals + 1, sizeof *c->list);
    c->flag = gg_alloc_zero(run, p->locals, sizeof *c->flag);
    return c->list && c->flag;
}

void part_changes_close(struct part_changes *c) {
    gg_release(c->list);
    gg_release(c->flag);
}

void part_forget(struct part_changes *c) {
    if (c->count > c->locals / PLACES_A_CHANGE)
        memset(c->flag, 0, c->locals);
    else
        for (uint32_t i = 0; i < c->count; i++)
            c->flag[c->list[i]] = 0;
    c->count = 0;
}

/* ---- sizes ---- */

static uint64_t words_of(uint32_t places) {
    return ((uint64_t)places + 63) / 64;
}

static uint64_t align8(uint64_t bytes) {
    return (bytes + 7) / 8 * 8;
}

/* Bytes before the values. */
static uint64_t index_bytes(enum form form, uint32_t count, uint32_t places) {
    return sizeof(struct head) + (form == AS_LIST     ? align8((uint64_t)count * 4)
                                  : form == AS_BITMAP ? words_of(places) * 8
                                                      : 0);
}

static bool is_short(uint32_t count, uint32_t places) {
    return (uint64_t)count * 4 <= words_of(places) * 8;
}

/* No message is longer: a list is only where it is no longer than the bitmap. */
static uint64_t room_of(uint32_t places, uint32_t size) {
    return places ? index_bytes(AS_BITMAP, 0, places) + align8((uint64_t)places * size)
                  : 0;
}

/* ---- both ways ---- */

struct sync {
    gpugraph_part *p;
    gpugraph_run *run;
    struct part_field f;
    struct part_changes *c;
    bool up; /* ghosts into masters */
    bool dense;
    uint32_t *count; /* for each part; of lists that are written, too */
    gpugraph_combination how;
    uint64_t *word; /* to be combined */
    uint32_t words;
};

static uint32_t places_out(const struct sync *s, uint32_t q) {
    return s->up ? s->p->peer[q].ghosts : s->p->peer[q].masters;
}
static uint32_t places_in(const struct sync *s, uint32_t q) {
    return s->up ? s->p->peer[q].masters : s->p->peer[q].ghosts;
}

/* The local at a place; `ghosts` is known where this is inlined. */
static PART_INLINE uint32_t local_at(const struct part_peer *peer, uint32_t place,
                                     bool ghosts) {
    return ghosts ? peer->first_ghost + place : peer->master[place];
}

/* An entry of 1, 4, 8 or 16 bytes. */
static PART_INLINE void copy(char *to, const char *from, uint32_t size) {
    if (size == 4)
        memcpy(to, from, 4);
    else if (size == 8)
        memcpy(to, from, 8);
    else if (size == 16)
        memcpy(to, from, 16);
    else
        *to = *from;
}

/* ---- writing ---- */

static void write_all(const struct sync *s, const struct part_peer *peer, uint32_t places,
                      char *value) {
    const char *from = s->f.value;
    const uint32_t size = s->f.size;
    for (uint32_t i = 0; i < places && !gg_leave(s->run, i); i++, value += size)
        copy(value, from + (uint64_t)local_at(peer, i, s->up) * size, size);
}

/* Returns how many have changed. */
static PART_INLINE uint32_t write_bits(const struct sync *s, const struct part_peer *peer,
                                       uint32_t places, uint64_t *bits, char *value,
                                       bool up) {
    const char *from = s->f.value, *begin = value;
    const uint32_t size = s->f.size;
    const uint8_t *flag = s->c->flag;
    uint32_t count = 0;
    for (uint32_t low = 0; low < places && !gg_leave(s->run, low); low += 64) {
        const uint32_t high = places - low < 64 ? places - low : 64;
        uint64_t word = 0;
        for (uint32_t i = 0; i < high; i++)
            word |= (uint64_t)flag[local_at(peer, low + i, up)] << i;
        bits[low / 64] = word;
        count += (uint32_t)__builtin_popcountll(word);
        for (uint64_t rest = word; rest && !(s->c->alike && value > begin);
             rest &= rest - 1, value += size)
            copy(value,
                 from +
                     (uint64_t)local_at(peer, low + (uint32_t)__builtin_ctzll(rest), up) *
                         size,
                 size);
    }
    return count;
}

/* The message to part q, but for a list's places and values. */
static void write_letter(struct sync *s, uint32_t q) {
    const uint32_t places = places_out(s, q);
    const struct part_peer *peer = &s->p->peer[q];
    gpugraph_parcel *to = &s->p->out[q];
    struct head *head = to->bytes;
    uint32_t count = s->count[q], values;
    if (!s->c) {
        *head = (struct head){AS_ALL, count = places};
        write_all(s, peer, places, (char *)head + index_bytes(AS_ALL, count, places));
    } else if (!s->dense && is_short(count, places)) {
        *head = (struct head){AS_LIST, count};
    } else {
        uint64_t *bits = (uint64_t *)(head + 1);
        char *value = (char *)head + index_bytes(AS_BITMAP, 0, places);
        count = s->up ? write_bits(s, peer, places, bits, value, true)
                      : write_bits(s, peer, places, bits, value, false);
        *head = (struct head){count ? AS_BITMAP : AS_LIST, count};
    }
    values = s->c && s->c->alike && count > 1 ? 1 : count;
    to->size = index_bytes((enum form)head->form, count, places) +
               align8((uint64_t)values * s->f.size);
}

/* Calls each(s, peer, place, local) for all changes that go out. */
static void each_change(struct sync *s, void (*each)(struct sync *, uint32_t q,
                                                     uint32_t place, uint32_t local)) {
    const gpugraph_part *p = s->p;
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

static void count_change(struct sync *s, uint32_t q, uint32_t place, uint32_t local) {
    (void)place, (void)local;
    s->count[q]++;
}

static void list_change(struct sync *s, uint32_t q, uint32_t place, uint32_t local) {
    struct head *head = s->p->out[q].bytes;
    if (head->form != AS_LIST)
        return;
    const uint32_t i = s->count[q]++;
    char *value = (char *)head + index_bytes(AS_LIST, head->count, 0);
    ((uint32_t *)(head + 1))[i] = place;
    if (i == 0 || !s->c->alike)
        memcpy(value + (uint64_t)i * s->f.size,
               (const char *)s->f.value + (uint64_t)local * s->f.size, s->f.size);
}

/* Rooms of all messages; how many places are to be written. */
static bool address_letters(struct sync *s, uint64_t *places) {
    gpugraph_part *p = s->p;
    uint64_t out = 0, in = 0;
    *places = 0;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        *places += places_out(s, q);
        out += room_of(places_out(s, q), s->f.size);
        in += room_of(places_in(s, q), s->f.size);
    }
    if (!part_mail_room(p, s->run, out, in))
        return false;
    char *to = p->sent.block, *from = p->come.block;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        p->out[q] = (gpugraph_parcel){to, room_of(places_out(s, q), s->f.size), 0};
        p->in[q] = (gpugraph_parcel){from, room_of(places_in(s, q), s->f.size), 0};
        to += p->out[q].room;
        from += p->in[q].room;
    }
    return true;
}

static bool write_letters(struct sync *s) {
    const uint32_t parts = s->p->exchange->parts;
    uint64_t places;
    if (!address_letters(s, &places))
        return false;
    s->dense = s->c && s->c->count > places / PLACES_A_CHANGE;
    if (s->c && !s->dense)
        each_change(s, count_change);
    for (uint32_t q = 0; q < parts; q++)
        if (places_out(s, q)) {
            write_letter(s, q);
            s->count[q] = 0;
        }
    if (s->c && !s->dense)
        each_change(s, list_change);
    return true;
}

/* ---- reading ---- */

static PART_INLINE void take(struct sync *s, const struct part_peer *peer, uint32_t place,
                             const char *value, bool up) {
    const uint32_t size = s->f.size;
    const uint32_t v = local_at(peer, place, !up);
    char *into = (char *)s->f.value + (uint64_t)v * size;
    if (!up)
        copy(into, value, size);
    if ((!up || s->f.merge(into, value)) && s->c)
        part_note(s->c, v);
}

static PART_INLINE void read_letter(struct sync *s, uint32_t q, bool up) {
    const uint32_t size = s->f.size;
    const struct part_peer *peer = &s->p->peer[q];
    const struct head *head = s->p->in[q].bytes;
    const uint32_t places = places_in(s, q), step = s->c && s->c->alike ? 0 : size;
    const uint32_t *list = (const uint32_t *)(head + 1);
    const uint64_t *bits = (const uint64_t *)(head + 1);
    const char *value =
        (const char *)head + index_bytes((enum form)head->form, head->count, places);
    if (head->form == AS_BITMAP) {
        for (uint64_t w = 0; w < words_of(places) && !gg_leave(s->run, 64 * w); w++)
            for (uint64_t rest = bits[w]; rest; rest &= rest - 1, value += step)
                take(s, peer, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(rest), value,
                     up);
        return;
    }
    for (uint32_t i = 0; i < head->count && !gg_leave(s->run, i); i++, value += step)
        take(s, peer, head->form == AS_LIST ? list[i] : i, value, up);
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

static void read_letters(struct sync *s) {
    if (s->up && s->c)
        drop_ghosts(s);
    for (uint32_t q = 0; q < s->p->exchange->parts; q++)
        if (s->p->in[q].size > 0) {
            if (s->up)
                read_letter(s, q, true);
            else
                read_letter(s, q, false);
        }
}

/* ---- the whole ---- */

static gpugraph_status swap(struct sync *s) {
    gpugraph_part *p = s->p;
    gpugraph_exchange *x = p->exchange;
    return s->words ? x->calls->swap_and_combine(x, s->run, p->out, p->in, s->how,
                                                 s->word, s->words)
                    : x->calls->swap(x, s->run, p->out, p->in);
}

static gpugraph_status synchronise(struct sync *s) {
    const uint32_t parts = s->p->exchange->parts;
    if (parts == 1)
        return s->run->status;
    s->count = gg_alloc_zero(s->run, parts, sizeof *s->count);
    if (s->count && write_letters(s) && swap(s) == GPUGRAPH_OK)
        read_letters(s);
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

gpugraph_status gg_broadcast_and_combine(gpugraph_part *p, gpugraph_run *run,
                                         struct part_field f, struct part_changes *c,
                                         gpugraph_combination how, uint64_t *word,
                                         uint32_t words) {
    struct sync s = {
        .p = p, .run = run, .f = f, .c = c, .how = how, .word = word, .words = words};
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
