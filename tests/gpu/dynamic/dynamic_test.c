/* Dynamic graphs compared with a model. Batches are random, with repeats; loads above 1
** make chains, small loads many slabs; the arena begins empty, so it grows in the middle
** of batches. */
/* ctest: whole-batches */
#include "dynamic_model.h"
#include "share.h"
#include "suite.h"
#include "graph_data.h"

enum { BATCH = 3000 };

/* Every test runs for each backend; without a device CUDA is skipped. Each test runs in a
** separate process and looks for a device there, because CUDA does not survive fork(). */
static const gpugraph_backend test_backends[] = {GPUGRAPH_CPU, GPUGRAPH_CUDA};
enum { BACKENDS = sizeof test_backends / sizeof *test_backends };

static bool absent(int backend) {
    return test_backends[backend] == GPUGRAPH_CUDA && !gpugraph_cuda_usable(NULL);
}

static void check_queries(gpugraph_dynamic *d, const struct model *m, gpugraph_run *run) {
    static struct batch b;
    random_batch(&b, m->n, BATCH);
    ck_assert_int_eq(
        gpugraph_dynamic_query(d, b.count, b.source, b.target, run, b.answer),
        GPUGRAPH_OK);
    for (uint32_t i = 0; i < b.count; i++) {
        uint32_t value = m->value[b.source[i]][b.target[i]];
        expect(b.answer[i] == value, "%u -> %u is %u, not %u", b.source[i], b.target[i],
               b.answer[i], value);
    }
}

/* Checks the rows of some vertices, some of them twice. */
static void check_some(gpugraph_dynamic *d, const struct model *m, bool valued,
                       gpugraph_run *run) {
    static uint32_t target[2 * SIDE * SIDE], value[2 * SIDE * SIDE];
    uint32_t vertex[2 * SIDE];
    uint64_t offset[2 * SIDE + 1];
    const uint32_t count = draw(2 * SIDE);
    for (uint32_t i = 0; i < count; i++)
        vertex[i] = draw(m->n);
    ck_assert_int_eq(gpugraph_dynamic_rows_of(d, count, vertex, run, offset, NULL, NULL),
                     GPUGRAPH_OK);
    const uint64_t length = offset[count];
    ck_assert_int_eq(
        gpugraph_dynamic_rows_of(d, count, vertex, run, offset, target, value),
        GPUGRAPH_OK);
    ck_assert_uint_eq(offset[count], length);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t edges = 0;
        bool seen[SIDE] = {false};
        for (uint32_t v = 0; v < SIDE; v++)
            edges += m->value[vertex[i]][v] != ABSENT;
        expect(offset[i + 1] - offset[i] == edges, "vertex %u has not %u edges",
               vertex[i], edges);
        for (uint64_t k = offset[i]; k < offset[i + 1]; k++) {
            const uint32_t is = m->value[vertex[i]][target[k]];
            expect(!seen[target[k]] && is != ABSENT && (!valued || is == value[k]),
                   "%u -> %u", vertex[i], target[k]);
            seen[target[k]] = true;
        }
    }
}

/* `fresh`: edges of the batch that do not exist yet. */
static void insert_only(gpugraph_dynamic *d, const struct batch *b, bool valued,
                        gpugraph_run *run, uint64_t fresh) {
    uint64_t added;
    ck_assert_int_eq(gpugraph_dynamic_insert(d, b->count, b->source, b->target,
                                             valued ? b->value : NULL, run, &added),
                     GPUGRAPH_OK);
    ck_assert_uint_eq(added, fresh);
}

static void insert(gpugraph_dynamic *d, struct model *m, const struct batch *b,
                   bool valued, gpugraph_run *run) {
    uint64_t before = edges_of(m);
    model_insert(m, b, valued);
    insert_only(d, b, valued, run, edges_of(m) - before);
}

