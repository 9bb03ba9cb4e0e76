/* The choice of an engine, its queues and their parameters: see
** choice.h. */
#include "choice.h"
#include "base/limits.h"
#include "process.h"
#include "tuning.h"

#include <assert.h>
#include <string.h>

/* ---- choice ---- */

/* Every method by its name. */
static const struct {
    const char *name;
    enum sssp_engine engine;
    enum mlmq_l1 l1;
    enum mlmq_l2 l2;
} known[] = {{"persistent", SSSP_PERSISTENT, MLMQ_L1V, MLMQ_L2V},
             {"regions", SSSP_REGIONS, MLMQ_L1V, MLMQ_L2V},
             {"L1V-L2V", SSSP_MLMQ, MLMQ_L1V, MLMQ_L2V},
             {"L1SLF-L2V", SSSP_MLMQ, MLMQ_L1SLF, MLMQ_L2V},
             {"L1V-L2DQ", SSSP_MLMQ, MLMQ_L1V, MLMQ_L2DQ},
             {"L1SLF-L2DQ", SSSP_MLMQ, MLMQ_L1SLF, MLMQ_L2DQ}};

/* The width of a bucket in typical weights. */
static double in_weights(const struct sssp_features *f, double weights) {
    double delta = f->typical_weight * weights;
    return delta > 0 && delta < 1e300 ? delta : 1;
}

/* The same divided by the average degree, where that is over 1. */
static double width(const struct sssp_features *f, double weights) {
    return in_weights(f, weights / (f->degree > 1 ? f->degree : 1));
}

static void set_queues(const struct sssp_features *f, struct sssp_parameters *p) {
    p->delta = width(f, GG_MLMQ_DELTA);
    p->blocks = GG_MLMQ_BLOCKS;
    p->cooperative = GG_MLMQ_COOPERATIVE;
    p->write_back = GG_MLMQ_WRITE_BACK;
    p->l0 = GG_MLMQ_L0;
    p->l1_capacity = GG_MLMQ_L1;
    p->bnum = GG_MLMQ_BNUM;
}

/* A method that is named: its engine, with parameters by simple rules. */
static const char *defaults_of(const struct sssp_features *f, const char *method,
                               struct sssp_parameters *p) {
    size_t i = 0, last = sizeof known / sizeof *known - 1;
    while (i < last && strcmp(known[i].name, method) != 0)
        i++;
    memset(p, 0, sizeof *p);
    p->engine = known[i].engine;
    p->l1 = known[i].l1;
    p->l2 = known[i].l2;
    if (p->engine == SSSP_PERSISTENT) {
        p->local = f->degree < GG_PERSISTENT_THIN;
        p->blocks = GG_PERSISTENT_BLOCKS;
        p->fall = GG_PERSISTENT_FALL;
        p->sieve = GG_PERSISTENT_SIEVE;
        p->pull = f->most_degree > GG_PERSISTENT_HUB * f->degree
                      ? width(f, GG_PERSISTENT_PULL)
                      : 0;
        p->turn_after = GG_PERSISTENT_TURN_AFTER;
        p->delta = p->local ? in_weights(f, GG_PERSISTENT_DELTA_THIN)
                            : width(f, GG_PERSISTENT_DELTA);
    } else if (p->engine == SSSP_MLMQ) {
        set_queues(f, p);
    } else if (p->engine == SSSP_REGIONS) {
        p->delta = in_weights(f, GG_REGION_WIDTH_WEIGHTS);
    }
    return known[i].name;
}

