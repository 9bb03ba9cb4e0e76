/* Measures independent sets and breadth-first searches on R-MAT graphs that several
** devices share (drawn_parts.cuh).
**
**     bench_several SCALE FACTOR DEVICES ...
**
** For each of DEVICES a first line has the time of making rows; the first of these times
** includes making the rows on the host. Then a line for each kind of search has the
** median, least and most milliseconds, and a checksum over (number, value), which must
** not depend on the devices. On one device there are also lines for the kernels of one
** device ("one-launch-balanced", "direction-optimizing") on equal rows. Breadth-first
** searches start from vertices of the largest component. The first round of each kind is
** not timed, because searches still improve the hubs. After each search the answer is
** downloaded, as in a whole call and in bench_mpi_drawn, so the devices are idle between
** searches.
** Environment: REPEATS (5) rounds; SOURCES (5) of breadth-first searches; TIMES=1 also
** prints all times, in order; BRING=0 downloads no answers.
**
**     MAKE,scale,factor,devices,ms,arcs
**     SEVERAL,algorithm,method,scale,factor,devices,repeats,median,least,most,sum */
#include "distributed/bfs/several.cuh"
#include "drawn_parts.cuh"
#include "distributed/mis/several.cuh"

/* ---- results ---- */

/* The finalizer of MurmurHash3, as in bench_gpu. */
static uint64_t hash(uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ x >> 33;
}

struct summing {
    struct bench *b;
    uint32_t owner;
    const uint8_t *member;
    const uint32_t *depth;
    uint64_t sum, reached;
};

static void sum_slice(void *job, uint64_t low, uint64_t high) {
    struct summing *s = (struct summing *)job;
    const struct several_places *places = &s->b->parts.places;
    uint64_t sum = 0, reached = 0;
    for (uint64_t i = low; i < high; i++) {
        uint64_t v = several_number_of(places, s->owner, (uint32_t)i);
        bool there = s->member ? s->member[i] : s->depth[i] != GPUGRAPH_NONE;
        if (!there || v >= places->n)
            continue;
        sum += hash(v * 0x9E3779B97F4A7C15ULL + (s->member ? 0 : s->depth[i]));
        reached++;
    }
    __atomic_fetch_add(&s->sum, sum, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->reached, reached, __ATOMIC_RELAXED);
}

/* Sums an array of members (bytes) or depths. */
template <typename type>
static struct summing sum_of(struct bench *b, const several_array<type> &array) {
    struct summing s = {b, 0, NULL, NULL, 0, 0};
    std::vector<type> segment(b->parts.places.stride);
    for (int p = 0; p < b->team.parts; p++) {
        s.owner = (uint32_t)p;
        if (sizeof(type) == 1)
            s.member = (const uint8_t *)segment.data();
        else
            s.depth = (const uint32_t *)segment.data();
        gg_download(gg_several_on(&b->team, p), segment.data(), array.at[p],
                    segment.size() * sizeof(type));
        need(b, gg_several_going(&b->team));
        gg_slices(gg_team_limit(0), segment.size(), sum_slice, &s);
    }
    return s;
}

template <typename type>
static void bring_home(struct bench *b, const several_array<type> &answer) {
    const char *asked = getenv("BRING");
    if (asked && strcmp(asked, "0") == 0)
        return;
    void *home = gg_alloc(&b->run, b->parts.places.n, sizeof(type));
    need(b,
         home && gg_several_download(&b->team, &b->parts.places, answer, home, "answer"));
    gg_release(home);
}

/* ---- mis ---- */

static void time_one_launch(struct bench *b) {
    struct cuda_job *job = gg_several_on(&b->team, 0);
    std::vector<double> ms;
    several_array<uint8_t> member = {};
    for (int i = 0; i <= b->repeats; i++) {
        struct mis_graph g = mis_graph();
        char report[100];
        g.n = b->parts.places.stride; /* on one device places are numbers */
        g.m = b->parts.arcs;
        g.offset = b->parts.rows[0].offset;
        g.end = g.offset + 1;
        g.target = b->parts.rows[0].target;
        g.stop = job->device->device_stop;
        g.shift = __builtin_clz(b->parts.places.n - 1);
        g.first_share = GG_MIS_SHARE;
        g.hashes.salt = gg_fixed_hash(1 + 0x9e3779b97f4a7c15u);
        need(b, gg_mis_one_launch(job, &g, true, report, sizeof report) &&
                    gg_several_going(&b->team));
        if (i > 0)
            ms.push_back(gg_marked_ms(job));
        member.at[0] = g.member;
        bring_home(b, member);
    }
    print_result(b, "mis", "one-launch-balanced", ms, sum_of(b, member).sum);
}