static void delete (gpugraph_dynamic *d, struct model *m, const struct batch *b,
                    gpugraph_run *run) {
    uint64_t before = edges_of(m), removed;
    model_delete(m, b);
    ck_assert_int_eq(
        gpugraph_dynamic_delete(d, b->count, b->source, b->target, run, &removed),
        GPUGRAPH_OK);
    ck_assert_uint_eq(removed, before - edges_of(m));
}

static const double loads[] = {0, 0.3, 3, 8};

/* One history of a graph: random batches, each followed by a check of everything. */
static void live(gpugraph_backend backend, uint64_t seed, bool valued, int threads) {
    luck = seed;
    static struct model m;
    static struct batch b;
    gpugraph_run run = {.backend = backend, .threads = threads};
    uint32_t first = 1 + draw(SIDE);
    gpugraph_dynamic_options options = {first, valued, loads[draw(4)]};
    gpugraph_dynamic *d;
    ck_assert_int_eq(gpugraph_dynamic_create(&options, &run, &d), GPUGRAPH_OK);
    clear_model(&m, first);
    for (int round = 0; round < 12; round++) {
        random_batch(&b, m.n, BATCH);
        if (draw(3) == 0)
            sort_batch(&b);
        switch (draw(6)) {
        case 0:
        case 1:
        case 2:
            insert(d, &m, &b, valued, &run);
            if (draw(3) == 0) /* again: nothing changes */
                insert(d, &m, &b, valued, &run);
            break;
        case 3:
            delete (d, &m, &b, &run);
            break;
        case 4:
            ck_assert_int_eq(gpugraph_dynamic_clean(d, &run), GPUGRAPH_OK);
            break;
        default:
            m.n += draw(SIDE + 1 - m.n);
            ck_assert_int_eq(gpugraph_dynamic_reserve(d, m.n, &run), GPUGRAPH_OK);
        }
        ck_assert_uint_eq(gpugraph_dynamic_vertex_count(d), m.n);
        check_rows(d, &m, valued);
        check_queries(d, &m, &run);
        check_some(d, &m, valued, &run);
    }
    gpugraph_dynamic_free(d);
}

START_TEST(random_lives) {
    if (absent(_i))
        return;
    for (uint64_t seed = 0; seed < 60; seed++)
        if (!left_out(seed))
            live(test_backends[_i], seed, seed % 2, 1 + (int)(seed / 2 % 4));
}
END_TEST

/* Deletes vertices of a symmetric graph, and of a directed graph with its reverse. */
static void delete_vertices(gpugraph_backend backend, uint64_t seed, bool symmetric,
                            bool valued) {
    luck = seed;
    static struct model m, reversed;
    static struct batch b, turned;
    gpugraph_run run = {.backend = backend, .threads = 3};
    gpugraph_dynamic_options options = {SIDE, valued, loads[draw(4)]};
    gpugraph_dynamic *d, *reverse = NULL;
    ck_assert_int_eq(gpugraph_dynamic_create(&options, &run, &d), GPUGRAPH_OK);
    if (!symmetric)
        ck_assert_int_eq(gpugraph_dynamic_create(&options, &run, &reverse), GPUGRAPH_OK);
    clear_model(&m, SIDE);
    for (int round = 0; round < 6; round++) {
        random_batch(&b, SIDE, BATCH);
        turn_batch(&b, &turned);
        if (symmetric) { /* both directions have the same value */
            memset(turned.value, 0, sizeof b.value);
            memset(b.value, 0, sizeof b.value);
        }
        insert(d, &m, &b, valued, &run);
        if (symmetric) {
            insert(d, &m, &turned, valued, &run);
        } else {
            uint64_t before = gpugraph_dynamic_edge_count(reverse);
            insert_only(reverse, &turned, valued, &run, edges_of(&m) - before);
        }
        uint32_t gone[20], count = draw(20);
        for (uint32_t i = 0; i < count; i++)
            gone[i] = draw(SIDE);
        ck_assert_int_eq(gpugraph_dynamic_delete_vertices(d, reverse, count, gone, &run),
                         GPUGRAPH_OK);
        for (uint32_t i = 0; i < count; i++)
            model_delete_vertex(&m, gone[i]);
        check_rows(d, &m, valued);
        check_queries(d, &m, &run);
        if (reverse) {
            turn_model(&m, &reversed);
            check_rows(reverse, &reversed, valued);
            check_queries(reverse, &reversed, &run);
        }
        for (uint32_t i = 0; i < count; i++) { /* their numbers are used again */
            uint32_t v;
            ck_assert_int_eq(gpugraph_dynamic_add_vertex(d, &run, &v), GPUGRAPH_OK);
            bool known = false;
            for (uint32_t j = 0; j < count; j++)
                known |= gone[j] == v;
            if (!known)
                break; /* some were named twice */
        }
        if (gpugraph_dynamic_vertex_count(d) > SIDE)
            break;
    }
    gpugraph_dynamic_free(d);
    gpugraph_dynamic_free(reverse);
}

