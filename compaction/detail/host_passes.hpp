// SPDX-License-Identifier: Apache-2.0
// Compaction on the host: two passes over pieces of the mask, in parallel.
#pragma once

#include <rhizome/compaction/bit_mask.hpp>
#include <rhizome/compaction/detail/mask_words.hpp>
#include <rhizome/compaction/detail/source.hpp>
#include <rhizome/compaction/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/host/parallel.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace rhizome::compaction::detail {

inline constexpr std::uint64_t host_piece_items = std::uint64_t{host_piece_words} * bits_per_word;

[[nodiscard]] constexpr std::uint64_t host_pieces(std::uint64_t bits) {
    return (bits + host_piece_items - 1) / host_piece_items;
}

/// 64 bits of the mask from word 2 * `pair` on; bits beyond the end are 0.
[[nodiscard]] inline std::uint64_t mask_pair(bit_mask const& mask, std::uint64_t pair) {
    return mask_word(mask, 2 * pair) | static_cast<std::uint64_t>(mask_word(mask, 2 * pair + 1))
                                           << bits_per_word;
}

/// Calls body(first item, bits) for each 64 items of a piece of which some are selected.
template <class Body>
void for_each_pair(bit_mask const& mask, std::uint64_t piece, Body const& body) {
    constexpr std::uint64_t pair_items = 64;
    std::uint64_t const end = std::min((piece + 1) * host_piece_items, mask.bits);
    for (std::uint64_t item = piece * host_piece_items; item < end; item += pair_items) {
        std::uint64_t const bits = mask_pair(mask, item / pair_items);
        if (bits != 0) body(item, bits);
    }
}

/// Writes for each piece how many items are selected before it, and the total behind the last. `offsets`: one
/// more than there are pieces.
inline std::uint64_t count_pieces(exec::thread_team& team, bit_mask const& mask, std::uint64_t* offsets) {
    std::uint64_t const pieces = host_pieces(mask.bits);
    exec::parallel_for(team, pieces, [&](std::uint64_t piece) {
        std::uint64_t count = 0;
        for_each_pair(mask, piece, [&](std::uint64_t, std::uint64_t bits) { count += exec::popcount(bits); });
        offsets[piece] = count;
    });
    std::uint64_t total = 0;
    for (std::uint64_t piece = 0; piece < pieces; ++piece)
        total += std::exchange(offsets[piece], total);
    return offsets[pieces] = total;
}

/// Writes the selected items of a piece from `out` on. `out` may lie before or at the piece's own items.
template <class Source, class Element>
void write_piece(Source const& source, bit_mask const& mask, std::uint64_t piece, Element* out) {
    for_each_pair(mask, piece, [&](std::uint64_t first, std::uint64_t bits) {
        if (bits == ~std::uint64_t{0}) {
            for (std::uint64_t i = 0; i < 64; ++i)
                out[i] = source(first + i);
            out += 64;
            return;
        }
        for (; bits != 0; bits &= bits - 1)
            *out++ = source(first + exec::countr_zero(bits));
    });
}

template <class Source, class Element>
std::uint64_t select_on_host(exec::thread_team& team, std::uint64_t* offsets, Source const& source,
                             bit_mask const& mask, Element* output) {
    std::uint64_t const total = count_pieces(team, mask, offsets);
    exec::parallel_for(team, host_pieces(mask.bits), [&](std::uint64_t piece) {
        if (offsets[piece] != offsets[piece + 1]) write_piece(source, mask, piece, output + offsets[piece]);
    });
    return total;
}

/// Each piece first moves its elements to its own beginning. Then pieces move down, in rounds: those of a
/// round go to places below all of them, so they can move at the same time. If the first remaining piece does
/// not move below itself, it moves alone.
template <class Element>
std::uint64_t select_in_place_on_host(exec::thread_team& team, std::uint64_t* offsets, Element* data,
                                      bit_mask const& mask) {
    std::uint64_t const total = count_pieces(team, mask, offsets);
    std::uint64_t const pieces = host_pieces(mask.bits);
    exec::parallel_for(team, pieces, [&](std::uint64_t piece) {
        write_piece(array_source<Element>{data}, mask, piece, data + piece * host_piece_items);
    });
    auto const move = [&](std::uint64_t piece) {
        std::memmove(static_cast<void*>(data + offsets[piece]),
                     static_cast<void const*>(data + piece * host_piece_items),
                     (offsets[piece + 1] - offsets[piece]) * sizeof(Element));
    };
    for (std::uint64_t first = 0; first < pieces;) {
        std::uint64_t const* const beyond =
            std::upper_bound(offsets + first + 1, offsets + pieces + 1, first * host_piece_items);
        std::uint64_t const end = std::max(first + 1, static_cast<std::uint64_t>(beyond - offsets) - 1);
        exec::parallel_for(team, end - first, [&](std::uint64_t i) { move(first + i); });
        first = end;
    }
    return total;
}

} // namespace rhizome::compaction::detail
