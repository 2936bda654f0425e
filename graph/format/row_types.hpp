// SPDX-License-Identifier: Apache-2.0
// The types of a row in every layout.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/format/vertex_record.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::graph {

/// Id is the type of a neighbour's id. Value is void, or the type of the value of each edge.
template <class Id, class Value>
struct row_types {
    static constexpr bool has_values = !std::is_void_v<Value>;
    using id_type = Id;
    using record_type = vertex_record<Id>;
    using value_type = std::conditional_t<has_values, Value, std::uint8_t>;
    static constexpr std::uint64_t value_bytes = has_values ? sizeof(value_type) : 0;
    static_assert(std::is_trivially_copyable_v<value_type> && alignof(value_type) <= 16,
                  "values of edges are copied as bytes, into pages that are aligned to 16 bytes");
    static_assert(std::is_default_constructible_v<value_type> && !std::is_same_v<value_type, bool>,
                  "values of edges are answered in vectors: for bool take std::uint8_t");

    /// Where values begin behind `count` ids.
    [[nodiscard]] static RZ_HD constexpr std::uint64_t values_offset(std::uint64_t count) {
        constexpr std::uint64_t alignment = has_values ? alignof(value_type) : 1;
        return (count * sizeof(Id) + alignment - 1) / alignment * alignment;
    }
};

} // namespace rhizome::graph
