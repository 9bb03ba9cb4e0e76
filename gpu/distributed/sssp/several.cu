/* Shortest paths on several devices, method "several": the engine "persistent" over the
** rows of all devices (persistent_parts.cuh). sssp.cu is for one device.
**
**     rows  ->  width of a bucket, by a sample of weights  ->  one kernel on each device
**                                                          ->  distances, by number
**
** If rows have arcs of both directions, they are their own transpose, and vertices beyond
** a bound pull (persistent_pull.cuh). The second such search makes light arcs beside the
** rows.
**
** The kernel reports a sum that is out of range. The CPU then does the search. */
#include "several.cuh"
#include "sssp/sssp.h"
#include "persistent_parts.cuh"
#include "sssp/persistent_plan.cuh"

#include <algorithm>
#include <math.h>
#include <stdio.h>

/* How words of reports are combined. */
static const struct several_combining combining = {1u << LEAST_INVERTED, 0};

/* ---- parameters ---- */

/* The median of the positive weights in a sample of the arcs of this process's first
** member; 0 if the sample has no positive weight. */
template <typename type>
static double typical_here(struct several_team *team, const struct several_rows *rows) {
    typename type::weight sample[GG_SSSP_SAMPLE];
    const size_t size = sizeof *sample;
    const uint64_t step = rows->arcs / GG_SSSP_SAMPLE + 1;
    const uint64_t count = (rows->arcs + step - 1) / step;
    struct cuda_job *job = gg_several_on(team, team->first);
    if (count == 0 ||
        !gg_note(job,
                 cudaMemcpy2DAsync(sample, size, rows->weight, step * size, size, count,
                                   cudaMemcpyDeviceToHost, job->stream),
                 "look at weights") ||
        !gg_several_wait(team))
        return 0;
    std::sort(sample, sample + count);
    const auto *first =
        std::upper_bound(sample, sample + count, (typename type::weight)0);
    return first < sample + count ? (double)first[(sample + count - first) / 2] : 0;
}

/* The largest typical weight of all processes, so that their buckets are equal. The bits
** of positive doubles have the order of their values. */
template <typename type>
static double typical_weight(struct several_team *team, const struct several_rows *rows) {
    uint64_t word = gg_real_word(typical_here<type>(team, rows));
    gg_several_combine(team, GPUGRAPH_MOST, &word, 1);
    return gg_word_real(word);
}

/* Chooses the parameters as for one device on which all blocks do every round. */
static void choose_several(const struct several_parts *parts, double weight,
                           struct sssp_parameters *parameters) {
    struct sssp_features features = {};
    features.vertices = parts->places.n;
    features.arcs = parts->arcs;
    features.degree = parts->places.n ? (double)parts->arcs / parts->places.n : 0;
    features.most_degree = (double)parts->most_arcs;
    features.typical_weight = weight;
    gg_sssp_choose(&features, SSSP_PERSISTENT, parameters);
    parameters->local = false;
}

/* ---- memory ---- */

template <typename type> struct shared_search {
    struct several_team *team;
    struct several_parts *parts;
    gpugraph_search wanted; /* sources and targets are places */
    struct sssp_parameters parameters;
    struct several_view view[SEVERAL_MOST];
    struct parts_search<type> of[SEVERAL_MOST];
    uint64_t most_arcs; /* of one member */
    several_array<struct persistent_state> state;
    several_array<struct parts_course<type>> course;
    several_array<typename type::word> distance;
    several_array<uint32_t> list, mark, ends;
    several_array<uint64_t> slice;
    several_array<letter<type>> inbox[2], outbox;
    struct parts_course<type> begins;
    double ms; /* time of all launches */
};

template <typename type>
static void carve_sssp_arrays(struct shared_search<type> *s,
                              struct several_space *space) {
    const struct several_places *places = &s->parts->places;
    const uint64_t all = several_all_places(places);
    const uint64_t box = (uint64_t)(s->team->parts - 1) * places->stride;
    const uint32_t ends = s->wanted.source_count + s->wanted.target_count;
    s->distance = gg_several_carve<typename type::word>(space, all);
    for (int turn = 0; turn < 2; turn++)
        s->inbox[turn] = gg_several_carve<letter<type>>(space, box);
    s->state = gg_several_carve<struct persistent_state>(space, 1);
    s->course = gg_several_carve<struct parts_course<type>>(space, 1);
    s->list = gg_several_carve<uint32_t>(space, all * LISTS);
    s->mark = gg_several_carve<uint32_t>(space, all);
    s->slice = gg_several_carve<uint64_t>(
        space, 2 * (s->most_arcs >> slice_of(s->most_arcs)) + 1);
    s->ends = gg_several_carve<uint32_t>(space, ends);
    s->outbox = gg_several_carve<letter<type>>(space, s->team->peers ? 0 : box);
}

