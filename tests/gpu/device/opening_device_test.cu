/* A device that opens in the background, on a real device: meanwhile the process ends at
** any time, forks at any time, or has a context of its own in the thread that searches.
** Each case is a process of its own, since the driver starts once for each process. */
#include "device/driver.cuh"
#include "device/services.h"
extern "C" {
#include "graphs.h"
#include "suite.h"
}

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LATEST_MS = 500, STEP_MS = 10, EXIT_STATUS = 7 };

/* ---- in the process ---- */

static const uint64_t MANY = (uint64_t)1 << 32;

static void begin(gpugraph_run *run, int ms) {
    memset(run, 0, sizeof *run);
    gpugraph_expect(MANY, run);
    usleep((useconds_t)ms * 1000);
}

/* Searches a path of 100 vertices from its beginning. */
static gpugraph_status search(gpugraph_run *run, gpugraph_backend on) {
    const uint32_t source = 0;
    gpugraph_search from = {};
    uint32_t depth[100];
    shape path = shape_path(100);
    gpugraph_graph *graph = shape_graph(&path);
    from.source = &source;
    from.source_count = 1;
    from.max_depth = GPUGRAPH_NONE;
    run->backend = on;
    gpugraph_status status = gpugraph_bfs(graph, &from, run, depth, NULL);
    if (!status && depth[99] != 99)
        status = GPUGRAPH_RANGE;
    gpugraph_free(graph);
    shape_free(&path);
    return status;
}

static void host_handler(void) {
    dprintf(STDOUT_FILENO, " handler");
}

static int end_meanwhile(int ms) {
    gpugraph_run run;
    atexit(host_handler);
    begin(&run, ms);
    dprintf(STDOUT_FILENO, "%d %.3f", (int)gg_devices.state(0, NULL), gg_now_ms());
    exit(EXIT_STATUS);
}

/* Microseconds after the device is open: its thread is about to end, too. */
static int end_once_open(int us) {
    gpugraph_run run;
    begin(&run, 0);
    while (gg_devices.state(0, NULL) == OPENING_UNDER_WAY)
        ;
    for (const double until = gg_now_ms() + us * 1e-3; gg_now_ms() < until;)
        ;
    exit(EXIT_STATUS);
}

static int be_the_child(gpugraph_run *run) {
    if (search(run, GPUGRAPH_AUTO) != GPUGRAPH_OK || strcmp(run->used_backend, "cpu"))
        return 2;
    if (search(run, GPUGRAPH_CUDA) != GPUGRAPH_NO_DEVICE || !strstr(run->message, "fork"))
        return 3;
    return 0;
}

static int fork_meanwhile(int ms) {
    gpugraph_run run;
    int status = -1;
    begin(&run, ms);
    pid_t child = fork();
    if (child == 0)
        exit(be_the_child(&run));
    if (waitpid(child, &status, 0) != child || status)
        return status ? status >> 8 : 4;
    return search(&run, GPUGRAPH_CUDA) == GPUGRAPH_OK ? 0 : 5;
}

/* The context of the thread that searches. 0: none; 1: the host's own; 2: the primary
** one. */
static int with_own_context(int kind) {
    typedef CUresult create(CUcontext *, unsigned, CUdevice);
    const struct cuda_driver *driver = gg_driver();
    CUcontext own = NULL;
    CUdevice device;
    gpugraph_run run;
    if (driver->init(0) || driver->device(&device, 0))
        return 2;
    if (kind == 1) {
        create *make = reinterpret_cast<create *>(
            dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuCtxCreate_v2"));
        if (!make || make(&own, 0, device))
            return 3;
    } else if (kind == 2 && (driver->retain(&own, device) || driver->set_current(own))) {
        return 4;
    }
    begin(&run, 0);
    gpugraph_device about;
    for (int i = 0; i < 3; i++) {
        if (search(&run, GPUGRAPH_CUDA) != GPUGRAPH_OK || !gpugraph_device_at(1, &about))
            return 5;
        struct host_context now = gg_host_context();
        if (now.context != own)
            return 6;
    }
    return 0;
}

static int be_a_process(const char *what) {
    int number = atoi(what + strcspn(what, "0123456789"));
    return *what == 'e'   ? end_meanwhile(number)
           : *what == 'r' ? end_once_open(number)
           : *what == 'f' ? fork_meanwhile(number)
                          : with_own_context(number);
}

/* ---- from outside ---- */

/* Its exit status, its output, and the time of its end. */
static int run_process(const char *what, int number, char *said, size_t size,
                       double *ended_ms) {
    char argument[40];
    int out[2], status;
    snprintf(argument, sizeof argument, "%s%d", what, number);
    ck_assert_int_eq(pipe(out), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDOUT_FILENO);
        close(out[0]);
        close(out[1]);
        execl("/proc/self/exe", "opening_device_test", "--child", argument, (char *)NULL);
        _exit(99);
    }
    close(out[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(out[0], said + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    said[length] = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    *ended_ms = gg_now_ms();
    close(out[0]);
    return status;
}

/* The device opens first, or its opening ends early; then all handlers run. The lab page
** has the time that this takes. */
START_TEST(the_process_ends_meanwhile) {
    double longest = 0;
    int meanwhile = 0, longest_after = 0;
    for (int ms = 0; ms <= LATEST_MS; ms += STEP_MS) {
        char said[200];
        double ended, asked = 0;
        int state = -1, status = run_process("exit", ms, said, sizeof said, &ended);
        ck_assert_msg(status == EXIT_STATUS << 8, "after %d ms: status %x", ms, status);
        ck_assert_msg(sscanf(said, "%d %lf", &state, &asked) == 2 &&
                          strstr(said, " handler"),
                      "%s", said);
        if (state != OPENING_UNDER_WAY)
            continue;
        meanwhile++;
        if (ended - asked > longest) {
            longest = ended - asked;
            longest_after = ms;
        }
    }
    printf("exit while opening: %d times; at most %.1f ms, begun after %d ms\n",
           meanwhile, longest, longest_after);
    ck_assert_int_gt(meanwhile, 0);
}
END_TEST

START_TEST(the_process_ends_once_open) {
    for (int us = 0; us <= 100; us += 5) {
        char said[200];
        double ended;
        int status = run_process("ready", us, said, sizeof said, &ended);
        ck_assert_msg(status == EXIT_STATUS << 8, "after %d us: status %x", us, status);
    }
}
END_TEST

START_TEST(it_forks_meanwhile) {
    for (int ms = 0; ms <= LATEST_MS; ms += 3 * STEP_MS) {
        char said[200];
        double ended;
        int status = run_process("fork", ms, said, sizeof said, &ended);
        ck_assert_msg(status == 0, "after %d ms: status %x", ms, status);
    }
}
END_TEST

START_TEST(the_host_keeps_its_context) {
    char said[200];
    double ended;
    int status = run_process("own", _i, said, sizeof said, &ended);
    ck_assert_msg(status == 0, "kind %d: status %x", _i, status);
}
END_TEST

const struct suite suite = {
    .name = "opening_device",
    .groups = {{.name = "processes",
                .timeout = 120,
                .cases = {{&the_process_ends_meanwhile},
                          {&the_process_ends_once_open},
                          {&it_forks_meanwhile},
                          {&the_host_keeps_its_context, 3}}}},
    .child = be_a_process,
    .needs_device = true,
};
