// SPDX-License-Identifier: Apache-2.0
// Elements of every width that tests compact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace rhizome::tests {

/// Any bytes, at any address.
template <std::size_t Bytes>
struct bytes_of {
    unsigned char bytes[Bytes];
    friend bool operator==(bytes_of const& a, bytes_of const& b) { return std::memcmp(&a, &b, Bytes) == 0; }
};
/// 12 bytes that lie at multiples of 4.
struct three_floats {
    float x, y, z;
    friend bool operator==(three_floats const&, three_floats const&) = default;
};
/// 16 bytes that lie at multiples of 8.
struct two_words {
    std::uint64_t low, high;
    friend bool operator==(two_words const&, two_words const&) = default;
};

/// 16 bytes that lie at multiples of 16.
struct alignas(16) aligned_words {
    std::uint64_t low, high;
    friend bool operator==(aligned_words const&, aligned_words const&) = default;
};

/// Different bytes for nearly all items: a hash of the item's number. No NaN among floats.
template <class T>
[[nodiscard]] T element_of(std::uint64_t item) {
    std::uint64_t hash = item * 0x9e37'79b9'7f4a'7c15u + 1;
    unsigned char bytes[sizeof(T)];
    for (unsigned char& byte : bytes) {
        hash = (hash ^ hash >> 29) * 0xbf58'476d'1ce4'e5b9u;
        byte = static_cast<unsigned char>(hash >> 56 & 0x3f);
    }
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
}

template <class T>
[[nodiscard]] std::vector<T> elements_of(std::uint64_t items) {
    std::vector<T> values;
    values.reserve(items);
    for (std::uint64_t item = 0; item < items; ++item)
        values.push_back(element_of<T>(item));
    return values;
}

} // namespace rhizome::tests
