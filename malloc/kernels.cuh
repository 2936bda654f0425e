// SPDX-License-Identifier: Apache-2.0
// The functions of rhizome/malloc.cuh that kernels call, and the variable in which they find the heap. For
// the two files that define them: malloc.cu, the library, and module.cu, for kernels that a program compiles
// while it runs.
#pragma once

#include <rhizome/exec/cuda.hpp>
#include <rhizome/malloc.cuh>
#include <rhizome/malloc/heap.hpp>

#include <cstdio>

namespace rhizome::program_heap {

using cuda_heap = heap<exec::cuda_space>;

/// What kernels read of the heap. Constant memory: a warp reads it with one load, from a cache of its own.
struct published_heap {
    alignas(16) unsigned char ref[sizeof(cuda_heap::ref_type)];
    std::uint64_t exists;
};

/// The warp of plain_thread: neighbouring warps have neighbouring numbers.
class plain_warp : public exec::cuda_tile<32> {
public:
    [[nodiscard]] __device__ explicit plain_warp(std::uint64_t rank) : rank_(rank) {}
    [[nodiscard]] __device__ std::uint64_t index() const { return rank_ / 32; }

private:
    std::uint64_t rank_;
};

/// The calling thread of a kernel whose blocks and grid may have three dimensions. The allocator spreads
/// threads over its queues by their ranks.
class plain_thread : public exec::cuda_thread<exec::no_shared> {
public:
    __device__ plain_thread() : cuda_thread(nullptr) {}
    [[nodiscard]] __device__ std::uint64_t rank() const {
        std::uint64_t const block =
            blockIdx.x + std::uint64_t{gridDim.x} * (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
        return block * (blockDim.x * blockDim.y * blockDim.z) + threadIdx.x +
               blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    [[nodiscard]] __device__ std::uint64_t size() const {
        return std::uint64_t{gridDim.x} * gridDim.y * gridDim.z * (blockDim.x * blockDim.y * blockDim.z);
    }
    [[nodiscard]] __device__ plain_thread without_storage() const { return *this; }
    [[nodiscard]] __device__ plain_warp warp() const { return plain_warp(rank()); }
};

} // namespace rhizome::program_heap

/// The name is that by which programs find it in a module (rhizome_malloc_lend()).
extern "C" {
__constant__ rhizome::program_heap::published_heap rhizome_malloc_heap;
}

namespace rhizome::program_heap {

[[nodiscard]] __device__ __forceinline__ cuda_heap::ref_type const& the_heap() {
    return reinterpret_cast<cuda_heap::ref_type const&>(rhizome_malloc_heap.ref);
}

} // namespace rhizome::program_heap

// The code of the allocator stands in the library twice: to allocate and to free. The others call these two.
__device__ __noinline__ void* rhizome_aligned_alloc(std::size_t alignment, std::size_t bytes,
                                                    char const* file, unsigned line) {
    if (rhizome_malloc_heap.exists == 0) return nullptr;
    return rhizome::program_heap::the_heap().allocate(rhizome::program_heap::plain_thread(), alignment, bytes,
                                                      {file, line});
}
__device__ __noinline__ void rhizome_free(void* block, char const* file, unsigned line) {
    if (rhizome_malloc_heap.exists != 0)
        rhizome::program_heap::the_heap().deallocate(rhizome::program_heap::plain_thread(), block,
                                                     {file, line});
}
__device__ void* rhizome_calloc(std::size_t count, std::size_t bytes, char const* file, unsigned line) {
    return rhizome::program_heap::zeroed_block(
        count, bytes, [&](std::size_t all) { return rhizome_malloc(all, file, line); });
}
__device__ void* rhizome_realloc(void* block, std::size_t bytes, char const* file, unsigned line) {
    if (block == nullptr) return rhizome_malloc(bytes, file, line);
    if (rhizome_malloc_heap.exists == 0) return nullptr;
    if (bytes == 0) {
        rhizome_free(block, file, line);
        return nullptr;
    }
    return rhizome::program_heap::the_heap().reallocate(
        rhizome::program_heap::plain_thread(), block, bytes,
        [&](std::size_t all) { return rhizome_malloc(all, file, line); },
        [&](void* old) { rhizome_free(old, file, line); });
}
__device__ __noinline__ void rhizome_malloc_new_failed(std::size_t bytes) {
    printf("rhizome_malloc: new: no room for %llu bytes\n", static_cast<unsigned long long>(bytes));
    __trap();
}