START_TEST(vertices_go) {
    if (absent(_i))
        return;
    for (uint64_t seed = 100; seed < 130; seed++)
        if (!left_out(seed))
            delete_vertices(test_backends[_i], seed, seed % 2, seed / 2 % 2);
}
END_TEST

START_TEST(emptied_numbers_are_used_again) {
    if (absent(_i))
        return;
    gpugraph_run run = {.backend = test_backends[_i]};
    gpugraph_dynamic_options options = {4, false, 0};
    gpugraph_dynamic *d;
    ck_assert_int_eq(gpugraph_dynamic_create(&options, &run, &d), GPUGRAPH_OK);
    const uint32_t source[] = {0, 1, 1, 2}, target[] = {1, 0, 2, 1}, gone[] = {1, 1};
    uint32_t v;
    ck_assert_int_eq(gpugraph_dynamic_insert(d, 4, source, target, NULL, &run, NULL), 0);
    ck_assert_int_eq(gpugraph_dynamic_delete_vertices(d, NULL, 2, gone, &run), 0);
    ck_assert_uint_eq(gpugraph_dynamic_edge_count(d), 0);
    ck_assert_int_eq(gpugraph_dynamic_add_vertex(d, &run, &v), GPUGRAPH_OK);
    ck_assert_uint_eq(v, 1);
    ck_assert_int_eq(gpugraph_dynamic_add_vertex(d, &run, &v), GPUGRAPH_OK);
    ck_assert_uint_eq(v, 4);
    ck_assert_uint_eq(gpugraph_dynamic_vertex_count(d), 5);
    static struct model m;
    clear_model(&m, 5);
    check_rows(d, &m, false); /* the number has no edges, and accepts new ones */
    m.value[1][0] = m.value[4][1] = 0;
    const uint32_t from[] = {1, 4}, to[] = {0, 1};
    ck_assert_int_eq(gpugraph_dynamic_insert(d, 2, from, to, NULL, &run, NULL), 0);
    check_rows(d, &m, false);
    gpugraph_dynamic_free(d);
}
END_TEST

