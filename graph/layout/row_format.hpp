// How neighbours and their edges' values share a page.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/vertex_record.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rhizome::graph {

/// Pages of rows: `capacity` ids, then as many values where edges have one.
///
/// Invariant: a row of at most `inline_ids` neighbours has them in its record, and no page; a longer one has
/// a page of at least its degree.
template <class Id, class Value>
struct row_format {
    static constexpr bool has_values = !std::is_void_v<Value>;
    using id_type = Id;
    using record_type = vertex_record<Id>;
    using value_type = std::conditional_t<has_values, Value, std::uint8_t>;
    static constexpr std::uint32_t inline_ids = has_values ? 0 : record_type::ids_at_most;
    static constexpr std::uint32_t ids_per_load = 16 / sizeof(Id); ///< of a page
    static constexpr std::uint64_t value_bytes = has_values ? sizeof(value_type) : 0;
    static_assert(std::is_trivially_copyable_v<value_type> && alignof(value_type) <= 16,
                  "values of edges are copied as bytes, into pages that are aligned to 16 bytes");

    /// What a page needs for `count` neighbours: a multiple of 16, so that it can be read 16 bytes at a time.
    [[nodiscard]] static RZ_HD constexpr std::uint64_t bytes_for(std::uint64_t count) {
        return (values_offset(count) + count * value_bytes + 15) / 16 * 16;
    }
    /// How many neighbours a page of `bytes` has room for.
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
    /// The neighbours of the record at `place`, of which `record` is a copy.
    [[nodiscard]] static RZ_HD Id* ids_of(record_type* place, record_type const& record) {
        return is_inline(record.degree) ? place->ids : record.page();
    }
    [[nodiscard]] static RZ_HD Id const* ids_of(record_type const* place, record_type const& record) {
        return is_inline(record.degree) ? place->ids : record.page();
    }

private:
    [[nodiscard]] static RZ_HD constexpr std::uint64_t values_offset(std::uint64_t count) {
        constexpr std::uint64_t alignment = has_values ? alignof(value_type) : 1;
        return (count * sizeof(Id) + alignment - 1) / alignment * alignment;
    }
};

} // namespace rhizome::graph
