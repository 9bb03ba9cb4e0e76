/* Marks for headers that C and CUDA files include.
**
**     GG_BEGIN_C, GG_END_C    C names between them, also for C++
**     GG_ANYWHERE             begins an inline function that kernels call, too */
#ifndef GPUGRAPH_LANGUAGE_H
#define GPUGRAPH_LANGUAGE_H

#ifdef __cplusplus
#define GG_BEGIN_C extern "C" {
#define GG_END_C   }
#else
#define GG_BEGIN_C
#define GG_END_C
#endif

#ifdef __CUDACC__
#define GG_ANYWHERE static __host__ __device__ __forceinline__
#else
#define GG_ANYWHERE static inline
#endif

#endif
