/* Arguments that are NULL, types of weights that do not exist, and weights that are not
** numbers: every function of partitions returns GPUGRAPH_INVALID, and the message names
** the argument. */
#include "expect.h"
#include "part_threads.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static gpugraph_run run;

/* Checks that the call fails with a message that starts like `sentence`. */
static void refuse(const char *sentence, gpugraph_status status) {
    expect(status == GPUGRAPH_INVALID, "status %d for '%s': %s", (int)status, sentence,
           run.message);
    expect(strncmp(run.message, sentence, strlen(sentence)) == 0, "'%s', not '%s'",
           run.message, sentence);
}

enum { VERTICES = 3, EDGES = 2 };

static const int64_t weights[EDGES] = {5, 6}, ids[EDGES] = {1, 2};
static const uint64_t ends[EDGES] = {0, 1}, others[EDGES] = {1, 2};

/* A partition that has failed makes no further call, so each case has new partitions. */
struct part_case {
    const char *sentence;
    gpugraph_share share;
    gpugraph_status (*call)(gpugraph_part *, gpugraph_run *);
};

static gpugraph_status create_or_call(void *job, gpugraph_exchange *x, gpugraph_run *of) {
    const struct part_case *c = job;
    gpugraph_part *p;
    if (gpugraph_part_create(x, &c->share, GPUGRAPH_BY_TARGET, GPUGRAPH_OUT, false, of,
                             &p))
        return of->status;
    const gpugraph_status status = c->call ? c->call(p, of) : GPUGRAPH_OK;
    gpugraph_part_free(p);
    return status;
}

static gpugraph_status deliver_numbers(gpugraph_part *p, gpugraph_run *of) {
    return gpugraph_part_deliver(p, of, 2, NULL, ends, NULL);
}
static gpugraph_status deliver_values(gpugraph_part *p, gpugraph_run *of) {
    return gpugraph_part_deliver(p, of, 2, ends, NULL, NULL);
}
static gpugraph_status deliver_masters(gpugraph_part *p, gpugraph_run *of) {
    return gpugraph_part_deliver(p, of, 2, ends, ends, NULL);
}
static gpugraph_status bfs_sources(gpugraph_part *p, gpugraph_run *of) {
    return gpugraph_part_bfs(p, NULL, 1, 9, of, NULL, NULL);
}
static gpugraph_status bfs_depth(gpugraph_part *p, gpugraph_run *of) {
    return gpugraph_part_bfs(p, ends, 1, 9, of, NULL, NULL);
}
static gpugraph_status bfs_tree(gpugraph_part *p, gpugraph_run *of) {
    uint32_t depth[VERTICES];
    return gpugraph_part_bfs(p, ends, 1, 9, of, depth, &(gpugraph_part_tree){NULL, NULL});
}
static gpugraph_status sssp_sources(gpugraph_part *p, gpugraph_run *of) {
    return gpugraph_part_sssp(p, NULL, 1, NULL, of, NULL, NULL);
}
static gpugraph_status sssp_distance(gpugraph_part *p, gpugraph_run *of) {
    return gpugraph_part_sssp(p, ends, 1, NULL, of, NULL, NULL);
}
static gpugraph_status components(gpugraph_part *p, gpugraph_run *of) {
    return gpugraph_part_components(p, GPUGRAPH_WEAK, of, NULL);
}
static gpugraph_status pagerank(gpugraph_part *p, gpugraph_run *of) {
    return gpugraph_part_pagerank(p, NULL, of, NULL, NULL, NULL);
}
static gpugraph_status pagerank_rank(gpugraph_part *p, gpugraph_run *of) {
    return gpugraph_part_pagerank(p, &(gpugraph_part_ranks){.damping = 0.5}, of, NULL,
                                  NULL, NULL);
}
static gpugraph_status pagerank_sources(gpugraph_part *p, gpugraph_run *of) {
    return gpugraph_part_pagerank(
        p, &(gpugraph_part_ranks){.damping = 0.5, .source_count = 1}, of, NULL, NULL,
        NULL);
}

static const double no_number[EDGES] = {1, NAN};

#define SHARE                                                                            \
    { VERTICES, EDGES, ends, others, GPUGRAPH_INTEGER_WEIGHTS, weights, ids }
static const struct part_case part_cases[] = {
    {"share.source is NULL", {VERTICES, EDGES, NULL, others, 0, NULL, NULL}, NULL},
    {"share.target is NULL", {VERTICES, EDGES, ends, NULL, 0, NULL, NULL}, NULL},
    {"share.weight is NULL", {VERTICES, EDGES, ends, others, 1, NULL, NULL}, NULL},
    {"weight_type is 7", {VERTICES, EDGES, ends, others, 7, weights, NULL}, NULL},
    {"edge 1 of a share has a weight that is negative or not finite",
     {VERTICES, EDGES, ends, others, 2, no_number, NULL},
     NULL},
    {"number is NULL", SHARE, deliver_numbers},
    {"value is NULL", SHARE, deliver_values},
    {"master is NULL", SHARE, deliver_masters},
    {"source is NULL", SHARE, bfs_sources},
    {"depth is NULL", SHARE, bfs_depth},
    {"tree.parent is NULL", SHARE, bfs_tree},
    {"source is NULL", SHARE, sssp_sources},
    {"distance is NULL", SHARE, sssp_distance},
    {"component is NULL", SHARE, components},
    {"how is NULL", SHARE, pagerank},
    {"rank is NULL", SHARE, pagerank_rank},
    {"how.source is NULL", SHARE, pagerank_sources},
};
enum { PART_CASES = sizeof part_cases / sizeof *part_cases };

static gpugraph_status simple_part(void *job, gpugraph_exchange *x, gpugraph_run *of) {
    const gpugraph_share share = SHARE;
    gpugraph_part *p;
    (void)job;
    if (gpugraph_part_create(x, &share, GPUGRAPH_BY_TARGET, GPUGRAPH_BOTH, true, of, &p))
        return of->status;
    const gpugraph_status status = gpugraph_part_mis(p, GPUGRAPH_BY_ID, NULL, of, NULL);
    gpugraph_part_free(p);
    return status;
}

static gpugraph_status no_share(void *job, gpugraph_exchange *x, gpugraph_run *of) {
    gpugraph_part *p;
    (void)job;
    return gpugraph_part_create(x, NULL, GPUGRAPH_BY_TARGET, GPUGRAPH_OUT, false, of, &p);
}

START_TEST(parts) {
    refuse("body is NULL", gpugraph_in_parts(1, NULL, NULL, &run));
    refuse("share is NULL", gpugraph_in_parts(1, no_share, NULL, &run));
    refuse("member is NULL", gpugraph_in_parts(1, simple_part, NULL, &run));
    for (int i = 0; i < PART_CASES; i++)
        refuse(part_cases[i].sentence,
               gpugraph_in_parts(1, create_or_call, (void *)&part_cases[i], &run));
}
END_TEST

const struct suite suite = {
    "null_parts",
    {{"all", .cases = {{&parts}}}},
};
