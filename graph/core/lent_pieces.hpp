// SPDX-License-Identifier: Apache-2.0
// Pieces of a batch in host memory: only the present piece takes memory of the space.
#pragma once

#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/core/pieces.hpp>
#include <rhizome/graph/core/stager.hpp>
#include <rhizome/graph/queries.hpp>
#include <rhizome/graph/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::graph::batch {

/// As `pieces`. Which edges of a piece the graph had before is asked when the piece is cut. That takes 13
/// bytes per edge on the host, and one value per edge where edges have values. Each call waits.
template <class Space, class Id, class Value, bool HasValues>
class lent_pieces {
    using edge_type = basic_edge<Id>;

public:
    using placed_type = placed_batch<edge_type, Value>;

    lent_pieces(Space space, exec::memory_resource* resource, std::span<edge_type const> edges,
                std::span<Value const> values)
        : space_(space), whole_(edges), whole_values_(values), known_(edges.size(), unknown),
          values_before_(HasValues ? edges.size() : 0), edges_(space, resource), values_(space, resource),
          present_(std::move(space), resource) {
        by_hash_.reserve(edges.size());
        for (std::uint32_t i = 0; i < edges.size(); ++i)
            by_hash_.push_back({piece::hash_of(edges[i]), i});
        std::sort(by_hash_.begin(), by_hash_.end(), [&](numbered const& left, numbered const& right) {
            if (left.first != right.first) return left.first < right.first;
            auto const ends = std::pair(ends_of(left), ends_of(right));
            return ends.first != ends.second ? ends.first < ends.second : left.second < right.second;
        });
        mark_repeats();
    }

    [[nodiscard]] std::uint64_t edge_count() const { return whole_.size(); }

    template <class View>
    [[nodiscard]] placed_type of(piece const& which, View const& view) {
        choose(which.hashes());
        placed_type const placed = put(whole_values_);
        if (placed.count != 0) note(placed, view);
        return placed;
    }
    [[nodiscard]] std::uint64_t undone_edges(hash_range const& applied) const {
        return static_cast<std::uint64_t>(at_hash(applied.end) - at_hash(applied.begin));
    }
    /// An edge that is in the batch several times is undone once, or once in each direction.
    [[nodiscard]] placed_type absent(undone_share const& share) {
        choose(share, 0);
        return put({});
    }
    [[nodiscard]] placed_type present(undone_share const& share) {
        choose(share, 1);
        return put(values_before_);
    }
    void give_back() {
        for (auto* const each : {&edges_, &values_, &present_})
            each->give_back();
    }

private:
    static constexpr std::uint8_t unknown = 2;
    static constexpr std::uint8_t repeat = 4;                 ///< set for all but the first of equal edges
    using numbered = std::pair<std::uint32_t, std::uint32_t>; ///< the hash and the number of an edge

    /// The ends of an edge and of its mirror.
    [[nodiscard]] std::pair<Id, Id> ends_of(numbered const& edge) const {
        auto const [source, target] = whole_[edge.second];
        return {std::min(source, target), std::max(source, target)};
    }
    void mark_repeats() {
        bool seen[2] = {}; // an edge, and its mirror
        for (std::size_t k = 0; k < by_hash_.size(); ++k) {
            if (k == 0 || ends_of(by_hash_[k - 1]) != ends_of(by_hash_[k])) seen[0] = seen[1] = false;
            auto const& edge = whole_[by_hash_[k].second];
            if (std::exchange(seen[edge.source > edge.target ? 1 : 0], true))
                known_[by_hash_[k].second] |= repeat;
        }
    }
    [[nodiscard]] auto at_hash(std::uint64_t hash) const {
        return std::lower_bound(by_hash_.begin(), by_hash_.end(), hash,
                                [](numbered const& edge, std::uint64_t least) { return edge.first < least; });
    }
    void choose(hash_range const& hashes) {
        chosen_.clear();
        auto const end = at_hash(hashes.end);
        for (auto edge = at_hash(hashes.begin); edge != end; ++edge)
            chosen_.push_back(edge->second);
    }
    void choose(undone_share const& share, std::uint8_t wanted) {
        chosen_.clear();
        auto const first = at_hash(share.applied.begin) + static_cast<std::ptrdiff_t>(share.first);
        for (auto edge = first; edge != first + static_cast<std::ptrdiff_t>(share.count); ++edge)
            if (known_[edge->second] == wanted) chosen_.push_back(edge->second);
    }
    /// Copies the chosen edges into the space.
    [[nodiscard]] placed_type put(std::span<Value const> values) {
        if (chosen_.empty()) return {};
        auto const copy = [&](auto const& from, auto* to) {
            using element = std::remove_pointer_t<decltype(to)>;
            std::vector<element> together;
            together.reserve(chosen_.size());
            for (std::uint32_t const i : chosen_)
                together.push_back(from[i]);
            space_.copy_in(to, together.data(), together.size() * sizeof(element));
            return to;
        };
        placed_type placed{nullptr, nullptr, chosen_.size()};
        placed.edges = copy(whole_, edges_.template at_least_of<edge_type>(chosen_.size()));
        if (!values.empty())
            placed.values = copy(values, values_.template at_least_of<Value>(chosen_.size()));
        return placed;
    }
    template <class View>
    void note(placed_type const& placed, View const& view) {
        auto* const present = present_.template at_least_of<std::uint8_t>(placed.count * (1 + sizeof(Value)));
        std::vector<std::uint8_t> found(placed.count);
        if constexpr (HasValues) {
            // Values come first: they must be aligned.
            auto* const before = reinterpret_cast<Value*>(present);
            std::uint8_t* const flags = present + placed.count * sizeof(Value);
            graph::edge_values(space_, view, placed.edges, placed.count, before, flags);
            std::vector<Value> values(placed.count);
            space_.copy_out(values.data(), before, placed.count * sizeof(Value));
            space_.copy_out(found.data(), flags, placed.count);
            for (std::size_t k = 0; k < chosen_.size(); ++k)
                values_before_[chosen_[k]] = values[k];
        } else {
            graph::has_edges(space_, view, placed.edges, placed.count, present);
            space_.copy_out(found.data(), present, placed.count);
        }
        for (std::size_t k = 0; k < chosen_.size(); ++k)
            known_[chosen_[k]] = static_cast<std::uint8_t>((known_[chosen_[k]] & repeat) | found[k]);
    }

    Space space_;
    std::span<edge_type const> whole_;
    std::span<Value const> whole_values_;
    /// Ascending by hash; an edge, its mirror and its repeats stand together, in the order of the batch.
    std::vector<numbered> by_hash_;
    std::vector<std::uint8_t> known_; ///< whether the graph had each edge, or unknown; and whether it repeats
    std::vector<Value> values_before_;
    std::vector<std::uint32_t> chosen_; ///< the numbers of the chosen edges
    exec::workspace<Space> edges_;
    exec::workspace<Space> values_;
    exec::workspace<Space> present_;
};

} // namespace rhizome::graph::batch
