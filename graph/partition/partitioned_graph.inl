// SPDX-License-Identifier: Apache-2.0
// Bodies of partitioned_graph.hpp.
#pragma once

#include <rhizome/graph/core/vertex_arcs.hpp>

#include <algorithm>
#include <utility>

namespace rhizome::graph {

template <class Space, owner_policy Owners, class EdgeValue, class Id>
partitioned_graph<Space, Owners, EdgeValue, Id>::partitioned_graph(comm::communicator<Space>& self,
                                                                   Owners const& owners,
                                                                   graph_options const& options)
    : self_(&self), owners_(owners), exchange_(self, options.scratch),
      scratch_(self.space(), options.scratch) {
    std::uint64_t const flags =
        (options.directed ? 1u : 0u) | (options.in_arcs ? 2u : 0u) | (options.self_loops ? 4u : 0u);
    auto const said = all_or_none(self, 3, [&] {
        if (owners.ranks() != static_cast<std::uint32_t>(self.size()))
            throw std::invalid_argument("the vertices are divided among " + std::to_string(owners.ranks()) +
                                        " ranks, but " + std::to_string(self.size()) + " communicate");
        if (options.refuses_unknown_ids)
            throw std::invalid_argument("refuses_unknown_ids is not offered over several ranks");
        graph_options of_rank = options;
        of_rank.vertices = 0;
        ids_.emplace(self.space(), most_ids(self.size()));
        local_.emplace(self.space(), of_rank, batch::part_of_graph{0, owners.ids(rank())});
        return std::vector<std::uint64_t>{options.vertices, flags, digest_of(owners)};
    });
    for (std::size_t each = 3; each < said.size(); each += 3) {
        if (said[each] != said[0] || said[each + 1] != said[1])
            throw std::invalid_argument("ranks 0 and " + std::to_string(each / 3) +
                                        " make a graph with different options");
        if (said[each + 2] != said[2])
            throw std::invalid_argument("ranks 0 and " + std::to_string(each / 3) +
                                        " divide the vertices in different ways");
    }
    add_vertices(options.vertices);
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
batch_report partitioned_graph<Space, Owners, EdgeValue, Id>::apply_from_host(
    bool erasing, std::span<edge_type const> edges, value_type const* values, std::uint64_t value_count) {
    return apply(erasing, [&]() -> share_type {
        if (edges.size() != value_count)
            throw std::invalid_argument("insert_edges: " + std::to_string(edges.size()) + " edges, " +
                                        std::to_string(value_count) + " values");
        if constexpr (requires { Space::shares_host_memory; }) return {edges.data(), values, edges.size()};
        edge_type* const placed = scratch_.edges(edges.size());
        space().copy_in(placed, edges.data(), edges.size_bytes());
        if (values == nullptr) return {placed, nullptr, edges.size()};
        value_type* const placed_values = scratch_.values(edges.size());
        space().copy_in(placed_values, values, edges.size() * sizeof(value_type));
        return {placed, placed_values, edges.size()};
    });
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
template <class Place>
batch_report partitioned_graph<Space, Owners, EdgeValue, Id>::apply(bool erasing, Place const& place) {
    expect_whole();
    auto const place_sent = [&] {
        share_type const share = place();
        if (has_values && !erasing && share.values == nullptr && share.count != 0)
            throw std::invalid_argument("insert_edges: edges of a graph with values have values");
        return batch_share<Id, sent_value>{share.edges, sent(share.values), share.count};
    };
    auto const arrived = exchange_.exchange_placed(rules(), place_sent, wishes());
    // The caller may change its edges on return. Work that reads them is done once the report of a batch that
    // changes this rank's rows is there.
    try {
        batch_report const report = apply_arrived(erasing, arrived);
        if (arrived.count == 0) self_->wait().or_throw();
        return report;
    } catch (std::exception const&) {
        static_cast<void>(self_->wait());
        throw;
    }
}

/// Batches that are sorted get their arcs as the keys that are sorted. Where the bits of a key are few more
/// than some passes of a radix sort take, arcs come in the order of these few lowest bits, and the sort takes
/// one pass less. The same on all ranks, but for the number of arcs.
template <class Space, owner_policy Owners, class EdgeValue, class Id>
arc_wishes<Id> partitioned_graph<Space, Owners, EdgeValue, Id>::wishes() const {
    arc_wishes<Id> wishes;
    if (has_values || edges_ == 0) return wishes;
    constexpr unsigned pass_bits = 8;
    constexpr unsigned most_low_bits = 2;
    std::uint64_t most_rows = 1;
    for (std::uint32_t each = 0; each < owners_.ranks(); ++each)
        most_rows = std::max(most_rows, owners_.rows(each, vertices_));
    wishes.least_packed = local_->least_packed_arcs();
    wishes.keys = batch::packed_keys<Id>::of(vertices_, most_rows * (options().in_arcs ? 2 : 1));
    unsigned const bits = wishes.keys.bits(true);
    if (bits > 2 * pass_bits && bits % pass_bits <= most_low_bits) wishes.low_bits = bits % pass_bits;
    return wishes;
}

/// Applies the arcs that have arrived if all ranks can.
template <class Space, owner_policy Owners, class EdgeValue, class Id>
batch_report
partitioned_graph<Space, Owners, EdgeValue, Id>::apply_arrived(bool erasing,
                                                               arrived_arcs<Id, sent_value> arrived) {
    agreement<Space> vote(*self_);
    batch_report mine;
    std::exception_ptr failed;
    auto const attempt = [&] {
        if (auto const done = apply_if(erasing, arrived, [&] { return vote.ask(true); })) mine = *done;
    };
    try {
        try {
            attempt();
        } catch (exec::out_of_memory const&) {
            if (vote.was_asked() || !exchange_.release_routing_scratch()) throw;
            attempt();
        }
    } catch (std::exception const&) {
        failed = std::current_exception();
    }
    if (!vote.was_asked()) vote.ask(false);
    if (!vote.result().ok()) {
        broken_ = true; // another rank may have heard all votes
        vote.result().or_throw();
    }
    if (vote.refuser()) {
        sum_reports({}, local_->broken() ? failed : nullptr); // throws if a part is broken
        if (failed) std::rethrow_exception(failed);
        throw refused_by_rank(*vote.refuser());
    }
    batch_report sum = sum_reports(mine, failed);
    sum.rejected = arrived.rejected;
    sum.self_loops_refused = arrived.self_loops;
    sum.duplicates = arrived.edges - sum.total();
    edges_ = erasing ? edges_ - sum.applied : edges_ + sum.applied;
    return sum;
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
std::optional<batch_report>
partitioned_graph<Space, Owners, EdgeValue, Id>::apply_if(bool erasing, arrived_arcs<Id, sent_value>& arrived,
                                                          std::function<bool()> const& decide) {
    value_type const* values = nullptr;
    if constexpr (has_values)
        if (!erasing) values = arrived.values;
    return local_->apply_arcs_if(erasing, arrived.arcs, values, arrived.count, arrived.form, decide,
                                 changes_);
}

/// The reports of all ranks on a change. If a rank has failed, or its part is broken, the graph is broken on
/// all ranks, and all throw. `failed`: what this rank threw in a change to which all had agreed.
template <class Space, owner_policy Owners, class EdgeValue, class Id>
batch_report partitioned_graph<Space, Owners, EdgeValue, Id>::sum_reports(batch_report const& mine,
                                                                          std::exception_ptr const& failed) {
    constexpr std::size_t words = 4;
    std::uint64_t const told[words] = {failed || local_->broken() ? 1u : 0u, mine.applied,
                                       mine.without_effect, mine.updated};
    std::vector<std::uint64_t> all(words * static_cast<std::size_t>(self_->size()));
    comm::comm_result const result = self_->gather_words(told, all);
    broken_ = true; // until no rank is known to have failed
    if (failed) std::rethrow_exception(failed);
    result.or_throw();
    batch_report sum;
    for (std::size_t each = 0; each < all.size(); each += words) {
        if (all[each] != 0)
            throw std::runtime_error("rank " + std::to_string(each / words) +
                                     " failed in the middle of a change: the graph is broken");
        sum.applied += all[each + 1];
        sum.without_effect += all[each + 2];
        sum.updated += all[each + 3];
    }
    broken_ = false;
    return sum;
}

/// Makes room for rows and ids, without using it. Throws out_of_memory and std::length_error.
template <class Space, owner_policy Owners, class EdgeValue, class Id>
void partitioned_graph<Space, Owners, EdgeValue, Id>::make_room(std::uint64_t vertices) {
    if (vertices < vertices_ || vertices > most_ids(self_->size())) throw too_many_vertices();
    std::uint64_t const rows = owners_.rows(rank(), vertices);
    if (rows > local_->vertex_count()) local_->add_vertices(rows - local_->vertex_count());
    if (ids_->free_count() != 0) ids_->prepare(vertices);
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
void partitioned_graph<Space, Owners, EdgeValue, Id>::add_vertices(std::uint64_t count) {
    expect_whole();
    auto const said = all_or_none(*self_, 1, [&] {
        make_room(vertices_ + count);
        return std::vector<std::uint64_t>{count};
    });
    for (std::size_t each = 1; each < said.size(); ++each)
        if (said[each] != said[0])
            throw std::invalid_argument("add_vertices: rank 0 adds " + std::to_string(said[0]) +
                                        " vertices, rank " + std::to_string(each) + " adds " +
                                        std::to_string(said[each]));
    vertices_ += count;
    local_->set_ids_of_whole(vertices_);
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
std::vector<Id> partitioned_graph<Space, Owners, EdgeValue, Id>::insert_vertices(std::uint64_t count) {
    expect_whole();
    auto const counts = all_or_none(*self_, 1, [&] { return std::vector<std::uint64_t>{count}; });
    std::uint64_t total = 0;
    std::uint64_t before = 0; // wanted by lower ranks
    for (std::size_t each = 0; each < counts.size(); ++each) {
        if (each == rank()) before = total;
        if (counts[each] > most_ids(self_->size()) - total) throw too_many_vertices(); // on all ranks
        total += counts[each];
    }
    std::uint64_t const reused = std::min<std::uint64_t>(total, ids_->free_count());
    Id* staged = nullptr;
    std::vector<Id> ids;
    static_cast<void>(all_or_none(*self_, 0, [&]() -> std::vector<std::uint64_t> {
        std::span<Id const> const freed = ids_->last_freed(reused);
        ids.assign(freed.begin(), freed.end());
        make_room(vertices_ + (total - reused));
        ids.reserve(total);
        for (std::uint64_t i = 0; i < total - reused; ++i)
            ids.push_back(static_cast<Id>(vertices_ + i));
        staged = scratch_.ids(reused);
        return {};
    }));
    mark({ids.data(), reused}, staged, false);
    ids_->take(reused);
    vertices_ += total - reused;
    local_->set_ids_of_whole(vertices_);
    auto const first = ids.begin() + static_cast<std::ptrdiff_t>(before);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
vertex_report
partitioned_graph<Space, Owners, EdgeValue, Id>::erase_listed_vertices(std::span<Id const> ids) {
    expect_whole();
    std::vector<Id> const all = gather_ids(ids);
    typename vertex_ids<Space, Id>::choice chosen;
    Id* staged = nullptr;
    auto const arrived = exchange_.exchange_placed(rules(), [&] {
        chosen = ids_->choose(all, vertices_);
        ids_->prepare(vertices_); // all that can be refused comes before the first change
        staged = scratch_.ids(2 * chosen.ids.size());
        share_type const share = edges_of_vertices(chosen.ids, staged + chosen.ids.size());
        return batch_share<Id, sent_value>{share.edges, nullptr, share.count};
    });
    vertex_report report{chosen.ids.size(), chosen.absent, chosen.duplicates, 0};
    if (chosen.ids.empty()) return report;
    report.edges = apply_arrived(true, arrived).applied;
    mark(chosen.ids, staged, true);
    ids_->free(chosen.ids);
    return report;
}

/// Lists the edges of vertices of which this rank has arcs. `owned`: room for as many ids in the space.
template <class Space, owner_policy Owners, class EdgeValue, class Id>
auto partitioned_graph<Space, Owners, EdgeValue, Id>::edges_of_vertices(std::vector<Id> const& ids, Id* owned)
    -> share_type {
    // In rows of in-neighbours, the edges are found at the vertices themselves; else at all ranks.
    std::vector<Id> sought;
    for (Id const id : ids)
        if (!view().has_in_arcs() || owns(id)) sought.push_back(id);
    if (sought.empty()) return {};
    space().copy_in(owned, sought.data(), sought.size() * sizeof(Id));
    batch::vertex_arcs<Space, view_type, working_memory> gather(space(), scratch_, view(),
                                                                local_->arc_count());
    std::uint64_t const edges = gather.of(owned, sought.size());
    return {gather.edges(), nullptr, edges};
}

/// The ids that all ranks pass, in the order of the ranks.
template <class Space, owner_policy Owners, class EdgeValue, class Id>
std::vector<Id> partitioned_graph<Space, Owners, EdgeValue, Id>::gather_ids(std::span<Id const> ids) {
    auto const counts = all_or_none(*self_, 1, [&] { return std::vector<std::uint64_t>{ids.size()}; });
    std::uint64_t total = 0;
    for (std::uint64_t const count : counts)
        total += count;
    std::vector<Id> all;
    Id* mine = nullptr;
    Id* gathered = nullptr;
    static_cast<void>(all_or_none(*self_, 0, [&]() -> std::vector<std::uint64_t> {
        all.resize(total);
        mine = scratch_.ids(ids.size() + total);
        gathered = mine + ids.size();
        if (!ids.empty()) space().copy_in(mine, ids.data(), ids.size_bytes());
        return {};
    }));
    if (total == 0) return all;
    self_->all_gather(mine, gathered, std::span<std::uint64_t const>(counts)).or_throw();
    self_->wait().or_throw();
    space().copy_out(all.data(), gathered, total * sizeof(Id));
    return all;
}

/// Sets or clears the bits of ids, each given once. All ranks call it. Nothing is left that may be refused;
/// if the space of a rank fails, the graph is broken on all.
template <class Space, owner_policy Owners, class EdgeValue, class Id>
void partitioned_graph<Space, Owners, EdgeValue, Id>::mark(std::span<Id const> ids, Id* staged, bool dead) {
    if (ids.empty()) return;
    std::exception_ptr failed;
    try {
        space().copy_in(staged, ids.data(), ids.size_bytes());
        launch(space(), cover_threads(space(), ids.size()),
               batch::mark_vertices<Id>{ids_->bits(), staged, ids.size(), dead});
    } catch (std::exception const&) {
        failed = std::current_exception();
    }
    sum_reports({}, failed);
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
void partitioned_graph<Space, Owners, EdgeValue, Id>::release_scratch() {
    local_->release_scratch();
    exchange_.release_scratch();
    scratch_.give_back();
}

} // namespace rhizome::graph

#include <rhizome/graph/partition/partitioned_audit.inl>
#include <rhizome/graph/partition/partitioned_queries.inl>
