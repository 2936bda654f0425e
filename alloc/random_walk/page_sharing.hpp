// SPDX-License-Identifier: Apache-2.0
// Small requests that share pages: the part of RW_malloc that keeps pages large. A decorator.
//
// A page that small blocks share has an entry in a table, a word; that of any other page is 0.
//   bits 0 to 15   slot i is the last one of a block: set while the page is shared
//   bits 16 to 31  live blocks that have a slot of the page
// The blocks of the lanes that ask together lie side by side in neighbouring pages, so a block may have slots
// of two pages. The thread that gives the last block of a page back gives the page back.
//
// Invariant that audit() checks while nothing runs: entries other than 0 of free pages = 0.
#pragma once

#include <rhizome/alloc/abilities.hpp>
#include <rhizome/alloc/concept.hpp>
#include <rhizome/alloc/decorators/decorator.hpp>
#include <rhizome/alloc/heap_memory.hpp>
#include <rhizome/alloc/random_walk/random_walk_malloc.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace rhizome::alloc {

/// The ref of page_sharing<Owner>.
template <class Ref>
class page_sharing_ref : public ref_decorator<Ref> {
    using ref_decorator<Ref>::base_;

public:
    using entry = std::uint32_t;
    static constexpr std::uint32_t slots_per_page = Ref::page_bytes < 256 ? Ref::page_bytes / 16 : 16;
    static constexpr std::uint64_t slot_bytes = Ref::page_bytes / slots_per_page;
    static_assert(Ref::page_bytes >= 32 && (Ref::page_bytes & (Ref::page_bytes - 1)) == 0);

    struct traits : Ref::traits {
        static constexpr std::uint64_t alignment_bytes = slot_bytes < 256 ? slot_bytes : 256;
        static constexpr std::uint64_t smallest_bytes = slot_bytes;
    };

    page_sharing_ref(Ref base, entry* entries) : ref_decorator<Ref>(base), entries_(entries) {}

    /// The lanes that ask together for less than a page each ask for one block, as one of them. If there is
    /// none, each asks for a page of its own. Cost: beside that of the base, one or two atomics per small
    /// block. Source: section IV-C of the paper.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        auto const group = thread.coalesced();
        std::uint32_t const slots = bytes <= Ref::page_bytes ? slots_of(bytes) : slots_per_page;
        bool const small = slots < slots_per_page;
        std::uint32_t const sharers = group.ballot(small);
        std::uint32_t const asker = sharers == 0 ? 0 : exec::countr_zero(sharers);
        std::uint32_t const before = group.exclusive_scan(small ? slots : 0u);
        std::uint32_t const total = group.sum(small ? slots : 0u);
        void* block = nullptr;
        if (!small || group.rank() == asker)
            block = base_.allocate(thread, small ? total * slot_bytes : bytes);
        group.sync();
        if (sharers == 0) return block;
        auto* const joint = reinterpret_cast<std::byte*>(
            group.shuffle(reinterpret_cast<std::uint64_t>(block), asker)); // a small lane asked for it
        if (joint != nullptr) {
            std::uint64_t const page = base_.page_of(joint);
            std::uint32_t const pages = (total - 1) / slots_per_page + 1;
            for (std::uint32_t i = group.rank(); i < pages; i += group.size())
                base_.separate(thread, page + i);
            if (small) {
                enter(thread, page, before, slots);
                block = joint + before * slot_bytes;
            }
        } else if (small) {
            block = base_.allocate(thread, Ref::page_bytes);
            if (block != nullptr) enter(thread, base_.page_of(block), 0, slots);
        }
        group.sync(); // a lane that gives its block back finds the entries of all
        return block;
    }

    /// Cost: beside that of the base, a load, and one or two atomics for a small block.
    template <class Thread>
    RZ_HD void deallocate(Thread const& thread, void* pointer) const {
        if (pointer == nullptr) return;
        std::uint64_t const page = base_.page_of(pointer);
        // relaxed: the caller's block has its entries since it was handed out
        entry const seen = thread.device(entries_[page]).load(exec::order::relaxed);
        bool const crosses = seen != 0 && ends_from(seen, pointer) == 0;
        bool const gives_next = crosses && leave(thread, page + 1);
        bool const gives = seen == 0 || leave(thread, page);
        void* const first = seen == 0 ? pointer : base_.page_at(page);
        base_.deallocate(thread, gives ? first : nullptr);
        base_.deallocate(thread, gives_next ? base_.page_at(page + 1) : nullptr);
    }

    [[nodiscard]] RZ_HD std::uint64_t usable_bytes(std::uint64_t bytes) const {
        if (bytes <= Ref::page_bytes) return slots_of(bytes) * slot_bytes;
        return base_.usable_bytes(bytes);
    }
    /// The size of a live block.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t bytes_of(Thread const& thread, void const* pointer) const {
        std::uint64_t const page = base_.page_of(pointer);
        entry const seen = thread.device(entries_[page]).load(exec::order::relaxed); // as in deallocate()
        if (seen == 0) return base_.bytes_of(thread, pointer);
        std::uint32_t const ends = ends_from(seen, pointer);
        if (ends != 0) return (exec::countr_zero(ends) + 1) * slot_bytes;
        entry const next = thread.device(entries_[page + 1]).load(exec::order::relaxed);
        return (slots_per_page - slot_in_page(pointer) + exec::countr_zero(next) + 1) * slot_bytes;
    }

    /// For the owner.
    [[nodiscard]] RZ_HD Ref const& base() const { return base_; }
    [[nodiscard]] RZ_HD entry const* entries() const { return entries_; }

