// SPDX-License-Identifier: Apache-2.0
// The host side of random_walk, an allocator of pages of one size that keeps no queue and no list: a thread
// that needs a page looks for one at random places.
//
// Invariants that audit() checks while nothing runs:
//   pages handed out = used;  words in committed memory = words of the heap
//   used pages after the last page of the heap = 0
//   locks that are held = 0
//   marks in doubt = 0;  free pages in lines that are marked full = 0
// A refused request satisfies the equation at the head of sweep.hpp, or the exception there.
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/alloc/heap_memory.hpp>
#include <rhizome/alloc/random_walk/audit.hpp>
#include <rhizome/alloc/random_walk/device.hpp>
#include <rhizome/alloc/random_walk/maintenance.hpp>
#include <rhizome/alloc/random_walk/searches/bitmap_search.hpp>
#include <rhizome/alloc/random_walk/searches/claim_search.hpp>
#include <rhizome/alloc/random_walk/searches/clustered_search.hpp>
#include <rhizome/alloc/random_walk/searches/collaborative_search.hpp>
#include <rhizome/alloc/random_walk/searches/flag_search.hpp>
#include <rhizome/alloc/random_walk/searches/wide_words.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/shape.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace rhizome::alloc {

/// Serves requests of up to PageBytes (32 to 4096, a multiple of 16) with one page each; larger ones return
/// nullptr. Search says how a thread looks for a page: claim_search, one of the paper's four, or wide_words
/// of one with words of bits. Source: Pham et al., Dynamic Buffer Management in Massively Parallel Systems: A
/// Case on GPUs, sections III and IV. Memory: the heap, and outside it a bit per page (flag_search: 4 bytes
/// per page), 8 bytes per 8192 pages (flag_search: 512), a lock bit per 32 pages for searches that lock, and
/// 8 bytes for each thread that the space runs at a time, at most 2 MiB.
template <class Space, class Search = claim_search, std::uint32_t PageBytes = 256>
class random_walk {
public:
    using space_type = Space;
    using ref_type = random_walk_ref<Search, PageBytes>;

    /// Makes the allocator with a heap of options.heap_bytes; options.queue_share and options.shards are
    /// ignored. seed: of the random numbers; equal seeds give equal walks in every space. Throws
    /// out_of_memory if there is no memory or address space for the heap or its tables.
    explicit random_walk(Space space, heap_options const& options = {}, std::uint64_t seed = 1);

    /// A ref for kernels. Valid until the next grow_to(). Does not wait.
    [[nodiscard]] ref_type ref() const {
        return {heap_.data(),
                store_type{words_.data(), words_for(heap_.heap_bytes()), full_lines_.data(), locks_.data(),
                           const_cast<std::uint64_t*>(hints_.data()), hints_.size() - 1, seed_}};
    }

    /// Makes the heap at least `bytes` large, rounded up to a multiple of 32 pages (wide_words: 64). Throws
    /// out_of_memory; the heap is then unchanged. Older refs become invalid in both cases, and no kernel may
    /// use the allocator meanwhile. Waits only where a short table moves (heap_table). Cost: the commit of
    /// the new memory.
    void grow_to(std::uint64_t bytes);

    /// Does nothing: every free page serves every request already.
    void trim() {}

    /// The size of the heap in bytes.
    [[nodiscard]] std::uint64_t heap_bytes() const { return heap_.heap_bytes(); }
    /// Bytes outside the heap: words, marks, locks, hints, and the part of the last commit beyond the heap.
    [[nodiscard]] std::uint64_t table_bytes() const {
        return words_.committed_bytes() + full_lines_.committed_bytes() + locks_.committed_bytes() +
               hints_.size_bytes() + counts_.size_bytes() + heap_.spare_bytes();
    }

    /// Checks the invariants at the head of this file. No kernel may use the allocator meanwhile. Allocates
    /// nothing. Waits.
    [[nodiscard]] audit_result audit();

private:
    using marks = typename Search::marks;
    using store_type = typename ref_type::store_type;

    /// Bytes of the heap that a word stands for, and by which the heap grows.
    static constexpr std::uint64_t word_bytes = std::uint64_t{marks::pages_per_word} * PageBytes;
    static constexpr std::uint64_t step_bytes =
        std::uint64_t{marks::pages_per_word < 32 ? 32 : marks::pages_per_word} * PageBytes;

    static std::uint64_t words_for(std::uint64_t bytes) { return bytes / word_bytes; }
    static std::uint64_t full_words_for(std::uint64_t bytes) {
        constexpr std::uint64_t words = marks::words_per_full_line * full_lines_ref::lines_per_word;
        return (words_for(bytes) + words - 1) / words;
    }
    static std::uint64_t lock_words_for(std::uint64_t bytes) {
        return Search::locks ? (words_for(bytes) + 31) / 32 : 0;
    }

    Space space_;
    heap_memory<Space> heap_;
    heap_table<Space, typename marks::word> words_;
    heap_table<Space, full_lines_ref::word> full_lines_;
    heap_table<Space, std::uint32_t> locks_; ///< a bit per word
    exec::buffer<Space, std::uint64_t> hints_;
    exec::buffer<Space, random_walk_maintenance::audit_counts>
        counts_; ///< kept, so that an audit needs no memory
    std::uint64_t seed_;
};

} // namespace rhizome::alloc

#include <rhizome/alloc/random_walk/random_walk.inl>

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common allocators compiled
#include <rhizome/alloc/compiled.hpp>
#endif
