// SPDX-License-Identifier: Apache-2.0
// Static coalescing over CUDA's malloc and free, for sources that rhizome-coalesce rewrote (Blach et al.,
// Coalescing Memory Allocations for GPU MPI, section 3.1). One thread of a block, or one lane of a warp,
// takes one superblock from malloc; each thread gets its part of it. The last thread that frees its part
// frees the superblock.
//
//   block_header_malloc, warp_header_malloc    16 bytes in front of each part lead to the superblock
//   block_table_malloc, warp_table_malloc      a table leads from each part to the superblock; parts lie side
//   by side free                                       takes pointers of all of these, of malloc, and nullptr
//
// Preconditions of a `block_` call: all threads of the block call it together, with the same size; of a
// `warp_` call: all lanes of the warp. Parts are aligned to 16 bytes, as malloc's blocks are. Where no
// superblock is to be had, or the table is full, each thread takes its own block from malloc; nullptr means
// the same as from malloc.
//
// RHIZOME_COALESCED_TABLE_SLOTS: entries of the table, a power of two (default 65536: 1 MiB of device memory
// per file). The table belongs to one translation unit: its pointers are freed by code of the same file.
// Headers have no such limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#ifndef RHIZOME_COALESCED_TABLE_SLOTS
#define RHIZOME_COALESCED_TABLE_SLOTS 65536
#endif

