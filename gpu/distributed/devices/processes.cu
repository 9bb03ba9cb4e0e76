/* Parts of processes of one host become members whose kernels meet: processes.cuh has the drawing.
**
**     tickets    each part tells its host, its device and handles of its memory     -> all
**     open       each maps the others' memory                                       -> has everybody?
**     places     of masters to ghosts, as any value; ends of arcs become places */
#include "processes.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ticket {
    bool can;
    char host[40], device[16];
    cudaIpcMemHandle_t window, block;
    uint64_t offset, number; /* bytes of the block before them */
};

/* ---- may it be? ---- */

/* NCCL's own variable says that devices shall not reach each other. */
static bool is_off() {
    const char *off = getenv("NCCL_P2P_DISABLE");
    return part_way_is_forced("nccl") || part_way_is_forced("host") ||
           (off && strcmp(off, "0") != 0);
}

static bool fits(const gpugraph_part *p) {
    const uint64_t parts = p->exchange->parts;
    return parts > 1 && parts <= SEVERAL_MOST && !part_are_threads(p->exchange) &&
           p->vertices <= UINT32_MAX &&
           p->device->stride * parts <= UINT32_MAX - SEVERAL_UNIT;
}

/* One that is the same in all processes of a host, and nowhere else. */
static void name_host(char name[40]) {
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file && !fgets(name, 40, file))
        name[0] = 0;
    if (file)
        fclose(file);
}

static bool by_source(const gpugraph_part *p) {
    return p->partition == GPUGRAPH_BY_SOURCE;
}

static void write_ticket(struct cuda_job *job, const gpugraph_part *p,
                         struct part_shared *s, struct ticket *t) {
    const struct part_device *d = p->device;
    const uint64_t *offset = by_source(p) ? d->offset : d->into_offset;
    cudaDeviceProp properties = {};
    memset(t, 0, sizeof *t);
    name_host(t->host);
    if (is_off() || !fits(p) || !t->host[0] || p->arcs > UINT32_MAX)
        return;
    s->window[s->me] = gg_take(job, s->window_bytes);
    if (!s->window[s->me]) {
        gg_do_without(job);
        return;
    }
    t->can = cudaGetDeviceProperties(&properties, job->device->ordinal) == cudaSuccess &&
             cudaIpcGetMemHandle(&t->window, s->window[s->me]) == cudaSuccess &&
             cudaIpcGetMemHandle(&t->block, d->block) == cudaSuccess;
    cudaGetLastError();
    memcpy(t->device, &properties.uuid, sizeof t->device);
    t->offset = (uint64_t)((const char *)offset - (const char *)d->block);
    t->number =
        d->number ? (uint64_t)((const char *)d->number - (const char *)d->block) : 0;
}

/* Kernels of parts that share a device take turns on it, which only a test wants. */
static bool all_can(const struct ticket *t, uint32_t parts) {
    for (uint32_t p = 0; p < parts; p++) {
        if (!t[p].can || strcmp(t[p].host, t[0].host) != 0)
            return false;
        for (uint32_t q = 0; q < p && !part_way_is_forced("peer"); q++)
            if (memcmp(t[p].device, t[q].device, sizeof t[p].device) == 0)
                return false;
    }
    return true;
}

/* ---- the others' memory ---- */

static void unmap_others(struct part_shared *s) {
    for (int q = 0; q < s->parts; q++) {
        if ((uint32_t)q == s->me)
            continue;
        if (s->window[q])
            cudaIpcCloseMemHandle(s->window[q]);
        if (s->block[q])
            cudaIpcCloseMemHandle(s->block[q]);
        s->window[q] = s->block[q] = NULL;
    }
    cudaGetLastError();
    s->open = false;
}

static void free_window(struct part_shared *s) {
    gg_free_block(s->window[s->me], s->window_bytes);
    s->window[s->me] = NULL;
    cudaGetLastError();
}

/* It cannot be, and searches go by messages: a window goes once nobody has mapped it, as CUDA asks for. */
static void unmap(struct cuda_job *job, gpugraph_part *p, struct part_shared *s) {
    uint64_t nothing = 0;
    unmap_others(s);
    if (gg_going(job))
        part_sum(p, job->run, &nothing);
    free_window(s);
}

