// SPDX-License-Identifier: Apache-2.0
// random_walk, the device side: a walk as the search policy says, then a sweep.
#pragma once

#include <rhizome/alloc/random_walk/give_pages.hpp>
#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/alloc/random_walk/sweep.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::alloc {

template <class Search, std::uint32_t PageBytes>
class random_walk_ref {
public:
    using store_type = page_store_ref<typename Search::marks>;

    struct traits {
        static constexpr std::uint64_t alignment_bytes = exec::lowest_bits(PageBytes | 256, 1);
        static constexpr std::uint64_t smallest_bytes = PageBytes;
        static constexpr std::uint64_t largest_bytes = PageBytes;
        static constexpr bool reuses = true;
        static constexpr bool bounded = true;
    };
    static_assert(PageBytes % 16 == 0 && PageBytes >= 32 && PageBytes <= 4096);

    random_walk_ref(std::byte* heap, store_type store) : heap_(heap), store_(store) {}

    /// nullptr: as sweep.hpp guarantees: at a moment of the call all pages were used, or sweep_passes passes
    /// found none for the caller while other threads took pages or gave pages back.
    /// Cost: that of the search; a refusal costs a walk and two passes over the marks of full lines, and at
    /// most sweep_passes times as many where other threads disturb it.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        no_tally tally;
        return allocate(thread, bytes, tally);
    }
    /// The same; counts the steps of the walk in `tally` (step_tally), for measurements.
    template <class Thread, class Tally>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes, Tally& tally) const {
        if (bytes > PageBytes || store_.words() == 0) return nullptr;
        std::uint64_t page = Search::find(store_, thread, tally);
        if (page == store_type::none) {
            page = sweep(store_, thread, tally);
        }
        return page == store_type::none ? nullptr : heap_ + page * PageBytes;
    }

    /// Cost: one atomic and one load, for all lanes whose pages lie in one word; a warp's pages mostly lie in
    /// one or two.
    template <class Thread>
    RZ_HD void deallocate(Thread const& thread, void* pointer) const {
        if (pointer == nullptr) return;
        auto const offset = static_cast<std::uint64_t>(static_cast<std::byte*>(pointer) - heap_);
        std::uint64_t const page = offset / PageBytes;
        give_pages(store_, thread, thread.coalesced(), page / store_type::pages_per_word,
                   typename store_type::page_set{1} << page % store_type::pages_per_word);
    }

    [[nodiscard]] RZ_HD std::uint64_t usable_bytes(std::uint64_t) const { return PageBytes; }
    /// The size of a block.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t bytes_of(Thread const&, void const*) const {
        return PageBytes;
    }

    /// For the owner, for tests and for measurements.
    [[nodiscard]] RZ_HD store_type const& store() const { return store_; }
    [[nodiscard]] RZ_HD std::byte* heap() const { return heap_; }

private:
    std::byte* heap_;
    store_type store_;
};

} // namespace rhizome::alloc
