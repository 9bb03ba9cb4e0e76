/* hash[n] for one seed on a device, which keeps it: where ids are not consecutive INTEGERs,
** kernels cannot compute it. */
#include "device/parts.cuh"
#include "ids/ids.h"
#include "mis.cuh"

struct kept_hashes {
    struct device_part part;
    uint32_t n;
    uint32_t *hash; /* of gg_hash_ids for the seed; NULL: not made */
    int64_t seed;
};

static void drop_hashes(gpugraph_graph *, struct device_part *part, unsigned) {
    struct kept_hashes *kept = (struct kept_hashes *)part;
    give(part, kept->hash, kept->n, sizeof *kept->hash);
    kept->hash = NULL;
}

static const struct device_part_kind hashes_kind = {
    "hashes of ids", sizeof(struct kept_hashes), PART_ON_VERTICES, drop_hashes};

static bool upload_hashes(struct cuda_job *job, struct kept_hashes *kept, int64_t seed) {
    double started = gg_now_ms();
    const uint32_t n = job->graph->n;
    if (!kept->hash && !take(job, &kept->part, &kept->hash, n, sizeof *kept->hash))
        return false;
    kept->n = n;
    uint32_t *hash = (uint32_t *)gg_alloc(job->run, n, sizeof *hash);
    bool done = hash && gg_hash_ids(job->graph, seed, job->run, hash) == GPUGRAPH_OK &&
                gg_upload(job, kept->hash, hash, (uint64_t)n * sizeof *hash) &&
                gg_wait(job);
    gg_release(hash);
    if (!done) {
        drop_hashes(job->graph, &kept->part, PART_GROUNDS);
        return false;
    }
    kept->seed = seed;
    gg_phase(job->run, "hash", started, n, "ids and seed, by the CPU, kept");
    return true;
}

bool gg_device_hashes(struct cuda_job *job, int64_t seed, struct id_hashes *hashes) {
    const gpugraph_ids *ids = &job->graph->ids;
    if (!gg_going(job))
        return false;
    hashes->salt = gg_fixed_hash((uint64_t)seed + 0x9e3779b97f4a7c15u);
    hashes->first = (uint64_t)ids->first_integer;
    hashes->stored = NULL;
    if (gg_ids_are_consecutive(job->graph))
        return true;
    struct kept_hashes *kept = (struct kept_hashes *)gg_device_part(job, &hashes_kind);
    if (!kept || ((!kept->hash || kept->seed != seed) && !upload_hashes(job, kept, seed)))
        return false;
    hashes->stored = kept->hash;
    return true;
}
