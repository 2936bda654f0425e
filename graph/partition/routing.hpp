// SPDX-License-Identifier: Apache-2.0
// Groups the arcs of a batch by the rank that each goes to.
#pragma once

#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/partition/routing_programs.hpp>
#include <rhizome/graph/partition/routing_rules.hpp>

#include <cstdint>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::graph {

/// What a batch has for each rank.
struct routed_counts {
    std::vector<std::uint64_t> arcs; ///< for each rank
    std::uint64_t rejected = 0;      ///< edges with an end that is no vertex
    std::uint64_t self_loops = 0;    ///< edges that are refused as self-loops
};

/// The arcs for other ranks, one rank after the other, in the memory of the space: valid until the next
/// batch.
template <class Id, class Value>
struct sent_arcs {
    routed_arc<Id> const* arcs = nullptr;
    Value const* values = nullptr; ///< nullptr without values
};

/// Groups batches by the rank that owns the row of each arc, in two calls: count(), then place(). The arcs
/// for one rank keep the order of the batch. Keeps its scratch between batches: per arc for another rank two
/// ids and the value, and 4 bytes per rank for each warp of the space; besides 32 KiB of (pinned) host
/// memory, which held_bytes() leaves out. Move-only. `Value` is trivially copyable; no_edge_value: edges have
/// none.
template <class Space, class Id, class Value = no_edge_value>
class arc_router {
    static_assert(std::is_trivially_copyable_v<Value>);

public:
    static constexpr bool has_values = !std::is_same_v<Value, no_edge_value>;
    static constexpr std::uint32_t most_ranks = 4096;

    explicit arc_router(Space space, exec::memory_resource* resource = nullptr)
        : space_(std::move(space)), counts_(space_, resource), totals_(space_, resource),
          arcs_(space_, resource), values_(space_, resource), scan_scratch_(space_, resource) {}

    /// Counts the arcs of `count` edges in memory that the space reads, and makes room for those that go to
    /// other ranks than `self`, with their values if `with_values`. Waits for the counts. Throws
    /// out_of_memory, and std::length_error for more than 2^32 - 2 arcs or most_ranks ranks. Cost: a pass
    /// over the edges.
    template <owner_policy Owners>
    [[nodiscard]] routed_counts count(routing_rules<Id, Owners> const& rules, std::uint32_t self,
                                      basic_edge<Id> const* edges, std::uint64_t count, bool with_values) {
        std::uint32_t const ranks = rules.owners.ranks();
        routed_counts counted;
        counted.arcs.assign(ranks, 0);
        edges_ = count;
        if (ranks > most_ranks)
            throw std::length_error("a batch is divided among at most " + std::to_string(most_ranks) +
                                    " ranks, not " + std::to_string(ranks));
        if (count == 0) return counted;
        if (count >= 0xffff'ffffull / rules.arcs_per_edge())
            throw std::length_error("a batch of " + std::to_string(count) +
                                    " edges has more than 2^32 - 2 arcs");
        shape_ = cover_threads(space_, count);
        auto const batch = runs(rules, edges);
        auto* const counts = counts_.template at_least_of<std::uint32_t>(batch.warps * ranks);
        if (!report_) report_.emplace(space_);
        std::uint64_t const total_words = ranks + 3; // with one that counts blocks
        auto* const sums = totals_.template at_least_of<std::uint64_t>(total_words);
        if (clear_totals_ < total_words) space_.fill(sums, 0, total_words * sizeof(std::uint64_t));
        clear_totals_ = 0; // until the kernel has cleared them
        launch(space_, shape_,
               detail::count_routed<Id, Owners>{batch,
                                                counts,
                                                {sums, reinterpret_cast<std::uint32_t*>(sums + ranks + 2),
                                                 report_->in_space()->words, ranks}});
        std::uint64_t const* const found = report_->read().words;
        clear_totals_ = total_words;
        counted.arcs.assign(found, found + ranks);
        counted.rejected = found[ranks];
        counted.self_loops = found[ranks + 1];
        own_begin_ = std::accumulate(counted.arcs.begin(), counted.arcs.begin() + self, std::uint64_t{0});
        own_count_ = counted.arcs[self];
        std::uint64_t const sent =
            std::accumulate(counted.arcs.begin(), counted.arcs.end(), std::uint64_t{0}) - own_count_;
        static_cast<void>(arcs_.template at_least_of<routed_arc<Id>>(sent));
        if (has_values && with_values) static_cast<void>(values_.template at_least_of<Value>(sent));
        exclusive_scan(space_, scan_scratch_, counts, counts, batch.warps * ranks);
        return counted;
    }

    /// Writes the arcs of the batch that count() has counted, with the same arguments: those for rank `self`
    /// to `own`, with their values to `own_values`; the others to scratch. Throws nothing for lack of memory.
    /// Cost: a pass over the edges, which writes the arcs.
    template <owner_policy Owners>
    [[nodiscard]] sent_arcs<Id, Value> place(routing_rules<Id, Owners> const& rules, std::uint32_t self,
                                             basic_edge<Id> const* edges, Value const* values,
                                             routed_arc<Id>* own, Value* own_values) {
        if (edges_ == 0) return {};
        auto* const others = arcs_.template at_least_of<routed_arc<Id>>(0);
        Value* const other_values =
            has_values && values != nullptr ? values_.template at_least_of<Value>(0) : nullptr;
        launch(space_, shape_,
               detail::place_routed<Id, Owners, Value>{
                   runs(rules, edges),
                   has_values ? values : nullptr,
                   counts_.template at_least_of<std::uint32_t>(0),
                   {self, own_begin_, own_count_, own, own_values, others, other_values}});
        return {others, other_values};
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
    template <class Owners>
    [[nodiscard]] detail::batch_runs<Id, Owners> runs(routing_rules<Id, Owners> const& rules,
                                                      basic_edge<Id> const* edges) const {
        std::uint64_t const threads = std::uint64_t{shape_.blocks} * shape_.block_threads;
        return {rules, edges, edges_, threads / space_.tile_lanes(32)};
    }

    Space space_;
    exec::workspace<Space> counts_; ///< for each rank and warp; then where they begin
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
    std::uint64_t edges_ = 0;
    std::uint64_t own_begin_ = 0;
    std::uint64_t own_count_ = 0;
};

} // namespace rhizome::graph
