#include "suite.h"
#include "gpugraph.h"

#include <sys/wait.h>
#include <unistd.h>

static int count_devices(void) {
    int count = 0;
    while (gpugraph_cuda_usable(NULL) && gpugraph_device_at(1 + count, NULL))
        count++;
    return count;
}

int suite_devices(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(count_devices());
    const bool ended = child > 0 && waitpid(child, &status, 0) == child;
    return ended && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

bool suite_has_device(void) {
    return suite_devices() > 0;
}
