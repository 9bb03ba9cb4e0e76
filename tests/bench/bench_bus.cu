/* Measures the bandwidth of kernels that read pinned host memory, and of a copy by the
** driver. This bandwidth limits the method "out-of-core" of gpu_mis.
**
**     bench_bus [GIB]          default: 4 GiB of memory
**
** Each warp reads one piece after the other. A piece is 1, 4 or 16 adjacent lines of 128
** bytes. Neighbouring warps read neighbouring pieces, or all pieces are scattered. For
** each case prints GB/s, and the microseconds that a warp waits for a piece. */
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum {
    WARP = 32,
    BLOCK = 256,
    LINE = 128,
    PARTS = 8 /* each measurement reads 1 / PARTS of the memory */
};

static void check(cudaError_t error) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "bench_bus: %s\n", cudaGetErrorString(error));
    exit(1);
}

/* Each warp reads one piece at a time, `turns` times. The next position depends on the
** data, so that no warp has two pieces in flight. */
template <int lines>
static __global__ void read_pieces(const uint32_t *memory, uint64_t pieces,
                                   bool scattered, uint64_t turns, uint32_t *sink) {
    const uint64_t thread = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    const uint64_t warp = thread / WARP, warps = gridDim.x * (uint64_t)blockDim.x / WARP;
    uint32_t sum = 0;
    for (uint64_t turn = 0; turn < turns; turn++) {
        uint64_t piece = warp + turn * warps + (sum == UINT32_MAX);
        if (scattered)
            piece = piece * 0x9e3779b97f4a7c15u >> 20;
        const uint32_t *from = memory + piece % pieces * (lines * WARP) + thread % WARP;
        uint32_t word[lines];
#pragma unroll
        for (int i = 0; i < lines; i++)
            word[i] = __ldg(from + i * WARP);
#pragma unroll
        for (int i = 0; i < lines; i++)
            sum += word[i];
        sum = __shfl_sync(UINT32_MAX, sum, 0);
    }
    if (sum == UINT32_MAX)
        *sink = sum;
}

struct bus {
    const uint32_t *memory;
    uint64_t bytes;
    uint32_t *sink;
    int processors;
    cudaEvent_t moment[2];
};

static float ms_between(const bus &b) {
    float ms;
    check(cudaEventSynchronize(b.moment[1]));
    check(cudaEventElapsedTime(&ms, b.moment[0], b.moment[1]));
    return ms;
}

template <int lines> static void time_reads(const bus &b, bool scattered, int warps) {
    const int blocks =
        warps * WARP < BLOCK ? b.processors : b.processors * warps * WARP / BLOCK;
    const int threads = warps * WARP < BLOCK ? warps * WARP : BLOCK;
    const uint64_t all = (uint64_t)b.processors * warps, size = (uint64_t)lines * LINE;
    const uint64_t turns = b.bytes / PARTS / size / all + 1;
    for (uint64_t count : {(uint64_t)1, turns}) { /* the first launch loads the kernel */
        check(cudaEventRecord(b.moment[0]));
        read_pieces<lines>
            <<<blocks, threads>>>(b.memory, b.bytes / size, scattered, count, b.sink);
        check(cudaEventRecord(b.moment[1]));
    }
    const float ms = ms_between(b);
    printf("%-9s %d line(s), %2d warps a multiprocessor: %5.1f GB/s, %6.2f us a piece\n",
           scattered ? "scattered" : "in order", lines, warps,
           (double)(all * turns * size) / ms * 1e-6, ms * 1e3 / (double)turns);
}

static void time_copy(const bus &b, void *to, uint64_t bytes) {
    check(cudaEventRecord(b.moment[0]));
    check(cudaMemcpyAsync(to, b.memory, bytes, cudaMemcpyDefault));
    check(cudaEventRecord(b.moment[1]));
    printf("copy: %.1f GB/s\n", (double)bytes / ms_between(b) * 1e-6);
}

int main(int argc, char **argv) {
    bus b = {};
    void *memory, *device;
    cudaDeviceProp properties;
    b.bytes = (uint64_t)(argc > 1 ? atoi(argv[1]) : 4) << 30;
    check(cudaGetDeviceProperties(&properties, 0));
    check(cudaHostAlloc(&memory, b.bytes, cudaHostAllocMapped));
    check(cudaMalloc(&device, b.bytes / PARTS));
    memset(memory, 1, b.bytes);
    b.memory = static_cast<const uint32_t *>(memory);
    b.sink = static_cast<uint32_t *>(device);
    b.processors = properties.multiProcessorCount;
    check(cudaEventCreate(&b.moment[0]));
    check(cudaEventCreate(&b.moment[1]));
    time_copy(b, device, b.bytes / PARTS);
    for (bool scattered : {false, true})
        for (int warps = 1; warps <= 64; warps *= 2) {
            time_reads<1>(b, scattered, warps);
            time_reads<4>(b, scattered, warps);
            time_reads<16>(b, scattered, warps);
        }
    check(cudaFree(device));
    check(cudaFreeHost(memory));
    return 0;
}
