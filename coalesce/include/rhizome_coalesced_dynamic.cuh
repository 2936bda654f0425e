// SPDX-License-Identifier: Apache-2.0
// One allocator for all device code of a program that rhizome-coalesce --dynamic rewrote: calls that are not
// static go to alloc::coalescing over CUDA's malloc, in which the lanes that happen to ask together share a
// superblock (Blach et al., section 3.2). In device code, operators new and delete do the same, except those
// of over-aligned types. `free` and `delete` take pointers of all of these, of CUDA's malloc, and nullptr,
// from any thread and any file. Needs Rhizome's headers and C++20. Include it in every file of the program
// that allocates or frees in device code, before what they include.
#pragma once

#include <cstddef>

#if defined(__CUDACC__) && !defined(RHIZOME_COALESCE_READS)

#include <rhizome/alloc/baselines/device_malloc.hpp>
#include <rhizome/alloc/coalescing/device.hpp>
#include <rhizome/exec/cuda/thread.hpp>

#define RHIZOME_COALESCED_DYNAMIC

namespace rhizome {
namespace coalesced {
namespace detail {

#if defined(__CUDA_ARCH__)

using dynamic_ref = alloc::coalescing_ref<alloc::device_malloc_ref, alloc::lane_wise, alloc::by_header>;

/// alloc::coalescing leaves 8 bytes free in front of its header of 8 bytes: there lies a word that tells its
/// blocks from those of CUDA's malloc.
static __device__ inline unsigned long long& mark_of(void* pointer) {
    return *reinterpret_cast<unsigned long long*>(static_cast<std::byte*>(pointer) - 16);
}
static __device__ inline unsigned long long dynamic_seal(void* pointer) {
    return (reinterpret_cast<unsigned long long>(pointer) ^ 0x5bf03635dcd5b9f1ull) * 0x9e3779b97f4a7c15ull;
}

static __device__ inline void* allocate_alone(std::size_t bytes) {
    dynamic_ref const heap({}, {}, nullptr);
    void* const block = heap.allocate(exec::this_thread(), bytes);
    if (block != nullptr) mark_of(block) = dynamic_seal(block);
    return block;
}

/// @return whether the block was one of alloc::coalescing, and has been given back
static __device__ inline bool deallocate_alone(void* pointer) {
    if (mark_of(pointer) != dynamic_seal(pointer)) return false;
    mark_of(pointer) = 0; // no later block at this address is taken for ours
    dynamic_ref const heap({}, {}, nullptr);
    heap.deallocate(exec::this_thread(), pointer);
    return true;
}

#endif

} // namespace detail
} // namespace coalesced
} // namespace rhizome

#endif

#include <rhizome_coalesced_malloc.cuh>

namespace rhizome {
namespace coalesced {

#if defined(__CUDACC__) && defined(RHIZOME_COALESCE_READS)

__host__ __device__ void* malloc(std::size_t bytes);

#elif defined(__CUDACC__)

/// A block for the calling lane; the lanes that arrive together share a superblock. On the host, malloc of
/// the C library.
static __host__ __device__ inline void* malloc(std::size_t bytes) {
#if defined(__CUDA_ARCH__)
    return detail::allocate_alone(bytes);
#else
    return ::malloc(bytes);
#endif
}

#endif

} // namespace coalesced
} // namespace rhizome

// Host code keeps its own operators.
#if defined(__CUDA_ARCH__) && !defined(RHIZOME_COALESCE_READS)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 2620 // the operators are inline, since each file of a program has them

__device__ inline void* operator new(std::size_t bytes) { return rhizome::coalesced::malloc(bytes); }
__device__ inline void* operator new[](std::size_t bytes) { return rhizome::coalesced::malloc(bytes); }
__device__ inline void operator delete(void* pointer) noexcept { rhizome::coalesced::free(pointer); }
__device__ inline void operator delete[](void* pointer) noexcept { rhizome::coalesced::free(pointer); }
__device__ inline void operator delete(void* pointer, std::size_t) noexcept {
    rhizome::coalesced::free(pointer);
}
__device__ inline void operator delete[](void* pointer, std::size_t) noexcept {
    rhizome::coalesced::free(pointer);
}

#pragma nv_diagnostic pop
#endif