/* ---- light arcs (sssp/light_arcs.cuh), kept with the rows ---- */

/* Makes light arcs of all members, but not in the first search that asks for them. False:
** the run must end. */
static bool make_light_of_all(struct several_team *team, struct several_parts *parts,
                              uint32_t most) {
    const double started = gg_now_ms();
    uint64_t arcs = 0;
    bool wanted = false;
    for (int p = team->first; p < team->end; p++) {
        struct light_rows *light = &parts->rows[p].light;
        wanted = wanted || (light->asked && (!light->looked || light->most != most));
        light->asked = true;
    }
    for (int p = team->first; wanted && p < team->end && gg_several_going(team); p++) {
        struct cuda_job *job = gg_several_on(team, p);
        const struct device_csr g = gg_several_csr(parts, p, parts->vertices[p]);
        struct light_rows *light = &parts->rows[p].light;
        gg_drop_light(light);
        if (gg_make_light(job, &g, most, (int64_t)job->device->workspace_bytes, light)) {
            /* Set also without memory, so that other members do not repeat their work. */
            light->asked = light->looked = true;
            light->most = most;
        }
        arcs += light->arcs;
    }
    gg_several_keep(team, parts);
    if (arcs > 0)
        gg_phase(team->run, "prepare", started, (int64_t)arcs,
                 "light arcs, with weights up to %u, on the devices", most);
    return gg_several_going(team);
}

/* ---- preparation ---- */

template <typename type> static void set_up_member(struct shared_search<type> *s, int p) {
    const struct several_places *places = &s->parts->places;
    struct parts_search<type> *one = &s->of[p];
    struct sssp_search planned = sssp_search();
    const uint64_t all = several_all_places(places);
    planned.g = gg_several_csr(s->parts, p, s->parts->vertices[p]);
    if (s->parts->kind == CSR_BOTH)
        planned.transpose = planned.g;
    planned.light =
        gg_light_view(&s->parts->rows[p].light, several_first(places, (uint32_t)p));
    planned.wanted = &s->wanted;
    planned.parameters = s->parameters;
    planned.stop = s->view[p].barrier.stop;
    struct persistent<type> *to = &one->p;
    to->state = s->state.at[p];
    to->distance = s->distance.at[p];
    to->list = s->list.at[p];
    to->mark = s->mark.at[p];
    to->slice = s->slice.at[p];
    to->slice_arcs = slice_of(s->most_arcs);
    to->ends = s->ends.at[p];
    set_up(&planned, to);
    to->vertices = all;
    to->first = several_first(places, (uint32_t)p);
    to->crowd = places->n / GG_PERSISTENT_CROWD;
    one->view = s->view[p];
    one->distance = s->distance;
    for (int turn = 0; turn < 2; turn++)
        one->inbox[turn] = s->inbox[turn];
    one->outbox = s->outbox.at[p];
    one->course = s->course.at[p];
}

template <typename type>
static void send_beginning(struct shared_search<type> *s, int p) {
    struct cuda_job *job = gg_several_on(s->team, p);
    struct persistent_state *state = s->state.at[p];
    const gpugraph_search *wanted = &s->wanted;
    gg_fill(job, state, 0, sizeof *state);
    gg_fill(job, &state->least, 0xff,
            sizeof state->least + sizeof state->path + sizeof state->lightest);
    gg_upload(job, s->course.at[p], &s->begins, sizeof s->begins);
    gg_upload(job, s->ends.at[p], wanted->source,
              wanted->source_count * sizeof(uint32_t));
    gg_upload(job, s->ends.at[p] + wanted->source_count, wanted->target,
              wanted->target_count * sizeof(uint32_t));
}

/* True if vertices will pull, and arcs can be light. */
template <typename type> static bool wants_light(const struct shared_search<type> *s) {
    return can_be_fixed<type>() && s->parts->kind == CSR_BOTH && s->parameters.pull > 0 &&
           s->wanted.limit == 0;
}

