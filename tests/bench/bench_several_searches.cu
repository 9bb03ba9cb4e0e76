/* Measures PageRank and shortest paths on R-MAT graphs that several devices share
** (drawn_parts.cuh). Each edge goes both ways; weights are 1 .. 255.
**
**     bench_several_searches SCALE FACTOR DEVICES ...
**
** PageRank has ten iterations. Shortest paths start from three vertices that reach at
** least a tenth of the graph. On one device there is also a line for shortest paths by
** the kernels of one device on these rows. In the environment: REPEATS (3), ONLY=pagerank
** or sssp.
**
**     SEVERAL,algorithm,method,scale,factor,devices,runs,median,least,most,sum
**
** Times are in milliseconds. sum: a checksum of all results with their vertex numbers. It
** must be equal for every set of devices and every method. */
#include "drawn_parts.cuh"
#include "distributed/pagerank/several.cuh"
#include "distributed/sssp/several.cuh"
#include "sssp/sssp.cuh"

/* ---- results ---- */

template <typename type> static uint64_t sum_of(const std::vector<type> &found) {
    uint64_t sum = 0;
    for (size_t v = 0; v < found.size(); v++) {
        uint64_t bits = 0;
        memcpy(&bits, &found[v], sizeof found[v]);
        sum += gg_fixed_hash(bits * 0x9e3779b97f4a7c15u + v);
    }
    return sum;
}

template <typename type>
static uint64_t sum_on(struct bench *b, struct cuda_job *job, const type *at) {
    std::vector<type> found(b->parts.places.n);
    need(b, gg_download(job, found.data(), at, found.size() * sizeof(type)));
    return sum_of(found);
}

/* On one device places are numbers. */
static struct device_csr rows_of_one(const struct bench *b) {
    const struct several_rows *rows = &b->parts.rows[0];
    return gg_packed_rows(b->parts.places.n, rows->arcs, rows->offset, rows->target,
                          rows->weight);
}

/* ---- searches ---- */

static void time_ranks(struct bench *b) {
    const gpugraph_pagerank_options how = {0.85, 0, 10, false, GPUGRAPH_BOTH, NULL, 0};
    std::vector<double> ms, found(b->parts.places.n);
    several_array<double> own;
    for (int i = 0; i <= b->repeats; i++) {
        pagerank_end end = {0, 0};
        const double began = gg_now_ms();
        need(b, gg_pagerank_on_team(&b->team, &b->parts, &b->parts, GPUGRAPH_UINT32, &how,
                                    NULL, &end, &own));
        if (i > 0)
            ms.push_back(gg_now_ms() - began);
    }
    need(b, gg_several_download(&b->team, &b->parts.places, own, found.data(), "ranks"));
    print_result(b, "pagerank", "several", ms, sum_of(found));
}

/* Searches by the method "persistent" with parameters for graphs with hubs. Uses the
** light arcs of the only member. */
static void search_alone(struct bench *b, const gpugraph_search *wanted, double weight,
                         std::vector<double> *ms, uint64_t *sum, std::string *more) {
    struct cuda_job *job = gg_several_on(&b->team, 0);
    struct sssp_search s = sssp_search();
    struct sssp_features features = {};
    struct workspace space = {NULL, 0};
    s.g = rows_of_one(b);
    s.wanted = wanted;
    s.type = GPUGRAPH_UINT32;
    s.stop = job->device->device_stop;
    features.degree = (double)s.g.m / s.g.n;
    features.most_degree = (double)b->parts.most_arcs;
    features.typical_weight = weight;
    s.transpose = s.g;
    s.light = gg_light_view(&b->parts.rows[0].light, 0);
    gg_sssp_choose(&features, SSSP_PERSISTENT, &s.parameters);
    for (int carved = 0; carved < 2; carved++) {
        s.distance = gg_carve<uint32_t>(&space, s.g.n);
        s.ends = gg_carve<uint32_t>(&space, wanted->source_count);
        if (carved)
            break;
        space.used += gg_sssp_persistent_bytes(job, &s);
        need(b, gg_workspace(job, &space));
    }
    gg_upload(job, s.ends, wanted->source, wanted->source_count * sizeof *s.ends);
    need(b, gg_sssp_persistent(job, &s, &space));
    *more = s.more;
    ms->push_back(gg_marked_ms(job));
    if (ms->size() % (size_t)b->repeats == 1 || b->repeats == 1)
        *sum += sum_on(b, job, (const uint32_t *)s.distance);
}

static void time_paths(struct bench *b) {
    std::vector<double> ms, one;
    std::vector<uint32_t> found(b->parts.places.n);
    uint64_t sum = 0, sum_alone = 0;
    std::string more, more_alone;
    for (uint32_t k = 1, done = 0; done < 3 && k < 1000; k++) {
        const uint32_t source = (uint32_t)(gg_fixed_hash(k) % b->parts.places.n);
        gpugraph_search search = gpugraph_search();
        search.source = &source;
        search.source_count = 1;
        uint64_t reached = 0;
        for (int i = 0; i <= b->repeats; i++) {
            struct sssp_shared_outcome outcome = {};
            need(b, gg_sssp_on_team(&b->team, &b->parts, GPUGRAPH_UINT32, &search,
                                    &outcome));
            if (i == 0) {
                need(b, gg_several_download_bytes(&b->team, &b->parts.places,
                                                  outcome.distance, 4, found.data(),
                                                  "distances"));
                for (uint32_t d : found)
                    reached += d != UINT32_MAX;
                if (reached < b->parts.places.n / 10)
                    break;
                sum += sum_of(found);
                continue;
            }
            more = outcome.more;
            ms.push_back(outcome.ms);
        }
        done += reached >= b->parts.places.n / 10;
        for (int i = 0;
             b->team.parts == 1 && reached >= b->parts.places.n / 10 && i < b->repeats;
             i++)
            search_alone(b, &search, 128, &one, &sum_alone, &more_alone);
    }
    print_result(b, "sssp", "several", ms, sum);
    printf("    %s\n", more.c_str());
    if (b->team.parts == 1) {
        print_result(b, "sssp", "persistent", one, sum_alone);
        printf("    %s\n", more_alone.c_str());
    }
}

static bool is_asked(const char *algorithm) {
    const char *only = getenv("ONLY");
    return !only || strcmp(only, algorithm) == 0;
}

static void search_all(struct bench *b) {
    if (is_asked("pagerank"))
        time_ranks(b);
    if (is_asked("sssp"))
        time_paths(b);
}

int main(int argc, char **argv) {
    return run_all(argc, argv, "bench_several_searches", 3, CSR_BOTH, true, search_all);
}
