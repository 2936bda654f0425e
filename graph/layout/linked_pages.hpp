// SPDX-License-Identifier: Apache-2.0
// Rows in linked pages of one size: the layout of faimGraph, as Winter et al., Ouroboros (ICS 2020), sections
// 2.2 and 6.2, describe it.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/layout/chained/chained_format.hpp>
#include <rhizome/graph/layout/chained/chained_steps.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::graph {

/// Neighbours in pages of `PageBytes` bytes, linked from newest to oldest. A page never moves. New neighbours
/// are appended; erasing one moves the last neighbour into its place. The vertex's record in the vertex table
/// has the address of the newest page, and each page that of the page before it. Insertions and erasures
/// change the newest page, which is found with one load. A row is read from the newest page to the oldest.
/// Values lie behind the neighbours of their page.
template <std::uint32_t PageBytes = 128>
struct linked_pages {
    static_assert(PageBytes % 16 == 0 && PageBytes >= 32, "a page is read 16 bytes at a time");

    /// The name of the layout in runtime::layouts(), which has pages of 128 and of 64 bytes.
    static constexpr char const* name = PageBytes == 64 ? "linked-pages-64" : "linked-pages";
    /// Whether neighbours ascend.
    static constexpr bool sorted = false;
    /// A batch searches for each of its arcs before it requests pages, so it requests exactly the pages that
    /// it fills.
    static constexpr bool exact = true;
    /// The largest request of this layout, in bytes. The allocator must serve it.
    template <class Id, class Value>
    static constexpr std::uint64_t largest_request_bytes = PageBytes;

    template <class Id, class Value>
    struct format : chained_format<format<Id, Value>, Id, Value> {
        using types = row_types<Id, Value>;
        using typename types::value_type;
        using types::values_offset;

        /// Neighbours of a page.
        static constexpr std::uint32_t page_ids = [] {
            std::uint64_t count = (PageBytes - sizeof(void*)) / (sizeof(Id) + types::value_bytes);
            while (values_offset(count) + count * types::value_bytes > PageBytes - sizeof(void*))
                --count;
            return static_cast<std::uint32_t>(count);
        }();
        static_assert(page_ids > 0, "a page has no room for a single edge and the link to the page before");

        static constexpr std::uint32_t least_room = page_ids; ///< of any page
        /// Bytes to request for a page.
        [[nodiscard]] static RZ_HD std::uint64_t bytes(std::uint32_t) { return PageBytes; }
        /// How many neighbours a page holds.
        [[nodiscard]] static RZ_HD std::uint32_t room(std::uint32_t) { return page_ids; }
        /// The number of the first neighbour in page `number`.
        [[nodiscard]] static RZ_HD std::uint32_t first_of(std::uint32_t number) { return number * page_ids; }
        /// The page of neighbour `index`.
        [[nodiscard]] static RZ_HD std::uint32_t page_of(std::uint32_t index) { return index / page_ids; }

        /// Where the values of a page begin.
        [[nodiscard]] static RZ_HD value_type* values(Id* page, std::uint32_t) {
            return reinterpret_cast<value_type*>(reinterpret_cast<std::byte*>(page) +
                                                 values_offset(page_ids));
        }
        /// The page before page `number`, which is at `page`.
        [[nodiscard]] static RZ_HD Id* older(Id* page, std::uint32_t) { return link_of(page); }
        /// Page `number` of a row whose newest page has number `last`. Cost: one step per page between them.
        [[nodiscard]] static RZ_HD Id* find(Id* newest, std::uint32_t last, std::uint32_t number) {
            while (last-- > number)
                newest = link_of(newest);
            return newest;
        }
        /// Links pages[0, count), with the numbers from `first` on, behind `newest`. Called by all lanes of a
        /// group.
        template <class Group>
        static RZ_HD void link(Group const& group, std::uint64_t const* pages, std::uint32_t count,
                               std::uint32_t, Id* newest) {
            for (std::uint32_t i = group.rank(); i < count; i += group.size())
                link_of(reinterpret_cast<Id*>(pages[i])) =
                    i == 0 ? newest : reinterpret_cast<Id*>(pages[i - 1]);
        }

    private:
        [[nodiscard]] static RZ_HD Id*& link_of(Id* page) {
            return *reinterpret_cast<Id**>(reinterpret_cast<std::byte*>(page) + PageBytes - sizeof(void*));
        }
    };

    template <class Format, bool Erasing>
    using steps = batch::chained_steps<Format, Erasing>;
};

} // namespace rhizome::graph
