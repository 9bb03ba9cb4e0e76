/* The loading of NCCL. */
#include "nccl.cuh"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static struct nccl_calls calls;
static char why_not[200]; /* "" where it was loaded */

template <typename function>
static bool find(void *library, const char *name, function *found) {
    *found = reinterpret_cast<function>(dlsym(library, name));
    if (!*found)
        snprintf(why_not, sizeof why_not, "libnccl.so.2 has no %s", name);
    return *found != nullptr;
}

static void load() {
    void *library = dlopen("libnccl.so.2", RTLD_NOW);
    if (!library) {
        const char *reason = dlerror();
        snprintf(why_not, sizeof why_not, "%s", reason ? reason : "it was not found");
        return;
    }
    (void)(find(library, "ncclGetUniqueId", &calls.new_id) &&
           find(library, "ncclCommInitRank", &calls.join) &&
           find(library, "ncclCommInitAll", &calls.join_all) &&
           find(library, "ncclCommDestroy", &calls.leave) &&
           find(library, "ncclCommAbort", &calls.abandon) &&
           find(library, "ncclGroupStart", &calls.group_start) &&
           find(library, "ncclGroupEnd", &calls.group_end) &&
           find(library, "ncclSend", &calls.send) &&
           find(library, "ncclRecv", &calls.receive) &&
           find(library, "ncclGetErrorString", &calls.error));
}

const struct nccl_calls *gg_nccl(const char **why) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    *why = why_not;
    return why_not[0] ? nullptr : &calls;
}
