/* The device's copy of a graph, changed where it lies.
**
**     parcel     one block of what a step sends: questions, pieces, what is put in
**     array      pieces that move are gathered into a spare block and copied back; into a
**                larger array where the room does not suffice; what stays is not touched
**     vertices   numbers change with their splice, in the same pass
**
** What hangs on which edges there are, and not on a few of them, is given back and made
** anew on the device when it is asked for: the parts that stand on edges (device/parts.cuh), and SIMPLE,
** in which an arc stays as long as any edge between its ends, where the host cannot tell. Where nothing but
** weights changes those that stand on weights go. */
#include "patch.cuh"

/* What a step sends and gets back takes no more than this for each changed edge, and this
** for all that there is one of: a question and a piece for both arcs of an edge, 24 bytes
** each, and so on, every array rounded up to 256 bytes. */
#define CHANGE_BYTES 512
#define PARCEL_BYTES 8192

/* Arcs that all questions may look at together: rows so many times, and some more. An estimate of
** when it is as fast to send the copy and make it anew, not a figure. */
#define LOOK_TIMES 32
#define LOOK_LEAST ((uint64_t)1 << 32)

/* ---- questions ---- */

/* One warp to a question. */
static __global__ void find_arcs(const uint64_t *offset, const uint32_t *target,
                                 const void *weight, size_t size,
                                 const arc_question *question, uint64_t count,
                                 patch_effort effort, uint64_t *at) {
    uint64_t step = gg_threads_of_grid() / GG_WARP;
    for (uint64_t i = gg_thread() / GG_WARP; i < count; i += step) {
        uint64_t found =
            patch_find_arc(offset, target, weight, size, &question[i], &effort);
        if (warp_lane() == 0)
            at[i] = found;
    }
}

/* One thread to an entry. */
static __global__ void find_places(const uint64_t *offset, const uint32_t *target,
                                   const uint64_t *entry, const uint32_t *wanted,
                                   uint64_t count, uint64_t *at) {
    for (uint64_t i = gg_thread(); i < count; i += gg_threads_of_grid())
        at[i] =
            patch_find_place(offset, target, entry[i], wanted ? wanted[i] : PATCH_ANY);
}

/* Few of them come together. */
static bool bring_answers(struct cuda_job *job, const row_questions *q,
                          const uint64_t *at) {
    enum { FEW = GG_MAILBOX / sizeof(uint64_t) };
    uint64_t few[FEW];
    if (q->goings + q->comings > FEW)
        return gg_download(job, q->going_at, at, q->goings * sizeof *at) &&
               gg_download(job, q->coming_at, at + q->goings, q->comings * sizeof *at);
    if (!gg_fetch(job, few, at, (q->goings + q->comings) * sizeof *at))
        return false;
    memcpy(q->going_at, few, q->goings * sizeof *at);
    memcpy(q->coming_at, few + q->goings, q->comings * sizeof *at);
    return true;
}

static bool find_patch(void *there, const row_questions *q) {
    struct there *t = (struct there *)there;
    struct cuda_job *job = &t->job;
    const struct device_rows *rows = &t->copy->rows[q->kind];
    t->used = t->sent = t->kept;
    const arc_question *going = pack(t, q->going, q->goings);
    const uint64_t *coming = pack(t, q->coming, q->comings);
    const uint32_t *wanted =
        q->coming_target ? pack(t, q->coming_target, q->comings) : NULL;
    const uint64_t none = 0;
    const patch_effort effort = {(uint64_t *)pack(t, &none, 1),
                                 LOOK_TIMES * rows->arcs + LOOK_LEAST};
    if (!send(t))
        return false;
    uint64_t *going_at =
        (uint64_t *)reserve(t, (q->goings + q->comings) * sizeof *going_at);
    uint64_t *coming_at = going_at + q->goings;
    find_arcs<<<gg_grid(job, q->goings * GG_WARP, 8), GG_BLOCK, 0, job->stream>>>(
        rows->offset, rows->target, rows->weight, rows->weight ? t->copy->weight_size : 0,
        going, q->goings, effort, going_at);
    gg_launched(job, "find_arcs");
    find_places<<<gg_grid(job, q->comings, 8), GG_BLOCK, 0, job->stream>>>(
        rows->offset, rows->target, coming, wanted, q->comings, coming_at);
    t->sent = t->used;
    return gg_launched(job, "find_places") && bring_answers(job, q, going_at);
}

/* ---- the steps that patch.c asks for ---- */

static bool change_rows(void *there, const row_patch *r) {
    struct there *t = (struct there *)there;
    struct device_rows *rows = &t->copy->rows[r->kind];
    size_t size = t->copy->weight_size;
    struct array_group g = array_group();
    g.common.s = r->arcs;
    g.common.piece = pack(t, r->arcs->piece, r->arcs->pieces);
    g.common.count = r->inserted;
    g.common.place = pack(t, r->place, r->inserted);
    g.room = &rows->room;
    g.count = rows->weight ? 2 : 1;
    g.of[0] = {(void **)&rows->target, sizeof(uint32_t), pack(t, r->target, r->inserted),
               true};
    if (rows->weight)
        g.of[1] = {&rows->weight, size,
                   pack(t, (const char *)r->weight, r->inserted * size), false};
    if (!send(t) || !gg_change_group(t, &g) || !gg_change_offsets(t, rows, r))
        return false;
    rows->arcs = r->arcs->after;
    return true;
}

