// SPDX-License-Identifier: Apache-2.0
// How a graph keeps the values of its edges: as bytes, whatever their type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rhizome::graph {

namespace detail {
template <std::size_t Bytes>
struct word_of_bytes;
template <>
struct word_of_bytes<1> {
    using type = std::uint8_t;
};
template <>
struct word_of_bytes<2> {
    using type = std::uint16_t;
};
template <>
struct word_of_bytes<4> {
    using type = std::uint32_t;
};
template <>
struct word_of_bytes<8> {
    using type = std::uint64_t;
};
} // namespace detail

/// A value of an edge, of any type of this size and alignment. Batches only copy values, so that one graph
/// core serves all of these types. May alias them: a core reads what callers wrote as values, and views read
/// what a core wrote.
template <std::size_t Bytes, std::size_t Alignment>
struct [[gnu::may_alias]] alignas(Alignment) stored_value {
    using word = typename detail::word_of_bytes<(Alignment < 8 ? Alignment : 8)>::type;
    word words[Bytes / sizeof(word)];
};

namespace detail {
template <class EdgeValue>
struct stored_as {
    using type = stored_value<sizeof(EdgeValue), alignof(EdgeValue)>;
    static_assert(sizeof(type) == sizeof(EdgeValue) && alignof(type) == alignof(EdgeValue));
};
template <>
struct stored_as<void> {
    using type = void;
};
} // namespace detail

/// What a graph with values of type EdgeValue stores; void for graphs without values.
template <class EdgeValue>
using stored_for = typename detail::stored_as<EdgeValue>::type;

} // namespace rhizome::graph
