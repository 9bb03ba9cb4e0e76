/* The lists of a graph's parts on devices (drawing: parts.cuh). */
#include "parts.cuh"
#include "graph_data.h"

#include <stdlib.h>

/* GG_NOWHERE: each graph's primary device. */
static thread_local int looked_at = GG_NOWHERE;

int gg_look_at_device(int ordinal) {
    const int before = looked_at;
    looked_at = ordinal;
    return before;
}

/* ---- lists ---- */

/* A thread that reads bytes walks the lists without a turn, so elements must be complete
** before they are added. */
static struct device_graph *first_list(const gpugraph_graph *graph) {
    return __atomic_load_n(&graph->device, __ATOMIC_ACQUIRE);
}

static struct device_graph *next_list(const struct device_graph *list) {
    return __atomic_load_n(&list->next, __ATOMIC_ACQUIRE);
}

struct device_graph *gg_device_list(const gpugraph_graph *graph, int ordinal) {
    struct device_graph *list = first_list(graph);
    while (list && ordinal != GG_NOWHERE && list->ordinal != ordinal)
        list = next_list(list);
    return list;
}

/* Appends a list, so that a graph's primary device stays the same. Jobs on other devices
** may do so at the same time. */
static void append(gpugraph_graph *graph, struct device_graph *list) {
    struct device_graph **at = &graph->device, *there = NULL;
    while (!__atomic_compare_exchange_n(at, &there, list, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
        at = &there->next;
        there = NULL;
    }
}

static void *zeros(struct cuda_job *job, size_t bytes) {
    void *block = gg_going(job) ? calloc(1, bytes) : NULL;
    if (!block && gg_going(job))
        gg_fail(job->run, GPUGRAPH_NO_MEMORY, "out of memory: %zu bytes were needed",
                bytes);
    return block;
}

/* Returns the list of the job's device, made on first need. */
static struct device_graph *make_list(struct cuda_job *job) {
    struct device_graph *list = gg_device_list(job->graph, job->device->ordinal);
    if (list)
        return list;
    list = (struct device_graph *)zeros(job, sizeof *list);
    if (list) {
        list->ordinal = job->device->ordinal;
        append(job->graph, list);
    }
    return list;
}

/* ---- parts ---- */

static struct device_part *first_part(const struct device_graph *list) {
    return list ? __atomic_load_n(&list->first, __ATOMIC_ACQUIRE) : NULL;
}

static struct device_part *find(const gpugraph_graph *graph, int ordinal,
                                const struct device_part_kind *kind) {
    struct device_part *part = first_part(gg_device_list(graph, ordinal));
    while (part && part->kind != kind)
        part = part->next;
    return part;
}

struct device_part *gg_device_part_of(const gpugraph_graph *graph,
                                      const struct device_part_kind *kind) {
    return find(graph, looked_at, kind);
}

struct device_part *gg_device_part(struct cuda_job *job,
                                   const struct device_part_kind *kind) {
    struct device_part *part = find(job->graph, job->device->ordinal, kind);
    if (part)
        return part;
    struct device_graph *list = make_list(job);
    part = list ? (struct device_part *)zeros(job, kind->size) : NULL;
    if (part) {
        part->kind = kind;
        part->next = list->first;
        __atomic_store_n(&list->first, part, __ATOMIC_RELEASE);
    }
    return part;
}

int64_t gg_device_part_bytes(const gpugraph_graph *graph, unsigned grounds) {
    const struct device_part *part = first_part(gg_device_list(graph, looked_at));
    int64_t bytes = 0;
    for (; part; part = part->next)
        if ((part->kind->stands_on | PART_ON_DEVICE) & grounds)
            bytes += __atomic_load_n(&part->bytes, __ATOMIC_RELAXED);
    return bytes;
}

void gg_list_parts(const gpugraph_graph *graph, gpugraph_hear_derived *hear,
                   void *listener) {
    for (const struct device_graph *list = first_list(graph); list;
         list = next_list(list))
        for (const struct device_part *part = first_part(list); part; part = part->next)
            hear(listener, part->kind->name, list->ordinal,
                 __atomic_load_n(&part->bytes, __ATOMIC_RELAXED));
}

/* Drops parts from the newest to the oldest. */
void gg_drop_device_parts(gpugraph_graph *graph, unsigned gone) {
    struct device_part *part = first_part(gg_device_list(graph, looked_at));
    for (; part; part = part->next)
        if ((part->kind->stands_on | PART_ON_DEVICE) & gone)
            part->kind->drop(graph, part, gone);
}

static void unlink_list(gpugraph_graph *graph, struct device_graph *list) {
    struct device_graph **at = &graph->device;
    while (*at != list)
        at = &(*at)->next;
    *at = list->next;
}

void gg_device_graph_free(gpugraph_graph *graph, bool forget) {
    struct device_graph *list = gg_device_list(graph, looked_at);
    if (!list)
        return;
    if (!forget)
        gg_drop_device_parts(graph, PART_GROUNDS);
    unlink_list(graph, list);
    while (list->first) {
        struct device_part *part = list->first;
        list->first = part->next;
        free(part);
    }
    free(list);
    if (!graph->device)
        graph->csr[CSR_SIMPLE].lent = false;
}
