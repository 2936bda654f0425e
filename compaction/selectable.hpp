// SPDX-License-Identifier: Apache-2.0
// The types of which arrays can be compacted.
#pragma once

#include <cstdint>
#include <type_traits>

namespace rhizome::compaction {

/// An element of 1 to 16 bytes that can be copied as bytes.
template <class T>
concept selectable = std::is_trivially_copyable_v<T> && sizeof(T) <= 16;

/// A type for select_indices().
template <class T>
concept index_type = std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>;

namespace detail {

template <std::uint32_t Bytes>
using word_of_bytes =
    std::conditional_t<Bytes % 8 == 0, std::uint64_t,
                       std::conditional_t<Bytes % 4 == 0, std::uint32_t,
                                          std::conditional_t<Bytes % 2 == 0, std::uint16_t, std::uint8_t>>>;

/// Stands for all element types of one size and alignment, so that kernels are compiled once for them.
template <std::uint32_t Bytes, std::uint32_t Alignment>
struct [[gnu::may_alias]] alignas(Alignment) element {
    using word = word_of_bytes<(Bytes | Alignment) & (~(Bytes | Alignment) + 1)>;
    word words[Bytes / sizeof(word)];
};

/// Bytes of the registers that hold a T: each word takes at least one of 4 bytes.
template <class T>
inline constexpr std::uint32_t register_bytes = sizeof(T) < 4 ? 4 : sizeof(T);
template <std::uint32_t Bytes, std::uint32_t Alignment>
inline constexpr std::uint32_t
    register_bytes<element<Bytes, Alignment>> = Bytes / sizeof(typename element<Bytes, Alignment>::word) *
                                                register_bytes<typename element<Bytes, Alignment>::word>;

constexpr bool has_natural_size(std::uint32_t bytes) { return (bytes & (bytes - 1)) == 0; }

/// The stand-in with the size and the alignment of T.
template <class T>
using declared_element = element<sizeof(T), alignof(T)>;
/// The stand-in for an array of T whose address is a multiple of sizeof(T): an element is loaded at once.
template <class T>
using aligned_element =
    std::conditional_t<has_natural_size(sizeof(T)), element<sizeof(T), sizeof(T)>, declared_element<T>>;

} // namespace detail

} // namespace rhizome::compaction
