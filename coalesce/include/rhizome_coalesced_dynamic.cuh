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

#include <rhizome_coalesced_registry.cuh>

#define RHIZOME_COALESCED_DYNAMIC

namespace rhizome {
namespace coalesced {
namespace detail {

#if defined(__CUDA_ARCH__)

/// CUDA's malloc under alloc::coalescing: each of its superblocks has a head, and is in the registry.
class registered_malloc_ref {
public:
    using traits = alloc::device_malloc_ref::traits;

    template <class Thread>
    [[nodiscard]] __device__ void* allocate(Thread const&, std::uint64_t bytes) const {
        word const total = sizeof(superblock_head) + usable_bytes(bytes);
        auto* const superblock = static_cast<superblock_head*>(::malloc(total));
        if (superblock == nullptr) return nullptr;
        *superblock = superblock_head{0, 1, total};
        if (enter_registry(reinterpret_cast<word>(superblock), total, 0, 1)) return superblock + 1;
        give_back(superblock);
        return nullptr;
    }
    template <class Thread>
    __device__ void deallocate(Thread const&, void* pointer) const {
        give_back(static_cast<superblock_head*>(pointer) - 1);
    }
    [[nodiscard]] __device__ std::uint64_t usable_bytes(std::uint64_t bytes) const {
        return alloc::device_malloc_ref().usable_bytes(bytes);
    }

private:
    static __device__ void give_back(superblock_head* superblock) {
        leave_registry(reinterpret_cast<word>(superblock), load(superblock->bytes));
        ::free(superblock);
    }
};

using dynamic_ref = alloc::coalescing_ref<registered_malloc_ref, alloc::lane_wise, alloc::by_header>;

/// Where alloc::coalescing has no memory, the registry may have no place: a block of malloc then.
static __device__ inline void* allocate_dynamic(std::size_t bytes) {
    dynamic_ref const heap({}, {}, nullptr);
    void* const block = heap.allocate(exec::this_thread(), bytes);
    return block != nullptr ? block : ::malloc(bytes);
}

static __device__ inline void deallocate_dynamic(void* pointer) {
    dynamic_ref const heap({}, {}, nullptr);
    heap.deallocate(exec::this_thread(), pointer);
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
    return detail::allocate_dynamic(bytes);
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
