/* Method "one-launch-balanced" with a byte for each vertex in place of a word (codes.h), for graphs
** whose words the second-level cache does not hold. */
#include "codes.cuh"
#include "passes.cuh"

#define MIS_GRAPH            struct mis_graph
#define MIS_EARLIER(g, u, v) mis_wins_tie(*(g), u, v)
#define MIS_PUT(g, v, value) mis_put_code((g)->code, v, value)
#define MIS_SEEN(g, v)       mis_code_seen((g)->code, v)
#define MIS_NOW(g, v)        mis_code_now((g)->code, v)
#define MIS_FIRST_SHARE(g)   ((g)->first_share)
#include "balanced.h"

struct by_codes {
    enum { blocks = GG_MIS_BALANCED_BLOCKS };
    static __device__ __forceinline__ void first_words(const mis_graph &g) {
        __shared__ mis_code_share share;
        mis_choose_codes(g, &share);
        for (uint64_t v = gg_thread(); v < g.n; v += gg_threads_of_grid())
            mis_first_code(g, (uint32_t)v, share);
    }
    static __device__ __forceinline__ bool look(const mis_graph &g, bool live,
                                                uint64_t longest, waiting *w) {
        return mis_look_balanced(&g, live, longest, w);
    }
    static __device__ __forceinline__ uint32_t now(const mis_graph &g, uint32_t v) {
        return mis_code_now(g.code, v);
    }
};

const void *gg_mis_by_codes(void) {
    return (const void *)decide_all<by_codes>;
}
