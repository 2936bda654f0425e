// SPDX-License-Identifier: Apache-2.0
// How neighbours and the values of their edges share a page of the contiguous layout.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/format/row_types.hpp>
#include <rhizome/graph/neighbour_range.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::graph {

/// A page holds `capacity` ids, then as many values where edges have values.
///
/// Invariant: a row of at most `inline_ids` neighbours has them in its record and has no page; a longer row
/// has a page with a capacity of at least its degree.
template <class Id, class Value>
struct row_format : row_types<Id, Value> {
    using types = row_types<Id, Value>;
    using typename types::record_type;
    using typename types::value_type;
    using types::has_values;
    using types::value_bytes;
    using types::values_offset;
    using range_type = basic_neighbour_range<Id>;
    using value_range = value_type const*;
    static constexpr bool sorted = true;
    static constexpr std::uint32_t inline_ids = has_values ? 0 : record_type::ids_at_most;
    static constexpr std::uint32_t ids_per_load = 16 / sizeof(Id); ///< ids of a page that one load brings

    /// Bytes of a page for `count` neighbours: a multiple of 16, so that it can be read 16 bytes at a time.
    [[nodiscard]] static RZ_HD constexpr std::uint64_t bytes_for(std::uint64_t count) {
        return (values_offset(count) + count * value_bytes + 15) / 16 * 16;
    }
    /// How many neighbours a page of `bytes` can hold.
    [[nodiscard]] static RZ_HD constexpr std::uint32_t capacity_of(std::uint64_t bytes) {
        std::uint64_t count = bytes / (sizeof(Id) + value_bytes);
        while (values_offset(count) + count * value_bytes > bytes)
            --count;
        return static_cast<std::uint32_t>(count < 0xffff'ffffu ? count : 0xffff'ffffu);
    }
    [[nodiscard]] static RZ_HD value_type* values_of(Id* page, std::uint32_t capacity) {
        return reinterpret_cast<value_type*>(reinterpret_cast<std::byte*>(page) + values_offset(capacity));
    }
    [[nodiscard]] static RZ_HD value_type const* values_of(Id const* page, std::uint32_t capacity) {
        return values_of(const_cast<Id*>(page), capacity);
    }
    [[nodiscard]] static RZ_HD bool is_inline(std::uint64_t degree) { return degree <= inline_ids; }
    /// The neighbours of the record at `place`; `record` is a copy of it.
    [[nodiscard]] static RZ_HD Id* ids_of(record_type* place, record_type const& record) {
        return is_inline(record.degree) ? place->ids : record.page();
    }
    [[nodiscard]] static RZ_HD Id const* ids_of(record_type const* place, record_type const& record) {
        return is_inline(record.degree) ? place->ids : record.page();
    }
    [[nodiscard]] static RZ_HD range_type neighbours(record_type const* place, record_type const& record) {
        return {ids_of(place, record), record.degree};
    }
    /// Calls function(page, bytes asked for) for each page of a row; the function may give the page back.
    template <class Function>
    static RZ_HD void for_each_page(record_type const& record, Function&& function) {
        if (!is_inline(record.degree)) function(record.page(), bytes_for(record.capacity()));
    }
    /// Whether the record contradicts itself about its page.
    [[nodiscard]] static RZ_HD bool is_overfull(record_type const& record) {
        return !is_inline(record.degree) && record.degree > record.capacity();
    }
    [[nodiscard]] static RZ_HD value_range values_of_row(record_type const& record) {
        return values_of(record.page(), record.capacity());
    }
    /// Calls function(i, id, value) for edges number `first` to `last` - 1 of a row, each by one lane of a
    /// group.
    template <class Group, class Function>
    static RZ_HD void for_each_edge(record_type const*, record_type const& record, Group const& group,
                                    std::uint64_t first, std::uint64_t last, Function&& function) {
        static_assert(has_values && inline_ids == 0, "rows with values lie in pages");
        Id const* const ids = record.page();
        value_type const* const values = values_of_row(record);
        for (std::uint64_t i = first + group.rank(); i < last; i += group.size())
            function(i, ids[i], values[i]);
    }
};

} // namespace rhizome::graph