static void free_hubs(struct part_shared *s) {
    gg_free_block(s->rows.hub, (uint64_t)s->places.stride * 4);
    gg_free_block(s->rows.closed, s->places.stride / 8);
    s->rows.hub = s->rows.closed = NULL;
}

static void free_shared(struct part_shared *s) {
    unmap_others(s);
    free_window(s);
    free_hubs(s);
    gg_release(s);
}

static bool map(void **at, cudaIpcMemHandle_t handle) {
    const cudaError_t error =
        cudaIpcOpenMemHandle(at, handle, cudaIpcMemLazyEnablePeerAccess);
    cudaGetLastError();
    if (error != cudaSuccess)
        *at = NULL;
    return error == cudaSuccess;
}

static bool map_all(const gpugraph_part *p, struct part_shared *s,
                    const struct ticket *t) {
    const struct part_device *d = p->device;
    for (uint32_t q = 0; q < (uint32_t)s->parts; q++) {
        if (q != s->me &&
            (!map(&s->window[q], t[q].window) || !map(&s->block[q], t[q].block)))
            return false;
        const char *block =
            static_cast<const char *>(q == s->me ? d->block : s->block[q]);
        s->offset[q] = reinterpret_cast<const uint64_t *>(block + t[q].offset);
        s->number[q] = reinterpret_cast<const uint64_t *>(block + t[q].number);
    }
    return true;
}

static bool open_all(struct cuda_job *job, gpugraph_part *p, struct part_shared *s) {
    gpugraph_exchange *x = p->exchange;
    struct ticket mine,
        *all = static_cast<struct ticket *>(gg_alloc(job->run, x->parts, sizeof *all));
    uint64_t can = 0;
    write_ticket(job, p, s, &mine);
    if (all && gg_going(job) &&
        x->calls->gather(x, job->run, &mine, sizeof mine, all) == GPUGRAPH_OK)
        can = all_can(all, x->parts) && map_all(p, s, all);
    gg_release(all);
    if (gg_going(job))
        x->calls->combine(x, job->run, GPUGRAPH_LEAST, &can, 1);
    if (gg_going(job) && !can && part_way_is_forced("peer") && fits(p))
        gg_fail(job->run, GPUGRAPH_NO_DEVICE,
                "GPUGRAPH_EXCHANGE is peer, but processes do not reach each other's "
                "device memory");
    return gg_going(job) && can;
}

/* ---- rows ---- */

/* One thread per master. */
static __global__ void first_places(uint32_t *place, uint32_t masters, uint32_t first) {
    for (uint64_t v = gg_thread(); v < masters; v += (uint64_t)gridDim.x * blockDim.x)
        place[v] = first + (uint32_t)v;
}

/* One thread per arc. */
static __global__ void locals_to_places(uint32_t *end, uint64_t arcs,
                                        const uint32_t *place) {
    for (uint64_t i = gg_thread(); i < arcs; i += (uint64_t)gridDim.x * blockDim.x)
        end[i] = place[end[i]];
}

static bool put_in_places(struct cuda_job *job, gpugraph_part *p, struct part_shared *s) {
    struct part_device *d = p->device;
    struct workspace space = {NULL, 0};
    uint32_t *place, *room;
    for (int pass = 0; pass < 2; pass++) {
        place = gg_carve<uint32_t>(&space, d->locals);
        room = gg_carve<uint32_t>(&space, d->first_out[p->exchange->parts]);
        if (pass == 0 && !gg_workspace(job, &space))
            return false;
    }
    first_places<<<gg_grid(job, d->masters + 1, 8), GG_BLOCK, 0, job->stream>>>(
        place, d->masters, several_first(&s->places, s->me));
    if (!gg_launched(job, "first_places") || !part_send_values(job, p, place, room))
        return false;
    locals_to_places<<<gg_grid(job, d->arcs + 1, 8), GG_BLOCK, 0, job->stream>>>(
        s->rows.target, d->arcs, place);
    if (!gg_launched(job, "locals_to_places") || !part_wait(job, p))
        return false;
    d->in_places = true;
    return true;
}

/* ---- opening ---- */

