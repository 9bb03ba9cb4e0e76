/* Independent sets of a graph on several devices, and of a partition on its device: opens
** the team, finds rows and hashes, searches (several.cu), and downloads members. */
#include "several.cuh"
#include "mis/mis.h"
#include "ids/ids.h"

static bool find_set_on_team(struct several_team *team,
                             const struct mis_question *question, uint8_t *member) {
    struct several_parts parts;
    struct mis_answer answer;
    if (!gg_several_rows(team, CSR_SIMPLE, false, &parts))
        return false;
    double started = gg_now_ms();
    if (!gg_mis_on_team(team, &parts, question, &answer))
        return false;
    gg_search_phase(team->run, started, parts.places.n,
                    "%d parts, exchange %s, %u launch(es), up to %u passes", team->parts,
                    gg_several_exchange_name(team), answer.launches, answer.passes);
    started = gg_now_ms();
    if (gg_several_download(team, &parts.places, answer.member, member))
        gg_phase(team->run, "download", started, parts.places.n, "members");
    return gg_several_going(team);
}

static gpugraph_status find_on_several(gpugraph_graph *graph, gpugraph_priority priority,
                                       int64_t seed, gpugraph_run *run, uint8_t *member) {
    struct several_team team;
    bool stored = (priority == GPUGRAPH_BY_DEGREE || priority == GPUGRAPH_BY_RANDOM) &&
                  !gg_ids_are_consecutive(graph);
    uint32_t *hash = NULL;
    if (stored) {
        hash = (uint32_t *)gg_alloc(run, graph->n, sizeof *hash);
        if (!hash || gg_hash_ids(graph, seed, run, hash) != GPUGRAPH_OK) {
            gg_release(hash);
            return run->status;
        }
    }
    struct mis_question question = {priority, seed, (uint64_t)graph->ids.first_integer,
                                    hash};
    if (gg_several_open_run(&team, graph, run)) {
        find_set_on_team(&team, &question, member);
        gg_several_close(&team);
    }
    gg_release(hash);
    return run->status;
}

static int64_t bytes_on_several(const gpugraph_graph *graph, int parts) {
    const int64_t n = graph->n, share = n / parts + 2048;
    return gg_several_rows_lack(graph, parts, CSR_SIMPLE, false) +
           5 * (n + 2048 * parts) + (gg_ids_are_consecutive(graph) ? 0 : 4 * n) +
           share * (1 + 2 * (int64_t)sizeof(struct waiting)) + 65536;
}

/* ---- partitions ---- */

gpugraph_status gg_cuda_part_mis(gpugraph_part *p, gpugraph_priority priority,
                                 const uint32_t *hash, gpugraph_run *run,
                                 uint8_t *member) {
    const bool hashed = priority == GPUGRAPH_BY_DEGREE || priority == GPUGRAPH_BY_RANDOM;
    const struct mis_question question = {priority, 0, 0, hashed ? hash : NULL};
    struct several_team team;
    if (!gg_several_open_rank(&team, p, GPUGRAPH_BY_SOURCE, run))
        return run->status;
    find_set_on_team(&team, &question, member);
    return gg_several_close(&team);
}

/* ---- descriptor ---- */

static const gg_method methods[] = {
    {.is = {"mis", "several", "cuda",
            "asynchronous, on several devices that all decide at once"}},
    {},
};

extern "C" const algorithm_side gg_mis_distributed = {
    .methods = methods,
    .call = GG_CALLS(mis_entry, find_on_several),
    .several_bytes = bytes_on_several,
    .several_ready = gg_several_has_rows,
};
