// SPDX-License-Identifier: Apache-2.0
// Sorts some thousands of keys: tiles of them in parallel, then each key finds its place among the keys of
// the other tiles. A radix sort over the whole device takes as many rounds for thousands of keys as for
// millions.
#pragma once

#include <rhizome/exec/cuda/launch.hpp>
#include <rhizome/exec/cuda/space.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/key_pairs.hpp>
#include <rhizome/exec/shape.hpp>

#include <cub/block/block_merge_sort.cuh>

#include <cstdint>
#include <type_traits>

namespace rhizome::exec::detail {

inline constexpr std::uint32_t sort_tile_threads = 256;
inline constexpr std::uint32_t sort_tile_keys = 4 * sort_tile_threads;
inline constexpr std::uint64_t short_sort_keys = 32 * sort_tile_keys; ///< beyond it, the radix sort is faster

/// Compares by the bits in `mask`.
template <class Key>
struct before_in_mask {
    Key mask;
    [[nodiscard]] __device__ bool operator()(Key const& left, Key const& right) const {
        return (left & mask) < (right & mask);
    }
};

/// Copies each tile of `from` to its place in `to`, sorted.
template <class Key, bool HasValues>
struct sort_tiles {
    static constexpr bool overlaps_launch = true;
    static constexpr std::uint32_t block_threads = sort_tile_threads;
    static constexpr int keys_each = sort_tile_keys / sort_tile_threads;
    using value_type = std::conditional_t<HasValues, std::uint32_t, cub::NullType>;
    using block_sort = cub::BlockMergeSort<Key, sort_tile_threads, keys_each, value_type>;
    using shared = typename block_sort::TempStorage;

    basic_key_pairs<Key> from;
    basic_key_pairs<Key> to;
    std::uint32_t count;
    before_in_mask<Key> before;

    template <class Thread>
    __device__ void operator()(Thread const& thread) const {
        auto const block = thread.block();
        std::uint32_t const tiles = (count + sort_tile_keys - 1) / sort_tile_keys;
        for_each_group_item(block, tiles, [&](std::uint64_t tile) {
            auto const first = static_cast<std::uint32_t>(tile * sort_tile_keys + block.rank() * keys_each);
            Key keys[keys_each];
            value_type values[keys_each];
            for (std::uint32_t k = 0; k < keys_each; ++k) {
                keys[k] = first + k < count ? from.keys[first + k] : before.mask; // after all other keys
                if constexpr (HasValues) values[k] = first + k < count ? from.values[first + k] : 0;
            }
            block.sync(); // the storage is free
            if constexpr (HasValues)
                block_sort(block.storage()).StableSort(keys, values, before);
            else
                block_sort(block.storage()).StableSort(keys, before);
            for (std::uint32_t k = 0; k < keys_each; ++k) {
                if (first + k >= count) break;
                to.keys[first + k] = keys[k];
                if constexpr (HasValues) to.values[first + k] = values[k];
            }
        });
    }
};

/// Merges the sorted tiles of `from` into `to`; equal keys keep their order. The place of a key is the number
/// of keys before it in all tiles; lanes share the tiles.
template <class Key, bool HasValues>
struct place_keys {
    static constexpr bool overlaps_launch = true;
    static constexpr std::uint32_t lanes = 4;

    basic_key_pairs<Key> from;
    basic_key_pairs<Key> to;
    std::uint32_t count;
    before_in_mask<Key> before;

    template <class Thread>
    __device__ void operator()(Thread const& thread) const {
        auto const group = thread.tile(width<lanes>);
        for_each_group_item(group, count, [&](std::uint64_t i) {
            Key const key = from.keys[i];
            auto const own = static_cast<std::uint32_t>(i / sort_tile_keys);
            std::uint32_t smaller = group.rank() == 0 ? static_cast<std::uint32_t>(i % sort_tile_keys) : 0;
            for (std::uint32_t tile = group.rank(); tile * sort_tile_keys < count; tile += lanes)
                if (tile != own) smaller += count_before(key, tile, tile < own);
            std::uint32_t const place = group.sum(smaller);
            if (group.rank() != 0) return;
            to.keys[place] = key;
            if constexpr (HasValues) to.values[place] = from.values[i];
        });
    }

private:
    /// Keys of a tile that are less, or equal.
    [[nodiscard]] __device__ std::uint32_t count_before(Key const& key, std::uint32_t tile,
                                                        bool or_equal) const {
        Key const* const keys = from.keys + tile * sort_tile_keys;
        std::uint32_t const rest = count - tile * sort_tile_keys;
        std::uint32_t const size = rest < sort_tile_keys ? rest : sort_tile_keys;
        std::uint32_t found = 0;
        for (std::uint32_t step = sort_tile_keys; step != 0; step /= 2) {
            std::uint32_t const further = found + step;
            bool const there = further <= size;
            Key const other = keys[there ? further - 1 : 0];
            if (there && (or_equal ? !before(key, other) : before(other, key))) found = further;
        }
        return found;
    }
};

/// Sorts `pairs` in place by bits [0, bits) of their keys; equal keys keep their order. `alternate` is
/// scratch. Precondition: count <= short_sort_keys.
template <bool HasValues, class Key>
void sort_short(cuda_space& space, basic_key_pairs<Key> const& pairs, basic_key_pairs<Key> const& alternate,
                std::uint64_t count, unsigned bits) {
    before_in_mask<Key> const before{bits >= 8 * sizeof(Key) ? ~Key{0} : (Key{1} << bits) - 1};
    auto const items = static_cast<std::uint32_t>(count);
    std::uint64_t const tiles = (count + sort_tile_keys - 1) / sort_tile_keys;
    bool const is_one = tiles == 1; // which is sorted in place
    launch(space, cover_threads(space, tiles * sort_tile_threads, sort_tile_threads),
           sort_tiles<Key, HasValues>{pairs, is_one ? pairs : alternate, items, before});
    if (is_one) return;
    launch(space, cover_tiles<place_keys<Key, HasValues>::lanes>(space, count),
           place_keys<Key, HasValues>{alternate, pairs, items, before});
}

} // namespace rhizome::exec::detail