template <typename type> static bool prepare_sssp(struct shared_search<type> *s) {
    const struct cooperative_kernel kernel = {
        (const void *)find_shared_distances<type>, "find_shared_distances",
        GG_PERSISTENT_BLOCK, sizeof(struct block_memory<type>)};
    auto lay_out = [&](struct several_space *space) { carve_sssp_arrays(s, space); };
    s->most_arcs = gg_several_most_arcs(s->parts);
    if (!gg_several_prepare(s->team, combining, &s->parts->places, &kernel, s->view,
                            lay_out))
        return false;
    const int first = s->team->first;
    choose_several(s->parts, typical_weight<type>(s->team, &s->parts->rows[first]),
                   &s->parameters);
    if (wants_light(s) &&
        !make_light_of_all(s->team, s->parts, gg_light_limit(&s->parameters)))
        return false;
    s->begins = parts_course<type>();
    s->begins.at.round = 1;
    s->begins.at.bound = type::unreached();
    for (int p = first; p < s->team->end; p++)
        set_up_member(s, p);
    s->begins.at.per_bucket = (typename type::span)(1 / s->of[first].p.delta);
    for (int p = first; p < s->team->end && gg_several_going(s->team); p++)
        send_beginning(s, p);
    return gg_several_wait(s->team);
}

/* ---- rounds ---- */

/* Moves every outbox to the inboxes, if devices cannot access each other's memory. */
template <typename type>
static bool move_messages(struct shared_search<type> *s, uint32_t round) {
    struct several_team *team = s->team;
    struct several_piece piece[SEVERAL_MOST * SEVERAL_MOST] = {};
    const uint32_t parts = s->parts->places.parts, stride = s->parts->places.stride;
    for (uint32_t p = 0; p < parts; p++)
        for (uint32_t q = 0; q < parts; q++)
            if (q != p)
                piece[p * parts + q] =
                    several_piece{s->inbox[round % 2].at[q] + several_box(q, p, stride),
                                  s->outbox.at[p] + several_box(p, q, stride),
                                  team->messages[p][q] * sizeof(letter<type>)};
    return gg_several_move(team, piece) && gg_several_wait(team);
}

template <typename type>
static bool run_rounds(struct shared_search<type> *s, struct parts_course<type> *c) {
    const int p = s->team->first; /* all members are at the same step */
    struct several_outcome outcome;
    for (;;) {
        if (!gg_several_launch(s->team, s->view, s->of, sizeof *s->of) ||
            !gg_fetch(gg_several_on(s->team, p), c, s->course.at[p], sizeof *c))
            return false;
        if (s->team->peers || c->step == STEP_OVER)
            return gg_several_going(s->team);
        if (!gg_several_barrier_on_host(s->team, &outcome) ||
            !(c->step == STEP_SHARE
                  ? gg_several_segments(s->team, s->distance, s->parts->places.stride)
                  : move_messages(s, c->at.round)))
            return false;
    }
}

/* Collects what the members' kernels report about the search. */
template <typename type>
static bool report_search(struct shared_search<type> *s,
                          const struct parts_course<type> *c,
                          struct sssp_shared_outcome *outcome) {
    unsigned long long served = 0;
    uint64_t dropped = 0;
    for (int p = s->team->first; p < s->team->end; p++) {
        struct persistent_state state;
        if (!gg_fetch(gg_several_on(s->team, p), &state, s->state.at[p], sizeof state))
            return gg_several_going(s->team);
        if (state.failed) {
            gg_fail(s->team->run, GPUGRAPH_DEVICE_FAILED,
                    "the kernel find_shared_distances lost a block on device %d",
                    s->team->member[p].run.device);
            return false;
        }
        served += state.served;
        dropped += state.dropped;
        outcome->distance[p] =
            s->distance.at[p] + several_first(&s->parts->places, (uint32_t)p);
    }
    if (!gg_several_combine(s->team, GPUGRAPH_SUM, &dropped, 1))
        return false;
    outcome->lost = dropped > 0 && !c->early;
    outcome->ms = s->ms;
    snprintf(
        outcome->more, sizeof outcome->more,
        "kernels %.3f ms; %d parts, exchange %s, %u buckets of %.3g, %u rounds, %llu "
        "served%s%s",
        s->ms, s->team->parts, gg_several_exchange_name(s->team), c->buckets,
        s->of[s->team->first].p.delta, c->at.round, served,
        c->at.pulled ? "; far vertices pull" : "",
        c->at.pulled && s->of[s->team->first].p.light.offset ? ", light arcs" : "");
    return gg_several_going(s->team);
}

