/* Light arcs (graph/light_arcs.cuh) of rows that several devices share. */
#include "several.cuh"

/* Of one member, whose arrays go by place less its first. */
static bool make_light(struct several_team *team, struct several_parts *parts, int p,
                       uint32_t most) {
    struct cuda_job *job = gg_several_on(team, p);
    const struct device_csr g = gg_several_csr(parts, p, parts->vertices[p]);
    struct light_rows *light = &parts->rows[p].light;
    const bool going =
        gg_make_light(job, &g, most, (int64_t)job->device->workspace_bytes, light);
    if (going) { /* a member without room for them would have all make theirs again */
        light->asked = light->looked = true;
        light->most = most;
    }
    return going;
}

bool gg_several_light(struct several_team *team, struct several_parts *parts,
                      uint32_t most) {
    const double started = gg_now_ms();
    uint64_t arcs = 0;
    bool wanted = false;
    for (int p = team->first; p < team->end; p++) {
        struct light_rows *light = &parts->rows[p].light;
        wanted = wanted || (light->asked && (!light->looked || light->most != most));
        light->asked = true;
    }
    for (int p = team->first; wanted && p < team->end && gg_several_going(team); p++) {
        gg_several_on(team, p);
        gg_drop_light(&parts->rows[p].light);
        make_light(team, parts, p, most);
        arcs += parts->rows[p].light.arcs;
    }
    gg_several_keep_more(team, parts);
    if (arcs > 0)
        gg_phase(team->run, "prepare", started, (int64_t)arcs,
                 "arcs of weights up to %u side by side, on the devices", most);
    return gg_several_going(team);
}
