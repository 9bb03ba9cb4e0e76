/* Makes masters and ghosts equal: sends changed values, or all of them.
**
**     changes   index, value | index, value | ...       4 + size bytes each
**     all       value | value | ...                     size bytes each
**
** The index is the position of a ghost among all ghosts that one partition has from
** another. Both partitions use the same order. */
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

/* ---- reduce and broadcast ---- */

struct sync {
    gpugraph_part *p;
    gpugraph_run *run;
    struct part_field f;
    struct part_changes *c; /* NULL: all locals */
    bool up;                /* reduce: ghosts into masters */
    gpugraph_combination how;
    uint64_t *word; /* words to combine */
    uint32_t words;
    char *block[2]; /* bytes of messages: sent, received */
};

static uint32_t entries_out(const struct sync *s, uint32_t q) {
    return s->up ? s->p->peer[q].ghosts : s->p->peer[q].masters;
}
static uint32_t entries_in(const struct sync *s, uint32_t q) {
    return s->up ? s->p->peer[q].masters : s->p->peer[q].ghosts;
}

static uint64_t entry_bytes(const struct sync *s) {
    return s->f.size + (s->c ? sizeof(uint32_t) : 0);
}

static char *value_of(const struct sync *s, uint32_t local) {
    return (char *)s->f.value + (uint64_t)local * s->f.size;
}

/* ---- writing ---- */

/* Allocates room for the values of all ghosts. */
static bool address_messages(struct sync *s) {
    const uint64_t entry = entry_bytes(s);
    for (uint32_t q = 0; q < s->p->exchange->parts; q++) {
        s->p->out[q] = (gpugraph_parcel){NULL, entries_out(s, q) * entry, 0};
        s->p->in[q] = (gpugraph_parcel){NULL, entries_in(s, q) * entry, 0};
    }
    return part_allocate_parcels(s->p, s->run, s->block);
}

static void write_entry(const struct sync *s, uint32_t q, uint32_t place,
                        uint32_t local) {
    gpugraph_parcel *out = &s->p->out[q];
    char *to = (char *)out->bytes + out->size;
    out->size += entry_bytes(s);
    if (s->c) {
        memcpy(to, &place, sizeof place);
        to += sizeof place;
    }
    memcpy(to, value_of(s, local), s->f.size);
}

static void write_all(const struct sync *s, uint32_t q) {
    const struct part_peer *peer = &s->p->peer[q];
    for (uint32_t i = 0; i < entries_out(s, q) && !gg_leave(s->run, i); i++)
        write_entry(s, q, i, s->up ? peer->first_ghost + i : peer->master[i]);
}

static void write_changes(const struct sync *s) {
    const gpugraph_part *p = s->p;
    for (uint32_t i = 0; i < s->c->count; i++) {
        const uint32_t v = s->c->list[i];
        if (s->up && v >= p->masters) {
            const uint32_t q = part_owner(p, p->number[v]);
            write_entry(s, q, v - p->peer[q].first_ghost, v);
        } else if (!s->up && v < p->masters) {
            for (uint64_t k = p->first_link[v]; k < p->first_link[v + 1]; k++)
                write_entry(s, p->link[k].peer, p->link[k].place, v);
        }
    }
}

/* ---- reading ---- */

static void take_value(struct sync *s, uint32_t v, const char *value) {
    char *into = value_of(s, v);
    if (!s->up)
        memcpy(into, value, s->f.size);
    if ((!s->up || s->f.merge(into, value)) && s->c)
        part_note(s->c, v);
}

static void read_message(struct sync *s, uint32_t q) {
    const struct part_peer *peer = &s->p->peer[q];
    const uint64_t entry = entry_bytes(s), count = s->p->in[q].size / entry;
    const char *from = s->p->in[q].bytes;
    for (uint32_t i = 0; i < count && !gg_leave(s->run, i); i++, from += entry) {
        uint32_t place = i;
        if (s->c)
            memcpy(&place, from, sizeof place);
        take_value(s, s->up ? peer->master[place] : peer->first_ghost + place,
                   from + entry - s->f.size);
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

/* ---- one swap ---- */

static void swap_messages(struct sync *s) {
    gpugraph_part *p = s->p;
    gpugraph_exchange *x = p->exchange;
    if (s->c)
        write_changes(s);
    for (uint32_t q = 0; !s->c && q < x->parts; q++)
        write_all(s, q);
    if (gg_swap_and_combine(x, s->run, p->out, p->in, s->how, s->word, s->words) !=
        GPUGRAPH_OK)
        return;
    if (s->up && s->c)
        drop_ghosts(s);
    for (uint32_t q = 0; q < x->parts; q++)
        read_message(s, q);
}

static gpugraph_status synchronise(struct sync *s) {
    if (s->p->exchange->parts > 1 && address_messages(s))
        swap_messages(s);
    gg_release(s->block[0]);
    gg_release(s->block[1]);
    return s->run->status;
}

gpugraph_status gg_reduce(gpugraph_part *p, gpugraph_run *run, struct part_field f,
                          struct part_changes *c) {
    struct sync s = {.p = p, .run = run, .f = f, .c = c, .up = true};
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

/* Broadcasts the masters in `c` to their ghosts. *found: masters in `c` of all
** partitions. */
static bool share_round(struct part_rounds *r, struct part_changes *c, uint64_t *found) {
    *found = c->count;
    return r->down ? gg_broadcast_and_combine(r->p, r->run, r->field, c, GPUGRAPH_SUM,
                                              found, 1) == GPUGRAPH_OK
                   : part_sum(r->p, r->run, found);
}

bool part_go_rounds(struct part_rounds *r, uint32_t most, uint32_t *rounds) {
    uint64_t found;
    bool go = share_round(r, &r->now, &found);
    for (*rounds = 0; go && found > 0 && *rounds < most; ++*rounds) {
        for (uint32_t i = 0; i < r->now.count && !gg_leave(r->run, i); i++)
            r->visit(r, r->now.list[i]);
        go = !gg_stopping(r->run) &&
             (!r->up || gg_reduce(r->p, r->run, r->field, &r->next) == GPUGRAPH_OK) &&
             share_round(r, &r->next, &found);
        part_forget(&r->now);
        const struct part_changes old = r->now;
        r->now = r->next;
        r->next = old;
    }
    return go;
}

/* ---- merges ---- */

/* Entries of messages are unaligned. */
#define PART_MERGE(name, type, merged)                                                   \
    bool name(void *into, const void *from) {                                            \
        type a, b;                                                                       \
        memcpy(&a, into, sizeof a);                                                      \
        memcpy(&b, from, sizeof b);                                                      \
        const type c = (merged);                                                         \
        memcpy(into, &c, sizeof c);                                                      \
        return c != a;                                                                   \
    }
PART_MERGE(part_least_32, uint32_t, b < a ? b : a)
PART_MERGE(part_least_64, uint64_t, b < a ? b : a)
PART_MERGE(part_most_8, uint8_t, b > a ? b : a)
PART_MERGE(part_sum_32, uint32_t, a + b)
PART_MERGE(part_sum_128, unsigned __int128, a + b)