static bool change_list(struct there *t) {
    const patch *p = t->p;
    struct device_copy *copy = t->copy;
    struct array_group g = array_group();
    g.common.s = p->edges;
    g.common.piece = pack(t, p->edges->piece, p->edges->pieces);
    g.common.count = p->added;
    g.common.place = pack(t, p->added_edge, p->added);
    g.room = &copy->edge_room;
    g.of[g.count++] = {(void **)&copy->source, sizeof(uint32_t),
                       pack(t, p->source, p->added), true};
    g.of[g.count++] = {(void **)&copy->target, sizeof(uint32_t),
                       pack(t, p->target, p->added), true};
    uint64_t bytes = p->added * copy->weight_size;
    if (copy->weight)
        g.of[g.count++] = {&copy->weight, copy->weight_size,
                           pack(t, (const char *)p->weight, bytes), false};
    return send(t) && gg_change_group(t, &g);
}

/* Where rows in host memory are all that the device has of the graph there is no list. */
static bool change_any_list(struct there *t) {
    if (t->copy->source)
        return change_list(t);
    t->copy->edge_room = t->p->edges->after;
    return true;
}

static bool change_edges(void *there) {
    struct there *t = (struct there *)there;
    const patch *p = t->p;
    struct device_copy *copy = t->copy;
    t->used = t->sent = t->kept;
    if (!change_any_list(t))
        return false;
    unsigned changed = PART_ON_WEIGHTS;
    if (!p->same_ends)
        changed |= PART_ON_EDGES;
    if (!p->same_ends && (p->fresh || p->vertices->before != p->vertices->after))
        changed |= PART_ON_VERTICES;
    copy->keeps_simple = t->simple;
    gg_drop_device_parts(p->graph, changed);
    copy->keeps_simple = false;
    copy->n = p->vertices->after;
    copy->m = p->edges->after;
    return true;
}

/* ---- all of it ---- */

static bool open_parcel(struct there *t) {
    const splice *s = t->p->vertices;
    uint64_t bytes = PARCEL_BYTES + CHANGE_BYTES * t->p->changes;
    struct workspace space = {NULL, 0};
    gg_carve<unsigned char>(&space, bytes);
    t->parcel = (unsigned char *)gg_alloc(t->job.run, bytes, 1);
    if (!t->parcel || !gg_workspace(&t->job, &space))
        return false;
    t->parcel_there = gg_carve<unsigned char>(&space, bytes);
    t->vertices = patch_numbers_of(s, pack(t, s->piece, s->pieces));
    t->fresh_at = pack(t, t->p->fresh_at, t->p->fresh);
    t->fresh_new = pack(t, t->p->fresh_new, t->p->fresh);
    t->kept = t->used;
    return send(t);
}

static bool change_copy(struct there *t) {
    static const patch_place place = {find_patch, change_rows, change_edges};
    patch_rows rows[CSR_KINDS];
    double started = gg_now_ms();
    gg_store_first(t);
    for (int kind = 0; kind < CSR_KINDS; kind++) {
        const struct device_rows *there = &t->copy->rows[kind];
        rows[kind] = {there->made && !t->remade[kind], there->weight != NULL,
                      there->arcs};
    }
    rows[CSR_SIMPLE].made &= gg_patches_simple(t->p->graph);
    t->simple = rows[CSR_SIMPLE].made;
    bool done = gg_going(&t->job) && open_parcel(t) && gg_patch(t->p, rows, &place, t) &&
                gg_wait(&t->job);
    gg_release(t->parcel);
    t->job.working = false;
    gg_give_spare(t);
    done = done && gg_remake_rows(t);
    if (done && gg_going(&t->job))
        gg_phase(t->job.run, "patch", started, (int64_t)t->p->changes,
                 "the copy on device %d: %llu bytes written%s%s", t->job.device->ordinal,
                 (unsigned long long)t->moved,
                 t->remade[CSR_OUT] || t->remade[CSR_IN] ? ", rows made of the tables"
                 : t->stored                             ? ", the tables first"
                                                         : "",
                 t->p->same_ends ? "" : "; what is made of all edges will be made anew");
    return done;
}

extern "C" void gg_cuda_follow(const patch *p) {
    gpugraph_run own = *p->run; /* its errors are no errors of the update */
    struct there t = there();
    bool done = false;
    t.p = p;
    own.device = p->graph->device->ordinal;
    if (gg_job_open(&t.job, p->graph, &own)) {
        t.copy = gg_device_copy(&t.job);
        done = t.copy && change_copy(&t);
        done &= gg_job_close(&t.job) == GPUGRAPH_OK;
    }
    if (!done)
        gpugraph_release_device(p->graph);
    if (own.status == GPUGRAPH_INTERRUPTED)
        gg_stopped(p->run);
}

extern "C" const struct patch_services gg_patches = {
    .follow = gg_cuda_follow,
    .check = gg_cuda_check_store,
    .make = gg_cuda_make_store,
};
