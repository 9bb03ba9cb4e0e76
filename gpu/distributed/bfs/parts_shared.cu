/* Breadth-first search over parts of processes of one host: the kernel of method "several" (several_levels.cu), whose
** members are in processes of their own. Of parts by target with edges both ways: their transpose has the whole rows
** of masters, by which frontiers are walked and looked for.
**
**     window    desk | both bitmaps of all places | inbox */
#include "several.cuh"
#include "distributed/devices/processes.cuh"

struct bfs_with_parts {
    struct cuda_job *job;
    gpugraph_part *p;
    const struct part_shared *s;
    struct bfs_shared b;
    uint32_t *depth, *wanted, *source; /* of own places */
    struct shared_report report;
};

/* What lies in each window, behind the desk. */
static void carve_window(const gpugraph_part *p, struct several_space *space,
                         struct bfs_shared *b) {
    const uint64_t all = (uint64_t)p->device->stride * p->exchange->parts;
    b->visited[0] = gg_several_carve<uint32_t>(space, all / 32);
    b->visited[1] = gg_several_carve<uint32_t>(space, all / 32);
    b->inbox = gg_several_carve<uint32_t>(space, all);
}

static void carve(struct bfs_with_parts *m, struct workspace *space) {
    const uint64_t stride = m->s->places.stride;
    m->b.control = gg_carve<struct shared_control>(space, 1);
    m->depth = gg_carve<uint32_t>(space, stride);
    m->wanted = gg_carve<uint32_t>(space, stride / 32);
    m->b.w.b.queue = gg_carve<uint2>(space, stride);
    m->source = gg_carve<uint32_t>(space, (uint64_t)m->b.sources + 1);
}

/* Arrays of own places begin at place 0 all the same. */
static void point(struct bfs_with_parts *m, uint32_t max_depth) {
    const struct part_shared *s = m->s;
    struct bfs_shared *b = &m->b;
    const uint32_t first = b->view.first;
    b->n = s->places.n;
    b->m = s->arcs;
    b->w.g = device_csr{s->places.n, s->rows.arcs, s->rows.offset - first, s->rows.target,
                        NULL};
    b->w.below.rows = b->w.g;
    b->w.below.hub = s->rows.hub - first;
    b->w.below.closed = s->rows.closed - first / 32;
    b->w.b.depth = m->depth - first;
    b->w.b.wanted = m->wanted - first / 32;
    b->w.bounds.max_depth = max_depth;
    for (int i = 0; i < 2; i++)
        b->w.b.visited[i] = b->visited[i].at[s->me];
    b->source = m->source;
}

/* source: own masters. */
static bool prepare(struct bfs_with_parts *m, const uint32_t *source,
                    uint32_t max_depth) {
    struct workspace space = {NULL, 0};
    struct several_space window = gg_parts_window(m->s);
    struct cuda_job *job = m->job;
    carve_window(m->p, &window, &m->b);
    carve(m, &space);
    if (!gg_workspace(job, &space))
        return false;
    carve(m, &space);
    uint32_t *place = static_cast<uint32_t *>(
        gg_alloc(job->run, (uint64_t)m->b.sources + 1, sizeof *place));
    for (uint32_t i = 0; place && i < m->b.sources; i++)
        place[i] = several_first(&m->s->places, m->s->me) + source[i];
    if (place)
        gg_upload(job, m->source, place, m->b.sources * sizeof *place);
    gg_release(place);
    gg_fill(job, m->b.control, 0, sizeof *m->b.control);
    gg_fill(job, m->depth, 0xff, (uint64_t)m->s->places.stride * 4);
    gg_fill(job, m->wanted, 0, m->s->places.stride / 8);
    gg_fill(job, m->b.visited[0].at[m->s->me], 0, several_all_places(&m->s->places) / 8);
    if (!gg_parts_begin(job, m->p, &gg_bfs_shared_levels, &m->b.view))
        return false;
    point(m, max_depth);
    return true;
}

static bool search(struct bfs_with_parts *m) {
    if (!gg_parts_launch(m->job, m->p, &gg_bfs_shared_levels, &m->b.view, &m->b) ||
        !gg_fetch(m->job, &m->report, &m->b.control->report, sizeof m->report))
        return false;
    if (!m->report.done)
        gg_fail(m->job->run, GPUGRAPH_DEVICE_FAILED,
                "a search by depth over parts ended before its time");
    return gg_going(m->job);
}

bool gg_bfs_of_shared_parts(struct cuda_job *job, gpugraph_part *p,
                            const uint32_t *source, uint32_t sources, uint32_t max_depth,
                            uint32_t *depth) {
    struct bfs_with_parts m = {};
    struct several_space sizes = {(int)p->exchange->parts, {}, 0};
    carve_window(p, &sizes, &m.b);
    if (p->direction != GPUGRAPH_BOTH || !gg_parts_share(job, p, sizes.used))
        return false;
    m.job = job;
    m.p = p;
    m.s = p->device->shared;
    m.b.sources = sources;
    if (!gg_parts_hubs(job, p) || !prepare(&m, source, max_depth))
        return true;
    const double start = gg_now_ms();
    if (search(&m))
        gg_phase(
            job->run, "search", start, (int64_t)p->arcs,
            "%u levels, %u of them bottom-up, over %u parts on devices, exchange peer",
            m.report.level, m.report.bottom_up, p->exchange->parts);
    gg_download(job, depth, m.depth, (uint64_t)p->masters * sizeof *depth);
    return true;
}
