// SPDX-License-Identifier: Apache-2.0
// Which memory of CUDA's heap lies in superblocks of rhizome_coalesced_malloc.cuh, and where these begin. A
// thread that frees a pointer asks here, so that it never reads memory outside of the program's blocks.
//
// A directory, hashed by address, has a slot for each window of 64 KiB in which a superblock has lain. The
// slot leads to the window's records, one for each KiB. They are made with malloc when they are first needed,
// and stay: 1.5 KiB for 64 KiB. Memory for which there is no slot or no record cannot become a superblock;
// then each thread takes a block of its own.
//
// With nvcc -rdc=true there is one registry for the program, else one for each file.
//
// RHIZOME_COALESCED_WINDOWS: slots of the directory, a power of two, the same in all files. Default 65536:
// 1 MiB of device memory, for 4 GiB of heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#ifndef RHIZOME_COALESCED_WINDOWS
#define RHIZOME_COALESCED_WINDOWS 65536
#endif

// rhizome-coalesce reads declarations alone (RHIZOME_COALESCE_READS).
#if defined(__CUDACC__) && !defined(RHIZOME_COALESCE_READS)

namespace rhizome {
namespace coalesced {
namespace detail {

using word = unsigned long long;

constexpr unsigned granule_bytes = 16; // blocks of malloc, superblocks and parts begin at multiples of it
constexpr unsigned record_bytes = 64 * granule_bytes;
constexpr unsigned records_per_window = 64;
constexpr unsigned directory_slots = RHIZOME_COALESCED_WINDOWS;
constexpr unsigned most_probes = 64;
static_assert((directory_slots & (directory_slots - 1)) == 0 && directory_slots >= most_probes,
              "RHIZOME_COALESCED_WINDOWS: a power of two, at least 64");

/// Of a KiB of memory. A bit is a granule.
struct region_record {
    word covered; ///< granules in superblocks
    word starts;  ///< granules at which superblocks begin
    word reaches; ///< the superblock that covers the first granule and begins before it
};

struct window_records {
    region_record of[records_per_window];
};

struct directory_slot {
    word window; ///< its number + 1; 0: none. A slot keeps its window.
    word records;
};

/// The first 16 bytes of a superblock.
struct superblock_head {
    unsigned live;       ///< parts that are not freed yet; not for alloc::coalescing, which counts otherwise
    unsigned is_dynamic; ///< its parts are blocks of alloc::coalescing
    word bytes;          ///< with this head
};
static_assert(sizeof(superblock_head) == granule_bytes, "");

#if defined(__CUDACC_RDC__)
template <int>
__device__ directory_slot directory_of[directory_slots];
#define RHIZOME_COALESCED_DIRECTORY directory_of<0>
#else
static __device__ directory_slot directory[directory_slots];
#define RHIZOME_COALESCED_DIRECTORY directory
#endif

static __device__ inline directory_slot& slot_of(word window, unsigned step) {
    unsigned const first = static_cast<unsigned>((window * 0x9e3779b97f4a7c15ull) >> 32);
    return RHIZOME_COALESCED_DIRECTORY[(first + step) & (directory_slots - 1)];
}
#undef RHIZOME_COALESCED_DIRECTORY

/// What other threads change meanwhile.
template <class T>
static __device__ inline T load(T const& from) {
    return *static_cast<T const volatile*>(&from);
}

/// @return the records of a window, or nullptr
static __device__ inline window_records* find_window(word window) {
    for (unsigned i = 0; i < most_probes; ++i) {
        directory_slot const& slot = slot_of(window, i);
        word const held = load(slot.window);
        if (held == window + 1) return reinterpret_cast<window_records*>(load(slot.records));
        if (held == 0) return nullptr;
    }
    return nullptr;
}

/// The same; makes them. @return nullptr: there is no slot or no memory for them
static __device__ inline window_records* make_window(word window) {
    for (unsigned i = 0; i < most_probes; ++i) {
        directory_slot& slot = slot_of(window, i);
        word held = load(slot.window);
        if (held == 0) {
            held = atomicCAS(&slot.window, 0ull, window + 1);
            if (held == 0) held = window + 1;
        }
        if (held != window + 1) continue;
        if (word const there = load(slot.records)) return reinterpret_cast<window_records*>(there);
        auto* const made = static_cast<window_records*>(::malloc(sizeof(window_records)));
        if (made == nullptr) return reinterpret_cast<window_records*>(load(slot.records)); // another's, or none
        for (region_record& one : made->of)
            one = region_record{0, 0, 0};
        __threadfence(); // records that are seen are empty
        word const before = atomicCAS(&slot.records, 0ull, reinterpret_cast<word>(made));
        if (before == 0) return made;
        ::free(made); // another thread was first
        return reinterpret_cast<window_records*>(before);
    }
    return nullptr;
}

static __device__ inline word granule_bit(word address) {
    return 1ull << (address % record_bytes / granule_bytes);
}

/// The granules of the record with this number that [begin, end) covers.
static __device__ inline word granules(word number, word begin, word end) {
    word const first = number * record_bytes;
    word const from = begin > first ? (begin - first) / granule_bytes : 0;
    word const to = end - first < record_bytes ? (end - first) / granule_bytes : 64;
    word const below_to = to == 64 ? ~0ull : (1ull << to) - 1;
    return below_to & ~((1ull << from) - 1);
}

/// Enters a superblock of which no part is given out yet. Called by `threads` threads with the ranks from 0,
/// which share its records. @return false to a thread that found no place for one; leave_registry() then
/// removes the others
static __device__ inline bool enter_registry(word begin, word bytes, unsigned rank, unsigned threads) {
    word const end = begin + bytes;
    bool entered = true;
    for (word number = begin / record_bytes + rank; number * record_bytes < end; number += threads) {
        window_records* const records = make_window(number / records_per_window);
        if (records == nullptr) {
            entered = false;
            continue;
        }
        region_record& one = records->of[number % records_per_window];
        bool const begins_before = begin < number * record_bytes;
        if (begins_before)
            atomicExch(&one.reaches, begin);
        else
            atomicOr(&one.starts, granule_bit(begin));
        atomicOr(&one.covered, granules(number, begin, end));
    }
    __threadfence(); // the superblock is known before a part is
    return entered;
}

/// Removes a superblock, before its memory goes back.
static __device__ inline void leave_registry(word begin, word bytes) {
    word const end = begin + bytes;
    for (word number = begin / record_bytes; number * record_bytes < end; ++number) {
        window_records* const records = find_window(number / records_per_window);
        if (records == nullptr) continue; // it was not entered wholly
        region_record& one = records->of[number % records_per_window];
        if (begin >= number * record_bytes) atomicAnd(&one.starts, ~granule_bit(begin));
        atomicAnd(&one.covered, ~granules(number, begin, end));
    }
    __threadfence(); // it is gone before another block lies there
}

/// @return the superblock in which a live block lies, or nullptr. Reads four words of the registry at most
/// where the directory has few collisions.
static __device__ inline superblock_head* superblock_around(void const* block) {
    word const address = reinterpret_cast<word>(block);
    window_records const* const records = find_window(address / record_bytes / records_per_window);
    if (records == nullptr) return nullptr;
    region_record const& one = records->of[address / record_bytes % records_per_window];
    word const bit = granule_bit(address);
    if ((load(one.covered) & bit) == 0) return nullptr;
    word const starts = load(one.starts) & (bit | (bit - 1));
    word const begin =
        starts == 0 ? load(one.reaches)
                    : address / record_bytes * record_bytes +
                          static_cast<word>(63 - __clzll(static_cast<long long>(starts))) * granule_bytes;
    return reinterpret_cast<superblock_head*>(begin);
}

} // namespace detail
} // namespace coalesced
} // namespace rhizome

#endif
