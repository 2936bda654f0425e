// SPDX-License-Identifier: Apache-2.0
// The net effect of a batch of ordered updates, formed in the memory of a space.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/key_pairs.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/net_edges.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/update.hpp>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

namespace rhizome::graph {

namespace detail {

struct key_updates {
    update const* updates;
    std::uint64_t count;
    bool directed;
    std::uint64_t* keys;
    std::uint32_t* order;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            keys[i] = edge_key(updates[i].edge, directed);
            order[i] = static_cast<std::uint32_t>(i);
        });
    }
};

/// A mark per update. One scan of the 64-bit marks counts insertions in the low 32 bits and deletions in the
/// high ones.
inline constexpr std::uint64_t mark_of_insertion = 1;
inline constexpr std::uint64_t mark_of_deletion = std::uint64_t{1} << 32;

/// Marks the last update of each key. The keys are sorted; equal keys are in the order of the stream.
struct mark_last_updates {
    update const* updates;
    std::uint64_t count;
    std::uint64_t const* keys;
    std::uint32_t const* order;
    std::uint64_t* marks;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            bool const is_last = i + 1 == count || keys[i] != keys[i + 1];
            bool const inserts = updates[order[i]].operation == operation::insert;
            marks[order[i]] = !is_last ? 0 : inserts ? mark_of_insertion : mark_of_deletion;
        });
    }
};

/// Lists the marked updates: insertions from the front, deletions from the back.
struct list_last_updates {
    update const* updates;
    std::uint64_t count;
    std::uint64_t const* marks;
    std::uint64_t const* places; ///< exclusive prefix sums of the marks
    edge* lists;
    std::uint64_t* total; ///< receives the sum of all marks

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            if (i + 1 == count) *total = places[i] + marks[i];
            if (marks[i] == mark_of_insertion) lists[places[i] & 0xffff'ffffu] = updates[i].edge;
            if (marks[i] == mark_of_deletion) lists[count - 1 - (places[i] >> 32)] = updates[i].edge;
        });
    }
};

} // namespace detail

/// Reduces a batch of updates to its net effect: for each edge only the last update counts, and says whether
/// to insert or to erase it. Inserting the insertions and erasing the deletions, in either order, gives the
/// same graph as applying the updates one by one. io::batch_reducer does the same on threads of the host.
///
/// Sorts the updates by their edges, marks the last one of each edge, and lists the marked ones. Keeps its
/// scratch, some 50 bytes per update, between calls. Move-only.
template <class Space>
class net_effect {
public:
    explicit net_effect(Space space)
        : space_(std::move(space)), arrays_(space_), lists_(space_), sort_scratch_(space_) {}

    /// Returns the net effect of `count` updates in memory that the space reads; it is valid until the next
    /// call of reduce() or release_scratch(). If not `directed`, {u, v} and {v, u} are the same edge. Throws
    /// out_of_memory, and std::length_error for more than 2^32 - 1 updates. Waits for the result.
    net_edges reduce(update const* updates, std::uint64_t count, bool directed) {
        if (count > std::numeric_limits<std::uint32_t>::max())
            throw std::length_error("a batch of more than 2^32 - 1 updates");
        if (count == 0) return {};
        edge* const lists = lists_.template at_least_of<edge>(count);
        // Two columns of keys, two of 32-bit places, and a word for the totals.
        auto* const keys = arrays_.template at_least_of<std::uint64_t>(3 * count + 1);
        auto* const order = reinterpret_cast<std::uint32_t*>(keys + 2 * count);
        std::uint64_t* const total = keys + 3 * count;
        exec::launch_shape const shape = cover_threads(space_, count);
        launch(space_, shape, detail::key_updates{updates, count, directed, keys, order});
        exec::key_pairs const sorted =
            sort_pairs(space_, sort_scratch_, {keys, order}, {keys + count, order + count}, count, 64);
        std::uint64_t* const marks = sorted.keys == keys ? keys + count : keys;
        launch(space_, shape, detail::mark_last_updates{updates, count, sorted.keys, sorted.values, marks});
        std::uint64_t* const places = sorted.keys; // the keys are no longer needed
        exclusive_scan(space_, sort_scratch_, marks, places, count);
        launch(space_, shape, detail::list_last_updates{updates, count, marks, places, lists, total});
        std::uint64_t totals = 0;
        space_.copy_out(&totals, total, sizeof(totals));
        std::uint64_t const insertions = totals & 0xffff'ffffu;
        std::uint64_t const deletions = totals >> 32;
        return {lists, insertions, lists + (count - deletions), deletions, count - insertions - deletions};
    }

    /// Frees the scratch, the lists included.
    void release_scratch() {
        arrays_.give_back();
        lists_.give_back();
        sort_scratch_.give_back();
    }

private:
    Space space_;
    exec::workspace<Space> arrays_;
    exec::workspace<Space> lists_;
    exec::workspace<Space> sort_scratch_;
};

} // namespace rhizome::graph
