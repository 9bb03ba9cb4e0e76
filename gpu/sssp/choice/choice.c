/* The choice of an engine, its queues and their parameters: see
** choice.h. */
#include "choice.h"
#include "base/limits.h"
#include "process.h"

#include <assert.h>
#include <string.h>

/* ---- choice ---- */

/* The width of a bucket in typical weights. */
static double in_weights(const struct sssp_features *f, double weights) {
    double delta = f->typical_weight * weights;
    return delta > 0 && delta < 1e300 ? delta : 1;
}

/* The same divided by the average degree, where that is over 1. */
static double width(const struct sssp_features *f, double weights) {
    return in_weights(f, weights / (f->degree > 1 ? f->degree : 1));
}

/* Multi-queues. More blocks only find more work that is done again. An L0 that is read
** before L1 takes four times as long on a grid of a million vertices (H200). */
static void set_queues(const struct sssp_features *f, struct sssp_parameters *p) {
    p->l2 = p->kind == SSSP_L1V_L2DQ ? MLMQ_L2DQ : MLMQ_L2V;
    p->delta = width(f, GG_MLMQ_DELTA);
    p->blocks = 1;
    p->cooperative = 128;
    p->write_back = 16;
    p->l0 = 0;
    p->l1_capacity = 32;
    p->bnum = 4;
}

/* Arcs for each vertex below which small rounds stay within blocks. */
#define THIN_DEGREE 8.0

/* Far vertices pull where some vertex has 64 times the average degree. The bound lies
** 4 typical weights, divided by the average degree, behind its bucket; 2 and 8 take as
** long. The transpose is made after 4 searches, which gain about what it takes.
** Buckets become wider once the rest falls by an eighth. (H200: rmat24 11.0 to 9.2
** ms.) */
static void set_persistent(const struct sssp_features *f, struct sssp_parameters *p) {
    p->local = f->degree < THIN_DEGREE;
    p->blocks = 4;
    p->fall = 0.875;
    p->pull = f->most_degree > 64 * f->degree ? width(f, 4) : 0;
    p->turn_after = 4;
    p->delta = p->local ? in_weights(f, 8) : width(f, 4);
}

/* The parameters of a method by simple rules. Buckets of regions are 32 typical weights
** wide. (H200, road24m: 19.6 ms with 8, 19.0 with 16, 18.9 with 32 and 64.) */
static void set_parameters(const struct sssp_features *f, enum sssp_kind kind,
                           struct sssp_parameters *p) {
    memset(p, 0, sizeof *p);
    p->kind = kind;
    if (kind == SSSP_PERSISTENT)
        set_persistent(f, p);
    else if (kind == SSSP_REGIONS)
        p->delta = in_weights(f, 32);
    else
        set_queues(f, p);
}

/* What "auto" chooses from: a method and what is changed of its parameters. */
static const struct candidate {
    enum sssp_kind kind;
    double weights; /* typical ones to a bucket, divided by the degree but with LOCAL */
    /* of "persistent"; rounds are by all blocks, or small ones within blocks (LOCAL) */
    double blocks;
    enum { WHOLE, LOCAL } rounds;
    uint32_t write_back; /* of multi-queues; 0: as when the method is named */
} candidates[] = {
    {SSSP_PERSISTENT, .5, 4, LOCAL, 0}, {SSSP_PERSISTENT, 1, 4, LOCAL, 0},
    {SSSP_PERSISTENT, 2, 4, LOCAL, 0},  {SSSP_PERSISTENT, 4, 4, LOCAL, 0},
    {SSSP_PERSISTENT, 4, 2, LOCAL, 0},  {SSSP_PERSISTENT, 8, 2, LOCAL, 0},
    {SSSP_PERSISTENT, 16, 2, LOCAL, 0}, {SSSP_PERSISTENT, 32, 2, LOCAL, 0},
    {SSSP_PERSISTENT, 64, 2, LOCAL, 0}, {SSSP_L1V_L2DQ, 20, 0, WHOLE, 4},
    {SSSP_L1V_L2V, 20, 0, WHOLE, 0},    {SSSP_PERSISTENT, 1, 4, WHOLE, 0},
    {SSSP_PERSISTENT, 4, 4, WHOLE, 0},  {SSSP_PERSISTENT, 16, 4, WHOLE, 0},
    {SSSP_PERSISTENT, 32, 4, WHOLE, 0}, {SSSP_PERSISTENT, 256, 4, WHOLE, 0},
};

bool gg_sssp_candidate(size_t i, const struct sssp_features *f,
                       struct sssp_parameters *p) {
    if (i >= sizeof candidates / sizeof *candidates)
        return false;
    const struct candidate *c = &candidates[i];
    set_parameters(f, c->kind, p);
    p->delta = c->rounds == LOCAL ? in_weights(f, c->weights) : width(f, c->weights);
    if (p->kind == SSSP_PERSISTENT) {
        p->blocks = c->blocks;
        p->local = c->rounds == LOCAL;
    } else {
        p->write_back = c->write_back ? c->write_back : p->write_back;
    }
    return true;
}

static_assert(GG_PROCESS_CANDIDATES == sizeof candidates / sizeof *candidates,
              "the choice was learned for these candidates: measure and learn again");

/* A graph of few arcs is not thin where a vertex has 64 times the mean: an R-MAT with
** 8 arcs to a vertex takes 3.7 ms as roads do, and 1.0 otherwise. */
bool gg_path_is_thin(const struct sssp_features *f) {
    return f->degree < THIN_DEGREE && f->most_degree < f->degree * 64;
}

/* Half and twice the width of a bucket are as good within a tenth on R-MATs, and 8 times
** the width costs a factor of 1.5 to 4. */
void gg_path_choose(const struct sssp_features *f, struct sssp_parameters *p) {
    set_parameters(f, SSSP_PERSISTENT, p);
    p->local = true;
    p->delta = gg_path_is_thin(f) ? in_weights(f, 8) : width(f, 0.12);
    if (gg_limits.sssp_adjust)
        gg_limits.sssp_adjust(p);
}

void gg_sssp_choose(const struct sssp_features *f, enum sssp_kind kind,
                    struct sssp_parameters *p) {
    if (kind == SSSP_AUTO)
        gg_sssp_candidate(gg_process_choose(f), f, p);
    else
        set_parameters(f, kind, p);
    if (gg_limits.sssp_adjust)
        gg_limits.sssp_adjust(p);
}
