// SPDX-License-Identifier: Apache-2.0
// random_walk_malloc, the device side: runs of neighbouring pages of any length.
#pragma once

#include <rhizome/alloc/random_walk/give_pages.hpp>
#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/alloc/random_walk/run_marks.hpp>
#include <rhizome/alloc/random_walk/run_searches/joined_run.hpp>
#include <rhizome/alloc/random_walk/shared_proof.hpp>
#include <rhizome/alloc/random_walk/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::alloc {

/// How many pages each block has: a byte per page, that of the block's first page. Blocks of 255 pages and
/// more keep the number in 8 bytes of their own further pages.
class run_lengths_ref {
public:
    RZ_HD explicit run_lengths_ref(std::uint8_t* bytes) : bytes_(bytes) {}

    /// Plain accesses: the block's holder is the only one.
    RZ_HD void set(std::uint64_t first, std::uint64_t pages) const {
        bytes_[first] = pages < beyond ? static_cast<std::uint8_t>(pages) : beyond;
        if (pages >= beyond) *wide(first) = pages;
    }
    [[nodiscard]] RZ_HD std::uint64_t of(std::uint64_t first) const {
        return bytes_[first] < beyond ? bytes_[first] : *wide(first);
    }

private:
    static constexpr std::uint8_t beyond = 255;

    /// The first 8 aligned bytes after that of the first page.
    [[nodiscard]] RZ_HD std::uint64_t* wide(std::uint64_t first) const {
        return reinterpret_cast<std::uint64_t*>(bytes_ + (first / 8 + 1) * 8);
    }

    std::uint8_t* bytes_;
};

template <std::uint32_t PageBytes, class Search = joined_run>
class random_walk_malloc_ref {
public:
    using store_type = page_store_ref<run_marks>;
    static constexpr std::uint32_t page_bytes = PageBytes;

    struct traits {
        static constexpr std::uint64_t alignment_bytes = exec::lowest_bits(PageBytes | 256, 1);
        static constexpr std::uint64_t smallest_bytes = PageBytes;
        static constexpr std::uint64_t largest_bytes = std::uint64_t{1} << 48; ///< as far as the heap reaches
        static constexpr bool reuses = true;
        static constexpr bool bounded = true;
    };
    static_assert(PageBytes % 16 == 0 && PageBytes >= 16 && PageBytes <= 4096);

    random_walk_malloc_ref(std::byte* heap, store_type store, std::uint8_t* lengths,
                           shared_proof_ref::word* proof)
        : heap_(heap), store_(store), lengths_(lengths), proof_(proof) {}

    /// A block of neighbouring pages; each block can be given back by itself. nullptr: as run_search.hpp
    /// guarantees: at a moment of the call there was no free run of this length, or run_proof_tries searches
    /// of the heap found none while other threads took pages or gave pages back. Cost: that of Search. A
    /// refusal: three passes over all words, at most run_proof_tries times as many where other threads
    /// disturb it, and the wait for at most run_proof_waits proofs of other threads.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        if (bytes > traits::largest_bytes || store_.words() == 0) return nullptr;
        std::uint64_t const pages = pages_of(bytes);
        auto const group = thread.coalesced();
        std::uint64_t const page = Search::find(thread, group, store_, proof_, pages);
        group.sync(); // a lane may have taken pages for others: former use of them comes before theirs
        if (page == store_type::none) return nullptr;
        lengths_.set(page, pages);
        return heap_ + page * PageBytes;
    }

    /// Cost: one atomic per 32 pages. A warp that gives back several blocks together shares the atomics
    /// within one word, and its lanes share the words of long blocks.
    template <class Thread>
    RZ_HD void deallocate(Thread const& thread, void* pointer) const {
        if (pointer == nullptr) return;
        auto const group = thread.coalesced(); // before the loop, which lanes leave at different times
        std::uint64_t const first = page_of(pointer);
        std::uint64_t const pages = lengths_.of(first);
        std::uint64_t const words =
            (first % run_marks::pages_per_word + pages - 1) / run_marks::pages_per_word;
        if (group.any(words > random_walk_tuning::words_of_one_lane)) {
            give_together(thread, group, first, pages);
        } else if (words != 0) {
            thread.ordered_together(run_marks::give_order, [&](auto order) {
                for_each_run_word(first, pages, 1, 1, [&](std::uint64_t word, std::uint32_t bits) {
                    run_marks::give(thread, store_.word_at(word), bits, order);
                });
            });
        }
        give_pages(store_, thread, group, first / run_marks::pages_per_word, first_word_bits(first, pages));
    }

    [[nodiscard]] RZ_HD std::uint64_t usable_bytes(std::uint64_t bytes) const {
        return pages_of(bytes) * PageBytes;
    }
    /// The size of a live block.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t bytes_of(Thread const&, void const* pointer) const {
        return lengths_.of(page_of(pointer)) * PageBytes;
    }

    /// For the owner and for tests.
    [[nodiscard]] RZ_HD store_type const& store() const { return store_; }

    /// The number of the page in which a block begins, and where a page begins.
    [[nodiscard]] RZ_HD std::uint64_t page_of(void const* pointer) const {
        return static_cast<std::uint64_t>(static_cast<std::byte const*>(pointer) - heap_) / PageBytes;
    }
    [[nodiscard]] RZ_HD void* page_at(std::uint64_t page) const { return heap_ + page * PageBytes; }
    /// Makes a page a block of its own, which is given back by itself. To be called for each page of a block
    /// of less than 255 pages, before one of them is given back.
    RZ_HD void separate(std::uint64_t page) const { lengths_.set(page, 1); }

private:
    /// Gives the words of each lane's block but its first. Neighbouring lanes give neighbouring words, which
    /// the memory system serves together: so `sharers` lanes give the blocks of each of them in turn.
    template <class Thread, class Group>
    RZ_HD void give_together(Thread const& thread, Group const& group, std::uint64_t first,
                             std::uint64_t pages) const {
        constexpr std::uint32_t sharers = 8;
        std::uint32_t const lowest = group.rank() / sharers * sharers;
        std::uint32_t const beyond = group.size() - lowest;
        std::uint32_t const lanes = beyond < sharers ? beyond : sharers;
        group.sync(); // accesses by a block's holder come before its words are given by other lanes
        thread.ordered_together(run_marks::give_order, [&](auto order) {
            RZ_NO_UNROLL
            for (std::uint32_t i = 0; i < sharers && i < group.size(); ++i) {
                std::uint32_t const holder = i < lanes ? lowest + i : group.rank();
                std::uint64_t const its_first = group.shuffle(first, holder);
                std::uint64_t const its_pages = group.shuffle(pages, holder);
                if (i >= lanes) continue;
                for_each_run_word(its_first, its_pages, 1 + group.rank() - lowest, lanes,
                                  [&](std::uint64_t word, std::uint32_t bits) {
                                      run_marks::give(thread, store_.word_at(word), bits, order);
                                  });
            }
        });
    }

    [[nodiscard]] static RZ_HD std::uint64_t pages_of(std::uint64_t bytes) {
        return bytes == 0 ? 1 : (bytes - 1) / PageBytes + 1;
    }

    std::byte* heap_;
    store_type store_;
    run_lengths_ref lengths_;
    shared_proof_ref proof_;
};

} // namespace rhizome::alloc