/* A number is free until it is returned, or until an edge names it. */
START_TEST(numbers_in_use_are_not_free) {
    if (absent(_i))
        return;
    gpugraph_run run = {.backend = test_backends[_i]};
    gpugraph_dynamic_options options = {200, true, 0};
    const uint32_t source[] = {70, 3}, target[] = {5, 130}, value[] = {1, 2};
    uint32_t gone[100], v;
    bool seen[200] = {false};
    gpugraph_dynamic *d;
    ck_assert_int_eq(gpugraph_dynamic_create(&options, &run, &d), GPUGRAPH_OK);
    for (uint32_t round = 0; round < 5; round++) {
        for (uint32_t i = 0; i < 100; i++)
            gone[i] = 3 + i % 99; /* 3 .. 101, 3 again */
        ck_assert_int_eq(gpugraph_dynamic_delete_vertices(d, NULL, 100, gone, &run), 0);
        ck_assert_int_eq(gpugraph_dynamic_insert(d, 2, source, target, value, &run, NULL),
                         GPUGRAPH_OK);
    }
    ck_assert_int_eq(gpugraph_dynamic_insert(d, 1, source, target, NULL, &run, NULL),
                     GPUGRAPH_INVALID);
    for (uint32_t i = 0; i < 96; i++) { /* without 3, 5 and 70 */
        ck_assert_int_eq(gpugraph_dynamic_add_vertex(d, &run, &v), GPUGRAPH_OK);
        ck_assert_uint_le(v, 101);
        ck_assert(!seen[v] && v > 3 && v != 5 && v != 70);
        seen[v] = true;
    }
    ck_assert_int_eq(gpugraph_dynamic_add_vertex(d, &run, &v), GPUGRAPH_OK);
    ck_assert_uint_eq(v, 200);
    gpugraph_dynamic_free(d);
}
END_TEST

/* A key is deleted and inserted again while its neighbours stay: tombstones lie before it
** and behind it, so an insertion that stopped at the first free entry would store it
** twice. Absent edges are deleted without effect; existing ones are replaced. */
static void come_and_go(gpugraph_backend backend, bool valued, double load) {
    static struct model m;
    static struct batch all, some;
    gpugraph_run run = {.backend = backend};
    gpugraph_dynamic_options options = {SIDE, valued, load};
    gpugraph_dynamic *d;
    ck_assert_int_eq(gpugraph_dynamic_create(&options, &run, &d), GPUGRAPH_OK);
    clear_model(&m, SIDE);
    all.count = SIDE;
    for (uint32_t i = 0; i < SIDE; i++) {
        all.source[i] = 3;
        all.target[i] = i;
        all.value[i] = i;
    }
    insert(d, &m, &all, valued, &run);
    for (uint32_t step = 1; step < 12; step++) {
        some.count = 0;
        for (uint32_t i = 0; i < SIDE; i += step) {
            some.source[some.count] = 3;
            some.target[some.count] = SIDE - 1 - i;
            some.value[some.count++] = 1000 * step + i;
        }
        delete (d, &m, &some, &run);
        delete (d, &m, &some, &run); /* none of them is there */
        check_rows(d, &m, valued);
        insert(d, &m, &all, valued, &run); /* existing ones, too */
        check_rows(d, &m, valued);
        insert(d, &m, &some, valued, &run); /* all exist: only values change */
        check_rows(d, &m, valued);
        ck_assert_uint_eq(gpugraph_dynamic_edge_count(d), SIDE);
    }
    gpugraph_dynamic_free(d);
}

START_TEST(keys_come_again) {
    if (absent(_i))
        return;
    for (int i = 0; i < 8; i++)
        come_and_go(test_backends[_i], i % 2, loads[i / 2]);
}
END_TEST

/* Repeated filling and emptying must not use more and more memory: slabs are freed, and
** an arena of mostly free pieces is compacted. */
START_TEST(room_comes_back) {
    if (absent(_i))
        return;
    static struct model m;
    static struct batch b;
    gpugraph_run run = {.backend = test_backends[_i], .threads = 2};
    gpugraph_dynamic_options options = {SIDE, true, 0};
    gpugraph_dynamic *d;
    ck_assert_int_eq(gpugraph_dynamic_create(&options, &run, &d), GPUGRAPH_OK);
    clear_model(&m, SIDE);
    luck = 7;
    int64_t bytes = 0;
    for (int round = 0; round < 60; round++) {
        b.count = BATCH;
        for (uint32_t i = 0; i < BATCH; i++) {
            b.source[i] = draw(SIDE);
            b.target[i] = draw(SIDE);
            b.value[i] = i;
        }
        insert(d, &m, &b, true, &run);
        delete (d, &m, &b, &run);
        ck_assert_int_eq(gpugraph_dynamic_clean(d, &run), GPUGRAPH_OK);
        ck_assert_uint_eq(gpugraph_dynamic_edge_count(d), 0);
        if (round == 20)
            bytes = gpugraph_dynamic_bytes(d);
    }
    ck_assert_int_le(gpugraph_dynamic_bytes(d), 2 * bytes);
    gpugraph_dynamic_free(d);
}
END_TEST

