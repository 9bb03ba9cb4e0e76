/* A hash of every vertex's id and a seed. It depends on the id, not on the vertex number,
** so a vertex keeps its hash when other vertices change. An INTEGER is mixed with the
** seed; of a TEXT, the length and then eight bytes at a time. */
#include "ids.h"

uint64_t gg_fixed_hash_text(const char *bytes, uint64_t length, uint64_t seed) {
    uint64_t hash = gg_fixed_hash(~seed ^ gg_fixed_hash(length));
    for (uint64_t i = 0; i < length; i += 8) {
        uint64_t word = 0, left = length - i < 8 ? length - i : 8;
        for (uint64_t k = 0; k < left; k++)
            word |= (uint64_t)(uint8_t)bytes[i + k] << (8 * k);
        hash = gg_fixed_hash(hash ^ word) + 0x9e3779b97f4a7c15u;
    }
    return gg_fixed_hash(hash);
}

struct hashing {
    const gpugraph_ids *ids;
    gpugraph_run *run;
    uint64_t salt;
    uint32_t *hash;
};

static void hash_slice(void *job, uint64_t low, uint64_t high) {
    const struct hashing *h = job;
    const gpugraph_ids *ids = h->ids;
    for (uint64_t v = low; v < high && !gg_leave(h->run, v); v++) {
        const gpugraph_id id = gpugraph_id_of(ids, (uint32_t)v);
        const uint64_t whole =
            id.is_text ? gg_fixed_hash_text(id.text, id.length, h->salt)
                       : gg_fixed_hash(gg_fixed_hash(h->salt ^ (uint64_t)id.integer));
        h->hash[v] = (uint32_t)(whole >> 32);
    }
}

gpugraph_status gg_hash_ids(const gpugraph_graph *graph, int64_t seed, gpugraph_run *run,
                            uint32_t *hash) {
    struct hashing h = {.ids = &graph->ids, .run = run, .hash = hash};
    h.salt = gg_fixed_hash((uint64_t)seed + 0x9e3779b97f4a7c15u);
    gg_slices(gg_threads(run, graph->n), graph->n, hash_slice, &h);
    return gg_stopping(run) ? gg_stopped(run) : run->status;
}