template <typename type>
static bool search_parts_of(struct several_team *team, struct several_parts *parts,
                            const gpugraph_search *search,
                            struct sssp_shared_outcome *outcome) {
    struct parts_course<type> c = {};
    struct shared_search<type> *s =
        (struct shared_search<type> *)gg_alloc_zero(team->run, 1, sizeof *s);
    if (!s)
        return false;
    s->team = team;
    s->parts = parts;
    s->wanted = *search;
    uint32_t *ends = gg_several_ends(team, &parts->places, &s->wanted);
    bool done = ends && prepare_sssp(s);
    const double began = gg_now_ms();
    done = done && run_rounds(s, &c);
    s->ms = gg_now_ms() - began;
    done = done && report_search(s, &c, outcome);
    gg_release(ends);
    gg_release(s);
    return done;
}

bool gg_sssp_on_team(struct several_team *team, struct several_parts *parts,
                     gpugraph_distance_type type, const gpugraph_search *search,
                     struct sssp_shared_outcome *outcome) {
    return gg_by_distance_type(type, [&](auto one) {
        return search_parts_of<in_parts<decltype(one)>>(team, parts, search, outcome);
    });
}

/* ---- graphs ---- */

static bool search_all(struct several_team *team, gpugraph_distance_type type,
                       const gpugraph_search *search, void *distance,
                       struct sssp_shared_outcome *outcome) {
    struct several_parts parts;
    if (!gg_several_rows(team, gg_forward_kind(search->direction), true, &parts))
        return false;
    const double started = gg_now_ms();
    if (!gg_sssp_on_team(team, &parts, type, search, outcome))
        return false;
    gg_search_phase(team->run, started, (int64_t)parts.arcs, "%s", outcome->more);
    return gg_several_download_bytes(team, &parts.places, outcome->distance,
                                     gg_distance_size(type), distance, "distances");
}

static gpugraph_status search_on_several(gpugraph_graph *graph,
                                         const gpugraph_search *search, gpugraph_run *run,
                                         void *distance, void *tree_edge) {
    struct several_team team;
    struct sssp_shared_outcome outcome = {};
    if (!gg_several_open_run(&team, graph, run))
        return run->status;
    search_all(&team, graph->distance_type, search, distance, &outcome);
    if (gg_several_close(&team))
        return run->status;
    if (outcome.lost) {
        gg_sssp_lost(run);
        return gg_cpu_sssp(graph, search, run, distance, tree_edge);
    }
    return tree_edge ? gg_distance_tree(graph, search, run, distance, tree_edge)
                     : GPUGRAPH_OK;
}

static int64_t bytes_on_several(const gpugraph_graph *graph, int parts) {
    const int64_t word = (int64_t)gg_distance_size(graph->distance_type);
    const int64_t all = (int64_t)graph->n + 2048 * parts;
    const int64_t slices = (int64_t)(graph->m >> GG_PERSISTENT_SLICE) * 16;
    return gg_several_rows_lack(graph, parts, CSR_OUT, true) +
           all * (word + 4 * (LISTS + 1) + 1 + 3 * 2 * word) + slices + 65536;
}

/* ---- partitions ---- */

gpugraph_status gg_cuda_part_sssp(gpugraph_part *p, const gpugraph_search *search,
                                  gpugraph_run *run, void *distance, bool *lost) {
    const bool is_real = p->weight_type == GPUGRAPH_REAL_WEIGHTS;
    struct several_team team;
    struct sssp_shared_outcome outcome = {};
    uint64_t *word = static_cast<uint64_t *>(distance);
    if (!gg_several_open_rank(&team, p, GPUGRAPH_BY_SOURCE, run))
        return run->status;
    search_all(&team, is_real ? GPUGRAPH_REAL : GPUGRAPH_UINT64, search, distance,
               &outcome);
    for (uint32_t v = 0; is_real && v < p->masters; v++)
        if (word[v] ==
            real::unreached()) /* unreached vertices of a partition have all bits set */
            word[v] = UINT64_MAX;
    *lost = outcome.lost;
    return gg_several_close(&team);
}

GG_DISTRIBUTED_SIDE(gg_sssp_distributed, sssp_entry, search_on_several, bytes_on_several,
                    "sssp",
                    "delta-stepping on several devices that send each other messages")
