// SPDX-License-Identifier: Apache-2.0
// Threads that insert elements that no other thread inserts, and what must then be in the array.
#pragma once

#include <rhizome/container/concept.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests {

/// Element number `number` of wish number `wish`: no two are the same.
RZ_HD constexpr std::uint64_t numbered(std::uint64_t wish, std::uint32_t number) {
    return wish * 64 + number;
}

/// How many elements a wish has: 0 to `most`.
RZ_HD constexpr std::uint32_t wish_size(std::uint64_t wish, std::uint32_t most) {
    return static_cast<std::uint32_t>((wish * 0x9e37'79b9'7f4a'7c15ull >> 40) % (most + 1));
}

/// Each thread inserts what is left of its wishes, one after the other. done[wish] tells how much was
/// inserted before, and is advanced. `Anywhere`: with insert_anywhere() of a gg_array.
template <class Ref, class Insertion, bool Anywhere>
struct insert_numbered {
    struct shared {
        typename Insertion::storage insertion;
    };
    static constexpr std::uint32_t block_threads = 1024; // some tests have as many

    Ref ref;
    container::placement* placed; ///< per wish: where the last part of it lies
    std::uint32_t* done;
    std::uint32_t most;
    std::uint32_t rounds; ///< wishes per thread
    std::uint64_t* wrong; ///< counts elements that insert_anywhere() did not put where it said

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for (std::uint32_t round = 0; round < rounds; ++round) {
            std::uint64_t const wish = round * thread.size() + thread.rank();
            std::uint32_t const before = done[wish];
            std::uint32_t const count = wish_size(wish, most) - before;
            if (!Insertion::whole_block && count == 0) continue;
            auto const element = [&](std::uint32_t i) { return numbered(wish, before + i); };
            auto& storage = thread.block().storage().insertion;
            if constexpr (Anywhere) {
                std::uint32_t told = 0;
                auto const look = [&](std::uint32_t first, container::placement const& part) {
                    placed[wish] = part;
                    bool found =
                        first == told && part.count != 0 && part.refused == count - first - part.count;
                    for (std::uint32_t i = 0; i < part.count; ++i)
                        found = found && ref.at(part.vector, part.place + i) == element(first + i);
                    if (!found) thread.device(*wrong).fetch_add(1, exec::order::relaxed);
                    told += part.count;
                };
                done[wish] = before + count -
                             ref.template insert_anywhere<Insertion>(thread, storage, count, element, look);
                if (before + told != done[wish]) thread.device(*wrong).fetch_add(1, exec::order::relaxed);
            } else {
                placed[wish] = ref.template insert<Insertion>(thread, storage, count, element);
                done[wish] = before + placed[wish].count;
            }
        }
    }
};

/// Counts inserted elements that are not where insert() said.
template <class Ref>
struct check_placements {
    Ref ref;
    container::placement const* placed;
    std::uint64_t wishes;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for (std::uint64_t wish = thread.rank(); wish < wishes; wish += thread.size())
            for (std::uint32_t i = 0; i < placed[wish].count; ++i)
                if (ref.at(placed[wish].vector, placed[wish].place + i) != numbered(wish, i))
                    thread.device(*wrong).fetch_add(1, exec::order::relaxed);
    }
};

/// A launch of threads with wishes, run one or several times on an array.
template <class Space, class Insertion>
class numbered_wishes {
public:
    numbered_wishes(Space space, exec::launch_shape shape, std::uint32_t most, std::uint32_t rounds)
        : space_(space), shape_(shape), most_(most), rounds_(rounds),
          placed_(space, std::uint64_t{shape.blocks} * shape.block_threads * rounds),
          done_(space, placed_.size()), wrong_(space, 1) {
        placed_.fill_bytes(0);
        done_.fill_bytes(0);
        wrong_.fill_bytes(0);
    }

    /// Inserts what is not yet inserted. `Anywhere`: with insert_anywhere() of a gg_array.
    template <bool Anywhere = false, class Array>
    void insert_into(Array& array) {
        using ref = typename Array::ref_type;
        launch(space_, shape_,
               insert_numbered<ref, Insertion, Anywhere>{array.ref(), placed_.data(), done_.data(), most_,
                                                         rounds_, wrong_.data()});
    }
    /// Elements that insert_anywhere() did not put where it said.
    [[nodiscard]] std::uint64_t wrong() const { return wrong_.to_host()[0]; }
    /// How many elements insert() said it inserted, and how many there are in all wishes.
    [[nodiscard]] std::uint64_t inserted() const {
        std::uint64_t sum = 0;
        for (std::uint32_t const each : done_.to_host())
            sum += each;
        return sum;
    }
    [[nodiscard]] std::uint64_t wanted() const {
        std::uint64_t sum = 0;
        for (std::uint64_t wish = 0; wish < done_.size(); ++wish)
            sum += wish_size(wish, most_);
        return sum;
    }
    /// Elements that are not where the only launch so far said that they are. The array is settled.
    template <class Array>
    [[nodiscard]] std::uint64_t misplaced(Array& array) {
        exec::buffer<Space, std::uint64_t> wrong(space_, 1);
        wrong.fill_bytes(0);
        launch(space_, shape_,
               check_placements<typename Array::ref_type>{array.ref(), placed_.data(), placed_.size(),
                                                          wrong.data()});
        return wrong.to_host()[0];
    }
    /// "" if the array holds each inserted element once and nothing else, whatever the order.
    template <class Array>
    [[nodiscard]] std::string difference(Array& array) const {
        std::vector<std::uint64_t> expected;
        std::vector<std::uint32_t> const done = done_.to_host();
        for (std::uint64_t wish = 0; wish < done.size(); ++wish)
            for (std::uint32_t i = 0; i < done[wish]; ++i)
                expected.push_back(numbered(wish, i));
        std::vector<std::uint64_t> found = array.to_host();
        std::sort(found.begin(), found.end());
        if (found == expected) return "";
        for (std::size_t i = 0; i < std::max(found.size(), expected.size()); ++i) {
            if (i < found.size() && i < expected.size() && found[i] == expected[i]) continue;
            return std::to_string(found.size()) + " elements instead of " + std::to_string(expected.size()) +
                   "; in order, number " + std::to_string(i) + " is " +
                   (i < found.size() ? std::to_string(found[i]) : "missing") + " instead of " +
                   (i < expected.size() ? std::to_string(expected[i]) : "none");
        }
        return "";
    }

private:
    Space space_;
    exec::launch_shape shape_;
    std::uint32_t most_;
    std::uint32_t rounds_;
    exec::buffer<Space, container::placement> placed_;
    exec::buffer<Space, std::uint32_t> done_;
    exec::buffer<Space, std::uint64_t> wrong_;
};

} // namespace rhizome::tests
