/* The making of a part: shares of edges become rows.
**
**     share      source | target | weight | edge id        numbers of the whole graph
**        |  batches: each arc to the part that has it
**     arcs       source | target | weight | edge id        locals, ghosts in the order of their coming
**        |  ghosts are put in order, and owners told
**     rows
**
** part_numbers.c has the numbers, part_arcs.c the batches, part_rows.c the rows. */
#include "making.h"
#include "device/services.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- who has ghosts where ---- */

/* Each owner is told which of its masters have ghosts here. */
static bool tell_owners(struct part_making *m, struct gg_records *come) {
    gpugraph_part *p = m->part;
    uint32_t at = p->masters;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        p->peer[q].first_ghost = at;
        while (at < p->locals && part_owner(p, p->number[at]) == q)
            at++;
        p->peer[q].ghosts = at - p->peer[q].first_ghost;
    }
    return part_post(p, m->run, 1, p->number + p->masters, p->locals - p->masters, come);
}

static bool take_ghosts(struct part_making *m, const struct gg_records *come) {
    gpugraph_part *p = m->part;
    uint64_t links = 0;
    p->first_link =
        gg_alloc_zero(m->run, (uint64_t)p->masters + 2, sizeof *p->first_link);
    if (!p->first_link)
        return false;
    for (uint32_t q = 0; q < p->exchange->parts; q++) {
        struct part_peer *peer = &p->peer[q];
        const uint64_t *number = come->word + come->first[q];
        peer->masters = (uint32_t)(come->first[q + 1] - come->first[q]);
        peer->master = gg_alloc(m->run, peer->masters, sizeof *peer->master);
        if (!peer->master)
            return false;
        for (uint32_t i = 0; i < peer->masters && !gg_leave(m->run, i); i++) {
            peer->master[i] = part_master_of(p, number[i]);
            p->first_link[peer->master[i] + 2]++;
        }
        links += peer->masters;
    }
    p->link = gg_alloc(m->run, links, sizeof *p->link);
    if (!p->link)
        return false;
    for (uint32_t v = 0; v < p->masters && !gg_leave(m->run, v); v++)
        p->first_link[v + 2] += p->first_link[v + 1];
    for (uint32_t q = 0; q < p->exchange->parts; q++)
        for (uint32_t i = 0; i < p->peer[q].masters && !gg_leave(m->run, i); i++)
            p->link[p->first_link[p->peer[q].master[i] + 1]++] = (struct part_link){q, i};
    return !gg_stopping(m->run);
}

/* ---- the whole ---- */

static bool is_weight(const gpugraph_share *s, uint64_t e) {
    const double real =
        s->weight_type == GPUGRAPH_REAL_WEIGHTS ? ((const double *)s->weight)[e] : 0;
    return s->weight_type == GPUGRAPH_INTEGER_WEIGHTS
               ? ((const int64_t *)s->weight)[e] >= 0
               : real >= 0 && isfinite(real);
}

static bool check_share(struct part_making *m) {
    const gpugraph_share *s = m->share;
    if (!gg_check_weight_type(s->weight_type, m->run) ||
        !gg_needs(m->run, s->source, s->count, "share.source") ||
        !gg_needs(m->run, s->target, s->count, "share.target") ||
        (m->weighted && !gg_needs(m->run, s->weight, s->count, "share.weight")))
        return false;
    for (uint64_t e = 0; e < s->count && m->weighted && !gg_leave(m->run, e); e++)
        if (!is_weight(s, e)) {
            gg_fail(m->run, GPUGRAPH_INVALID,
                    "edge %llu of a share has a weight that is negative or not finite",
                    (unsigned long long)e);
            return false;
        }
    for (uint64_t e = 0; e < s->count && !gg_leave(m->run, e); e++)
        if (s->source[e] >= s->vertices || s->target[e] >= s->vertices) {
            gg_fail(m->run, GPUGRAPH_INVALID,
                    "edge %llu of a share names a vertex beyond the %llu that there are",
                    (unsigned long long)e, (unsigned long long)s->vertices);
            return false;
        }
    if (m->part->simple && m->part->direction != GPUGRAPH_BOTH)
        gg_fail(m->run, GPUGRAPH_INVALID, "simple rows go both ways");
    return !gg_stopping(m->run);
}

static bool make(struct part_making *m) {
    gpugraph_part *p = m->part;
    const uint32_t parts = p->exchange->parts;
    p->peer = gg_alloc_zero(m->run, parts, sizeof *p->peer);
    p->out = gg_alloc_zero(m->run, parts, sizeof *p->out);
    p->in = gg_alloc_zero(m->run, parts, sizeof *p->in);
    struct gg_records ghosts = {0};
    for (p->columns = 1; p->columns * p->columns < parts || parts % p->columns;)
        p->columns++; /* a grid at least as wide as it is high */
    if (p->partition == GPUGRAPH_GRID && p->columns == parts)
        p->partition = GPUGRAPH_BY_TARGET; /* its only row */
    bool go = p->peer && p->out && p->in && check_share(m) && part_lay_out(p, m->run) &&
              part_bring_arcs(m) && part_order_ghosts(m) && tell_owners(m, &ghosts) &&
              take_ghosts(m, &ghosts);
    gg_records_close(&ghosts);
    gg_distinct_free(&m->ghosts);
    return go && part_make_rows(m);
}

