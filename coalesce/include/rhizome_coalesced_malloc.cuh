// SPDX-License-Identifier: Apache-2.0
// Static coalescing over CUDA's malloc and free, for sources that rhizome-coalesce rewrote (Blach et al.,
// Coalescing Memory Allocations for GPU MPI, section 3.1). One thread of a block, or one lane of a warp,
// takes one superblock from malloc; each thread gets its part of it. The last thread that frees its part
// frees the superblock.
//
//   block_malloc, warp_malloc    parts lie side by side; the registry leads from each to its superblock
//   free                         takes pointers of these, of malloc, and nullptr
//
// Preconditions of block_malloc: all threads of the block call it together, with the same size; of
// warp_malloc: all lanes of the warp. Parts are aligned to 16 bytes, as malloc's blocks are. Where no
// superblock is to be had, or the registry has no place for it, each thread takes its own block from malloc.
// Either all threads get memory or none does.
//
// The files of a program that free each other's pointers share a registry if they are compiled with
// -rdc=true (rhizome_coalesced_registry.cuh).
#pragma once

#include <rhizome_coalesced_registry.cuh>

#include <cstddef>
#include <cstdlib>

namespace rhizome {
namespace coalesced {

/// Passed to functions that allocate: does every thread call this, with the same arguments where they matter?
enum class reached : unsigned char { by_some, by_all };

#if defined(__CUDACC__) && defined(RHIZOME_COALESCE_READS)

__host__ __device__ void* block_malloc(std::size_t bytes, reached by = reached::by_all);
__host__ __device__ void* warp_malloc(std::size_t bytes, reached by = reached::by_all);
__host__ __device__ void free(void* pointer);

#elif defined(__CUDACC__)

namespace detail {

static __device__ inline void leave(superblock_head* superblock) {
    __threadfence(); // what the thread did to its part comes before another thread frees the superblock
    if (atomicSub(&superblock->live, 1u) != 1) return;
    __threadfence();
    leave_registry(reinterpret_cast<word>(superblock), load(superblock->bytes));
    ::free(superblock);
}

} // namespace detail

/// Frees a pointer of malloc or of a call below, from any thread. Costs a look into the registry, and for
/// parts an atomic operation. The last one of a superblock also two for each KiB.
static __host__ __device__ inline void free(void* pointer) {
#if defined(__CUDA_ARCH__)
    detail::superblock_head* const superblock =
        pointer == nullptr ? nullptr : detail::superblock_around(pointer);
    if (superblock == nullptr) return ::free(pointer);
#if defined(RHIZOME_COALESCED_DYNAMIC)
    if (detail::load(superblock->is_dynamic) != 0) return detail::deallocate_dynamic(pointer);
#endif
    detail::leave(superblock);
#else
    ::free(pointer);
#endif
}

namespace detail {

struct member {
    unsigned rank;    ///< in the block or warp
    unsigned threads; ///< of it
    unsigned mask;    ///< lanes of the warp
};

static __device__ inline unsigned rank_in_block() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

static __device__ inline member in_block() {
    return {rank_in_block(), blockDim.x * blockDim.y * blockDim.z, 0};
}

// The last warp of a block may have fewer than 32 lanes.
static __device__ inline member in_warp() {
    unsigned const rank = rank_in_block();
    unsigned const behind = blockDim.x * blockDim.y * blockDim.z - rank / 32 * 32;
    unsigned const lanes = behind < 32 ? behind : 32;
    return {rank % 32, lanes, lanes == 32 ? 0xffffffffu : (1u << lanes) - 1};
}

static __device__ inline std::size_t rounded(std::size_t bytes) {
    return (bytes + granule_bytes - 1) / granule_bytes * granule_bytes;
}

static __device__ inline word superblock_bytes(std::size_t bytes, unsigned threads) {
    return sizeof(superblock_head) + rounded(bytes) * threads;
}

/// @return a superblock for all threads, or nullptr
static __device__ inline superblock_head* take(std::size_t bytes, unsigned threads) {
    if (bytes == 0 || bytes > ~std::size_t(0) / 4096) return nullptr; // a block has 1024 threads at most
    word const total = superblock_bytes(bytes, threads);
    auto* const superblock = static_cast<superblock_head*>(::malloc(total));
    if (superblock == nullptr) return nullptr;
    *superblock = superblock_head{threads, 0, total};
    __threadfence(); // the head is there before a part is
    return superblock;
}

static __device__ inline bool enter(superblock_head* superblock, std::size_t bytes, member const& me) {
    return enter_registry(reinterpret_cast<word>(superblock), superblock_bytes(bytes, me.threads), me.rank,
                          me.threads);
}

/// The registry has no place for all of it. The first thread gives it back.
static __device__ inline void give_up(superblock_head* superblock, std::size_t bytes, member const& me) {
    if (me.rank != 0) return;
    leave_registry(reinterpret_cast<word>(superblock), superblock_bytes(bytes, me.threads));
    ::free(superblock);
}

static __device__ inline void* part_of(superblock_head* superblock, std::size_t bytes, member const& me) {
    return reinterpret_cast<char*>(superblock + 1) + rounded(bytes) * me.rank;
}

/// A block of one thread's own.
static __device__ inline void* alone(std::size_t bytes) {
#if defined(RHIZOME_COALESCED_DYNAMIC) && defined(__CUDA_ARCH__)
    return allocate_dynamic(bytes);
#else
    return ::malloc(bytes);
#endif
}

static __device__ inline superblock_head* from_first_of_block(superblock_head* value, bool is_first) {
    __shared__ superblock_head* handed;
    if (is_first) handed = value;
    __syncthreads();
    return handed; // each caller waits at another barrier before it writes there again
}

} // namespace detail

static __host__ __device__ inline void* block_malloc(std::size_t bytes, reached by = reached::by_all) {
#if defined(__CUDA_ARCH__)
    using namespace detail;
    if (by != reached::by_all) return alone(bytes);
    member const me = in_block();
    superblock_head* const superblock =
        from_first_of_block(me.rank == 0 ? take(bytes, me.threads) : nullptr, me.rank == 0);
    if (__syncthreads_and(superblock != nullptr && enter(superblock, bytes, me)))
        return part_of(superblock, bytes, me);
    if (superblock != nullptr) give_up(superblock, bytes, me);
    void* const mine = alone(bytes);
    if (__syncthreads_and(mine != nullptr)) return mine;
    rhizome::coalesced::free(mine);
    return nullptr;
#else
    static_cast<void>(by);
    return ::malloc(bytes);
#endif
}

static __host__ __device__ inline void* warp_malloc(std::size_t bytes, reached by = reached::by_all) {
#if defined(__CUDA_ARCH__)
    using namespace detail;
    if (by != reached::by_all) return alone(bytes);
    member const me = in_warp();
    word const taken = reinterpret_cast<word>(me.rank == 0 ? take(bytes, me.threads) : nullptr);
    auto* const superblock = reinterpret_cast<superblock_head*>(__shfl_sync(me.mask, taken, 0));
    bool const entered = superblock != nullptr && enter(superblock, bytes, me);
    __syncwarp(me.mask); // each lane may free its part, which others have entered
    if (__all_sync(me.mask, entered)) return part_of(superblock, bytes, me);
    if (superblock != nullptr) give_up(superblock, bytes, me);
    void* const mine = alone(bytes);
    if (__all_sync(me.mask, mine != nullptr)) return mine;
    rhizome::coalesced::free(mine);
    return nullptr;
#else
    static_cast<void>(by);
    return ::malloc(bytes);
#endif
}

#endif

} // namespace coalesced
} // namespace rhizome
