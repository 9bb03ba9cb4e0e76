/* The backend and the method that run a function, and the choice that exists. */
/* ctest: serial */
#include "degrees/degrees.h"
#include "dfs/dfs.h"
#include "graphs.h"
#include "suite.h"

#include <string.h>

static gpugraph_status degrees_by(gpugraph_backend on, const char *method,
                                  gpugraph_run *run) {
    shape path = shape_path(3);
    gpugraph_graph *graph = shape_graph(&path);
    uint32_t degree[3];
    run->backend = on;
    run->method = method;
    gpugraph_status status = gpugraph_degrees(graph, GPUGRAPH_BOTH, run, degree);
    if (!status)
        ck_assert(degree[0] == 1 && degree[1] == 2 && degree[2] == 1);
    gpugraph_free(graph);
    shape_free(&path);
    return status;
}

START_TEST(methods_and_backends) {
    gpugraph_run run = {0};
    ck_assert_int_eq(degrees_by(GPUGRAPH_AUTO, NULL, &run), GPUGRAPH_OK);
    ck_assert_str_eq(run.used_backend, "cpu"); /* two edges never start a device */
    ck_assert_str_eq(run.used_method, "count");
    ck_assert_int_eq(degrees_by(GPUGRAPH_CPU, "auto", &run), GPUGRAPH_OK);
    ck_assert_int_eq(degrees_by(GPUGRAPH_CPU, "count", &run), GPUGRAPH_OK);
    ck_assert_int_eq(degrees_by(GPUGRAPH_AUTO, "guess", &run), GPUGRAPH_INVALID);
    ck_assert(strstr(run.message, "degrees has no method 'guess'") != NULL);
    ck_assert(strstr(run.message, "auto, count") != NULL);
    ck_assert_int_eq(degrees_by((gpugraph_backend)9, NULL, &run), GPUGRAPH_INVALID);
    const char *why = NULL;
    if (gpugraph_cuda_usable(&why)) {
        ck_assert_int_eq(degrees_by(GPUGRAPH_CUDA, NULL, &run), GPUGRAPH_OK);
        ck_assert_str_eq(run.used_backend, "cuda");
    } else {
        ck_assert(why && *why);
        ck_assert_int_eq(degrees_by(GPUGRAPH_CUDA, NULL, &run), GPUGRAPH_NO_DEVICE);
        ck_assert(strstr(run.message, why) != NULL);
    }
}
END_TEST

START_TEST(lists) {
    static const char *const functions[] = {"bfs", "path",      "sssp",   "dfs",
                                            "mis", "triangles", "degrees"};
    uint32_t served = 0; /* bit i is set if the CPU ran function i */
    int count = 0;
    for (const gpugraph_method *m; (m = gpugraph_method_at(count)) != NULL; count++) {
        ck_assert(*m->function && *m->name && *m->description);
        for (int i = 0; i < 7; i++)
            if (strcmp(m->function, functions[i]) == 0 && strcmp(m->backend, "cpu") == 0)
                served |= 1u << i;
        for (int i = 0; i < count; i++) {
            const gpugraph_method *other = gpugraph_method_at(i);
            ck_assert(strcmp(m->function, other->function) ||
                      strcmp(m->name, other->name) || strcmp(m->backend, other->backend));
        }
    }
    ck_assert_uint_eq(served, 0x7f);
    ck_assert_ptr_null(gpugraph_method_at(-1));
    ck_assert_ptr_null(gpugraph_method_at(count + 1));
    gpugraph_device device;
    ck_assert(gpugraph_device_at(0, &device));
    ck_assert_str_eq(device.backend, "cpu");
    ck_assert(*device.name && device.memory > 0 && device.free > 0);
    ck_assert(!gpugraph_device_at(-1, &device) && !gpugraph_device_at(99, &device));
}
END_TEST

START_TEST(falling_back) {
    gpugraph_run run = {.used_method = "count", .used_backend = "cuda"};
    ck_assert(!gg_fall_back(&run, &gg_degrees, true));
    gg_fail(&run, GPUGRAPH_DEVICE_MEMORY, "12 bytes are needed and %d are free", 3);
    ck_assert(gg_stopping(&run));
    ck_assert(!gg_fall_back(&run, &gg_degrees, false));
    ck_assert(gg_fall_back(&run, &gg_degrees, true));
    ck_assert_int_eq(run.status, GPUGRAPH_OK);
    ck_assert(!gg_stopping(&run));
    ck_assert_str_eq(run.used_backend, "cpu");
    ck_assert(strstr(run.why, "12 bytes are needed and 3 are free") != NULL);
    ck_assert_str_eq(run.used_method, "count");
}
END_TEST

/* Errors about device memory name a cure that changes something. */
START_TEST(device_memory_has_a_cure) {
    static const struct {
        gpugraph_backend backend;
        int64_t limit;
        const char *end;
    } cases[] = {
        {GPUGRAPH_CUDA, 0, " are free; use backend 'cpu' or 'auto'"},
        {GPUGRAPH_CUDA, 9,
         " under memory_limit; raise memory_limit, or use backend 'cpu' or 'auto'"},
        {GPUGRAPH_AUTO, 0, " are free; use backend 'cpu'"},
        {GPUGRAPH_AUTO, 9,
         " under memory_limit; raise memory_limit, or use backend 'cpu'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gpugraph_run run = {.backend = cases[i].backend,
                            .memory_limit = cases[i].limit,
                            .used_method = "count",
                            .used_backend = "cuda"};
        ck_assert_int_eq(gg_fail_device_memory(&run, 12, 3), GPUGRAPH_DEVICE_MEMORY);
        ck_assert_ptr_nonnull(
            strstr(run.message, "12 bytes more are needed, 3 are free"));
        const char *end = strstr(run.message, cases[i].end);
        ck_assert_msg(end && strlen(end) == strlen(cases[i].end), "%s", run.message);
        ck_assert(gg_fall_back(&run, &gg_degrees, true));
        ck_assert_ptr_nonnull(strstr(run.why, "12 bytes more are needed, 3 are free"));
        ck_assert_ptr_null(strstr(run.why, "use backend"));
    }
}
END_TEST

const struct suite suite = {
    "dispatch",
    {{"all", .cases = {{&methods_and_backends},
                       {&lists},
                       {&falling_back},
                       {&device_memory_has_a_cure}}}},
};
