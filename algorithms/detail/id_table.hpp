// A set of ids in shared storage.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>

#include <bit>
#include <cstdint>

namespace rhizome::algorithms::detail {

/// Open addressing over `slots` words, a power of two at least twice the number of ids: searches end soon.
class id_table {
public:
    static constexpr graph::vertex_id nobody = ~graph::vertex_id{0};

    /// For so many ids, with as many of `largest_slots` words as that needs.
    RZ_HD id_table(graph::vertex_id* words, std::uint32_t largest_slots, std::uint32_t count)
        : words_(words), shift_(32) {
        std::uint32_t slots = 1;
        while (slots < 2 * count && slots < largest_slots)
            slots *= 2;
        while (slots >> (32 - shift_) > 1)
            --shift_;
    }

    /// Called by all lanes of a group, which then synchronises.
    template <class Group>
    RZ_HD void clear(Group const& group) const {
        for (std::uint32_t i = group.rank(); i <= mask(); i += group.size())
            words_[i] = nobody;
    }
    /// Precondition: it is not there yet.
    template <class Thread>
    RZ_HD void insert(Thread const& thread, graph::vertex_id id) const {
        for (std::uint32_t place = home(id);; place = (place + 1) & mask()) {
            graph::vertex_id held = nobody;
            if (thread.shared(words_[place]).compare_exchange(held, id, exec::order::relaxed)) return;
        }
    }
    /// Once all are in, and the group has synchronised.
    [[nodiscard]] RZ_HD bool contains(graph::vertex_id id) const {
        for (std::uint32_t place = home(id);; place = (place + 1) & mask()) {
            graph::vertex_id const held = words_[place];
            if (held == id) return true;
            if (held == nobody) return false;
        }
    }

private:
    [[nodiscard]] RZ_HD std::uint32_t mask() const { return (std::uint32_t{1} << (32 - shift_)) - 1; }
    [[nodiscard]] RZ_HD std::uint32_t home(graph::vertex_id id) const {
        return static_cast<std::uint32_t>(std::uint64_t{id * 0x9e37'79b1u} >> shift_); // golden ratio
    }

    graph::vertex_id* words_;
    std::uint32_t shift_; ///< 32 - log2 of the slots
};

} // namespace rhizome::algorithms::detail
