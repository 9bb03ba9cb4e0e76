/* The choice, by numbers alone. */
#include "weigh.h"
#include "rent.h"

static double positive(double ms) {
    return ms > 0 ? ms : 0;
}

static double longer(double a, double b) {
    return a > b ? a : b;
}

/* What a device would have saved in so many searches like this one, the copy paid. */
static double saved(double searches, const struct stakes *s) {
    const double gain = s->cpu - (s->cuda - s->cuda_stays);
    return positive(searches * gain - s->cuda_stays);
}

/* Does the graph belong on a device that is open? Because this search is faster there, or because
** searches to come will be, as those before would have been. */
static bool moves(const struct stakes *s) {
    const double gain = s->cpu - (s->cuda - s->cuda_stays);
    bool later = s->cuda - s->cuda_stays < s->cpu - s->cpu_stays;
    return s->cuda < s->cpu ||
           (later && (s->searches + 1) * gain >= s->cuda_stays * GG_COPY_SHARE);
}

/* Opening that is late is waited on as long as what it is then taken to need (gg_left_ms) is less than
** what it saves: to give up earlier would cost the CPU's time on top. Nor for one that seems to hang. */
static double longest_wait(double gain, const struct outlook *o) {
    double elapsed = positive(o->usual_ms - o->left_ms);
    double worth = gain + o->usual_ms * 9 / 10 - elapsed, late = o->left_ms + o->usual_ms;
    return worth < late ? worth : late;
}

struct course gg_weigh(const struct stakes *s, const struct outlook *o) {
    struct course c = {.on_device = false};
    if (o->state == OPENING_FAILED)
        return c;
    if (o->state == OPENING_OPEN) {
        c.on_device = moves(s);
        return c;
    }
    c.rent = positive(saved(s->searches + 1, s) - saved(s->searches, s));
    c.begin = o->state == OPENING_CLOSED &&
              gg_opening_pays(o->rent_ms, c.rent + s->ahead,
                              longer(s->cpu + s->ahead, o->session_ms), o->usual_ms);
    double gain = s->cpu - s->cuda + s->ahead;
    if ((c.begin || o->state == OPENING_UNDER_WAY) && o->left_ms < gain)
        c.wait_ms = longest_wait(gain, o);
    return c;
}
