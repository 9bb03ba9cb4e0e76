/* Breadth-first searches one by one on a device: the depths of one come home while the next one searches.
**
**     stream        | search 0 | narrow 0 | search 1         | narrow 1 | search 2         | ...
**     aside                                | copies 0 |                  | copies 1 |
**     a thread                             |  widens 0  |                |  widens 1  |
**
** Depths of a graph with hubs take the bus and the host's memory about as long as a search takes. They leave it as
** bytes (bring.cu) in an array of their own, which is kept with the graph, and the next search overwrites
** them. What is left to the host is done by a thread beside that which searches: from the launch of a search to the
** next one there is always something for that to do, too. */
#include "bfs.cuh"
#include "bfs.h"
#include "device/parts.cuh"
#include "base/thread.h"
#include "device/share.h"
#include "tuning.h"

#include <pthread.h>
#include <time.h>

/* ---- the array, kept ---- */

struct bytes_part {
    struct device_part part;
    uint8_t *bytes; /* NULL: not made */
    uint32_t n;
};

static void drop_bytes(gpugraph_graph *, struct device_part *part, unsigned) {
    struct bytes_part *kept = (struct bytes_part *)part;
    give(part, kept->bytes, kept->n, sizeof *kept->bytes);
    kept->bytes = NULL;
}

static const struct device_part_kind bytes_kind = {sizeof(struct bytes_part),
                                                   PART_ON_VERTICES, drop_bytes};

/* Fills *bytes; NULL where there is no room. False when the job must end. */
static bool make_bytes(struct cuda_job *job, uint8_t **bytes) {
    struct bytes_part *kept = (struct bytes_part *)gg_device_part(job, &bytes_kind);
    *bytes = NULL;
    if (!kept)
        return false;
    if (!kept->bytes) {
        kept->n = (job->graph->n + 3) / 4 * 4; /* they are written four at a time */
        if (!take(job, &kept->part, &kept->bytes, kept->n, sizeof *kept->bytes))
            return gg_do_without(job);
    }
    *bytes = kept->bytes;
    return true;
}

/* ---- the thread ---- */

struct home {
    struct cuda_job
        job; /* as the searches', with a run of its own, which asks nobody and tells nobody */
    gpugraph_run run;
    uint8_t *
        bytes; /* NULL: there is no room, or no thread, and nothing comes beside a search */
    bool on_its_way; /* as the searching thread knows: depths that it has handed over */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    /* Under the mutex: */
    uint32_t *to; /* where the bytes belong; NULL: nothing is on its way */
    bool ends, gone;
    double ms; /* that the last ones took */
};

static void *bring_home(void *of) {
    struct home *h = (struct home *)of;
    gg_note(&h->job, cudaSetDevice(h->job.device->ordinal), "open a context");
    pthread_mutex_lock(&h->mutex);
    while (!h->ends || h->to) {
        if (!h->to) {
            pthread_cond_wait(&h->changed, &h->mutex);
            continue;
        }
        pthread_mutex_unlock(&h->mutex);
        const double began = gg_now_ms();
        gg_bfs_bring_aside(&h->job, h->to, h->bytes, h->job.graph->n);
        pthread_mutex_lock(&h->mutex);
        h->ms = gg_now_ms() - began;
        h->to = NULL;
        pthread_cond_signal(&h->changed);
    }
    h->gone = true;
    pthread_cond_signal(&h->changed);
    pthread_mutex_unlock(&h->mutex);
    return NULL;
}

/* Without an array, the buffers or the thread depths come home before the next search. False when the job must
** end. */
static bool open_home(struct cuda_job *job, struct home *h) {
    *h = home();
    h->job = *job;
    h->job.run = &h->run;
    h->run = *job->run;
    h->run.interrupted = NULL;
    h->run.phase = NULL;
    pthread_mutex_init(&h->mutex, NULL);
    pthread_cond_init(&h->changed, NULL);
    if (!make_bytes(job, &h->bytes))
        return false;
    if (h->bytes && (!gg_bfs_can_bring_aside(job) || !gg_start_thread(bring_home, h, 0)))
        h->bytes = NULL;
    return true;
}

/* Until what was on its way is there, or (gone) the thread has ended; an interrupt is heard, too. */
static void wait_for_home(struct cuda_job *job, struct home *h, bool gone) {
    pthread_mutex_lock(&h->mutex);
    while (gone ? !h->gone : h->to != NULL) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += (long)(GG_POLL_MS * 1e6);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&h->changed, &h->mutex, &until);
        if (gg_going(job) && gg_poll(job->run))
            gg_stopped(job->run);
    }
    pthread_mutex_unlock(&h->mutex);
    if (h->run.status && gg_going(job))
        gg_fail(job->run, h->run.status, "%s", h->run.message);
}

/* The depths of the search before are there. */
static bool are_home(struct cuda_job *job, struct home *h, struct share_member *member) {
    if (!h->on_its_way)
        return gg_going(job);
    h->on_its_way = false;
    wait_for_home(job, h, false);
    if (!gg_going(job))
        return false;
    gg_phase(job->run, "download", gg_now_ms() - h->ms, job->graph->n,
             "depths, beside the next search");
    gg_share_done(member);
    return true;
}

static void close_home(struct cuda_job *job, struct home *h) {
    if (h->bytes) {
        pthread_mutex_lock(&h->mutex);
        h->ends = true;
        pthread_cond_signal(&h->changed);
        pthread_mutex_unlock(&h->mutex);
        wait_for_home(job, h, true);
        cudaStreamSynchronize(job->device->aside); /* what a failure has left under way */
        cudaGetLastError();
    }
    pthread_cond_destroy(&h->changed);
    pthread_mutex_destroy(&h->mutex);
}

/* ---- searches ---- */

/* What is left to do when the search is done: depths that a byte has no room for come at once. */
static bool take_depths(struct cuda_job *job, const struct bfs_outcome *out,
                        struct home *h, uint32_t *depth, struct share_member *member) {
    const uint32_t n = job->graph->n;
    if (h->bytes && gg_bfs_fits_bytes(n, out->deepest)) {
        if (!gg_bfs_hand_over(job, h->bytes, out->depth, n))
            return false;
        pthread_mutex_lock(&h->mutex);
        h->to = depth;
        pthread_cond_signal(&h->changed);
        pthread_mutex_unlock(&h->mutex);
        h->on_its_way = true;
        return true;
    }
    const double started = gg_now_ms();
    if (!gg_bfs_bring(job, depth, out->depth, n, out->deepest))
        return false;
    gg_phase(job->run, "download", started, n, "depths");
    gg_share_done(member);
    return true;
}

void gg_bfs_one_by_one(struct cuda_job *job, const gpugraph_search *search,
                       uint32_t *const *depth, struct share_member *member) {
    struct home h;
    struct bfs_outcome out;
    gpugraph_search single = *search;
    uint32_t low, high;
    single.source_count = 1;
    const bool opened = open_home(job, &h);
    while (opened && gg_share_take(member, &low, &high)) {
        single.source = search->source + low;
        if (gg_bfs_search(job, &single, false, &out) && are_home(job, &h, member))
            take_depths(job, &out, &h, depth[low], member);
        gg_count_searches(job->graph, low > 0);
    }
    are_home(job, &h, member);
    close_home(job, &h);
}
