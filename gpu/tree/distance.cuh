/* Distances on the device, in the three types of gpugraph_distance_type.
**
**     type         stored as                     weight      not reached
**     integer32    uint32                        uint32      all bits
**     integer64    uint64                        int64       all bits
**     real         uint64: the bits of a double  double      infinity
**
** The bits of a double that is not negative have the order of an unsigned integer, so one
** atomic minimum serves all types. Weights are never -0.0, and sums of +0.0 are +0.0. A
** sum that leaves the type is `unreached`, which no relaxation accepts. from_real, on the
** host, converts a bound or a width. apart is the rounded difference of `high` and `low`,
** which ascends with `high`.
**
** Searches from both ends, whose halves have settled everything nearer than `low`, use
** three functions. bound: the bound that a known path of that length gives, in any order
** of additions. without: the rest of the bound after `low`. past: the first distance that
** exceeds `low` by `by` or more.
**
** Each type has two derived types, whose member `plain` is the type itself.
** both_ends<type> is for searches from source and target at once
** (sssp/persistent_ends.cuh), in_parts<type> for searches by several devices, each of
** which has the rows of some vertices (distributed/sssp). */
#ifndef GPUGRAPH_DISTANCE_CUH
#define GPUGRAPH_DISTANCE_CUH

#include "tree.h"

#include <float.h>

template <typename distance_word, typename weight_word, typename span_word,
          gpugraph_distance_type stored_as, distance_word most>
struct integers {
    typedef integers plain;
    static const gpugraph_distance_type distance_type = stored_as;
    typedef distance_word word;
    typedef weight_word weight;
    static __host__ __device__ word unreached() {
        return ~(word)0;
    }
    static __device__ word add(word distance, weight w) {
        word sum = distance + (word)w;
        return sum < distance ? unreached() : sum;
    }
    static __device__ word plus(word a, word b) {
        return add(a, (weight)b);
    }
    typedef span_word span;
    static __device__ span apart(word low, word high) {
        return (span)(high - low);
    }
    static word from_real(double value) {
        return value < (double)most ? (word)value : most;
    }
    static __device__ word bound(word length) {
        return length;
    }
    static __device__ word without(word bound, word low) {
        return bound > low ? bound - low : 0;
    }
    static __device__ word past(word low, double by) {
        return by < (double)most ? plus(low, (word)ceil(by)) : unreached();
    }
    static const int ends = 1;
    static const bool parts = false;
};

typedef integers<uint32_t, uint32_t, float, GPUGRAPH_UINT32, UINT32_MAX - 1> integer32;
typedef integers<unsigned long long, int64_t, double, GPUGRAPH_UINT64, INT64_MAX>
    integer64;

struct real {
    typedef real plain;
    static const gpugraph_distance_type distance_type = GPUGRAPH_REAL;
    typedef unsigned long long word;
    typedef double weight;
    static __host__ __device__ word unreached() {
        return 0x7ff0000000000000ull;
    }
    static __device__ word add(word distance, weight w) {
        return (word)__double_as_longlong(
            __dadd_rn(__longlong_as_double((long long)distance), w));
    }
    static __device__ word plus(word a, word b) {
        return add(a, __longlong_as_double((long long)b));
    }
    typedef double span;
    static __device__ span apart(word low, word high) {
        return __longlong_as_double((long long)high) -
               __longlong_as_double((long long)low);
    }
    static word from_real(double value) {
        word bits;
        static_assert(sizeof bits == sizeof value, "a double has 64 bits");
        __builtin_memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    static __device__ word bound(word length) {
        double real = __longlong_as_double((long long)length);
        return (word)__double_as_longlong(real * GG_PATH_ROUNDING + DBL_MIN);
    }
    static __device__ word without(word bound, word low) {
        double rest =
            __longlong_as_double((long long)bound) - __longlong_as_double((long long)low);
        return rest > 0 ? (word)__double_as_longlong(rest) : 0;
    }
    static __device__ word past(word low, double by) {
        return plus(low, (word)__double_as_longlong(by));
    }
    static const int ends = 1;
    static const bool parts = false;
};

/* Calls `task` with a value of the type in which distances are stored. */
template <typename by_type>
static inline bool gg_by_distance_type(gpugraph_distance_type type, const by_type &task) {
    return type == GPUGRAPH_UINT32   ? task(integer32())
           : type == GPUGRAPH_UINT64 ? task(integer64())
                                     : task(real());
}

template <typename type> struct both_ends : type { static const int ends = 2; };

template <typename type> struct in_parts : type { static const bool parts = true; };

#endif
