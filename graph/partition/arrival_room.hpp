// SPDX-License-Identifier: Apache-2.0
// Where the arcs of a batch that arrive at a rank are kept.
#pragma once

#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/partition/routing_rules.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace rhizome::graph {

/// Room for the arcs that arrive at a rank, and for their values. Keeps its memory between batches.
/// Move-only.
template <class Space, class Id, class Value>
class arrival_room {
public:
    static constexpr std::uint64_t most_arcs = 0xffff'fffeull; ///< of one batch, at one rank

    explicit arrival_room(Space space, exec::memory_resource* resource = nullptr)
        : arcs_(space, resource), values_(space, resource) {}

    /// A word that says how many arcs, and how many values, there is room for. Other ranks read it.
    [[nodiscard]] std::uint64_t word() const {
        std::uint64_t const arcs = std::min(arcs_.held_bytes() / sizeof(routed_arc<Id>), most_arcs);
        return arcs << 32 | std::min(values_.held_bytes() / sizeof(Value), most_arcs);
    }
    /// Whether a rank with this word has room for so many arcs, and for as many values if `with_values`.
    [[nodiscard]] static bool suffices(std::uint64_t word, std::uint64_t count, bool with_values) {
        return count <= word >> 32 && (!with_values || count <= (word & 0xffff'ffffu));
    }
    /// Makes room. Arcs that have arrived are lost. Throws out_of_memory, and std::length_error for more than
    /// most_arcs. `rank`: named in the message.
    void make(int rank, std::uint64_t count, bool with_values) {
        if (count > most_arcs)
            throw std::length_error("rank " + std::to_string(rank) + " would get " + std::to_string(count) +
                                    " arcs of one batch, more than 2^32 - 2");
        static_cast<void>(arcs(count));
        if (with_values) static_cast<void>(values(count));
    }
    /// Where the arcs and the values are. There must be room for so many.
    [[nodiscard]] routed_arc<Id>* arcs(std::uint64_t count) {
        return arcs_.template at_least_of<routed_arc<Id>>(count);
    }
    [[nodiscard]] Value* values(std::uint64_t count) { return values_.template at_least_of<Value>(count); }

    [[nodiscard]] std::uint64_t held_bytes() const { return arcs_.held_bytes() + values_.held_bytes(); }
    void give_back() {
        arcs_.give_back();
        values_.give_back();
    }

private:
    exec::workspace<Space> arcs_;
    exec::workspace<Space> values_;
};

} // namespace rhizome::graph
