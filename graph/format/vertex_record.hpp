// SPDX-License-Identifier: Apache-2.0
// One row of the vertex table: where the neighbours of a vertex are.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/types.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace rhizome::graph {

/// 16 bytes that one load brings: a few neighbours themselves, or the page that holds them and its capacity.
/// The degree says which of the two (row_format::inline_ids). All zero: no neighbours.
template <class Id>
struct alignas(16) vertex_record;

template <>
struct alignas(16) vertex_record<std::uint32_t> {
    static constexpr std::uint32_t ids_at_most = 3;

    std::uint32_t ids[3]; ///< or: low and high half of the page's address, capacity
    std::uint32_t degree;

    [[nodiscard]] RZ_HD std::uint32_t* page() const {
        return reinterpret_cast<std::uint32_t*>(std::uint64_t{ids[1]} << 32 | ids[0]);
    }
    [[nodiscard]] RZ_HD std::uint32_t capacity() const { return ids[2]; }
    [[nodiscard]] static RZ_HD vertex_record of(std::uint32_t* page, std::uint32_t capacity,
                                                std::uint32_t degree) {
        auto const address = reinterpret_cast<std::uint64_t>(page);
        return {{static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(address >> 32), capacity},
                degree};
    }
};

template <>
struct alignas(16) vertex_record<std::uint64_t> {
    static constexpr std::uint32_t ids_at_most = 1;

    std::uint64_t ids[1]; ///< or: the page's address
    std::uint32_t room;   ///< capacity
    std::uint32_t degree;

    [[nodiscard]] RZ_HD std::uint64_t* page() const { return reinterpret_cast<std::uint64_t*>(ids[0]); }
    [[nodiscard]] RZ_HD std::uint32_t capacity() const { return room; }
    [[nodiscard]] static RZ_HD vertex_record of(std::uint64_t* page, std::uint32_t capacity,
                                                std::uint32_t degree) {
        return {{reinterpret_cast<std::uint64_t>(page)}, capacity, degree};
    }
};

static_assert(sizeof(vertex_record<std::uint32_t>) == 16 && sizeof(vertex_record<std::uint64_t>) == 16);

} // namespace rhizome::graph
