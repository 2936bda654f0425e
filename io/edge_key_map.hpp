// SPDX-License-Identifier: Apache-2.0
// A hash map from vertex pairs to numbers, made for millions of them.
#pragma once

#include <rhizome/io/edge_key_set.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhizome::io {

/// Numbers by edge key: open addressing with linear probing, at most half full. Grows by itself. The key of
/// all ones, which is not the key of any edge, cannot be inserted.
class edge_key_map {
public:
    /// Sets the number of the key.
    void set(std::uint64_t key, std::uint64_t number) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        slot& place = slots_[find(key)];
        if (place.key == none) ++size_;
        place = {key, number};
    }

    /// Returns whether the key is there with this number.
    [[nodiscard]] bool holds(std::uint64_t key, std::uint64_t number) const {
        slot const& found = slots_[find(key)];
        return found.key == key && found.number == number;
    }

    /// Erases the key, if it is there.
    void erase(std::uint64_t key) {
        std::size_t hole = find(key);
        if (slots_[hole].key != key) return;
        // Keys after the hole move into it if their home slot allows, so that no search stops too early.
        std::size_t const mask = slots_.size() - 1;
        for (std::size_t i = (hole + 1) & mask; slots_[i].key != none; i = (i + 1) & mask) {
            if (((i - home(slots_[i].key)) & mask) >= ((i - hole) & mask)) {
                slots_[hole] = slots_[i];
                hole = i;
            }
        }
        slots_[hole].key = none;
        --size_;
    }

    [[nodiscard]] std::size_t size() const { return size_; }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    struct slot {
        std::uint64_t key = none;
        std::uint64_t number = 0;
    };

    [[nodiscard]] std::size_t home(std::uint64_t key) const { return edge_key_hash(key) >> shift_; }
    [[nodiscard]] std::size_t find(std::uint64_t key) const {
        std::size_t const mask = slots_.size() - 1;
        std::size_t at = home(key);
        while (slots_[at].key != key && slots_[at].key != none)
            at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<slot> old(2 * slots_.size());
        old.swap(slots_);
        --shift_;
        for (slot const& each : old)
            if (each.key != none) slots_[find(each.key)] = each;
    }

    std::vector<slot> slots_ = std::vector<slot>(16);
    unsigned shift_ = 60;
    std::size_t size_ = 0;
};

} // namespace rhizome::io