/* What "auto" chooses from: a method and what is changed of its parameters. */
static const struct candidate {
    const char *method;
    double weights; /* typical ones to a bucket, divided by the degree but with LOCAL */
    /* of "persistent"; rounds are by all blocks, or small ones within blocks (LOCAL) */
    double blocks;
    enum { WHOLE, LOCAL } rounds;
    /* of the multi-level multi-queues; 0: as when the method is named */
    uint32_t bnum, write_back;
} candidates[] = {
    {"persistent", .5, 4, LOCAL, 0, 0}, {"persistent", 1, 4, LOCAL, 0, 0},
    {"persistent", 2, 4, LOCAL, 0, 0},  {"persistent", 4, 4, LOCAL, 0, 0},
    {"persistent", 8, 4, LOCAL, 0, 0},  {"persistent", 16, 4, LOCAL, 0, 0},
    {"persistent", 32, 4, LOCAL, 0, 0}, {"persistent", 4, 2, LOCAL, 0, 0},
    {"persistent", 8, 2, LOCAL, 0, 0},  {"persistent", 16, 2, LOCAL, 0, 0},
    {"persistent", 32, 2, LOCAL, 0, 0}, {"persistent", 64, 2, LOCAL, 0, 0},
    {"persistent", 16, 1, LOCAL, 0, 0}, {"persistent", 64, 1, LOCAL, 0, 0},
    {"L1V-L2DQ", 5, 0, WHOLE, 0, 0},    {"L1V-L2DQ", 20, 0, WHOLE, 0, 0},
    {"L1V-L2DQ", 80, 0, WHOLE, 0, 0},   {"L1V-L2DQ", 20, 0, WHOLE, 1, 0},
    {"L1V-L2DQ", 20, 0, WHOLE, 0, 4},   {"L1SLF-L2DQ", 20, 0, WHOLE, 0, 0},
    {"L1V-L2V", 20, 0, WHOLE, 0, 0},    {"L1SLF-L2V", 20, 0, WHOLE, 0, 0},
    {"persistent", 2, 4, WHOLE, 0, 0},  {"persistent", 4, 4, WHOLE, 0, 0},
    {"persistent", 8, 4, WHOLE, 0, 0},  {"persistent", 16, 4, WHOLE, 0, 0},
    {"persistent", 1, 4, WHOLE, 0, 0},  {"persistent", 32, 4, WHOLE, 0, 0},
    {"persistent", 64, 4, WHOLE, 0, 0}, {"persistent", 256, 4, WHOLE, 0, 0},
};

bool gg_sssp_candidate(size_t i, const struct sssp_features *f, const char **method,
                       struct sssp_parameters *p) {
    if (i >= sizeof candidates / sizeof *candidates)
        return false;
    const struct candidate *c = &candidates[i];
    *method = defaults_of(f, c->method, p);
    p->delta = c->rounds == LOCAL ? in_weights(f, c->weights) : width(f, c->weights);
    if (p->engine == SSSP_PERSISTENT) {
        p->blocks = c->blocks;
        p->local = c->rounds == LOCAL;
    } else if (p->engine == SSSP_MLMQ) {
        p->bnum = c->bnum ? c->bnum : p->bnum;
        p->write_back = c->write_back ? c->write_back : p->write_back;
    }
    return true;
}

static_assert(GG_PROCESS_CANDIDATES == sizeof candidates / sizeof *candidates,
              "the choice was learned for these candidates: measure and learn again");

void gg_sssp_judge(struct sssp_features *f) {
    f->candidate = (uint32_t)gg_process_choose(f);
    f->judged = 1;
}

bool gg_path_is_thin(const struct sssp_features *f) {
    return f->degree < GG_PERSISTENT_THIN && f->most_degree < f->degree * GG_PATH_HUB;
}

void gg_path_choose(const struct sssp_features *f, bool by_depth,
                    struct sssp_parameters *p) {
    const bool thin = gg_path_is_thin(f);
    defaults_of(f, "persistent", p);
    p->local = thin || !by_depth;
    p->delta = by_depth ? (thin ? GG_PATH_STEPS : 1)
               : thin   ? in_weights(f, GG_PATH_DELTA_THIN)
                        : width(f, GG_PATH_DELTA);
    if (gg_limits.sssp_adjust)
        gg_limits.sssp_adjust(p);
}

const char *gg_sssp_choose(const struct sssp_features *f, const char *method,
                           struct sssp_parameters *p) {
    const char *name = "";
    if (!method || strcmp(method, "auto") == 0)
        gg_sssp_candidate(f->judged ? f->candidate : gg_process_choose(f), f, &name, p);
    else
        name = defaults_of(f, method, p);
    if (gg_limits.sssp_adjust)
        gg_limits.sssp_adjust(p);
    return name;
}
