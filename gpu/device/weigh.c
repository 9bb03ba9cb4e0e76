/* Chooses between CPU and device, by numbers alone (weigh.h). */
#include "weigh.h"
#include "services.h"

#include <math.h>

/* Returns the time that a device saves in this number of searches like this one, less the
** time of the copy. */
static double saved(double searches, const struct stakes *s) {
    const double gain = s->cpu - (s->cuda - s->cuda_stays);
    return fmax(0, searches * gain - s->cuda_stays);
}

/* Returns true if a search on an open device pays: this search is faster there, or later
** searches will be faster there, and earlier searches would have been. */
static bool moves(const struct stakes *s) {
    const double gain = s->cpu - (s->cuda - s->cuda_stays);
    bool later = s->cuda - s->cuda_stays < s->cpu - s->cpu_stays;
    return s->cuda < s->cpu ||
           (later && (s->searches + 1) * gain >= s->cuda_stays * GG_COPY_SHARE);
}

/* Returns how long a search waits for an opening: as long as the predicted remaining time
** (gg_left_ms) is shorter than the time that the device saves. To give up earlier would
** add the CPU's time. The second bound ends the wait if the opening seems to hang. */
static double longest_wait(double gain, const struct outlook *o) {
    const double elapsed = fmax(0, o->usual_ms - o->left_ms);
    return fmin(gain + o->usual_ms * 9 / 10 - elapsed, o->left_ms + o->usual_ms);
}

struct course gg_weigh(const struct stakes *s, const struct outlook *o) {
    struct course c = {.on_device = false};
    if (o->state == OPENING_FAILED)
        return c;
    if (o->state == OPENING_OPEN) {
        c.on_device = moves(s);
        return c;
    }
    c.rent = fmax(0, saved(s->searches + 1, s) - saved(s->searches, s));
    c.begin = o->state == OPENING_CLOSED &&
              gg_opening_pays(o->rent_ms, c.rent + s->ahead,
                              fmax(s->cpu + s->ahead, o->session_ms), o->usual_ms);
    double gain = s->cpu - s->cuda + s->ahead;
    if ((c.begin || o->state == OPENING_UNDER_WAY) && o->left_ms < gain)
        c.wait_ms = longest_wait(gain, o);
    return c;
}

/* ---- in this process ---- */

static int64_t rent_us; /* microseconds; changed by any thread */

double gg_rent_ms(void) {
    return (double)__atomic_load_n(&rent_us, __ATOMIC_RELAXED) * 1e-3;
}

void gg_rent_add(double ms) {
    const double most_ms = 1e9; /* the most for one search, whatever is predicted */
    const double added_us = fmin(fmax(ms, 0), most_ms) * 1e3;
    __atomic_add_fetch(&rent_us, (int64_t)added_us, __ATOMIC_RELAXED);
}

double gg_session_ms(void) {
    static int64_t began; /* microseconds; 0: not called yet */
    const int64_t now = (int64_t)(gg_now_ms() * 1e3);
    int64_t first = 0;
    if (__atomic_compare_exchange_n(&began, &first, now, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
        first = now;
    return (double)(now - first) * 1e-3;
}

struct outlook gg_look_at_session(const gpugraph_run *run) {
    const struct opening *opening = gg_devices_asked()->opening(run->device);
    return (struct outlook){
        .state = gg_devices_asked()->state(run->device, NULL),
        .left_ms = opening ? gg_opening_left_ms(opening) : GG_CUDA_START_MS,
        .usual_ms = opening ? opening->steps->usual_ms : GG_CUDA_START_MS,
        .rent_ms = gg_rent_ms(),
        .session_ms = gg_session_ms(),
    };
}

struct course gg_take_course(gpugraph_run *run, const struct stakes *s) {
    struct outlook o = gg_look_at_session(run);
    struct course c = gg_weigh(s, &o);
    if (c.begin && !gg_devices_asked()->begin(run->device))
        c.wait_ms = 0;
    if (c.wait_ms > 0 && gg_await_device(run, c.wait_ms))
        c.on_device = true;
    if (!c.on_device)
        gg_rent_add(c.rent);
    return c;
}
