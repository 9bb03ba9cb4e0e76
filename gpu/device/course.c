/* What gg_weigh says, done in this process. */
#include "cost.h"
#include "services.h"
#include "weigh.h"

struct rent gg_rent_paid;

double gg_session_ms(void) {
    static int64_t began; /* microseconds; 0: nobody has asked */
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
        .rent_ms = gg_rent_ms(&gg_rent_paid),
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
        gg_rent_add(&gg_rent_paid, c.rent);
    return c;
}
