/* Chooses the devices that search together, by the request, free memory, and predicted
** times. */
#include "devices.h"
#include "device/cost.h"
#include "device/services.h"
#include "graph/copy.h"
#include "ids/ids.h"
#include "model.h"
#include "graph/graph.h"

#include <math.h>
#include <stdio.h>

/* Milliseconds that each further device adds to shared searches: it needs a thread. */
#define SHARE_MS 0.1

void gg_use_one_device(gpugraph_run *run, bool cuda) {
    run->used_devices = cuda ? 1 : 0;
    run->device_set = cuda ? (uint32_t)1 << run->device : 0;
}

gpugraph_status gg_check_devices(gpugraph_run *run) {
    bool own = run->device_count <= 0, ascending = true;
    for (int i = 0; i < run->device_count; i++) {
        own |= run->devices[i] == run->device;
        ascending &= run->devices[i] >= 0 && run->devices[i] < GG_MAX_DEVICES &&
                     (i == 0 || run->devices[i - 1] < run->devices[i]);
    }
    if (!ascending)
        gg_fail(run, GPUGRAPH_INVALID, "devices must be ascending ordinals from 0 to %d",
                GG_MAX_DEVICES - 1);
    else if (!own)
        gg_fail(run, GPUGRAPH_INVALID, "device %d is not one of the %d devices given",
                run->device, run->device_count);
    return run->status;
}

/* ---- candidates ---- */

struct candidates {
    int count; /* the first one is run->device */
    int ordinal[GG_MAX_DEVICES];
};

static bool is_listed(const gpugraph_run *run, int ordinal) {
    for (int i = 0; i < run->device_count; i++)
        if (run->devices[i] == ordinal)
            return true;
    return run->device_count < 0;
}

static bool can_share(const struct sharing *s) {
    return s->searches ? s->searches > 1 : gg_find_method(s->a->several, NULL) != NULL;
}

/* Queries other devices only if the run could use them. */
static struct candidates find_candidates(const struct sharing *s,
                                         const gpugraph_run *run) {
    struct candidates c = {.count = 1, .ordinal = {run->device}};
    if (run->device_count == 0 || s->only_one || !can_share(s))
        return c;
    /* A later step reports a named device that does not exist. */
    const bool named = run->all_devices && run->device_count > 0;
    const uint32_t most = s->searches ? s->searches : GG_MAX_DEVICES;
    for (int i = 0; i < GG_MAX_DEVICES && (uint32_t)c.count < most; i++)
        if (i != run->device && is_listed(run, i) &&
            (named || gg_devices_asked()->at(i, NULL)))
            c.ordinal[c.count++] = i;
    return c;
}

/* ---- memory ---- */

static int64_t needed_on(const gpugraph_graph *graph, const struct sharing *s,
                         const gpugraph_run *run, int devices) {
    const algorithm_side *cuda = s->a->side[GPUGRAPH_CUDA];
    if (devices > 1 && !s->searches)
        return s->a->several->several_bytes(graph, devices);
    return gg_bytes_on_device(graph, run, cuda->bytes, s->frugal);
}

/* Checks that the device exists, and has enough memory if `devices` devices search.
** Otherwise run->why gets the reason. */
static gpugraph_status has_room_of_devices(const gpugraph_graph *graph,
                                           const struct sharing *s, gpugraph_run *run,
                                           int ordinal, int devices) {
    gpugraph_device device;
    gpugraph_run there = *run;
    const char *why = "";
    there.device = ordinal;
    if (!gg_devices_asked()->at(ordinal, &device)) {
        snprintf(run->why, sizeof run->why, "CUDA device %d does not exist", ordinal);
        return GPUGRAPH_NO_DEVICE;
    }
    if (gg_devices_asked()->state(ordinal, &why) == OPENING_FAILED) {
        snprintf(run->why, sizeof run->why, "CUDA device %d: %s", ordinal, why);
        return GPUGRAPH_NO_DEVICE;
    }
    int64_t needed = needed_on(graph, s, &there, devices), room = device.free;
    if (run->memory_limit > 0) {
        int64_t rest = run->memory_limit - gg_held_on_device(graph, &there);
        room = rest < room ? (rest > 0 ? rest : 0) : room;
    }
    if (needed <= room)
        return GPUGRAPH_OK;
    snprintf(
        run->why, sizeof run->why,
        "device memory does not suffice%s: %lld bytes are needed and %lld are free%s",
        devices > 1 ? " on each of several devices" : "", (long long)needed,
        (long long)room, run->memory_limit > 0 ? " under memory_limit" : "");
    return GPUGRAPH_DEVICE_MEMORY;
}

