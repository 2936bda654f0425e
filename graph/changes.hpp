// SPDX-License-Identifier: Apache-2.0
// What changes of a graph did to its edges, as lists in the memory of the space.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/batch/change_notes.hpp>
#include <rhizome/graph/format/stored_value.hpp>
#include <rhizome/graph/types.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace rhizome::graph {

namespace batch {

/// An array in the memory of a space to which batches append.
template <class Space, class T>
class appended {
public:
    explicit appended(Space const& space) : elements_(space) {}

    /// Makes room for `count` more elements behind the `used` first ones, which it keeps. Returns where they
    /// will lie. Throws out_of_memory; the array is then as it was.
    [[nodiscard]] T* room(Space& space, std::uint64_t used, std::uint64_t count) {
        if (used + count > elements_.size()) {
            std::uint64_t const wanted = std::max(used + count, used + used / 2);
            exec::buffer<Space, T> larger(space, wanted);
            if (used != 0) space.copy(larger.data(), elements_.data(), used * sizeof(T));
            elements_ = std::move(larger);
        }
        return elements_.data() + used;
    }
    [[nodiscard]] T* data() { return elements_.data(); }
    [[nodiscard]] T const* data() const { return elements_.data(); }
    [[nodiscard]] std::uint64_t held_bytes() const { return elements_.size_bytes(); }
    void give_back() { elements_.discard_and_resize(0); }

private:
    exec::buffer<Space, T> elements_;
};

/// How many edges are in the lists.
struct change_counts {
    std::uint64_t inserted = 0;
    std::uint64_t erased = 0;
    std::uint64_t updated = 0;
};

/// The lists of graph_changes, to which an engine appends. `Value`: as the engine stores it; of no meaning
/// without HasValues.
template <class Space, class Id, class Value, bool HasValues>
struct change_log {
    using edge_type = basic_edge<Id>;

    explicit change_log(Space const& given)
        : space(given), inserted(space), erased(space), updated(space), inserted_values(space),
          erased_values(space), before(space), after(space) {}

    /// Where a batch of so many edges appends. Throws out_of_memory.
    [[nodiscard]] change_targets<Id, Value> room(bool erasing, std::uint64_t edges,
                                                 Value const* batch_values) {
        change_targets<Id, Value> to{};
        std::uint64_t const used = erasing ? count.erased : count.inserted;
        to.applied = (erasing ? erased : inserted).room(space, used, edges);
        if constexpr (HasValues) {
            to.applied_values = (erasing ? erased_values : inserted_values).room(space, used, edges);
            to.batch_values = batch_values;
            if (erasing) return to;
            to.updated = updated.room(space, count.updated, edges);
            to.before = before.room(space, count.updated, edges);
            to.after = after.room(space, count.updated, edges);
        }
        return to;
    }
    /// Makes room for so many more edges in each list.
    void reserve(std::uint64_t edges) {
        static_cast<void>(room(true, edges, nullptr));
        static_cast<void>(room(false, edges, nullptr));
    }
    /// Notes how many edges a batch has appended.
    void add(bool erasing, std::uint64_t applied, std::uint64_t others) {
        (erasing ? count.erased : count.inserted) += applied;
        if (HasValues && !erasing) count.updated += others;
    }

    Space space;
    change_counts count;
    appended<Space, edge_type> inserted;
    appended<Space, edge_type> erased;
    appended<Space, edge_type> updated;
    // Values; empty without HasValues.
    appended<Space, Value> inserted_values;
    appended<Space, Value> erased_values;
    appended<Space, Value> before;
    appended<Space, Value> after;
};

} // namespace batch

template <class Id, class Space, class Layout, class EdgeValue>
class basic_graph;

