// SPDX-License-Identifier: Apache-2.0
// The host side of random_walk_malloc, an allocator of neighbouring pages that keeps no queue and no list.
//
// Invariants that audit() checks while nothing runs:
//   pages of blocks that are handed out = used;  words in committed memory = words of the heap
//   used pages after the last page of the heap = 0
//   runs in motion + words that are being joined = 0;  words whose marks contradict those of their groups = 0
// A refused request satisfies the equation at the head of run_search.hpp, or the exception there.
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/alloc/heap_memory.hpp>
#include <rhizome/alloc/random_walk/audit.hpp>
#include <rhizome/alloc/random_walk/maintenance.hpp>
#include <rhizome/alloc/random_walk/malloc_device.hpp>
#include <rhizome/alloc/random_walk/run_searches/joined_run.hpp>
#include <rhizome/alloc/random_walk/run_searches/own_segments.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/shape.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace rhizome::alloc {

/// Serves requests of any size, up to the whole heap, with neighbouring pages of PageBytes (16 to 4096, a
/// multiple of 16). Search says how the lanes of a warp find them: joined_run, or own_segments as in the
/// paper. Source: RW_malloc of Pham et al., Dynamic Buffer Management in Massively Parallel
/// Systems: A Case on GPUs, section IV-C, Algorithm 4. There a request is limited to 2048 pages, and pages
/// have 256 bytes; here they have 16, so that no request wastes memory. Memory: the heap, and outside it a
/// byte and 2.6 bits per page, and 8 bytes for each thread that the space runs at a time, at most 2 MiB.
template <class Space, std::uint32_t PageBytes = 16, class Search = joined_run>
class random_walk_malloc {
public:
    using space_type = Space;
    using ref_type = random_walk_malloc_ref<PageBytes, Search>;

    /// Makes the allocator with a heap of options.heap_bytes; options.queue_share and options.shards are
    /// ignored. seed: of the random numbers. Throws out_of_memory if there is no memory or address space for
    /// the heap or its tables.
    explicit random_walk_malloc(Space space, heap_options const& options = {}, std::uint64_t seed = 1);

    /// A ref for kernels. Valid until the next grow_to(). Does not wait.
    [[nodiscard]] ref_type ref() const {
        return {heap_.data(),
                store_type{words_.data(), words_for(heap_.heap_bytes()), groups_.data(),
                           const_cast<std::uint64_t*>(hints_.data()), hints_.size() - 1, seed_},
                run_lengths_ref{lengths_.data(), long_lengths_.data()},
                const_cast<shared_proof_ref::word*>(proof_.data())};
    }

    /// Makes the heap at least `bytes` large, rounded up to a multiple of 32 pages. Throws out_of_memory; the
    /// heap is then unchanged. Older refs become invalid in both cases, and no kernel may use the allocator
    /// meanwhile. Waits only where a short table moves (heap_table). Cost: the commit of the new memory.
    void grow_to(std::uint64_t bytes);

    /// Does nothing: every free page serves every request already.
    void trim() {}

    /// The size of the heap in bytes.
    [[nodiscard]] std::uint64_t heap_bytes() const { return heap_.heap_bytes(); }
    /// The largest size that the heap can have.
    [[nodiscard]] std::uint64_t reserved_bytes() const { return heap_.reserved_bytes(); }
    /// Bytes outside the heap: words, lengths, hints, and the part of the last commit beyond the heap.
    [[nodiscard]] std::uint64_t table_bytes() const {
        return words_.committed_bytes() + groups_.committed_bytes() + lengths_.committed_bytes() +
               long_lengths_.committed_bytes() + hints_.size_bytes() + proof_.size_bytes() +
               counts_.size_bytes() + heap_.spare_bytes();
    }

    /// Checks the invariants at the head of this file. No kernel may use the allocator meanwhile. Allocates
    /// nothing. Waits.
    [[nodiscard]] audit_result audit();

private:
    using store_type = typename ref_type::store_type;
    static constexpr std::uint64_t word_bytes = std::uint64_t{run_marks::pages_per_word} * PageBytes;

    static std::uint64_t words_for(std::uint64_t bytes) { return bytes / word_bytes; }
    static std::uint64_t long_lengths_for(std::uint64_t bytes) {
        return bytes / PageBytes / run_lengths_ref::long_pages + 1; // of the last pages
    }

    Space space_;
    heap_memory<Space> heap_;
    heap_table<Space, run_marks::word> words_;
    heap_table<Space, run_marks::word> groups_;
    heap_table<Space, std::uint8_t> lengths_;       ///< [page], see run_lengths_ref
    heap_table<Space, std::uint32_t> long_lengths_; ///< [page / 64]
    exec::buffer<Space, std::uint64_t> hints_;
    exec::buffer<Space, shared_proof_ref::word> proof_;
    exec::buffer<Space, random_walk_maintenance::audit_counts>
        counts_; ///< kept, so that an audit needs no memory
    std::uint64_t seed_;
};

} // namespace rhizome::alloc

#include <rhizome/alloc/random_walk/random_walk_malloc.inl>

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common allocators compiled
#include <rhizome/alloc/compiled.hpp>
#endif
