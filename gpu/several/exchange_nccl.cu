/* Exchange by NCCL, which is loaded by name on first use and needs not be there. What of it is called is
** declared here: its header is not needed to build, and the library is never linked.
**
**     move     a group of sends and receives, one of each for a pair, in the members' streams
**
** A communicator takes half a second to make: one is kept for the next team of the same devices. Each
** member must have a device of its own. */
#include "several.cuh"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct ncclComm *nccl_communicator;

enum { NCCL_SUCCESS = 0, NCCL_BYTES = 0 /* its type of single bytes */ };

struct nccl_library {
    int (*comm_init_all)(nccl_communicator *comm, int devices, const int *ordinal);
    int (*comm_destroy)(nccl_communicator comm);
    int (*comm_abort)(nccl_communicator comm);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*send)(const void *from, size_t count, int type, int peer,
                nccl_communicator comm, cudaStream_t stream);
    int (*receive)(void *to, size_t count, int type, int peer, nccl_communicator comm,
                   cudaStream_t stream);
    const char *(*error)(int result);
};

static struct nccl_library nccl;
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
    (void)(find(library, "ncclCommInitAll", &nccl.comm_init_all) &&
           find(library, "ncclCommDestroy", &nccl.comm_destroy) &&
           find(library, "ncclCommAbort", &nccl.comm_abort) &&
           find(library, "ncclGroupStart", &nccl.group_start) &&
           find(library, "ncclGroupEnd", &nccl.group_end) &&
           find(library, "ncclSend", &nccl.send) &&
           find(library, "ncclRecv", &nccl.receive) &&
           find(library, "ncclGetErrorString", &nccl.error));
}

static bool is_loaded() {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return why_not[0] == 0;
}

/* ---- communicators ---- */

struct channel { /* of the devices that a team had */
    int parts;
    int ordinal[SEVERAL_MOST];
    nccl_communicator comm[SEVERAL_MOST];
};

static struct channel *kept; /* that no team uses */
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

/* Whatever is kept, if it is of the wanted devices; what is not goes. */
static struct channel *swap_kept(struct channel *other) {
    pthread_mutex_lock(&kept_lock);
    struct channel *c = kept;
    kept = other;
    pthread_mutex_unlock(&kept_lock);
    return c;
}

static void destroy(struct channel *c, bool in_order) {
    for (int p = 0; c && p < c->parts; p++) {
        if (!c->comm[p])
            continue;
        if (in_order)
            nccl.comm_destroy(c->comm[p]);
        else
            nccl.comm_abort(c->comm[p]);
    }
    free(c);
}

static bool are_apart(const struct several_team *team) {
    for (int p = 0; p < team->parts; p++)
        if (team->member[p].lead != p)
            return false;
    return true;
}

static bool possible(const struct several_team *team) {
    return are_apart(team) && is_loaded();
}

static bool make(struct several_team *team, struct channel *c) {
    const int result = nccl.comm_init_all(c->comm, c->parts, c->ordinal);
    if (result == NCCL_SUCCESS)
        return true;
    gg_fail(team->run, GPUGRAPH_DEVICE_FAILED,
            "NCCL could not join the %d devices: %s; GPUGRAPH_EXCHANGE=host does without",
            c->parts, nccl.error(result));
    memset(c->comm, 0, sizeof c->comm);
    return false;
}

static bool open(struct several_team *team) {
    if (!possible(team)) {
        gg_fail(team->run, GPUGRAPH_NO_DEVICE,
                "NCCL cannot be used: %s; GPUGRAPH_EXCHANGE=host does without",
                are_apart(team) ? why_not : "two parts of the graph are on one device");
        return false;
    }
    struct channel *c = static_cast<struct channel *>(calloc(1, sizeof *c));
    if (!c) {
        gg_fail(team->run, GPUGRAPH_NO_MEMORY, "out of memory: %zu bytes were needed",
                sizeof *c);
        return false;
    }
    c->parts = team->parts;
    for (int p = 0; p < team->parts; p++)
        c->ordinal[p] = team->member[p].job.device->ordinal;
    struct channel *before = swap_kept(NULL);
    if (before && before->parts == c->parts &&
        memcmp(before->ordinal, c->ordinal, sizeof c->ordinal) == 0) {
        free(c);
        team->channel = before;
        return true;
    }
    destroy(before, true);
    if (!make(team, c)) {
        free(c);
        return false;
    }
    team->channel = c;
    return true;
}

/* After a failure others may wait for what never comes: that communicator is no more. */
static void close(struct several_team *team) {
    struct channel *c = static_cast<struct channel *>(team->channel);
    team->channel = NULL;
    if (!c)
        return;
    if (team->run->status != GPUGRAPH_OK)
        destroy(c, false);
    else
        destroy(swap_kept(c), true);
}

/* ---- moving ---- */

static int queue_pair(struct several_team *team, int sender, int receiver,
                      const struct several_piece *one) {
    struct channel *c = static_cast<struct channel *>(team->channel);
    const int sent = nccl.send(one->from, one->bytes, NCCL_BYTES, receiver,
                               c->comm[sender], team->member[sender].job.stream);
    const int received =
        nccl.receive(one->to, one->bytes, NCCL_BYTES, sender, c->comm[receiver],
                     team->member[receiver].job.stream);
    return sent != NCCL_SUCCESS ? sent : received;
}

static bool move(struct several_team *team, const struct several_piece *piece) {
    int result = nccl.group_start();
    for (int p = 0; p < team->parts; p++)
        for (int q = 0; q < team->parts; q++) {
            const struct several_piece *one = &piece[p * team->parts + q];
            if (one->bytes > 0 && result == NCCL_SUCCESS)
                result = queue_pair(team, p, q, one);
        }
    const int ended = nccl.group_end();
    result = result != NCCL_SUCCESS ? result : ended;
    if (result != NCCL_SUCCESS)
        gg_fail(team->run, GPUGRAPH_DEVICE_FAILED, "NCCL could not move data: %s",
                nccl.error(result));
    return gg_several_going(team);
}

extern "C" const struct several_exchange gg_several_nccl = {
    .name = "nccl",
    .in_kernels = false,
    .possible = possible,
    .open = open,
    .close = close,
    .move = move,
};
