/* Ghosts into masters, masters to ghosts: those that have changed, or all.
**
**     list      count | place, place, ... | values           4 + size bytes for each
**     all       count | values                               size bytes for each place
**
** A place is that of a ghost among the ghosts that one part has of another's masters: both ends
** have these in the same order. */
#include "part.h"

#include <string.h>

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

/* ---- both ways ---- */

struct sync {
    gpugraph_part *p;
    gpugraph_run *run;
    struct part_field f;
    struct part_changes *c; /* NULL: all */
    bool up;                /* ghosts into masters */
    uint32_t *count;        /* of changes for each part */
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

static uint64_t align8(uint64_t bytes) {
    return (bytes + 7) / 8 * 8;
}

/* Bytes before the values. */
static uint64_t index_bytes(const struct sync *s, uint32_t count) {
    return sizeof(uint64_t) + (s->c ? align8((uint64_t)count * sizeof(uint32_t)) : 0);
}

static uint64_t letter_bytes(const struct sync *s, uint32_t count) {
    return count ? index_bytes(s, count) + align8((uint64_t)count * s->f.size) : 0;
}

static char *value_of(const struct sync *s, uint32_t local) {
    return (char *)s->f.value + (uint64_t)local * s->f.size;
}

/* ---- writing ---- */

static void write_all(const struct sync *s, uint32_t q) {
    const struct part_peer *peer = &s->p->peer[q];
    const uint32_t places = places_out(s, q);
    char *to = (char *)s->p->out[q].bytes + index_bytes(s, places);
    for (uint32_t i = 0; i < places && !gg_leave(s->run, i); i++, to += s->f.size)
        memcpy(to, value_of(s, s->up ? peer->first_ghost + i : peer->master[i]),
               s->f.size);
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
    uint64_t *head = s->p->out[q].bytes;
    const uint32_t count = (uint32_t)*head, i = count - s->count[q]--;
    ((uint32_t *)(head + 1))[i] = place;
    memcpy((char *)head + index_bytes(s, count) + (uint64_t)i * s->f.size,
           value_of(s, local), s->f.size);
}

/* Sizes of what goes out, and rooms for what may come in. */
static bool address_letters(struct sync *s) {
    gpugraph_part *p = s->p;
    uint64_t out = 0, in = 0;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        out += letter_bytes(s, places_out(s, q));
        in += letter_bytes(s, places_in(s, q));
    }
    if (!part_mail_room(p, s->run, out, in))
        return false;
    char *to = p->sent.block, *from = p->come.block;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        const uint64_t room = letter_bytes(s, places_out(s, q));
        p->out[q] = (gpugraph_parcel){to, room, letter_bytes(s, s->count[q])};
        p->in[q] = (gpugraph_parcel){from, letter_bytes(s, places_in(s, q)), 0};
        if (s->count[q])
            *(uint64_t *)p->out[q].bytes = s->count[q];
        to += room;
        from += p->in[q].room;
    }
    return true;
}

static bool write_letters(struct sync *s) {
    const uint32_t parts = s->p->exchange->parts;
    for (uint32_t q = 0; !s->c && q < parts; q++)
        s->count[q] = places_out(s, q);
    if (s->c)
        each_change(s, count_change);
    if (!address_letters(s))
        return false;
    for (uint32_t q = 0; !s->c && q < parts; q++)
        write_all(s, q);
    if (s->c)
        each_change(s, list_change);
    return true;
}

/* ---- reading ---- */

static void take(struct sync *s, uint32_t v, const char *value) {
    char *into = value_of(s, v);
    if (!s->up)
        memcpy(into, value, s->f.size);
    if ((!s->up || s->f.merge(into, value)) && s->c)
        part_note(s->c, v);
}

static void read_letter(struct sync *s, uint32_t q) {
    const struct part_peer *peer = &s->p->peer[q];
    const uint64_t *head = s->p->in[q].bytes;
    const uint32_t *list = (const uint32_t *)(head + 1), count = (uint32_t)*head;
    const char *value = (const char *)head + index_bytes(s, count);
    for (uint32_t i = 0; i < count && !gg_leave(s->run, i); i++, value += s->f.size) {
        const uint32_t place = s->c ? list[i] : i;
        take(s, s->up ? peer->master[place] : peer->first_ghost + place, value);
    }
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
        if (s->p->in[q].size > 0)
            read_letter(s, q);
}

/* ---- the whole ---- */

static gpugraph_status synchronise(struct sync *s) {
    gpugraph_part *p = s->p;
    gpugraph_exchange *x = p->exchange;
    if (x->parts == 1)
        return s->run->status;
    s->count = gg_alloc_zero(s->run, x->parts, sizeof *s->count);
    if (s->count && write_letters(s) &&
        gg_swap_and_combine(x, s->run, p->out, p->in, s->how, s->word, s->words) ==
            GPUGRAPH_OK)
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

/* ---- rounds ---- */

bool part_rounds_open(struct part_rounds *r, gpugraph_part *p, gpugraph_run *run) {
    *r = (struct part_rounds){
        .p = p, .run = run, .up = part_writes_ghosts(p), .down = part_reads_ghosts(p)};
    const bool there = part_changes_open(p, run, &r->now);
    return part_changes_open(p, run, &r->next) && there;
}

void part_rounds_close(struct part_rounds *r) {
    part_changes_close(&r->now);
    part_changes_close(&r->next);
}

/* Masters in the list are broadcast to their ghosts, which join it. *found: how many there are at all
** parts. */
static bool tell_round(struct part_rounds *r, struct part_changes *c, uint64_t *found) {
    *found = c->count;
    return r->down ? gg_broadcast_and_combine(r->p, r->run, r->field, c, GPUGRAPH_SUM,
                                              found, 1) == GPUGRAPH_OK
                   : part_sum(r->p, r->run, found);
}

bool part_go_rounds(struct part_rounds *r, uint32_t most, uint32_t *rounds) {
    uint64_t found;
    bool go = tell_round(r, &r->now, &found);
    for (*rounds = 0; go && found > 0 && *rounds < most; ++*rounds) {
        for (uint32_t i = 0; i < r->now.count && !gg_leave(r->run, i); i++)
            r->visit(r, r->now.list[i]);
        go = !gg_stopping(r->run) &&
             (!r->up || gg_reduce(r->p, r->run, r->field, &r->next) == GPUGRAPH_OK) &&
             tell_round(r, &r->next, &found);
        part_forget(&r->now);
        const struct part_changes old = r->now;
        r->now = r->next;
        r->next = old;
    }
    return go;
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
