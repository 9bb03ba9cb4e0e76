/* The loading of NCCL. */
#include "nccl.cuh"

#include "platform.h"

#include <stdio.h>

static struct nccl_calls calls;
static char why_not[200]; /* "" where it was loaded */

template <typename function>
static bool find_nccl(void *library, const char *name, function *found) {
    *found = reinterpret_cast<function>(gg_library_symbol(library, name));
    if (!*found)
        snprintf(why_not, sizeof why_not, "libnccl.so.2 has no %s", name);
    return *found != nullptr;
}

static bool load() {
    const char *reason = "";
    void *library = gg_open_library("libnccl.so.2", &reason);
    if (!library) {
        snprintf(why_not, sizeof why_not, "%s", *reason ? reason : "it was not found");
        return false;
    }
    return find_nccl(library, "ncclGetUniqueId", &calls.new_id) &&
           find_nccl(library, "ncclCommInitRank", &calls.join) &&
           find_nccl(library, "ncclCommAbort", &calls.abandon) &&
           find_nccl(library, "ncclGroupStart", &calls.group_start) &&
           find_nccl(library, "ncclGroupEnd", &calls.group_end) &&
           find_nccl(library, "ncclSend", &calls.send) &&
           find_nccl(library, "ncclRecv", &calls.receive) &&
           find_nccl(library, "ncclGetErrorString", &calls.error);
}

const struct nccl_calls *gg_nccl(const char **why) {
    static const bool loaded = load();
    *why = why_not;
    return loaded ? &calls : nullptr;
}
