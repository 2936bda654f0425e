// SPDX-License-Identifier: Apache-2.0
// Sums over the light rows of strips.
#pragma once

#include <rhizome/algorithms/detail/gather_sums.hpp>
#include <rhizome/algorithms/detail/row_strips.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace rhizome::algorithms::detail {

/// Writes sums[order[k]] for each of `many` rows of one length, whose ids are contiguous. `many` > 0.
template <class Id, class Real>
using sum_of_rows = void (*)(Id const* ids, std::uint16_t const* order, std::uint32_t many,
                             Real const* values, Real* sums);

template <std::uint32_t Length, class Id, class Real>
void sum_rows(Id const* ids, std::uint16_t const* order, std::uint32_t many, Real const* values, Real* sums) {
    do {
        sums[*order++] = sum_of_few<Length>(ids, values);
        ids += Length;
    } while (--many != 0);
}

/// One function per length: compilers then keep its few values in registers.
template <class Id, class Real>
inline constexpr auto sum_rows_of = []<std::size_t... Lengths>(std::index_sequence<Lengths...>) {
    return std::array<sum_of_rows<Id, Real>, sizeof...(Lengths)>{
        sum_rows<static_cast<std::uint32_t>(Lengths), Id, Real>...};
}
(std::make_index_sequence<strip_short_lengths>{});

/// Sums `values` over the light rows of a strip: sums[k] is that of its k-th row.
template <class Rows, class Real>
void sum_light_rows(Rows const& rows, row_strips<typename Rows::id_type> const& strips, std::uint64_t strip,
                    Real const* values, Real* sums) {
    using id_type = typename Rows::id_type;
    std::uint64_t const first = strips.first(strip);
    std::uint16_t const* order = strips.order + first;
    std::uint16_t const* const end = order + strips.size(strip);
    std::uint32_t const* const counts = strips.counts_of(strip);
    id_type const* ids = strips.copies_of(strip);
    for (std::uint32_t length = 0; length < strip_short_lengths; ++length) {
        std::uint32_t const many = counts[length];
        if (many == 0) continue;
        sum_rows_of<id_type, Real>[length](ids, order, many, values, sums);
        order += many;
        ids += std::uint64_t{many} * length;
    }
    for (; order != end; ++order) {
        std::uint64_t const size = rows(static_cast<id_type>(first + *order)).size();
        if (!graph::is_light_row(size)) break;
        sums[*order] = sum_of_some(ids, static_cast<std::uint32_t>(size), values);
        ids += size;
    }
}

} // namespace rhizome::algorithms::detail
