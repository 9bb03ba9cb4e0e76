#include "suite.h"

#include <sys/wait.h>
#include <unistd.h>

bool suite_has_device(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(gpugraph_cuda_usable(NULL) ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}
