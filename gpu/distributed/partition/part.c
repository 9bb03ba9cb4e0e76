/* Functions for a complete partition: release, upload to a device, collective helpers,
** transpose. making.c makes partitions. */
#include "part.h"
#include "device/services.h"

#include <string.h>

void gpugraph_part_free(gpugraph_part *p) {
    if (!p)
        return;
    if (p->device)
        gg_part_services.free(p);
    for (uint32_t q = 0; p->peer && q < p->exchange->parts; q++)
        gg_release(p->peer[q].master);
    void *blocks[] = {p->number,     p->offset, p->target, p->weight, p->edge_id, p->peer,
                      p->first_link, p->link,   p->out,    p->in,     p};
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

/* ---- collective helpers, accessors ---- */

gpugraph_status part_end(gpugraph_exchange *x, gpugraph_run *run) {
    uint64_t nothing = 0;
    if (run->status == GPUGRAPH_OK && gg_stopping(run))
        gg_stopped(run);
    if (run->status == GPUGRAPH_OK)
        gg_combine(x, run, GPUGRAPH_SUM, &nothing, 1);
    gg_end_call(x, run);
    return run->status;
}

bool part_allocate_parcels(gpugraph_part *p, gpugraph_run *run, char *block[2]) {
    gpugraph_parcel *const parcel[2] = {p->out, p->in};
    for (int i = 0; i < 2; i++) {
        uint64_t bytes = 0;
        for (uint32_t q = 0; q < p->exchange->parts; q++)
            bytes += parcel[i][q].room;
        char *at = block[i] = gg_alloc(run, bytes, 1);
        for (uint32_t q = 0; at && q < p->exchange->parts; at += parcel[i][q++].room)
            parcel[i][q].bytes = at;
    }
    return block[0] && block[1];
}

bool part_sum(gpugraph_part *p, gpugraph_run *run, uint64_t *word) {
    return gg_combine(p->exchange, run, GPUGRAPH_SUM, word, 1) == GPUGRAPH_OK;
}

uint32_t gpugraph_part_masters(const gpugraph_part *p) {
    return p->masters;
}
const uint64_t *gpugraph_part_numbers(const gpugraph_part *p) {
    return p->number;
}

/* ---- transposed rows ---- */

bool part_transpose_open(const gpugraph_part *p, gpugraph_run *run,
                         struct part_transpose *t) {
    uint64_t *next = gg_alloc_zero(run, (uint64_t)p->locals + 2, sizeof *next);
    *t = (struct part_transpose){.offset = next};
    t->source = gg_alloc(run, p->arcs, sizeof *t->source);
    if (run->status)
        return false;
    for (uint64_t a = 0; a < p->arcs; a++)
        next[p->target[a] + 2]++;
    for (uint32_t v = 0; v < p->locals; v++)
        next[v + 2] += next[v + 1];
    for (uint32_t u = 0; u < p->locals && !gg_leave(run, u); u++)
        for (uint64_t a = p->offset[u]; a < p->offset[u + 1]; a++)
            t->source[next[p->target[a] + 1]++] = u;
    return !gg_stopping(run);
}

void part_transpose_close(struct part_transpose *t) {
    gg_release(t->offset);
    gg_release(t->source);
}

bool part_simplify(gpugraph_part *p, gpugraph_run *run) {
    struct part_transpose t;
    uint64_t *end = gg_alloc(run, p->locals, sizeof *end), to = 0;
    bool go = part_transpose_open(p, run, &t) && end;
    if (go)
        memcpy(end, p->offset, p->locals * sizeof *end);
    for (uint32_t v = 0; go && v < p->locals && !gg_leave(run, v); v++)
        for (uint64_t k = t.offset[v]; k < t.offset[v + 1]; k++) {
            const uint32_t u = t.source[k];
            if (end[u] == p->offset[u] || p->target[end[u] - 1] != v)
                p->target[end[u]++] = v;
        }
    go = go && !gg_stopping(run);
    for (uint32_t v = 0; go && v < p->locals; v++) {
        const uint64_t begin = p->offset[v];
        p->offset[v] = to;
        memmove(p->target + to, p->target + begin, (end[v] - begin) * sizeof *p->target);
        to += end[v] - begin;
    }
    if (go)
        p->offset[p->locals] = p->arcs = to;
    part_transpose_close(&t);
    gg_release(end);
    return go;
}
