// SPDX-License-Identifier: Apache-2.0
// random_walk_malloc, the device side: runs of neighbouring pages of any length.
#pragma once

#include <rhizome/alloc/random_walk/give_run.hpp>
#include <rhizome/alloc/random_walk/run_lengths.hpp>
#include <rhizome/alloc/random_walk/run_searches/joined_run.hpp>
#include <rhizome/alloc/random_walk/run_store.hpp>
#include <rhizome/alloc/random_walk/shared_proof.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::alloc {

template <std::uint32_t PageBytes, class Search = joined_run>
class random_walk_malloc_ref {
public:
    using store_type = run_store_ref;
    static constexpr std::uint32_t page_bytes = PageBytes;

    struct traits {
        static constexpr std::uint64_t alignment_bytes = exec::lowest_bits(PageBytes | 256, 1);
        static constexpr std::uint64_t smallest_bytes = PageBytes;
        static constexpr std::uint64_t largest_bytes = std::uint64_t{1} << 48; ///< as far as the heap reaches
        static constexpr bool reuses = true;
        static constexpr bool bounded = true;
    };
    static_assert(PageBytes % 16 == 0 && PageBytes >= 16 && PageBytes <= 4096);

    random_walk_malloc_ref(std::byte* heap, store_type store, run_lengths_ref lengths,
                           shared_proof_ref::word* proof)
        : heap_(heap), store_(store), lengths_(lengths), proof_(proof) {}

    /// A block of neighbouring pages; each block can be given back by itself. nullptr: as run_search.hpp
    /// guarantees: at a moment of the call there was no free run of this length, or run_proof_tries()
    /// searches of the heap found none while other threads took pages or gave pages back. Cost: that of
    /// Search. A refusal: three passes over all words, at most run_proof_tries() times as many where other
    /// threads disturb it, and the wait for at most run_proof_waits proofs of other threads.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        if (bytes > traits::largest_bytes || store_.words() == 0) return nullptr;
        std::uint64_t const pages = pages_of(bytes);
        auto const group = thread.coalesced();
        std::uint64_t const page = Search::find(thread, group, store_, proof_, pages);
        group.sync(); // a lane may have taken pages for others: former use of them comes before theirs
        if (page == store_type::none) return nullptr;
        lengths_.set(thread, page, pages);
        return heap_ + page * PageBytes;
    }

    /// Cost: that of give_runs(). Lanes that give back neighbouring blocks together share atomics.
    template <class Thread>
    RZ_HD void deallocate(Thread const& thread, void* pointer) const {
        if (pointer == nullptr) return;
        auto const group = thread.coalesced(); // before the lengths, which lanes find in different ways
        std::uint64_t const first = page_of(pointer);
        give_runs(thread, group, store_, first, lengths_.remove(thread, first));
    }

    [[nodiscard]] RZ_HD std::uint64_t usable_bytes(std::uint64_t bytes) const {
        return pages_of(bytes) * PageBytes;
    }
    /// The size of a live block.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t bytes_of(Thread const& thread, void const* pointer) const {
        return lengths_.of(thread, page_of(pointer)) * PageBytes;
    }

    /// For the owner and for tests.
    [[nodiscard]] RZ_HD store_type const& store() const { return store_; }

    /// The number of the page in which a block begins, and where a page begins.
    [[nodiscard]] RZ_HD std::uint64_t page_of(void const* pointer) const {
        return static_cast<std::uint64_t>(static_cast<std::byte const*>(pointer) - heap_) / PageBytes;
    }
    [[nodiscard]] RZ_HD void* page_at(std::uint64_t page) const { return heap_ + page * PageBytes; }
    /// Makes a page a block of its own, which is given back by itself. To be called for each page of a block
    /// of less than 64 pages, before one of them is given back.
    template <class Thread>
    RZ_HD void separate(Thread const& thread, std::uint64_t page) const {
        lengths_.set(thread, page, 1);
    }

private:
    [[nodiscard]] static RZ_HD std::uint64_t pages_of(std::uint64_t bytes) {
        return bytes == 0 ? 1 : (bytes - 1) / PageBytes + 1;
    }

    std::byte* heap_;
    store_type store_;
    run_lengths_ref lengths_;
    shared_proof_ref proof_;
};

} // namespace rhizome::alloc