private:
    static constexpr entry one_block = entry{1} << 16;

    [[nodiscard]] static RZ_HD std::uint32_t slots_of(std::uint64_t bytes) {
        return bytes == 0 ? 1 : static_cast<std::uint32_t>((bytes - 1) / slot_bytes) + 1;
    }
    [[nodiscard]] RZ_HD std::uint32_t slot_in_page(void const* pointer) const {
        auto const* const page = static_cast<std::byte const*>(base_.page_at(base_.page_of(pointer)));
        return static_cast<std::uint32_t>(
            static_cast<std::uint64_t>(static_cast<std::byte const*>(pointer) - page) / slot_bytes);
    }
    /// The ends of blocks in a page, from the slot of a block on: bit 0 stands for that slot.
    [[nodiscard]] RZ_HD std::uint32_t ends_from(entry seen, void const* pointer) const {
        return (seen & (one_block - 1)) >> slot_in_page(pointer);
    }
    /// Enters a block of `slots` slots, `before` slots after the beginning of a page. relaxed: the caller
    /// holds the pages.
    template <class Thread>
    RZ_HD void enter(Thread const& thread, std::uint64_t page, std::uint32_t before,
                     std::uint32_t slots) const {
        std::uint32_t const last = before + slots - 1;
        std::uint64_t const begins_in = page + before / slots_per_page;
        std::uint64_t const ends_in = page + last / slots_per_page;
        entry const end = entry{1} << last % slots_per_page;
        if (begins_in != ends_in)
            thread.device(entries_[begins_in]).fetch_add(one_block, exec::order::relaxed);
        thread.device(entries_[ends_in]).fetch_add(one_block + end, exec::order::relaxed);
    }
    /// Takes a block out of a page. Returns whether it was the last one; then the caller gives the page back.
    /// acq_rel: all use of the page comes before that.
    template <class Thread>
    [[nodiscard]] RZ_HD bool leave(Thread const& thread, std::uint64_t page) const {
        auto const at = thread.device(entries_[page]);
        if (at.fetch_sub(one_block, exec::order::acq_rel) / one_block != 1) return false;
        at.store(0, exec::order::relaxed); // before the page is given back, with release
        return true;
    }

    entry* entries_;
};

namespace detail {
/// Counts the free pages that have an entry.
template <class Ref>
struct count_free_entries {
    Ref ref;
    std::uint64_t pages;
    std::uint64_t* found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t wrong = 0;
        exec::for_each_item(thread, pages, [&](std::uint64_t page) {
            auto const free = ref.base().store().free_at_rest(page / run_marks::pages_per_word);
            bool const is_free = (free >> page % run_marks::pages_per_word & 1) != 0;
            wrong += is_free && ref.entries()[page] != 0 ? 1 : 0;
        });
        exec::add_to_total(thread, *found, wrong);
    }
};
} // namespace detail

/// random_walk_malloc of which the requests of a warp for less than a page share pages. Pages are powers of
/// two from 32 bytes; a block takes a multiple of a sixteenth of a page, at least 16 bytes. Requests that a
/// lane makes alone, as all on the host, share with none. Source: Pham et al., section IV-C. Memory: 4 bytes
/// per page beside that of the base.
template <class Owner>
class page_sharing : public decorator<Owner> {
    using decorator<Owner>::base_;
    using decorator<Owner>::space_;
    using base_ref = typename Owner::ref_type;
    using space_type_ = typename Owner::space_type;

public:
    using ref_type = page_sharing_ref<base_ref>;

    /// As the base's. Throws out_of_memory.
    explicit page_sharing(space_type_ space, heap_options const& options = {}, std::uint64_t seed = 1)
        : decorator<Owner>(std::move(space), options, seed),
          entries_(space_, base_.reserved_bytes() / base_ref::page_bytes, "allocator shared pages",
                   fresh_elements::zero),
          wrong_(space_, 1) {
        entries_.grow_to(base_.heap_bytes() / base_ref::page_bytes);
    }

    [[nodiscard]] ref_type ref() const { return {base_.ref(), entries_.data()}; }
    /// As the base's.
    void grow_to(std::uint64_t bytes) {
        constexpr std::uint64_t step = std::uint64_t{run_marks::pages_per_word} * base_ref::page_bytes;
        entries_.grow_to((bytes + step - 1) / step * run_marks::pages_per_word);
        base_.grow_to(bytes);
    }
    [[nodiscard]] std::uint64_t table_bytes() const {
        return base_.table_bytes() + entries_.committed_bytes() + wrong_.size_bytes();
    }
    /// Checks also the invariant at the head of this file. live_bytes counts shared pages as a whole. Waits.
    [[nodiscard]] audit_result audit() {
        audit_result result = base_.audit();
        std::uint64_t const pages = base_.heap_bytes() / base_ref::page_bytes;
        wrong_.fill_bytes(0);
        launch(space_, cover_threads(space_, pages),
               detail::count_free_entries<ref_type>{ref(), pages, wrong_.data()});
        if (std::uint64_t const wrong = wrong_.to_host()[0]; wrong != 0)
            result.violations.push_back("page_sharing: entries of free pages = 0: " + std::to_string(wrong));
        return result;
    }

private:
    heap_table<space_type_, typename ref_type::entry> entries_; ///< [page]
    exec::buffer<space_type_, std::uint64_t> wrong_;            ///< kept, so that an audit needs no memory
};

} // namespace rhizome::alloc
