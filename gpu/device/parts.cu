/* The list of what lies on a device for a graph: parts.cuh has the drawing. */
#include "parts.cuh"

#include <stdlib.h>

/* Whoever asks for bytes walks the list without the mutex: what comes to it is complete. */
static struct device_part *first_part(const gpugraph_graph *graph) {
    struct device_graph *list = __atomic_load_n(&graph->device, __ATOMIC_ACQUIRE);
    return list ? __atomic_load_n(&list->first, __ATOMIC_ACQUIRE) : NULL;
}

struct device_part *gg_device_part_of(const gpugraph_graph *graph,
                                      const struct device_part_kind *kind) {
    struct device_part *part = first_part(graph);
    while (part && part->kind != kind)
        part = part->next;
    return part;
}

static void *zeros(struct cuda_job *job, size_t bytes) {
    void *block = gg_going(job) ? calloc(1, bytes) : NULL;
    if (!block && gg_going(job))
        gg_fail(job->run, GPUGRAPH_NO_MEMORY, "out of memory: %zu bytes were needed",
                bytes);
    return block;
}

static struct device_graph *make_list(struct cuda_job *job) {
    struct device_graph *list = (struct device_graph *)zeros(job, sizeof *list);
    if (list)
        list->ordinal = job->device->ordinal;
    return list;
}

struct device_part *gg_device_part(struct cuda_job *job,
                                   const struct device_part_kind *kind) {
    gpugraph_graph *graph = job->graph;
    struct device_part *part = gg_device_part_of(graph, kind);
    if (part)
        return part;
    if (!graph->device)
        __atomic_store_n(&graph->device, make_list(job), __ATOMIC_RELEASE);
    part = (struct device_part *)zeros(job, kind->size);
    if (part) {
        part->kind = kind;
        part->next = graph->device->first;
        __atomic_store_n(&graph->device->first, part, __ATOMIC_RELEASE);
    }
    return part;
}

int64_t gg_device_part_bytes(const gpugraph_graph *graph, unsigned grounds) {
    int64_t bytes = 0;
    const struct device_part *part = first_part(graph);
    for (; part; part = part->next)
        if ((part->kind->stands_on | PART_ON_DEVICE) & grounds)
            bytes += __atomic_load_n(&part->bytes, __ATOMIC_RELAXED);
    return bytes;
}

/* From the newest part to the oldest. */
void gg_drop_device_parts(gpugraph_graph *graph, unsigned gone) {
    struct device_part *part = graph->device ? graph->device->first : NULL;
    for (; part; part = part->next)
        if ((part->kind->stands_on | PART_ON_DEVICE) & gone)
            part->kind->drop(graph, part, gone);
}

void gg_device_graph_free(gpugraph_graph *graph, bool forget) {
    struct device_graph *list = graph->device;
    if (!list)
        return;
    if (!forget)
        gg_drop_device_parts(graph, PART_GROUNDS);
    while (list->first) {
        struct device_part *part = list->first;
        list->first = part->next;
        free(part);
    }
    free(list);
    graph->device = NULL;
    graph->csr[CSR_SIMPLE].lent = false;
}