static gpugraph_status all_have_room(const gpugraph_graph *graph, const struct sharing *s,
                                     gpugraph_run *run, const struct candidates *c,
                                     int devices) {
    gpugraph_status status = GPUGRAPH_OK;
    for (int i = 0; i < devices && status == GPUGRAPH_OK; i++)
        status = has_room_of_devices(graph, s, run, c->ordinal[i], devices);
    return status;
}

/* ---- predictions ---- */

static bool is_open(int ordinal) {
    return gg_devices_asked()->state(ordinal, NULL) == OPENING_OPEN;
}

/* Predicts shared searches: the time of the device with most of them, and of all missing
** copies, which in the worst case are uploaded one after the other. */
static struct prediction of_shares(const gpugraph_graph *graph, const struct sharing *s,
                                   const gpugraph_run *run, const struct candidates *c,
                                   int devices) {
    const uint32_t each = (uint32_t)devices;
    const uint32_t most = (s->searches + each - 1) / each; /* of one device */
    struct prediction all = gg_predict(graph, s->a, s->search, GPUGRAPH_CUDA, run);
    all.search_ms *= s->a->times && s->search ? (double)most / s->searches : most;
    all.search_ms += (devices - 1) * SHARE_MS;
    if (devices > 1 && gg_is_device_resident(graph))
        all.stays_ms +=
            (double)graph->m * 3 * sizeof(uint32_t) / GG_DOWNLOAD_BYTES_PER_MS;
    gpugraph_run there = *run;
    for (int i = 1; i < devices; i++) {
        there.device = c->ordinal[i];
        all.stays_ms +=
            gg_predict(graph, s->a, s->search, GPUGRAPH_CUDA, &there).stays_ms;
    }
    return all;
}

static struct prediction predicted(const gpugraph_graph *graph, const struct sharing *s,
                                   const gpugraph_run *run, const struct candidates *c,
                                   int devices) {
    if (s->searches)
        return of_shares(graph, s, run, c, devices);
    gpugraph_run there = *run;
    there.used_devices = devices;
    return gg_predict(graph, s->a, s->search, devices > 1 ? GG_SEVERAL : GPUGRAPH_CUDA,
                      &there);
}

/* Milliseconds of a search by several devices with existing copies or partitions. */
struct offer {
    int devices;
    double ms, gain; /* gain: the time saved against one device */
    double stays;    /* additional time to make copies or partitions */
};

/* Returns how many of the candidates, in their order, are predicted to be fastest. */
static struct offer best_offer(const gpugraph_graph *graph, const struct sharing *s,
                               const gpugraph_run *run, const struct candidates *c) {
    const struct prediction one = predicted(graph, s, run, c, 1);
    const bool known = s->searches || s->a->several_ns > 0;
    struct offer best = {.devices = 1, .ms = one.search_ms};
    double least = one.search_ms / GG_SEVERAL_GAIN;
    for (int devices = 2; known && devices <= c->count; devices++) {
        const struct prediction p = predicted(graph, s, run, c, devices);
        if (p.search_ms >= least)
            continue;
        least = p.search_ms;
        best = (struct offer){devices, least, one.search_ms - least,
                              p.stays_ms - one.stays_ms};
    }
    return best;
}

/* Keeps the open devices, which can search now. */
static void leave_open_ones(struct candidates *c) {
    int count = 1;
    for (int i = 1; i < c->count; i++)
        if (is_open(c->ordinal[i]))
            c->ordinal[count++] = c->ordinal[i];
    c->count = count;
}

/* Begins to open other devices once the lost time pays for the opening. */
static void open_others(const struct candidates *all, const struct offer *wanted,
                        const struct offer *open) {
    const double gain = wanted->gain - open->gain;
    const bool pays = gg_opening_pays(gg_rent_ms(), gain, fmax(open->ms, gg_session_ms()),
                                      GG_CUDA_START_MS);
    for (int i = 1; i < wanted->devices; i++)
        if (pays && gg_devices_asked()->state(all->ordinal[i], NULL) == OPENING_CLOSED)
            gg_devices_asked()->begin(all->ordinal[i]);
    gg_rent_add(gain);
}

/* Returns the number of devices that pay if earlier searches were like this one. */
static int count_paying(const gpugraph_graph *graph, const struct offer *open) {
    const double missed = (gg_searches(graph) + 1.0) * open->gain;
    return missed >= open->stays * GG_COPY_SHARE ? open->devices : 1;
}

