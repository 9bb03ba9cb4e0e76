/* Lets several threads search one graph concurrently.
**
**     edges, ids            written when the graph is made, then only read
**     csr[], edge_rows      made on first need by one thread, while others search
**     facts, counters       words that any thread may change (gg_know, gg_count_searches)
**     text_index            made by one thread, read when complete (ids/find.c)
**     device                a list for each device, guarded by its turn (device/turn.h)
**
**     search A   |-- enter ------- rows exist ------------------------ leave --|
**     search B      |-- enter -- rows missing: begin making ... end making -- leave --|
**     search C            |-- enter -- missing, too: waits ... has them -- leave --|
**
** Threads hold the lock only for moments; the thread that makes rows does not hold it.
** Rows that a search may read do not change: better rows replace them, and the last
** search that leaves frees the old rows (csr.c). A thread that makes rows may call the
** host's interrupt handler, which may start a nested search with rows of its own.
**
** The owner calls gpugraph_update, gpugraph_free and gpugraph_release_device only when no
** thread searches. */
#include "graph.h"

/* A child of fork() resets the counters: the parent's searches do not run there. */
static void lock_gate(struct graph_gate *gate) {
    const uint32_t now = gg_this_process();
    gg_lock(&gate->lock);
    if (gate->process != now) {
        gate->process = now;
        gate->searching = 0;
        gate->making = 0;
    }
}

void gg_enter_graph(gpugraph_graph *graph, gpugraph_run *run) {
    gg_begin(run);
    lock_gate(&graph->gate);
    graph->gate.searching++;
    gg_unlock(&graph->gate.lock);
    gg_begin_counting(run);
}

gpugraph_status gg_leave_graph(gpugraph_graph *graph, const gpugraph_run *run) {
    struct graph_gate *gate = &graph->gate;
    struct retired_rows *retired = NULL;
    gg_end_counting(run);
    lock_gate(gate);
    if (gate->searching > 0)
        gate->searching--;
    if (gate->searching == 0) {
        retired = gate->retired;
        gate->retired = NULL;
    }
    gg_unlock(&gate->lock);
    gg_free_retired(graph, retired);
    return run->status;
}

/* Starts making rows; returns false if another thread makes rows. Calls may be nested. */
static bool try_making(struct graph_gate *gate) {
    const uintptr_t me = gg_this_thread();
    lock_gate(gate);
    const bool mine = gate->making == 0 || gate->maker == me;
    if (gate->making == 0)
        gate->counted = gg_count_for(NULL);
    if (mine) {
        gate->making++;
        gate->maker = me;
    }
    gg_unlock(&gate->lock);
    return mine;
}

/* Rows take milliseconds to seconds to make: a waiting thread sleeps between checks. */
bool gg_begin_making(gpugraph_graph *graph, gpugraph_run *run) {
    const double pause_ms = 0.1;
    while (!try_making(&graph->gate)) {
        if (gg_poll(run)) {
            gg_stopped(run);
            return false;
        }
        gg_sleep(pause_ms);
    }
    return true;
}

void gg_end_making(gpugraph_graph *graph) {
    struct graph_gate *gate = &graph->gate;
    lock_gate(gate);
    if (gate->making > 0)
        gate->making--;
    if (gate->making == 0)
        gg_count_for(gate->counted);
    gg_unlock(&gate->lock);
}
