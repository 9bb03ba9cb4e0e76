/* Method "one-launch-balanced" with a byte for each vertex in place of a word (codes.h),
** for graphs whose words do not fit the second-level cache. */
#include "codes.cuh"
#include "passes.cuh"

#define MIS_GRAPH            struct mis_graph
#define MIS_EARLIER(g, u, v) mis_wins_tie(*(g), u, v)
#define MIS_PUT(g, v, value) mis_put_code((g)->code, v, value)
#define MIS_SEEN(g, v)       mis_code_seen((g)->code, v)
#define MIS_NOW(g, v)        mis_code_now((g)->code, v)
#define MIS_ASKS_NOTES(g)    false
#define MIS_FIRST_SHARE(g)   ((g)->first_share)
#define MIS_ROW_END(g, v)    ((g)->end[v])
#include "balanced.h"

struct by_codes {
    enum { blocks = GG_MIS_BALANCED_BLOCKS };
    static __device__ __forceinline__ void first_words(const mis_graph &g) {
        __shared__ mis_code_share share;
        mis_choose_codes(g, &share);
        uint32_t *four = (uint32_t *)g.code;
        for (uint64_t i = gg_thread(); i * 4 < g.n; i += gg_threads_of_grid()) {
            const uint32_t row = (uint32_t)i * 4;
            auto word = [&](uint32_t k, uint64_t degree) {
                return mis_word(g, row + k, degree);
            };
            four[i] =
                mis_four_codes(share.edge, g.offset + row, g.end + row, g.n - row, word);
        }
    }
    static __device__ __forceinline__ bool look(const mis_graph &g, bool live,
                                                uint64_t longest, waiting *w) {
        return mis_look_balanced(&g, live, longest, w, mis_room_for_notes());
    }
    static __device__ __forceinline__ void write_members(const mis_graph &g) {
        mis_members_of_codes(g.code, g.member, ((uint64_t)g.n + GG_WARP - 1) / GG_WARP);
    }
};

const void *gg_mis_by_codes(void) {
    return (const void *)decide_all<by_codes>;
}
