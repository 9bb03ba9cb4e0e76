/* Exchange by NCCL, where it is (nccl.cuh).
**
**     move     a group of sends and receives, one of each for a pair, in the members' streams
**
** A communicator takes half a second to make: one is kept for the next team of the same devices. Each
** member must have a device of its own. */
#include "distributed/devices/several.cuh"
#include "nccl.cuh"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- communicators ---- */

struct channel { /* of the devices that a team had */
    const struct nccl_calls *nccl;
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
            c->nccl->leave(c->comm[p]);
        else
            c->nccl->abandon(c->comm[p]);
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
    const char *why;
    return are_apart(team) && gg_nccl(&why);
}

static bool make(struct several_team *team, struct channel *c) {
    const int result = c->nccl->join_all(c->comm, c->parts, c->ordinal);
    if (result == NCCL_SUCCESS)
        return true;
    gg_fail(team->run, GPUGRAPH_DEVICE_FAILED,
            "NCCL could not join the %d devices: %s; GPUGRAPH_EXCHANGE=host does without",
            c->parts, c->nccl->error(result));
    memset(c->comm, 0, sizeof c->comm);
    return false;
}

static bool open(struct several_team *team) {
    const char *why_not = "two parts of the graph are on one device";
    const struct nccl_calls *nccl = are_apart(team) ? gg_nccl(&why_not) : NULL;
    if (!nccl) {
        gg_fail(team->run, GPUGRAPH_NO_DEVICE,
                "NCCL cannot be used: %s; GPUGRAPH_EXCHANGE=host does without", why_not);
        return false;
    }
    struct channel *c = static_cast<struct channel *>(calloc(1, sizeof *c));
    if (!c) {
        gg_fail(team->run, GPUGRAPH_NO_MEMORY, "out of memory: %zu bytes were needed",
                sizeof *c);
        return false;
    }
    c->nccl = nccl;
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
    const int sent = c->nccl->send(one->from, one->bytes, NCCL_BYTES, receiver,
                                   c->comm[sender], team->member[sender].job.stream);
    const int received =
        c->nccl->receive(one->to, one->bytes, NCCL_BYTES, sender, c->comm[receiver],
                         team->member[receiver].job.stream);
    return sent != NCCL_SUCCESS ? sent : received;
}

static bool move(struct several_team *team, const struct several_piece *piece) {
    const struct nccl_calls *nccl = static_cast<struct channel *>(team->channel)->nccl;
    int result = nccl->group_start();
    for (int p = 0; p < team->parts; p++)
        for (int q = 0; q < team->parts; q++) {
            const struct several_piece *one = &piece[p * team->parts + q];
            if (one->bytes > 0 && result == NCCL_SUCCESS)
                result = queue_pair(team, p, q, one);
        }
    const int ended = nccl->group_end();
    result = result != NCCL_SUCCESS ? result : ended;
    if (result != NCCL_SUCCESS)
        gg_fail(team->run, GPUGRAPH_DEVICE_FAILED, "NCCL could not move data: %s",
                nccl->error(result));
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
