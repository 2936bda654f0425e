// SPDX-License-Identifier: Apache-2.0
// Device-wide primitives on the emulator. They are sequential, since tests explore the kernels between them.
// The contract of each stands in exec/host/primitives.hpp.
#pragma once

#include <rhizome/exec/key_pairs.hpp>
#include <rhizome/exec/simt/space.hpp>
#include <rhizome/exec/workspace.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace rhizome::exec {

template <class Key>
Key* sort_keys(simt_space&, workspace<simt_space>&, Key* keys, Key* alternate, std::uint64_t count,
               unsigned bits) {
    // The result lies in the other array, as it may for a radix sort: a caller that ignores the return value
    // fails.
    std::copy(keys, keys + count, alternate);
    Key const mask = low_bits<Key>(bits);
    std::sort(alternate, alternate + count,
              [mask](Key left, Key right) { return (left & mask) < (right & mask); });
    return alternate;
}

template <class Key>
std::uint64_t sort_into_bytes(simt_space&, Key const*, std::uint64_t count, unsigned, unsigned) {
    return count * sizeof(std::uint64_t);
}
template <class Key>
void sort_keys_into(simt_space&, workspace<simt_space>&, Key const* keys, Key* sorted, void* temporary,
                    std::uint64_t count, unsigned first, unsigned bits) {
    Key const mask = low_bits<Key>(bits);
    auto* const places = static_cast<std::uint64_t*>(temporary);
    std::iota(places, places + count, std::uint64_t{0});
    // By the bits from `first` on alone: keys whose lower bits are not in order stay out of order.
    std::sort(places, places + count, [&](std::uint64_t left, std::uint64_t right) {
        Key const left_key = (keys[left] & mask) >> first;
        Key const right_key = (keys[right] & mask) >> first;
        return left_key != right_key ? left_key < right_key : left < right;
    });
    for (std::uint64_t i = 0; i < count; ++i)
        sorted[i] = keys[places[i]];
}

namespace detail {
template <class Key>
basic_key_pairs<Key> sort_to_alternate(workspace<simt_space>& scratch, basic_key_pairs<Key> pairs,
                                       basic_key_pairs<Key> alternate, std::uint64_t count, unsigned bits) {
    Key const mask = low_bits<Key>(bits);
    auto* const places = scratch.at_least_of<std::uint64_t>(count);
    std::iota(places, places + count, std::uint64_t{0});
    // Equal keys are ordered by place: std::stable_sort would take memory that is not charged.
    std::sort(places, places + count, [&](std::uint64_t left, std::uint64_t right) {
        Key const left_key = pairs.keys[left] & mask;
        Key const right_key = pairs.keys[right] & mask;
        return left_key != right_key ? left_key < right_key : left < right;
    });
    for (std::uint64_t i = 0; i < count; ++i) {
        alternate.keys[i] = pairs.keys[places[i]];
        alternate.values[i] = pairs.values[places[i]];
    }
    return alternate;
}
} // namespace detail

inline key_pairs sort_pairs(simt_space&, workspace<simt_space>& scratch, key_pairs pairs, key_pairs alternate,
                            std::uint64_t count, unsigned bits) {
    return detail::sort_to_alternate(scratch, pairs, alternate, count, bits);
}
inline wide_key_pairs sort_pairs(simt_space&, workspace<simt_space>& scratch, wide_key_pairs pairs,
                                 wide_key_pairs alternate, std::uint64_t count, unsigned bits) {
    return detail::sort_to_alternate(scratch, pairs, alternate, count, bits);
}

template <class In, class Out>
void exclusive_scan(simt_space&, workspace<simt_space>&, In const* in, Out* out, std::uint64_t count) {
    Out running{};
    for (std::uint64_t i = 0; i < count; ++i) {
        Out const value = static_cast<Out>(in[i]);
        out[i] = running;
        running += value;
    }
}

inline void prepare_scan(simt_space&, workspace<simt_space>&, std::uint64_t) {} // a scan takes no scratch

inline void unique(simt_space&, workspace<simt_space>&, std::uint64_t const* in, std::uint64_t* out,
                   std::uint64_t* out_count, std::uint64_t count) {
    *out_count = static_cast<std::uint64_t>(std::unique_copy(in, in + count, out) - out);
}

template <class In, class Out>
void sum(simt_space&, workspace<simt_space>&, In const* in, Out* out, std::uint64_t count) {
    *out = std::accumulate(in, in + count, Out{});
}

} // namespace rhizome::exec
