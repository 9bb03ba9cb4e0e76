/* The CPU backend: its functions, its methods, and the processor as device 0. */
#define _GNU_SOURCE
#include "backend.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first of each function is what 'auto' begins with. */
static const gpugraph_method methods[] = {
    {"bfs", "direction-optimizing", "cpu",
     "level by level; large frontiers are found from the unvisited side"},
    {"bfs", "top-down", "cpu", "level by level, always along the edges"},
    {"bfs", "multi-source", "cpu",
     "searches from up to 64 sources at once, a bit each; large frontiers are gathered"},
    {"path", "bidirectional", "cpu",
     "from both ends; makes the transpose and rows of edge numbers"},
    {"sssp", "delta-stepping", "cpu",
     "threads relax all vertices of a bucket of distances at once"},
    {"sssp", "dijkstra", "cpu", "one thread, nearest vertex first, with a heap"},
    {"dfs", "work-stealing", "cpu",
     "unordered; threads search depth-first and steal branches"},
    {"dfs", "serial", "cpu", "one thread, neighbours in order of id"},
    {"mis", "rounds", "cpu",
     "threads decide every vertex that comes before all its undecided neighbours"},
    {"mis", "greedy", "cpu", "one thread takes vertices in order of priority"},
    {"triangles", "intersection", "cpu", "intersects sorted rows of neighbours"},
    {"triangles", "edge-queries", "cpu",
     "asks a dynamic set of edges for the third of every two that meet"},
    {"degrees", "count", "cpu", "counts the ends of all edges"},
    {0},
};

static bool usable(const char **why) {
    if (why)
        *why = "";
    return true;
}

/* The text after "<key>...: " in a file of /proc, up to the end of its line. */
static bool proc_line(const char *path, const char *key, char *value, size_t size) {
    char text[8192];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = 0;
    const char *at = strstr(text, key);
    at = at ? strchr(at, ':') : NULL;
    if (!at)
        return false;
    at += 1 + strspn(at + 1, " \t");
    snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
    return true;
}

static bool device_at(int i, gpugraph_device *device) {
    if (i != 0)
        return false;
    char available[64];
    int64_t page = sysconf(_SC_PAGESIZE);
    device->backend = "cpu";
    if (!proc_line("/proc/cpuinfo", "model name", device->name, sizeof device->name))
        snprintf(device->name, sizeof device->name, "CPU");
    device->memory = sysconf(_SC_PHYS_PAGES) * page;
    device->free = sysconf(_SC_AVPHYS_PAGES) * page;
    if (proc_line("/proc/meminfo", "MemAvailable", available, sizeof available))
        device->free = strtoll(available, NULL, 10) * 1024; /* it is in KiB */
    return true;
}

static int64_t held(const gpugraph_graph *graph) {
    (void)graph;
    return 0;
}

static void release(gpugraph_graph *graph) {
    (void)graph;
}

static bool context_open(void) {
    return true;
}

static int64_t needs(const gpugraph_graph *graph, const char *function, bool frugal) {
    (void)frugal;
    (void)graph;
    (void)function;
    return 0;
}

const backend gg_cpu_backend = {
    .name = "cpu",
    .bfs = gg_cpu_bfs,
    .bfs_each = gg_cpu_bfs_each,
    .sssp = gg_cpu_sssp,
    .path = gg_cpu_path,
    .dfs = gg_cpu_dfs,
    .mis = gg_cpu_mis,
    .triangles = gg_cpu_triangles,
    .degrees = gg_cpu_degrees,
    .methods = methods,
    .usable = usable,
    .device_at = device_at,
    .held = held,
    .release = release,
    .context_open = context_open,
    .needs = needs,
};