gpugraph_status gpugraph_part_create(gpugraph_exchange *exchange,
                                     const gpugraph_share *share,
                                     gpugraph_partition partition,
                                     gpugraph_direction direction, bool simple,
                                     gpugraph_run *run, gpugraph_part **part) {
    gg_begin(run);
    if (!gg_needs(run, exchange, 1, "exchange"))
        return run->status;
    if (!gg_needs(run, part, 1, "part") || !gg_needs(run, share, 1, "share"))
        return part_end(exchange, run);
    const double start = gg_now_ms();
    const bool weighted = !simple && share->weight_type != GPUGRAPH_UNWEIGHTED,
               with_ids = !simple && share->edge_id != NULL;
    struct part_making m = {.share = share,
                            .run = run,
                            .weighted = weighted,
                            .with_ids = with_ids,
                            .stride = 2 + weighted + with_ids};
    gpugraph_part *p = gg_alloc_zero(run, 1, sizeof *p);
    *part = NULL;
    if (p) {
        *p = (gpugraph_part){.exchange = exchange,
                             .partition = partition,
                             .direction = direction,
                             .simple = simple,
                             .vertices = share->vertices,
                             .weight_type =
                                 weighted ? share->weight_type : GPUGRAPH_UNWEIGHTED};
        m.part = p;
        make(&m);
    }
    gg_release(m.source);
    gg_release(m.target);
    gg_release(m.weight);
    gg_release(m.edge_id);
    if (part_end(exchange, run) == GPUGRAPH_OK) {
        *part = p;
        gg_phase(run, "parts", start, (int64_t)p->arcs, "%u masters, %u ghosts",
                 p->masters, p->locals - p->masters);
    } else {
        gpugraph_part_free(p);
    }
    return run->status;
}

void gpugraph_part_free(gpugraph_part *p) {
    if (!p)
        return;
    if (p->device)
        gg_part_services.free(p->device);
    for (uint32_t q = 0; p->peer && q < p->exchange->parts; q++)
        gg_release(p->peer[q].master);
    void *blocks[] = {p->number,     p->offset,     p->target, p->weight, p->edge_id,
                      p->peer,       p->first_link, p->link,   p->out,    p->in,
                      p->sent.block, p->come.block, p};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        gg_release(blocks[i]);
}

gpugraph_status gpugraph_part_to_device(gpugraph_part *p, int place, gpugraph_run *run) {
    const char *why = "";
    gg_begin(run);
    if (!gg_devices_asked()->usable(&why) || !gg_part_services.bring)
        gg_fail(run, GPUGRAPH_NO_DEVICE, "%s", why);
    else if (!p->device)
        gg_part_services.bring(p, place, run);
    return part_end(p->exchange, run);
}

const char *gpugraph_part_way(const gpugraph_part *p) {
    return p->way;
}

/* ---- what others ask of it ---- */

gpugraph_status part_end(gpugraph_exchange *x, gpugraph_run *run) {
    uint64_t nothing = 0;
    if (run->status == GPUGRAPH_OK && gg_stopping(run))
        gg_stopped(run);
    if (run->status == GPUGRAPH_OK)
        gg_combine(x, run, GPUGRAPH_SUM, &nothing, 1);
    gg_end_call(x, run);
    return run->status;
}

bool part_sum(gpugraph_part *p, gpugraph_run *run, uint64_t *word) {
    return gg_combine(p->exchange, run, GPUGRAPH_SUM, word, 1) == GPUGRAPH_OK;
}

static bool mail_room(gpugraph_run *run, struct part_mail *mail, uint64_t bytes) {
    if (bytes <= mail->room)
        return true;
    gg_release(mail->block);
    mail->room = 0;
    mail->block = gg_alloc(run, bytes, 1);
    if (mail->block)
        mail->room = bytes;
    return mail->block != NULL;
}

bool part_mail_room(gpugraph_part *p, gpugraph_run *run, uint64_t out, uint64_t in) {
    return mail_room(run, &p->sent, out) && mail_room(run, &p->come, in);
}

uint32_t gpugraph_part_masters(const gpugraph_part *p) {
    return p->masters;
}
uint32_t gpugraph_part_ghosts(const gpugraph_part *p) {
    return p->locals - p->masters;
}
uint64_t gpugraph_part_arcs(const gpugraph_part *p) {
    return p->arcs;
}
const uint64_t *gpugraph_part_numbers(const gpugraph_part *p) {
    return p->number;
}
