// SPDX-License-Identifier: Apache-2.0
// Groups the arcs of a batch by the rank that each goes to, and writes them where they belong.
#pragma once

#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/partition/routing_programs.hpp>
#include <rhizome/graph/partition/routing_rules.hpp>
#include <rhizome/graph/partition/routing_tiles.hpp>

#include <cstdint>
#include <exception>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::graph {

/// What a batch has of each group. Group number g: arcs for rank g % ranks, whose target has the lowest bits
/// g / ranks.
struct routed_counts {
    std::vector<std::uint64_t> arcs; ///< of each group
    std::uint64_t rejected = 0;      ///< edges with an end that is no vertex
    std::uint64_t self_loops = 0;    ///< edges that are refused as self-loops
};

/// The arcs that place() could not write to their ranks, one group after the other, in the memory of the
/// space: valid until the next batch.
template <class Id, class Value>
struct sent_arcs {
    routed_arc<Id> const* arcs = nullptr;
    Value const* values = nullptr; ///< nullptr without values
};

/// Where the arcs of a group are written. nullptr: among the arcs that are sent.
template <class Id, class Value>
struct group_place {
    routed_arc<Id>* arcs = nullptr;
    Value* values = nullptr; ///< nullptr without values
    bool packed = false;     ///< arcs are written as batch::packed_keys
};

/// Groups batches by the rank that owns the row of each arc, in two calls: count(), then place(). The arcs of
/// one group keep the order of the batch. Keeps its scratch between batches: per arc that is sent two ids and
/// the value, and 4 bytes per group for each tile of edges; besides 32 KiB of (pinned) host memory, which
/// held_bytes() leaves out. Move-only. `Value` is trivially copyable; no_edge_value: edges have none.
template <class Space, class Id, class Value = no_edge_value>
class arc_router {
    static_assert(std::is_trivially_copyable_v<Value>);

public:
    static constexpr bool has_values = !std::is_same_v<Value, no_edge_value>;
    static constexpr std::uint32_t most_ranks = 4096;
    /// Arcs can be written to other ranks, packed, or grouped by bits of their targets, if there are at most
    /// so many groups.
    static constexpr std::uint32_t most_placed_groups = detail::most_placed_groups;
    using place_type = group_place<Id, Value>;

    explicit arc_router(Space space, exec::memory_resource* resource = nullptr)
        : space_(std::move(space)), counts_(space_, resource), totals_(space_, resource),
          arcs_(space_, resource), values_(space_, resource), scan_scratch_(space_, resource) {}

