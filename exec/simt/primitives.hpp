// Device-wide primitives on the emulator: sequential, since what is explored are the kernels between them.
// The contract of each stands in exec/host/primitives.hpp.
#pragma once

#include <rhizome/exec/key_pairs.hpp>
#include <rhizome/exec/simt/space.hpp>
#include <rhizome/exec/workspace.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace rhizome::exec {

template <class Key>
Key* sort_keys(simt&, workspace<simt>&, Key* keys, Key* alternate, std::uint64_t count, unsigned) {
    // Into the other array, as a radix sort may: a caller that ignores the result must fail.
    std::copy(keys, keys + count, alternate);
    std::sort(alternate, alternate + count);
    return alternate;
}

namespace detail {
template <class Key>
basic_key_pairs<Key> sort_to_alternate(basic_key_pairs<Key> pairs, basic_key_pairs<Key> alternate,
                                       std::uint64_t count, unsigned bits) {
    Key const mask = bits < 8 * sizeof(Key) ? (Key{1} << bits) - 1 : ~Key{0};
    std::vector<std::uint64_t> places(count);
    std::iota(places.begin(), places.end(), std::uint64_t{0});
    std::stable_sort(places.begin(), places.end(), [&](std::uint64_t left, std::uint64_t right) {
        return (pairs.keys[left] & mask) < (pairs.keys[right] & mask);
    });
    for (std::uint64_t i = 0; i < count; ++i) {
        alternate.keys[i] = pairs.keys[places[i]];
        alternate.values[i] = pairs.values[places[i]];
    }
    return alternate;
}
} // namespace detail

inline key_pairs sort_pairs(simt&, workspace<simt>&, key_pairs pairs, key_pairs alternate,
                            std::uint64_t count, unsigned bits) {
    return detail::sort_to_alternate(pairs, alternate, count, bits);
}
inline wide_key_pairs sort_pairs(simt&, workspace<simt>&, wide_key_pairs pairs, wide_key_pairs alternate,
                                 std::uint64_t count, unsigned bits) {
    return detail::sort_to_alternate(pairs, alternate, count, bits);
}

template <class In, class Out>
void exclusive_scan(simt&, workspace<simt>&, In const* in, Out* out, std::uint64_t count) {
    Out running{};
    for (std::uint64_t i = 0; i < count; ++i) {
        Out const value = static_cast<Out>(in[i]);
        out[i] = running;
        running += value;
    }
}

inline void unique(simt&, workspace<simt>&, std::uint64_t const* in, std::uint64_t* out,
                   std::uint64_t* out_count, std::uint64_t count) {
    *out_count = static_cast<std::uint64_t>(std::unique_copy(in, in + count, out) - out);
}

template <class In, class Out>
void sum(simt&, workspace<simt>&, In const* in, Out* out, std::uint64_t count) {
    *out = std::accumulate(in, in + count, Out{});
}

} // namespace rhizome::exec