static void time_mis(struct bench *b) {
    const struct mis_question question = {GPUGRAPH_BY_DEGREE, 1, 0, NULL};
    struct mis_answer answer;
    std::vector<double> ms;
    for (int i = 0; i <= b->repeats; i++) {
        need(b, gg_mis_on_team(&b->team, &b->parts, &question, &answer));
        if (i > 0)
            ms.push_back(answer.ms);
        bring_home(b, answer.member);
    }
    print_result(b, "mis", gg_several_exchange_name(&b->team), ms,
                 sum_of(b, answer.member).sum);
    if (b->team.parts == 1)
        time_one_launch(b);
}

/* ---- bfs ---- */

static gpugraph_search search_from(const uint32_t *source) {
    gpugraph_search search = {};
    search.source = source;
    search.source_count = 1;
    search.max_depth = GPUGRAPH_NONE;
    return search;
}

/* Finds sources that reach more than a tenth of all vertices. */
static std::vector<uint32_t> find_sources(struct bench *b) {
    std::vector<uint32_t> source;
    size_t wanted = getenv("SOURCES") ? strtoul(getenv("SOURCES"), NULL, 10) : 5;
    for (uint64_t i = 0; source.size() < wanted && i < 1000; i++) {
        uint32_t v = (uint32_t)(hash(i) % b->parts.places.n);
        const gpugraph_search search = search_from(&v);
        struct bfs_shared_answer answer;
        need(b, gg_bfs_on_team(&b->team, &b->parts, &b->parts, &search, &answer));
        if (answer.report.reached > b->parts.places.n / 10)
            source.push_back(v);
    }
    return source;
}

static void time_direction_optimizing(struct bench *b,
                                      const std::vector<uint32_t> &sources) {
    struct cuda_job *job = gg_several_on(&b->team, 0);
    const struct several_rows *rows = &b->parts.rows[0];
    const struct device_csr g = gg_packed_rows(b->parts.places.n, b->parts.arcs,
                                               rows->offset, rows->target, NULL);
    const struct bfs_below below = {g, rows->hub, rows->closed};
    std::vector<double> ms;
    uint64_t sum = 0;
    for (int i = 0; i < b->repeats + 1; i++)
        for (const uint32_t &v : sources) {
            const gpugraph_search search = search_from(&v);
            struct bfs_outcome out;
            need(b, gg_bfs_levels_by(job, &search, &g, &below, false, &out) &&
                        gg_several_going(&b->team));
            several_array<uint32_t> depth = {};
            depth.at[0] = out.depth;
            if (i > 0)
                ms.push_back(gg_marked_ms(job));
            bring_home(b, depth);
            if (i == b->repeats) {
                std::vector<uint32_t> all(b->parts.places.n);
                gg_download(job, all.data(), out.depth, all.size() * 4);
                for (uint32_t u = 0; u < b->parts.places.n; u++)
                    if (all[u] != GPUGRAPH_NONE)
                        sum += hash(u * 0x9E3779B97F4A7C15ULL + all[u]);
            }
        }
    print_result(b, "bfs", "direction-optimizing", ms, sum);
}

static void time_bfs(struct bench *b) {
    need(b, gg_several_hubs(&b->team, &b->parts));
    const std::vector<uint32_t> sources = find_sources(b);
    std::vector<double> ms;
    uint64_t sum = 0;
    struct bfs_shared_answer answer = {};
    for (int i = 0; i < b->repeats + 1; i++)
        for (const uint32_t &v : sources) {
            const gpugraph_search search = search_from(&v);
            need(b, gg_bfs_on_team(&b->team, &b->parts, &b->parts, &search, &answer));
            if (i > 0)
                ms.push_back(answer.ms);
            bring_home(b, answer.depth);
            if (i == b->repeats)
                sum += sum_of(b, answer.depth).sum;
        }
    print_result(b, "bfs", gg_several_exchange_name(&b->team), ms, sum);
    printf("    %u levels, %u bottom-up, %llu barriers, %llu reached\n",
           answer.report.level, answer.report.bottom_up,
           (unsigned long long)answer.report.rounds,
           (unsigned long long)answer.report.reached);
    if (b->team.parts == 1)
        time_direction_optimizing(b, sources);
}

/* ---- */

static void search_all(struct bench *b) {
    time_mis(b);
    time_bfs(b);
}

int main(int argc, char **argv) {
    return run_all(argc, argv, "bench_several", 5, CSR_SIMPLE, false, search_all);
}
