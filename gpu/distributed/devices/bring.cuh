/* What each member has found of its own places, to an array of the host by vertex number. (bring.cu) */
#ifndef GPUGRAPH_SEVERAL_BRING_CUH
#define GPUGRAPH_SEVERAL_BRING_CUH

#include "several.cuh"

/* segment[p]: member p's own places, entries of 1, 2, 4 or 8 bytes. False: the run must end. */
bool gg_several_bring_bytes(struct several_team *team,
                            const struct several_places *places,
                            const void *const segment[SEVERAL_MOST], size_t entry,
                            void *to);

template <typename type>
static inline bool gg_several_bring(struct several_team *team,
                                    const struct several_places *places,
                                    const several_array<type> &segment, void *to) {
    const void *at[SEVERAL_MOST];
    for (int p = 0; p < team->parts; p++)
        at[p] = segment.at[p];
    return gg_several_bring_bytes(team, places, at, sizeof(type), to);
}

#endif