namespace rhizome {
namespace coalesced {

/// Passed to functions that allocate: does every thread call this, with the same arguments where they matter?
enum class reached : unsigned char { by_some, by_all };

namespace detail {

using word = unsigned long long;

constexpr std::size_t alignment = 16;
constexpr std::size_t header_bytes = 16; // of a part, and of a superblock: the number of parts not freed yet
constexpr word seal_key = 0x9e3779b97f4a7c15ull;
constexpr unsigned table_slots = RHIZOME_COALESCED_TABLE_SLOTS;
constexpr unsigned table_window = 16; // an entry lies within so many slots of its place: 256 bytes
static_assert((table_slots & (table_slots - 1)) == 0 && table_slots >= table_window, "a power of two");

struct part_header {
    word superblock;
    word seal; ///< of superblock and part: no other memory in front of a block looks like this but by a
               ///< chance of 2^-64
};

struct table_slot {
    word part; ///< 0: free, 1: being filled
    word superblock;
};

// rhizome-coalesce reads declarations alone (RHIZOME_COALESCE_READS).
#if defined(__CUDACC__) && !defined(RHIZOME_COALESCE_READS)

static __device__ table_slot table[table_slots];

static __device__ inline word seal_of(word superblock, word part) {
    return (superblock * seal_key) ^ (part + seal_key);
}

static __device__ inline unsigned first_slot(word part) {
    return static_cast<unsigned>(((part >> 4) * seal_key) >> 32) & (table_slots - 1);
}

/// @return whether there was room
static __device__ inline bool enter(word part, word superblock) {
    unsigned const first = first_slot(part);
    for (unsigned i = 0; i < table_window; ++i) {
        table_slot& slot = table[(first + i) & (table_slots - 1)];
        if (atomicCAS(&slot.part, 0ull, 1ull) != 0) continue;
        atomicExch(&slot.superblock, superblock);
        __threadfence(); // an entry that is seen is whole
        atomicExch(&slot.part, part);
        return true;
    }
    return false;
}

/// Removes the entry of `part`. @return its superblock, or 0: there is none
static __device__ inline word remove(word part) {
    unsigned const first = first_slot(part);
    for (unsigned i = 0; i < table_window; ++i) {
        table_slot& slot = table[(first + i) & (table_slots - 1)];
        if (atomicCAS(&slot.part, part, 1ull) != part) continue;
        __threadfence(); // reads the entry that it has taken
        word const superblock = atomicExch(&slot.superblock, 0ull);
        __threadfence(); // a slot that is seen free is empty
        atomicExch(&slot.part, 0ull);
        return superblock;
    }
    return 0;
}

static __device__ inline void leave(word superblock) {
    __threadfence(); // what the thread did to its part comes before another thread frees the superblock
    if (atomicAdd(reinterpret_cast<word*>(superblock), ~0ull) != 1) return; // subtracts one
    __threadfence();
    ::free(reinterpret_cast<void*>(superblock));
}

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

/// @return the address of a superblock for all threads, or 0
static __device__ inline word take(std::size_t part_bytes, unsigned threads) {
    if (part_bytes > (~std::size_t(0) - header_bytes) / threads) return 0;
    word* const superblock = static_cast<word*>(::malloc(header_bytes + part_bytes * threads));
    if (superblock == nullptr) return 0;
    *superblock = threads;
    __threadfence(); // the count is there before a part is
    return reinterpret_cast<word>(superblock);
}

static __device__ inline word from_first_of_block(word value, bool is_first) {
    __shared__ word handed;
    if (is_first) handed = value;
    __syncthreads();
    word const taken = handed;
    __syncthreads(); // read by all before it is written again
    return taken;
}

static __device__ inline std::size_t rounded(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

constexpr std::size_t most_bytes = ~std::size_t(0) / 4;

static __device__ inline void* headed_part(word superblock, std::size_t part_bytes, unsigned rank) {
    word const part = superblock + header_bytes + part_bytes * rank + header_bytes;
    part_header* const header = reinterpret_cast<part_header*>(part - header_bytes);
    header->superblock = superblock;
    header->seal = seal_of(superblock, part);
    return reinterpret_cast<void*>(part);
}

#endif

} // namespace detail

#if defined(__CUDACC__) && defined(RHIZOME_COALESCE_READS)

__host__ __device__ void* block_header_malloc(std::size_t bytes, reached by = reached::by_all);
__host__ __device__ void* warp_header_malloc(std::size_t bytes, reached by = reached::by_all);
__host__ __device__ void* block_table_malloc(std::size_t bytes, reached by = reached::by_all);
__host__ __device__ void* warp_table_malloc(std::size_t bytes, reached by = reached::by_all);
__host__ __device__ void free(void* pointer);

#elif defined(__CUDACC__)

/// Frees a pointer of malloc or of any call below, from any thread. Costs a look at 16 bytes in front of the
/// block and, for pointers without a header, up to 16 slots of the table.
static __host__ __device__ inline void free(void* pointer) {
#if defined(__CUDA_ARCH__)
    using namespace detail;
    if (pointer == nullptr) return;
    word const part = reinterpret_cast<word>(pointer);
    // CUDA's heap has a header of its own in front of each block: these 16 bytes are there.
    part_header* const header = reinterpret_cast<part_header*>(part - header_bytes);
    word const superblock = header->superblock;
    if (header->seal == seal_of(superblock, part)) {
        header->seal = 0; // no later block at this address is taken for ours
        return leave(superblock);
    }
    if (word const listed = remove(part)) return leave(listed);
#if defined(RHIZOME_COALESCED_DYNAMIC)
    if (deallocate_alone(pointer)) return;
#endif
    ::free(pointer);
#else
    ::free(pointer);
#endif
}

namespace detail {

/// A block of one thread's own.
static __device__ inline void* alone(std::size_t bytes) {
#if defined(RHIZOME_COALESCED_DYNAMIC) && defined(__CUDA_ARCH__)
    return allocate_alone(bytes);
#else
    return ::malloc(bytes);
#endif
}

/// @return `mine`, or nullptr in all threads of the block if it is nullptr in one
static __device__ inline void* all_or_none_of_block(void* mine) {
    if (__syncthreads_and(mine != nullptr)) return mine;
    rhizome::coalesced::free(mine);
    return nullptr;
}

static __device__ inline void* all_or_none_of_warp(void* mine, unsigned lanes) {
    if (__all_sync(lanes, mine != nullptr)) return mine;
    rhizome::coalesced::free(mine);
    return nullptr;
}

/// Enters the thread's part. If the table has no room for it, the thread gives the part back and uses malloc.
static __device__ inline void* listed_part(word superblock, std::size_t part_bytes, unsigned rank,
                                           std::size_t bytes) {
    if (superblock == 0) return alone(bytes);
    word const part = superblock + header_bytes + part_bytes * rank;
    if (enter(part, superblock)) return reinterpret_cast<void*>(part);
    leave(superblock);
    return alone(bytes);
}

static __device__ inline bool is_served_together(std::size_t bytes) {
    return bytes != 0 && bytes <= most_bytes;
}

} // namespace detail

static __host__ __device__ inline void* block_header_malloc(std::size_t bytes, reached by = reached::by_all) {
#if defined(__CUDA_ARCH__)
    using namespace detail;
    if (by != reached::by_all) return alone(bytes);
    member const me = in_block();
    std::size_t const part_bytes = rounded(bytes) + header_bytes;
    bool const takes = me.rank == 0 && is_served_together(bytes);
    word const superblock = from_first_of_block(takes ? take(part_bytes, me.threads) : 0, me.rank == 0);
    if (superblock == 0) return all_or_none_of_block(alone(bytes));
    return headed_part(superblock, part_bytes, me.rank);
#else
    static_cast<void>(by);
    return ::malloc(bytes);
#endif
}

static __host__ __device__ inline void* warp_header_malloc(std::size_t bytes, reached by = reached::by_all) {
#if defined(__CUDA_ARCH__)
    using namespace detail;
    if (by != reached::by_all) return alone(bytes);
    member const me = in_warp();
    std::size_t const part_bytes = rounded(bytes) + header_bytes;
    bool const takes = me.rank == 0 && is_served_together(bytes);
    word const superblock = __shfl_sync(me.mask, takes ? take(part_bytes, me.threads) : 0, 0);
    if (superblock == 0) return all_or_none_of_warp(alone(bytes), me.mask);
    return headed_part(superblock, part_bytes, me.rank);
#else
    static_cast<void>(by);
    return ::malloc(bytes);
#endif
}

static __host__ __device__ inline void* block_table_malloc(std::size_t bytes, reached by = reached::by_all) {
#if defined(__CUDA_ARCH__)
    using namespace detail;
    if (by != reached::by_all) return alone(bytes);
    member const me = in_block();
    bool const takes = me.rank == 0 && is_served_together(bytes);
    word const superblock = from_first_of_block(takes ? take(rounded(bytes), me.threads) : 0, me.rank == 0);
    return all_or_none_of_block(listed_part(superblock, rounded(bytes), me.rank, bytes));
#else
    static_cast<void>(by);
    return ::malloc(bytes);
#endif
}

static __host__ __device__ inline void* warp_table_malloc(std::size_t bytes, reached by = reached::by_all) {
#if defined(__CUDA_ARCH__)
    using namespace detail;
    if (by != reached::by_all) return alone(bytes);
    member const me = in_warp();
    bool const takes = me.rank == 0 && is_served_together(bytes);
    word const superblock = __shfl_sync(me.mask, takes ? take(rounded(bytes), me.threads) : 0, 0);
    return all_or_none_of_warp(listed_part(superblock, rounded(bytes), me.rank, bytes), me.mask);
#else
    static_cast<void>(by);
    return ::malloc(bytes);
#endif
}

#endif

} // namespace coalesced
} // namespace rhizome