static void lay_out(const gpugraph_part *p, struct part_shared *s,
                    uint64_t window_bytes) {
    const struct part_device *d = p->device;
    s->parts = (int)p->exchange->parts;
    s->me = p->exchange->part;
    s->places.n = (uint32_t)p->vertices;
    s->places.parts = p->exchange->parts;
    s->places.stride = d->stride;
    s->window_bytes = part_exported(sizeof(struct several_desk) + 256 + window_bytes);
    s->rows.arcs = s->rows.room = d->arcs;
    s->rows.offset = by_source(p) ? d->offset : d->into_offset;
    s->rows.target = by_source(p) ? d->target : d->into_source;
}

bool gg_parts_share(struct cuda_job *job, gpugraph_part *p, uint64_t window_bytes) {
    struct part_device *d = p->device;
    struct part_shared *s = d->shared;
    if (!gg_going(job) || p->exchange->parts == 1)
        return false;
    if (!s) {
        const double start = gg_now_ms();
        s = static_cast<struct part_shared *>(gg_alloc_zero(job->run, 1, sizeof *s));
        if (!s)
            return false;
        d->shared = s;
        d->free_shared = free_shared;
        lay_out(p, s, window_bytes);
        s->open = open_all(job, p, s);
        s->arcs = d->arcs;
        if (!s->open || !part_sum(p, job->run, &s->arcs)) {
            unmap(job, p, s);
            return false;
        }
        char by_messages[sizeof d->way];
        memcpy(by_messages, d->way, sizeof d->way);
        snprintf(d->way, sizeof d->way, "peer and %.140s", by_messages);
        gg_phase(job->run, "device", start, (int64_t)d->arcs,
                 "the memory of %d processes is within reach", s->parts);
    }
    return s->open && (d->in_places || put_in_places(job, p, s));
}

bool gg_parts_hubs(struct cuda_job *job, gpugraph_part *p) {
    struct part_shared *s = p->device->shared;
    if (s->rows.hub)
        return gg_going(job);
    if (gg_several_make_hubs(job, s->places.stride, &s->rows) && gg_wait(job))
        return true;
    free_hubs(s); /* what a kernel that never ran has left is no hub */
    return false;
}

struct several_space gg_parts_window(const struct part_shared *s) {
    struct several_space space = {s->parts, {}, 0};
    for (int q = 0; q < s->parts; q++)
        space.base[q] = static_cast<unsigned char *>(s->window[q]);
    gg_several_carve<struct several_desk>(&space, 1);
    return space;
}

/* ---- kernels ---- */

bool gg_parts_begin(struct cuda_job *job, gpugraph_part *p,
                    const struct cooperative_kernel *kernel, struct several_view *view) {
    const struct part_shared *s = p->device->shared;
    uint64_t nothing = 0;
    *view = several_view();
    view->places = s->places;
    view->me = view->meeting.me = s->me;
    view->first = several_first(&s->places, s->me);
    view->meeting.parts = (uint32_t)s->parts;
    view->meeting.peers = true;
    view->meeting.blocks =
        (uint32_t)gg_blocks_at_once(job, kernel) * (uint32_t)job->device->processors;
    view->meeting.patience_ns = GG_SEVERAL_PATIENCE_NS;
    view->meeting.stop = job->device->device_stop;
    for (int q = 0; q < s->parts; q++)
        view->meeting.desk[q] = static_cast<struct several_desk *>(s->window[q]);
    gg_fill(job, view->meeting.desk[s->me], 0, sizeof(struct several_desk));
    return gg_wait(job) && part_sum(p, job->run, &nothing);
}

bool gg_parts_launch(struct cuda_job *job, gpugraph_part *p,
                     const struct cooperative_kernel *kernel,
                     const struct several_view *view, void *argument) {
    const struct several_desk *desk = view->meeting.desk[view->me];
    struct {
        uint32_t trouble, absent;
    } end;
    if (!gg_launch_cooperative(job, kernel, view->meeting.blocks, &argument) ||
        !part_fetch(job, p, &end, &desk->trouble, sizeof end))
        return false;
    if (end.trouble & SEVERAL_ABSENT)
        gg_fail(
            job->run, GPUGRAPH_DEVICE_FAILED,
            "part %u waited %.1f seconds for the device of part %u, which did not come",
            view->me, (double)view->meeting.patience_ns * 1e-9, end.absent);
    return gg_going(job);
}