/* All edges of one vertex in one batch into an empty graph, then again in parts. */
START_TEST(a_hub_grows) {
    if (absent(_i) || left_out(4))
        return;
    enum { LEAVES = 200000 };
    gpugraph_run run = {.backend = test_backends[_i]};
    gpugraph_dynamic_options options = {LEAVES, true, 0};
    gpugraph_dynamic *d;
    uint32_t *source = calloc(LEAVES, sizeof *source),
             *target = malloc(LEAVES * sizeof *target),
             *answer = malloc(LEAVES * sizeof *answer);
    for (uint32_t i = 0; i < LEAVES; i++)
        target[i] = (uint32_t)((uint64_t)i * 7919 % LEAVES);
    for (int parts = 1; parts <= 40; parts += 13) {
        uint64_t added, sum = 0;
        ck_assert_int_eq(gpugraph_dynamic_create(&options, &run, &d), GPUGRAPH_OK);
        for (int part = 0; part < parts; part++) {
            uint32_t low = (uint32_t)((uint64_t)LEAVES * part / parts);
            uint32_t high = (uint32_t)((uint64_t)LEAVES * (part + 1) / parts);
            ck_assert_int_eq(gpugraph_dynamic_insert(d, high - low, source, target + low,
                                                     target + low, &run, &added),
                             GPUGRAPH_OK);
            sum += added;
        }
        ck_assert_uint_eq(sum, LEAVES);
        ck_assert_int_eq(gpugraph_dynamic_query(d, LEAVES, source, target, &run, answer),
                         GPUGRAPH_OK);
        ck_assert_mem_eq(answer, target, LEAVES * sizeof *answer);
        gpugraph_dynamic_free(d);
    }
    free(source);
    free(target);
    free(answer);
}
END_TEST

/* Batches that are large enough for a sort before the insertion: by the highest bits of
** the sources if the graph is empty, otherwise by all bits. */
static void insert_many(gpugraph_backend backend, bool valued) {
    enum { SIZE = 2048, MANY = (1 << 21) + 1000, LOOKS = 100000 };
    gpugraph_run run = {.backend = backend};
    gpugraph_dynamic_options options = {SIZE, valued, 0};
    gpugraph_dynamic *d;
    uint32_t *matrix = malloc(sizeof *matrix * SIZE * SIZE);
    uint32_t *answer = malloc(sizeof *answer * LOOKS);
    uint32_t *column[3]; /* source, target, value */
    for (int i = 0; i < 3; i++)
        column[i] = malloc(sizeof *column[i] * MANY);
    memset(matrix, 0xff, sizeof *matrix * SIZE * SIZE);
    ck_assert_int_eq(gpugraph_dynamic_create(&options, &run, &d), GPUGRAPH_OK);
    luck = 11;
    for (int batch = 0; batch < 3; batch++) {
        uint64_t fresh = 0, added, count = batch == 0 ? MANY : 1 << 18;
        for (uint64_t i = 0; i < count; i++) {
            uint32_t u = column[0][i] = draw(SIZE), v = column[1][i] = draw(SIZE);
            column[2][i] = valued ? draw(1000) : 0;
            fresh += matrix[u * SIZE + v] == UINT32_MAX;
            matrix[u * SIZE + v] = column[2][i];
        }
        ck_assert_int_eq(gpugraph_dynamic_insert(d, count, column[0], column[1],
                                                 valued ? column[2] : NULL, &run, &added),
                         GPUGRAPH_OK);
        ck_assert_uint_eq(added, fresh);
        for (uint32_t i = 0; i < LOOKS; i++) {
            column[0][i] = draw(SIZE);
            column[1][i] = draw(SIZE);
        }
        ck_assert_int_eq(
            gpugraph_dynamic_query(d, LOOKS, column[0], column[1], &run, answer),
            GPUGRAPH_OK);
        for (uint32_t i = 0; i < LOOKS; i++)
            ck_assert_uint_eq(answer[i], matrix[column[0][i] * SIZE + column[1][i]]);
    }
    gpugraph_dynamic_free(d);
    for (int i = 0; i < 3; i++)
        free(column[i]);
    free(matrix);
    free(answer);
}

