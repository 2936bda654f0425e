// SPDX-License-Identifier: Apache-2.0
// A hash set of vertex pairs, made for millions of them.
#pragma once

#include <rhizome/graph/update.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rhizome::io {

using graph::edge_key;

/// Returns a number whose high bits depend on all bits of the key.
[[nodiscard]] constexpr std::uint64_t edge_key_hash(std::uint64_t key) {
    key ^= key >> 32; // both vertices reach the high bits of the products
    key *= 0xd6e8'feb8'6659'fd93u;
    key ^= key >> 32;
    return key * 0x9e37'79b9'7f4a'7c15u;
}

/// A set of edge keys: open addressing with linear probing, at most half full.
class edge_key_set {
public:
    /// Empties the set and makes room for `count` keys.
    void reset(std::size_t count) {
        std::size_t const wanted = std::bit_ceil(std::max<std::size_t>(count, 8) * 2);
        slots_.assign(wanted, none);
        shift_ = 64 - static_cast<unsigned>(std::countr_zero(wanted));
        holds_none_ = false;
        size_ = 0;
    }

    /// Prefetches the slot of a key that will be needed soon.
    void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[home(key)], 1); }

    /// Inserts the key. Returns false if it was there already. Precondition: size() < capacity().
    bool insert(std::uint64_t key) {
        std::size_t const slot = find(key);
        if (key == none ? std::exchange(holds_none_, true) : slots_[slot] == key) return false;
        slots_[slot] = key;
        ++size_;
        return true;
    }

    [[nodiscard]] bool contains(std::uint64_t key) const {
        return key == none ? holds_none_ : slots_[find(key)] == key;
    }

    /// Erases the key. Returns false if it was not there.
    bool erase(std::uint64_t key) {
        std::size_t hole = find(key);
        if (key == none ? !std::exchange(holds_none_, false) : slots_[hole] != key) return false;
        // Keys after the hole move into it if their home slot allows, so that no search stops too early.
        for (std::size_t i = next(hole); slots_[i] != none; i = next(i)) {
            std::size_t const mask = slots_.size() - 1;
            if (((i - home(slots_[i])) & mask) >= ((i - hole) & mask)) {
                slots_[hole] = slots_[i];
                hole = i;
            }
        }
        slots_[hole] = none;
        --size_;
        return true;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    /// Returns how many keys fit while the set is at most half full.
    [[nodiscard]] std::size_t capacity() const { return slots_.size() / 2; }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0}; ///< marks a free slot; a flag keeps this key

    [[nodiscard]] std::size_t home(std::uint64_t key) const {
        return static_cast<std::size_t>(edge_key_hash(key) >> shift_);
    }
    [[nodiscard]] std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
    [[nodiscard]] std::size_t find(std::uint64_t key) const {
        std::size_t slot = home(key);
        while (slots_[slot] != key && slots_[slot] != none)
            slot = next(slot);
        return slot;
    }

    std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(16, none);
    bool holds_none_ = false;
    unsigned shift_ = 60;
    std::size_t size_ = 0;
};

} // namespace rhizome::io
