/* Independent sets over parts of processes of one host: the kernel of method "several" (several.cu), whose members are
** in processes of their own.
**
**     window    desk | bins of all samples | codes of all places | hashes of the own masters
**
** Codes of the window are written to by others as long as these search, so all leave together. */
#include "mis/codes.h"
#include "mis/mis.h"
#include "several.cuh"
#include "distributed/devices/processes.cuh"

struct mis_with_parts {
    struct cuda_job *job;
    gpugraph_part *p;
    const struct part_shared *s;
    struct mis_shared g;
    uint64_t entries; /* of all lists */
    several_array<uint32_t> count, codes, hash;
};

/* What lies in each window, behind the desk. */
static void carve_window(const gpugraph_part *p, struct several_space *space,
                         struct mis_with_parts *m) {
    const uint64_t stride = p->device->stride, parts = p->exchange->parts;
    m->count = gg_several_carve<uint32_t>(space, parts * MIS_BINS);
    m->codes = gg_several_carve<uint32_t>(space, parts * stride / 4);
    m->hash = gg_several_carve<uint32_t>(space, stride);
}

static void carve(struct mis_with_parts *m, struct workspace *space) {
    m->g.left = gg_carve<struct mis_left>(space, 1);
    m->g.member = gg_carve<uint8_t>(space, m->s->places.stride);
    m->g.list = gg_carve<struct waiting>(space, m->entries);
}

static void set_up(struct mis_with_parts *m, gpugraph_priority priority, bool hashes) {
    const struct part_shared *s = m->s;
    struct mis_shared *g = &m->g;
    g->count = m->count;
    g->codes = m->codes;
    g->code = (uint8_t *)m->codes.at[s->me];
    g->offset = s->rows.offset - g->view.first;
    g->target = s->rows.target;
    for (uint32_t q = 0; q < (uint32_t)s->parts; q++) {
        g->offset_of[q] = s->offset[q] - several_first(&s->places, q);
        g->number[q] = s->number[q];
        g->hash[q] = hashes ? m->hash.at[q] : NULL;
        if (q != s->me)
            g->other[g->others++] = (uint8_t *)m->codes.at[q];
    }
    g->vertices = m->p->masters;
    g->first_share = gg_mis_share_of(s->arcs, s->places.n);
    g->order.priority = priority;
    g->order.shift = gg_mis_shift_of(s->places.n);
    g->order.stop = g->view.meeting.stop;
}

static bool prepare(struct mis_with_parts *m, gpugraph_priority priority,
                    const uint32_t *hash) {
    struct workspace space = {NULL, 0};
    struct several_space window = gg_parts_window(m->s);
    const bool hashes = priority == GPUGRAPH_BY_DEGREE || priority == GPUGRAPH_BY_RANDOM;
    carve_window(m->p, &window, m);
    if (hashes)
        gg_upload(m->job, m->hash.at[m->s->me], hash, m->p->masters * sizeof *hash);
    if (!gg_parts_begin(m->job, m->p, &gg_mis_decide_shared, &m->g.view))
        return false;
    m->entries = gg_mis_list_entries(m->g.view, &m->g.room);
    carve(m, &space);
    if (!gg_workspace(m->job, &space))
        return false;
    carve(m, &space);
    set_up(m, priority, hashes);
    return true;
}

/* Launches until no own vertex waits: a kernel's passes are bounded. Who waits in vain for too long waits for a part that
** has gone. */
static bool search(struct mis_with_parts *m, uint32_t *passes) {
    struct mis_left left = {UINT32_MAX, 0};
    const double patience_ms = (double)GG_SEVERAL_PATIENCE_NS * 1e-6;
    double progress = gg_now_ms();
    for (m->g.step = MIS_COUNT; left.open > 0 && gg_going(m->job);
         m->g.step = MIS_DECIDE) {
        const uint32_t before = left.open;
        if (!gg_fill(m->job, m->g.left, 0, sizeof left) ||
            !gg_parts_launch(m->job, m->p, &gg_mis_decide_shared, &m->g.view, &m->g) ||
            !gg_fetch(m->job, &left, m->g.left, sizeof left))
            return false;
        if (left.open < before)
            progress = gg_now_ms();
        else if (gg_now_ms() - progress > patience_ms)
            gg_fail(m->job->run, GPUGRAPH_DEVICE_FAILED,
                    "part %u waited %.1f seconds for other parts to decide on %u "
                    "vertices",
                    m->s->me, patience_ms * 1e-3, left.open);
        *passes = left.passes > *passes ? left.passes : *passes;
    }
    uint64_t nothing = 0;
    return gg_going(m->job) && part_sum(m->p, m->job->run, &nothing);
}

bool gg_mis_of_shared_parts(struct cuda_job *job, gpugraph_part *p,
                            gpugraph_priority priority, const uint32_t *hash,
                            uint8_t *member) {
    struct mis_with_parts m = {};
    struct several_space sizes = {(int)p->exchange->parts, {}, 0};
    uint32_t passes = 0;
    carve_window(p, &sizes, &m);
    if (!gg_parts_share(job, p, sizes.used))
        return false;
    m.job = job;
    m.p = p;
    m.s = p->device->shared;
    if (!prepare(&m, priority, hash))
        return true;
    double start = gg_now_ms();
    if (search(&m, &passes))
        gg_phase(job->run, "search", start, (int64_t)p->arcs,
                 "up to %u passes over %u parts on devices, exchange peer", passes,
                 p->exchange->parts);
    start = gg_now_ms();
    if (gg_download(job, member, m.g.member, p->masters))
        gg_phase(job->run, "download", start, p->masters, "members");
    return true;
}