START_TEST(large_batches) {
    if (absent(_i) || left_out(2))
        return;
    insert_many(test_backends[_i], false);
    insert_many(test_backends[_i], true);
}
END_TEST

/* The first batch is in order, with rows of every length. `late`: its last edge is out of
** order. */
static void insert_in_order(gpugraph_backend backend, bool valued, double load,
                            bool late) {
    enum { SIZE = 70000, MOST = 400000 };
    static const uint32_t length[] = {1,    3, 0,  9,     40,    700, 2,
                                      5000, 0, 16, 60000, 30000, 15};
    gpugraph_run run = {.backend = backend};
    gpugraph_dynamic_options options = {SIZE, valued, load};
    gpugraph_dynamic *d;
    uint32_t *column[4], count = 0; /* source, target, value, answer */
    uint32_t *degree = calloc(SIZE, sizeof *degree), *all = malloc(SIZE * sizeof *all);
    uint64_t *offset = malloc((SIZE + 1) * sizeof *offset);
    uint64_t added;
    for (int i = 0; i < 4; i++)
        column[i] = malloc(sizeof *column[i] * MOST);
    luck = 12;
    for (uint32_t v = 0; v < SIZE; v++) {
        const uint32_t row = v < 2 * 13 ? length[v % 13] : draw(4);
        const uint32_t apart = row > 0 ? SIZE / row : 1;
        all[v] = v;
        for (uint32_t k = 0; k < row; k++) {
            column[0][count] = v;
            column[1][count] = k * apart + draw(apart);
            column[2][count++] = valued ? draw(1000000) : 0;
        }
    }
    ck_assert_uint_le(count, MOST);
    if (late) { /* repeats the last edge with another value, or comes after it */
        column[0][count - 1] = column[0][count - 2];
        column[1][count - 1] = column[1][count - 2];
    }
    ck_assert_int_eq(gpugraph_dynamic_create(&options, &run, &d), GPUGRAPH_OK);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(gpugraph_dynamic_insert(d, count, column[0], column[1],
                                                 valued ? column[2] : NULL, &run, &added),
                         GPUGRAPH_OK);
        ck_assert_uint_eq(added, again ? 0 : count - late);
        ck_assert_int_eq(
            gpugraph_dynamic_query(d, count, column[0], column[1], &run, column[3]),
            GPUGRAPH_OK);
        for (uint32_t i = 0; i < count; i++)
            expect(column[3][i] == column[2][late && i == count - 2 ? count - 1 : i],
                   "edge %u, %u -> %u", i, column[0][i], column[1][i]);
    }
    for (uint32_t i = 0; i < count - late; i++)
        degree[column[0][i]]++;
    ck_assert_int_eq(gpugraph_dynamic_rows_of(d, SIZE, all, &run, offset, NULL, NULL),
                     GPUGRAPH_OK);
    for (uint32_t v = 0; v < SIZE; v++)
        ck_assert_uint_eq(offset[v + 1] - offset[v], degree[v]);
    gpugraph_dynamic_free(d);
    for (int i = 0; i < 4; i++)
        free(column[i]);
    free(degree);
    free(offset);
    free(all);
}