/// The edges that changes of a graph have really inserted, erased, or given a value, with old and new values.
/// Functions that change edges take it as their last argument and append to it:
///
///     graph_changes<Space> changes(space);
///     g.erase_edges(old_edges, &changes);
///     g.insert_edges(new_edges, &changes);   // then: algorithms that follow the graph read the changes
///     changes.clear();
///
/// - An edge of the batch that has no effect is in no list, an edge that the batch repeats is in one once.
/// - The lists agree with the reports: inserted() grows by batch_report::applied edges, or erased() does;
///   updated() grows by batch_report::updated.
/// - An undirected edge is listed once, as {source, target} with source <= target.
/// - The order within a list is not determined, unless the graph sorts it (basic_graph::sort_changes()).
/// - If a call throws, the lists are as before. If a batch is applied in pieces, they are complete.
/// - Over ranks (partitioned_graph) each rank lists the edges whose representative arc it has.
///
/// Several changes may append to the same lists. Where they touch the same edge, it may be in several lists:
/// the lists are the net effect only of changes that have no edge in common.
///
/// Memory, in the space: 8 bytes per edge of the largest batch for the list that it appends to, more if
/// earlier edges are in it; with values the size of a value more, and a list of updated edges with two values
/// each. Scratch of the graph, while it lists changes: 9 bytes per arc of the batch; with values 13 and the
/// size of a value. (Ids of 64 bits: 8 bytes more for each edge and arc.)
template <class Space, class EdgeValue = void, class Id = vertex_id>
class graph_changes {
    static constexpr bool has_values = !std::is_void_v<EdgeValue>;
    using stored_type = std::conditional_t<has_values, stored_for<EdgeValue>, std::uint8_t>;

public:
    using edge_type = basic_edge<Id>;
    /// EdgeValue, or std::uint8_t if that is void.
    using value_type = std::conditional_t<has_values, EdgeValue, std::uint8_t>;

    /// Empty lists in the memory of this space, which is that of the graph.
    explicit graph_changes(Space const& space) : log_(space) {}

    // The spans lie in the memory of the space; on CUDA the host cannot read them. They are there once the
    // work given to the space so far is done, and valid until the lists change.

    /// Edges that were absent and are present now.
    [[nodiscard]] std::span<edge_type const> inserted() const {
        return {log_.inserted.data(), log_.count.inserted};
    }
    /// Edges that were present and are absent now.
    [[nodiscard]] std::span<edge_type const> erased() const {
        return {log_.erased.data(), log_.count.erased};
    }
    /// Edges that were present and are inserted again, with a value: the same one or another.
    [[nodiscard]] std::span<edge_type const> updated() const {
        return {log_.updated.data(), log_.count.updated};
    }
    /// The value of each edge of inserted().
    [[nodiscard]] std::span<value_type const> values_of_inserted() const requires has_values {
        return typed(log_.inserted_values, log_.count.inserted);
    }
    /// The value that each edge of erased() had.
    [[nodiscard]] std::span<value_type const> values_of_erased() const requires has_values {
        return typed(log_.erased_values, log_.count.erased);
    }
    /// The values of each edge of updated() before and after.
    [[nodiscard]] std::span<value_type const> values_before() const requires has_values {
        return typed(log_.before, log_.count.updated);
    }
    [[nodiscard]] std::span<value_type const> values_after() const requires has_values {
        return typed(log_.after, log_.count.updated);
    }
    /// The number of edges in all lists. Known on the host: no wait.
    [[nodiscard]] std::uint64_t size() const {
        return log_.count.inserted + log_.count.erased + log_.count.updated;
    }

    /// Makes room for `edges` more edges in each list, so that batches of no more edges allocate none.
    /// Throws out_of_memory; the lists are then as before.
    void reserve(std::uint64_t edges) { log_.reserve(edges); }
    /// Empties the lists and keeps their memory.
    void clear() { log_.count = {}; }
    /// Empties the lists and frees their memory.
    void release() {
        clear();
        for (auto* const list : {&log_.inserted, &log_.erased, &log_.updated})
            list->give_back();
        for (auto* const list : {&log_.inserted_values, &log_.erased_values, &log_.before, &log_.after})
            list->give_back();
    }

private:
    template <class, class, class, class>
    friend class basic_graph;

    [[nodiscard]] static std::span<value_type const> typed(batch::appended<Space, stored_type> const& list,
                                                           std::uint64_t count) requires has_values {
        return {reinterpret_cast<value_type const*>(list.data()), count};
    }

    batch::change_log<Space, Id, stored_type, has_values> log_;
};

} // namespace rhizome::graph
