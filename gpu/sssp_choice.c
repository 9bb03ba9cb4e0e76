/* The choice of an engine, its queues and their parameters: see
** sssp_choice.h. */
#include "sssp_choice.h"

#include <string.h>

static void (*adjuster)(struct sssp_parameters *parameters);

void gg_sssp_adjust(void (*adjust)(struct sssp_parameters *parameters)) {
    adjuster = adjust;
}

/* ---- choice ---- */

static const struct {
    const char *name;
    enum sssp_engine engine;
    enum mlmq_l1 l1;
    enum mlmq_l2 l2;
} known[] = {{"frontier", SSSP_FRONTIER, MLMQ_L1V, MLMQ_L2V},
             {"persistent", SSSP_PERSISTENT, MLMQ_L1V, MLMQ_L2V}};

/* Typical weights between two thresholds, divided by the average degree where that is
** over 1. */
static double width(const struct sssp_features *f, double weights) {
    double delta = f->typical_weight * weights / (f->degree > 1 ? f->degree : 1);
    return delta > 0 && delta < 1e300 ? delta : 1;
}

/* What "auto" chooses from: a method and what is changed of its parameters. */
static const struct candidate {
    const char *method;
    double weights; /* typical ones to a bucket, divided by the degree but with `local` */
    double blocks;
    bool local;
} candidates[] = {
    {"frontier", 32, 0, false},   {"persistent", 2, 4, true},
    {"persistent", 4, 4, true},   {"persistent", 8, 4, true},
    {"persistent", 16, 4, true},  {"persistent", 32, 4, true},
    {"persistent", 8, 2, true},   {"persistent", 16, 2, true},
    {"persistent", 32, 2, true},  {"persistent", 16, 1, true},
    {"persistent", 2, 4, false},  {"persistent", 4, 4, false},
    {"persistent", 8, 4, false},  {"persistent", 16, 4, false},
    {"persistent", 32, 4, false},
};

bool gg_sssp_candidate(size_t i, const struct sssp_features *f, const char **method,
                       struct sssp_parameters *p) {
    if (i >= sizeof candidates / sizeof *candidates)
        return false;
    const struct candidate *c = &candidates[i];
    void (*nobody)(struct sssp_parameters *) = adjuster;
    adjuster = NULL;
    *method = gg_sssp_choose(f, c->method, p);
    adjuster = nobody;
    p->delta = width(f, c->weights);
    if (p->engine == SSSP_PERSISTENT) {
        p->blocks = c->blocks;
        p->local = c->local;
        p->apart = !c->local;
        if (c->local && f->typical_weight > 0)
            p->delta = f->typical_weight * c->weights;
    }
    return true;
}

const char *gg_sssp_choose(const struct sssp_features *f, const char *method,
                           struct sssp_parameters *p) {
    size_t i = 0, last = sizeof known / sizeof *known - 1;
    while (i < last && method && strcmp(known[i].name, method) != 0)
        i++;
    if (!method || strcmp(method, "auto") == 0)
        i = 0;
    memset(p, 0, sizeof *p);
    p->engine = known[i].engine;
    p->l1 = known[i].l1;
    p->l2 = known[i].l2;
    p->delta = width(f, GG_SSSP_FRONTIER_DELTA);
    if (p->engine == SSSP_PERSISTENT) {
        p->local = f->degree < GG_PERSISTENT_THIN;
        p->apart = !p->local;
        p->blocks = GG_PERSISTENT_BLOCKS;
        p->delta = p->local ? f->typical_weight * GG_PERSISTENT_DELTA_THIN
                            : width(f, GG_PERSISTENT_DELTA);
        if (!(p->delta > 0 && p->delta < 1e300))
            p->delta = 1;
    }
    if (adjuster)
        adjuster(p);
    return known[i].name;
}
