// SPDX-License-Identifier: Apache-2.0
// Compares rhizome_malloc with CUDA's malloc: each thread allocates a block, writes to it, and frees it in a
// second kernel. Prints a row per size and number of threads: milliseconds of the kernels that allocate and
// that free, median of the repetitions, and how many times faster rhizome_malloc is. The last rows are of
// requests that are refused.
//
//     rhizome_malloc_compare [--checked] [REPETITIONS]       default: 10
//
// Ends with 1 if blocks overlap or a request fails that must not, with 77 without a GPU.
#include <rhizome/malloc.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct cudas {
    static __device__ void* allocate(std::size_t bytes) { return malloc(bytes); }
    static __device__ void release(void* block) { free(block); }
};
struct rhizomes {
    static __device__ void* allocate(std::size_t bytes) { return rhizome_malloc(bytes); }
    static __device__ void release(void* block) { rhizome_free(block); }
};

template <class Allocator>
__global__ void allocate(unsigned** blocks, unsigned threads, std::size_t bytes) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;
    auto* const block = static_cast<unsigned*>(Allocator::allocate(bytes));
    if (block != nullptr) *block = i;
    blocks[i] = block;
}
template <class Allocator>
__global__ void release(unsigned** blocks, unsigned threads) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < threads) Allocator::release(blocks[i]);
}
/// Each thread takes blocks until the heap of rhizome_malloc refuses one. They are not freed.
__global__ void use_up(std::size_t bytes) {
    while (rhizome_malloc(bytes) != nullptr) {
    }
}
/// Counts blocks that are missing, and those whose first word another thread has overwritten.
__global__ void check(unsigned* const* blocks, unsigned threads, unsigned* missing, unsigned* overwritten) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;
    if (blocks[i] == nullptr)
        atomicAdd(missing, 1);
    else if (*blocks[i] != i)
        atomicAdd(overwritten, 1);
}

void succeeds(cudaError_t result) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "%s %s\n", cudaGetErrorString(result), rhizome_malloc_error());
    std::exit(1);
}

template <class Launch>
float milliseconds(Launch&& launch) {
    static cudaEvent_t begin = nullptr, end = nullptr;
    if (begin == nullptr) {
        succeeds(cudaEventCreate(&begin));
        succeeds(cudaEventCreate(&end));
    }
    succeeds(cudaEventRecord(begin));
    launch();
    succeeds(cudaEventRecord(end));
    succeeds(cudaEventSynchronize(end));
    float time = 0;
    succeeds(cudaEventElapsedTime(&time, begin, end));
    return time;
}
float median(std::vector<float> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

constexpr unsigned most_threads = 1u << 20;
constexpr unsigned most_threads_of_cudas = 100'000; // more take minutes
unsigned** blocks = nullptr;
unsigned* counts = nullptr;

struct times {
    float allocate, release;
    unsigned missing;
};

/// One launch that is not measured, and then the repetitions.
template <class Allocator>
times measure(std::size_t bytes, unsigned threads, unsigned repetitions) {
    std::vector<float> allocates, releases;
    unsigned found[2] = {};
    unsigned const grid = (threads + 255) / 256;
    for (unsigned i = 0; i <= repetitions; ++i) {
        succeeds(cudaMemset(counts, 0, sizeof found));
        float const first = milliseconds([&] { allocate<Allocator><<<grid, 256>>>(blocks, threads, bytes); });
        check<<<grid, 256>>>(blocks, threads, counts, counts + 1);
        succeeds(cudaMemcpy(found, counts, sizeof found, cudaMemcpyDeviceToHost));
        float const second = milliseconds([&] { release<Allocator><<<grid, 256>>>(blocks, threads); });
        if (found[1] != 0) {
            std::fprintf(stderr, "%u blocks of %zu bytes overlap\n", found[1], bytes);
            std::exit(1);
        }
        if (i == 0) continue;
        allocates.push_back(first);
        releases.push_back(second);
    }
    return {median(allocates), median(releases), found[0]};
}

void print_row(std::size_t bytes, unsigned threads, unsigned repetitions, bool refused, bool alone = false) {
    times const ours = measure<rhizomes>(bytes, threads, repetitions);
    if (refused != (ours.missing != 0)) {
        std::fprintf(stderr, "%u of %u requests for %zu bytes were refused\n", ours.missing, threads, bytes);
        std::exit(1);
    }
    std::printf("%10zu %8u", bytes, threads);
    if (alone || threads > most_threads_of_cudas) {
        std::printf(" %12s %12s %12.4f %12.4f\n", "-", "-", ours.allocate, ours.release);
        return;
    }
    times const theirs = measure<cudas>(bytes, threads, repetitions);
    std::printf(" %12.4f %12.4f %12.4f %12.4f %8.1f %8.1f%s\n", theirs.allocate, theirs.release,
                ours.allocate, ours.release, theirs.allocate / ours.allocate, theirs.release / ours.release,
                !refused && theirs.missing != 0 ? "  CUDA's heap refused some" : "");
}

} // namespace

int main(int argument_count, char** arguments) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "no usable GPU\n");
        return 77;
    }
    rhizome_malloc_options options;
    options.heap_bytes = std::size_t{12} << 30; // 2^20 blocks of 8 KiB
    unsigned repetitions = 10;
    for (int i = 1; i < argument_count; ++i) {
        if (std::strcmp(arguments[i], "--checked") == 0)
            options.checked = true;
        else
            repetitions = static_cast<unsigned>(std::max(1, std::atoi(arguments[i])));
    }
    succeeds(cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::size_t{4} << 30));
    succeeds(rhizome_malloc_init(options));
    succeeds(cudaMalloc(&blocks, most_threads * sizeof *blocks));
    succeeds(cudaMalloc(&counts, 2 * sizeof *counts));

    char const* const head = "%10s %8s %12s %12s %12s %12s %8s %8s\n";
    std::printf(head, "bytes", "threads", "CUDA malloc", "CUDA free", "malloc", "free", "times", "times");
    for (std::size_t const bytes : {4, 16, 64, 256, 1024, 4096, 8192}) {
        succeeds(rhizome_malloc_trim()); // else chunks keep the size before
        for (unsigned const threads : {1u, 32u, 1'000u, 10'000u, 100'000u, most_threads})
            print_row(bytes, threads, repetitions, false);
    }
    succeeds(rhizome_malloc_trim());
    for (std::size_t const bytes : {16'384, 65'536, 1'048'576})
        for (unsigned const threads : {1u, 32u, 1'000u})
            print_row(bytes, threads, repetitions, false);
    std::printf("refused: larger than the heap\n");
    for (unsigned const threads : {1u, 1'000u, 100'000u, most_threads})
        print_row(std::size_t{20} << 30, threads, repetitions, true);
    std::printf("refused: the heap is full\n");
    succeeds(rhizome_malloc_trim());
    for (std::size_t const bytes : {std::size_t{8192}, std::size_t{16}}) // whole chunks, then what is left
        use_up<<<256, 256>>>(bytes);
    for (std::size_t const bytes : {16, 1024, 1'048'576})
        for (unsigned const threads : {1u, 1'000u, 100'000u, most_threads})
            print_row(bytes, threads, repetitions, true, true);
    succeeds(rhizome_malloc_destroy());
    return 0;
}