    /// Counts the arcs of each group of `count` edges in memory that the space reads. There are 2^low_bits
    /// groups per rank. Waits for the counts. Throws out_of_memory, and std::length_error for more than
    /// 2^32 - 2 arcs or most_ranks ranks. Cost: a pass over the edges.
    template <owner_policy Owners>
    [[nodiscard]] routed_counts count(routing_rules<Id, Owners> const& rules, basic_edge<Id> const* edges,
                                      std::uint64_t count, unsigned low_bits = 0) {
        std::uint32_t const groups = rules.owners.ranks() << low_bits;
        routed_counts counted;
        counted.arcs.assign(groups, 0);
        edges_ = count;
        low_bits_ = low_bits;
        counted_.assign(groups, 0);
        if (rules.owners.ranks() > most_ranks)
            throw std::length_error("a batch is divided among at most " + std::to_string(most_ranks) +
                                    " ranks, not " + std::to_string(rules.owners.ranks()));
        if (count == 0) return counted;
        if (count >= 0xffff'ffffull / rules.arcs_per_edge())
            throw std::length_error("a batch of " + std::to_string(count) +
                                    " edges has more than 2^32 - 2 arcs");
        parts_ = divide(rules.arcs_per_edge(), groups);
        auto const batch = runs(rules, edges);
        auto* const counts = counts_.template at_least_of<std::uint32_t>(parts_ * groups);
        prepare_scan(space_, scan_scratch_, parts_ * groups);
        if (!report_) report_.emplace(space_);
        std::uint64_t const total_words = groups + 3; // with one that counts blocks
        auto* const sums = totals_.template at_least_of<std::uint64_t>(total_words);
        if (clear_totals_ < total_words) space_.fill(sums, 0, total_words * sizeof(std::uint64_t));
        clear_totals_ = 0; // until the kernel has cleared them
        detail::routing_totals const totals{sums, reinterpret_cast<std::uint32_t*>(sums + groups + 2),
                                            report_->in_space()->words, groups};
        bool launched = false;
        if constexpr (takes_tiles)
            if (in_tiles_) {
                launch(space_, cover_blocks(space_, parts_),
                       detail::count_tiles<Id, Owners>{batch, counts, totals});
                launched = true;
            }
        if (!launched) launch(space_, shape_, detail::count_routed<Id, Owners>{batch, counts, totals});
        try { // while the host waits for the counts
            exclusive_scan(space_, scan_scratch_, counts, counts, parts_ * groups);
        } catch (std::exception const&) {
            space_.synchronize(); // the caller may change the edges then
            throw;
        }
        std::uint64_t const* const found = report_->read().words;
        clear_totals_ = total_words;
        counted.arcs.assign(found, found + groups);
        counted.rejected = found[groups];
        counted.self_loops = found[groups + 1];
        counted_ = counted.arcs;
        return counted;
    }

    /// Makes room for `arcs` arcs that are sent, with their values if `with_values`, as place() needs it.
    /// Throws out_of_memory.
    void make_room_to_send(std::uint64_t arcs, bool with_values) {
        static_cast<void>(arcs_.template at_least_of<routed_arc<Id>>(arcs));
        if (has_values && with_values) static_cast<void>(values_.template at_least_of<Value>(arcs));
    }

    /// Writes the arcs of the batch that count() has counted, with the same arguments, and the values that it
    /// has: those of group g to places[g], or if that is nullptr to scratch, for which make_room_to_send()
    /// has made room. With more than most_placed_groups groups, only the group of rank `self` has a place,
    /// and nothing is packed. `keys`: how arcs are packed. Throws nothing for lack of memory. Cost: a pass
    /// over the edges, which writes the arcs.
    template <owner_policy Owners>
    [[nodiscard]] sent_arcs<Id, Value>
    place(routing_rules<Id, Owners> const& rules, std::uint32_t self, basic_edge<Id> const* edges,
          Value const* values, std::span<place_type const> places, batch::packed_keys<Id> const& keys = {}) {
        if (edges_ == 0) return {};
        if constexpr (!has_values) values = nullptr;
        auto* const sent = arcs_.template at_least_of<routed_arc<Id>>(0);
        Value* const sent_values = values != nullptr ? values_.template at_least_of<Value>(0) : nullptr;
        detail::routed_places<Id, Value> to{};
        to.keys = keys;
        to.has_table = counted_.size() <= most_placed_groups;
        to.self = self;
        to.own_count = counted_[self];
        to.own = places[self].arcs;
        to.own_values = places[self].values;
        to.others = sent;
        to.other_values = sent_values;
        std::uint64_t before = 0;
        std::uint64_t sent_before = 0;
        for (std::size_t group = 0; group < counted_.size(); ++group) {
            if (group == self) to.own_begin = before;
            if (to.has_table) {
                place_type const& place = places[group];
                bool const is_sent = place.arcs == nullptr;
                to.table[group] = {is_sent ? sent + sent_before : place.arcs,
                                   !is_sent            ? place.values
                                   : values != nullptr ? sent_values + sent_before
                                                       : nullptr,
                                   before};
                to.packed_groups |= (place.packed ? 1u : 0u) << group;
                if (is_sent) sent_before += counted_[group];
            }
            before += counted_[group];
        }
        auto* const counts = counts_.template at_least_of<std::uint32_t>(0);
        auto const batch = runs(rules, edges);
        if constexpr (takes_tiles)
            if (in_tiles_) {
                launch(space_, one_thread_each(space_, parts_ * shape_.block_threads),
                       detail::place_tiles<Id, Owners, Value>{batch, values, counts, to});
                return {sent, sent_values};
            }
        launch(space_, shape_, detail::place_routed<Id, Owners, Value>{batch, values, counts, to});
        return {sent, sent_values};
    }

    [[nodiscard]] std::uint64_t held_bytes() const {
        std::uint64_t bytes = 0;
        for (auto const* const piece : {&counts_, &totals_, &arcs_, &values_, &scan_scratch_})
            bytes += piece->held_bytes();
        return bytes;
    }
    /// Frees the scratch, arcs that are to be sent included.
    void release_scratch() {
        for (auto* const piece : {&counts_, &totals_, &arcs_, &values_, &scan_scratch_})
            piece->give_back();
        clear_totals_ = 0;
    }

private:
    /// Whether blocks have threads that share tiles of edges.
    static constexpr bool takes_tiles = !exec::threads_take_runs<Space>;

    /// Chooses the shape of the launches. Returns into how many parts they divide the batch.
    [[nodiscard]] std::uint64_t divide(std::uint32_t arcs_per_edge, std::uint32_t groups) {
        shape_ = cover_threads(space_, edges_);
        in_tiles_ = takes_tiles && groups <= most_placed_groups;
        if (in_tiles_)
            return arcs_per_edge == 1 ? detail::edge_tiles<1>::count(edges_, shape_.block_threads)
                                      : detail::edge_tiles<2>::count(edges_, shape_.block_threads);
        return std::uint64_t{shape_.blocks} * shape_.block_threads / space_.tile_lanes(32);
    }
    template <class Owners>
    [[nodiscard]] detail::batch_runs<Id, Owners> runs(routing_rules<Id, Owners> const& rules,
                                                      basic_edge<Id> const* edges) const {
        return {rules, edges, edges_, parts_, low_bits_};
    }

    Space space_;
    exec::workspace<Space> counts_; ///< of each group and part of the batch; then where they begin
    exec::workspace<Space> totals_;
    exec::workspace<Space> arcs_;
    exec::workspace<Space> values_;
    exec::workspace<Space> scan_scratch_;
    struct host_totals {
        std::uint64_t words[most_ranks + 2];
    };
    std::optional<exec::mailbox<Space, host_totals>> report_; ///< from the first batch on
    std::uint64_t clear_totals_ = 0;                          ///< so many words of totals_ are 0
    // Of the batch that was counted.
    exec::launch_shape shape_{1, 1};
    bool in_tiles_ = false;
    std::uint64_t parts_ = 0; ///< tiles, or warps
    std::uint64_t edges_ = 0;
    unsigned low_bits_ = 0;
    std::vector<std::uint64_t> counted_; ///< arcs of each group
};

} // namespace rhizome::graph