static int pay_now(gpugraph_graph *graph, const struct sharing *s, gpugraph_run *run,
                   struct candidates *c) {
    const struct candidates all = *c;
    const struct offer wanted = best_offer(graph, s, run, &all);
    leave_open_ones(c);
    const struct offer open = best_offer(graph, s, run, c);
    open_others(&all, &wanted, &open);
    int count = count_paying(graph, &open);
    while (count > 1 && all_have_room(graph, s, run, c, count))
        count--;
    return count;
}

/* ---- the choice ---- */

static void take(gpugraph_run *run, const struct candidates *c, int devices) {
    run->used_devices = devices;
    run->device_set = 0;
    for (int i = 0; i < devices; i++)
        run->device_set |= (uint32_t)1 << c->ordinal[i];
}

gpugraph_status gg_take_devices(gpugraph_graph *graph, const struct sharing *s,
                                gpugraph_run *run) {
    const char *why = "";
    gg_use_one_device(run, true);
    if (!gg_devices_asked()->usable(&why)) {
        snprintf(run->why, sizeof run->why, "%s", why);
        return GPUGRAPH_NO_DEVICE;
    }
    struct candidates c = find_candidates(s, run);
    gpugraph_status status;
    if (run->all_devices && c.count > 1) {
        status = all_have_room(graph, s, run, &c, c.count);
        if (status == GPUGRAPH_OK)
            take(run, &c, c.count);
        return status;
    }
    struct sharing usual = *s;
    usual.frugal = false;
    status = has_room_of_devices(graph, &usual, run, run->device, 1);
    /* If one device has too little memory, several may suffice. Keeps run->why. */
    gpugraph_run other = *run;
    const bool lacks_room = status == GPUGRAPH_DEVICE_MEMORY && !s->searches;
    for (int devices = 2; lacks_room && devices <= c.count; devices++)
        if (all_have_room(graph, s, &other, &c, devices) == GPUGRAPH_OK) {
            take(run, &c, devices);
            return GPUGRAPH_OK;
        }
    if (status == GPUGRAPH_DEVICE_MEMORY && s->frugal)
        status = has_room_of_devices(graph, s, run, run->device, 1);
    if (status == GPUGRAPH_OK && c.count > 1)
        take(run, &c, pay_now(graph, s, run, &c));
    return status;
}

/* Ignores free memory, because an estimate opens no device. */
static bool is_within_limit(const gpugraph_graph *graph, const struct sharing *s,
                            const gpugraph_run *run, int devices) {
    return run->memory_limit <= 0 ||
           needed_on(graph, s, run, devices) + gg_held_on_device(graph, run) <=
               run->memory_limit;
}

/* Returns the number of requested devices. Without a request, returns the number that has
** enough memory together, or the number that pays. */
static int expected(const gpugraph_graph *graph, const struct sharing *s,
                    const gpugraph_run *run, struct candidates *c) {
    if (run->all_devices || !is_open(run->device))
        return run->all_devices ? c->count : 1;
    if (!s->searches && c->count > 1 && !is_within_limit(graph, s, run, 1)) {
        int devices = 2;
        while (devices <= c->count && !is_within_limit(graph, s, run, devices))
            devices++;
        return devices <= c->count ? devices : 1;
    }
    leave_open_ones(c);
    const struct offer open = best_offer(graph, s, run, c);
    return count_paying(graph, &open);
}

int gg_expected_devices(const gpugraph_graph *graph, const struct sharing *s,
                        const gpugraph_run *run, double *ms) {
    struct candidates c = find_candidates(s, run);
    const int devices = expected(graph, s, run, &c);
    if (devices > 1 && (s->searches || s->a->several_ns > 0)) {
        const struct prediction p = predicted(graph, s, run, &c, devices);
        *ms = gg_all_ms(&p);
    }
    return devices;
}

/* ---- a graph is about to be read ---- */

/* Does not yet count the predicted saving as lost time, because reading may fail or
** end early. */
bool gpugraph_expect(uint64_t edges, const gpugraph_run *run) {
    const struct stakes s = gg_map_stakes(edges, gg_threads(run, edges));
    const struct outlook o = gg_look_at_session(run);
    if (run->backend == GPUGRAPH_CPU || o.state != OPENING_CLOSED)
        return false;
    return !(run->backend == GPUGRAPH_CUDA || gg_weigh(&s, &o).begin) ||
           !gg_devices_asked()->begin(run->device);
}