START_TEST(first_batches_in_order) {
    if (absent(_i))
        return;
    for (int i = 0; i < 12; i++)
        if (!left_out((uint64_t)i))
            insert_in_order(test_backends[_i], i % 2, loads[i / 2 % 4], i >= 8);
}
END_TEST

START_TEST(triangles) {
    if (absent(_i))
        return;
    for (uint64_t seed = 0; seed < 20; seed++) {
        static struct model m;
        gpugraph_run run = {.backend = test_backends[_i], .threads = 2};
        gpugraph_dynamic_options options = {SIDE, seed % 2, 0};
        gpugraph_dynamic *d;
        uint64_t expected = 0, count;
        luck = seed;
        clear_model(&m, SIDE);
        ck_assert_int_eq(gpugraph_dynamic_create(&options, &run, &d), GPUGRAPH_OK);
        for (int batch = 0; batch < 3; batch++) {
            uint32_t source[800], target[800], value[800] = {0};
            for (uint32_t i = 0; i < 800; i += 2) {
                uint32_t u = draw(SIDE), v = (u + 1 + draw(SIDE - 1)) % SIDE;
                source[i] = target[i + 1] = u;
                source[i + 1] = target[i] = v;
                m.value[u][v] = m.value[v][u] = 0;
            }
            ck_assert_int_eq(
                gpugraph_dynamic_insert(d, 800, source, target, value, &run, NULL),
                GPUGRAPH_OK);
            expected = 0;
            for (uint32_t u = 0; u < SIDE; u++)
                for (uint32_t v = u + 1; v < SIDE; v++)
                    for (uint32_t w = v + 1; w < SIDE; w++)
                        expected += !m.value[u][v] && !m.value[v][w] && !m.value[u][w];
            ck_assert_int_eq(gpugraph_dynamic_triangles(d, &run, &count), GPUGRAPH_OK);
            ck_assert_uint_eq(count, expected);
        }
        gpugraph_dynamic_free(d);
    }
}
END_TEST

START_TEST(wrong_arguments) {
    if (absent(_i))
        return;
    gpugraph_run run = {.backend = test_backends[_i]};
    gpugraph_dynamic_options options = {3, false, 0}, many = {UINT32_MAX, false, 0};
    gpugraph_dynamic *d;
    const uint32_t source[] = {0, 1}, target[] = {1, 3};
    ck_assert_int_eq(gpugraph_dynamic_create(&many, &run, &d), GPUGRAPH_INVALID);
    ck_assert_ptr_null(d);
    ck_assert_int_eq(gpugraph_dynamic_create(&options, &run, &d), GPUGRAPH_OK);
    ck_assert_int_eq(gpugraph_dynamic_insert(d, 2, source, target, NULL, &run, NULL),
                     GPUGRAPH_INVALID);
    ck_assert_str_eq(run.message,
                     "vertex 3 is named, but the graph has 3: reserve it first");
    ck_assert_uint_eq(gpugraph_dynamic_edge_count(d), 0);
    ck_assert_int_eq(gpugraph_dynamic_insert(d, 0, NULL, NULL, NULL, &run, NULL),
                     GPUGRAPH_OK);
    gpugraph_dynamic_free(d);
    gpugraph_dynamic_free(NULL);
}
END_TEST

const struct suite suite = {
    "dynamic",
    {{"dynamic", .timeout = 60,
      .cases = {{&random_lives, BACKENDS},
                {&vertices_go, BACKENDS},
                {&emptied_numbers_are_used_again, BACKENDS},
                {&numbers_in_use_are_not_free, BACKENDS},
                {&keys_come_again, BACKENDS},
                {&room_comes_back, BACKENDS},
                {&a_hub_grows, BACKENDS},
                {&large_batches, BACKENDS},
                {&first_batches_in_order, BACKENDS},
                {&triangles, BACKENDS},
                {&wrong_arguments, BACKENDS}}}},
};
