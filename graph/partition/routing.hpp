// Which rank each arc of a batch goes to, and the batch grouped by rank.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/key_pairs.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/dead_vertices.hpp>
#include <rhizome/graph/partition/owners.hpp>
#include <rhizome/graph/types.hpp>

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::graph {

/// The value of an edge without one.
struct no_edge_value {};

/// An arc on its way to the rank that has its row: the row's number there, and the id of the vertex that it
/// leads to. With in-arcs, vertex number v of a rank has the rows 2 v (out) and 2 v + 1 (in). The row is the
/// `source` of an edge, as batches of a batch::part_of_graph have it.
template <class Id>
using routed_arc = basic_edge<Id>;

/// Which arcs an edge has, and where they belong. An edge is rejected if an end is not less than `vertices`,
/// or erased.
template <class Id, owner_policy Owners>
struct routing_rules {
    Owners owners;
    std::uint64_t vertices; ///< ids are less than this
    bool directed = false;  ///< false: an arc in each direction
    bool in_arcs = false;   ///< directed only: also an arc in the row of in-neighbours of the target
    bool self_loops = true; ///< false: they are refused
    std::uint32_t const* dead = nullptr; ///< one bit per vertex: 1 if it is erased; nullptr: none is

    [[nodiscard]] RZ_HD bool knows(basic_edge<Id> const& e) const {
        return e.source < vertices && e.target < vertices &&
               (dead == nullptr || (!is_dead(dead, e.source) && !is_dead(dead, e.target)));
    }
    [[nodiscard]] RZ_HD bool refuses(basic_edge<Id> const& e) const {
        return e.source == e.target && !self_loops;
    }
    [[nodiscard]] RZ_HD std::uint32_t arcs_per_edge() const { return directed && !in_arcs ? 1 : 2; }
    /// Whether arc number `which` of an edge exists. A self-loop of an undirected graph has only one.
    [[nodiscard]] RZ_HD bool has_arc(basic_edge<Id> const& e, std::uint32_t which) const {
        return knows(e) && !refuses(e) && (which == 0 || directed || e.source != e.target);
    }
    /// The vertex in whose row the arc is.
    [[nodiscard]] RZ_HD static Id vertex_of(basic_edge<Id> const& e, std::uint32_t which) {
        return which == 0 ? e.source : e.target;
    }
    [[nodiscard]] RZ_HD routed_arc<Id> arc(basic_edge<Id> const& e, std::uint32_t which) const {
        std::uint64_t const row = owners.row(vertex_of(e, which));
        return {static_cast<Id>(in_arcs ? 2 * row + which : row), which == 0 ? e.target : e.source};
    }
};

namespace detail {

/// What the host reads of a routed batch: where the arcs of each rank begin (ranks + 1 words), and two
/// counts.
struct routing_words {
    std::uint64_t* begins;
    std::uint64_t* rejected;
    std::uint64_t* self_loops;
};

/// Gives each arc the rank that it goes to as its key. Arcs that do not exist get the number of ranks.
template <class Id, class Owners>
struct key_arcs {
    routing_rules<Id, Owners> rules;
    basic_edge<Id> const* edges;
    std::uint64_t arcs;
    exec::key_pairs keyed;
    routing_words words;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint32_t const per_edge = rules.arcs_per_edge();
        std::uint64_t rejected = 0;
        std::uint64_t self_loops = 0;
        exec::for_each_item(thread, arcs, [&](std::uint64_t i) {
            basic_edge<Id> const e = edges[i / per_edge];
            auto const which = static_cast<std::uint32_t>(i % per_edge);
            if (which == 0) {
                rejected += rules.knows(e) ? 0 : 1;
                self_loops += rules.knows(e) && rules.refuses(e) ? 1 : 0;
            }
            keyed.keys[i] = rules.has_arc(e, which) ? rules.owners.owner(rules.vertex_of(e, which))
                                                    : rules.owners.ranks();
            keyed.values[i] = static_cast<std::uint32_t>(i);
        });
        exec::add_to_total(thread, *words.rejected, rejected);
        exec::add_to_total(thread, *words.self_loops, self_loops);
    }
};

/// Writes the arcs, sorted by rank, with their values, and where each rank begins.
template <class Id, class Owners, class Value>
struct pack_arcs {
    routing_rules<Id, Owners> rules;
    basic_edge<Id> const* edges;
    Value const* edge_values;
    std::uint64_t arcs;
    exec::key_pairs sorted;
    routed_arc<Id>* packed;
    Value* packed_values;
    routing_words words;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint32_t const per_edge = rules.arcs_per_edge();
        std::uint64_t const ranks = rules.owners.ranks();
        exec::for_each_item(thread, arcs, [&](std::uint64_t i) {
            std::uint64_t const key = sorted.keys[i];
            for (std::uint64_t rank = i == 0 ? 0 : sorted.keys[i - 1] + 1; rank <= key; ++rank)
                words.begins[rank] = i;
            if (i + 1 == arcs)
                for (std::uint64_t rank = key + 1; rank <= ranks; ++rank)
                    words.begins[rank] = arcs;
            if (key == ranks) return;
            std::uint32_t const arc = sorted.values[i];
            packed[i] = rules.arc(edges[arc / per_edge], arc % per_edge);
            if (packed_values != nullptr) packed_values[i] = edge_values[arc / per_edge];
        });
    }
};

} // namespace detail

/// A batch grouped by rank, in the memory of the space: valid until the next batch is routed.
template <class Id, class Value>
struct routed_batch {
    routed_arc<Id> const* arcs = nullptr;
    Value const* values = nullptr;     ///< nullptr without values
    std::vector<std::uint64_t> counts; ///< arcs for each rank, which lie one after the other
    std::uint64_t rejected = 0;        ///< edges with an end that is no vertex
    std::uint64_t self_loops = 0;      ///< edges that are refused as self-loops
};

/// Groups batches by the rank that owns the row of each arc. The arcs for one rank keep the order of the
/// batch. Keeps its scratch between batches: per arc 24 bytes (on the host 40), two ids and the value.
/// Move-only. `Value` is trivially copyable; no_edge_value: edges have none.
template <class Space, class Id, class Value = no_edge_value>
class arc_router {
    static_assert(std::is_trivially_copyable_v<Value>);

public:
    static constexpr bool has_values = !std::is_same_v<Value, no_edge_value>;

    explicit arc_router(Space space, exec::memory_resource* resource = nullptr)
        : space_(std::move(space)), keys_(space_, resource), arcs_(space_, resource),
          values_(space_, resource), words_(space_, resource), sort_scratch_(space_, resource) {}

    /// Groups `count` edges in memory that the space reads. `values`: one per edge, or nullptr. Waits for the
    /// counts. Throws out_of_memory, and std::length_error for more than 2^32 - 2 arcs. Cost: a sort of the
    /// arcs by rank, and a pass that writes them.
    template <owner_policy Owners>
    [[nodiscard]] routed_batch<Id, Value> route(routing_rules<Id, Owners> const& rules,
                                                basic_edge<Id> const* edges, Value const* values,
                                                std::uint64_t count) {
        std::uint32_t const ranks = rules.owners.ranks();
        routed_batch<Id, Value> routed;
        routed.counts.assign(ranks, 0);
        if (count == 0) return routed;
        if (count >= 0xffff'ffffull / rules.arcs_per_edge())
            throw std::length_error("a batch of " + std::to_string(count) +
                                    " edges has more than 2^32 - 2 arcs");
        std::uint64_t const arcs = count * rules.arcs_per_edge();
        auto* const keys = keys_.template at_least_of<std::uint64_t>(3 * arcs);
        auto* const order = reinterpret_cast<std::uint32_t*>(keys + 2 * arcs);
        auto* const packed = arcs_.template at_least_of<routed_arc<Id>>(arcs);
        Value* packed_values = nullptr;
        if (has_values && values != nullptr) packed_values = values_.template at_least_of<Value>(arcs);
        auto* const begins = words_.template at_least_of<std::uint64_t>(ranks + 3);
        detail::routing_words const words{begins, begins + ranks + 1, begins + ranks + 2};

        space_.fill(words.rejected, 0, 2 * sizeof(std::uint64_t));
        exec::launch_shape const shape = cover_threads(space_, arcs);
        launch(space_, shape, detail::key_arcs<Id, Owners>{rules, edges, arcs, {keys, order}, words});
        unsigned const bits = static_cast<unsigned>(std::bit_width(ranks));
        exec::key_pairs const sorted = sort_pairs(space_, sort_scratch_, exec::key_pairs{keys, order},
                                                  exec::key_pairs{keys + arcs, order + arcs}, arcs, bits);
        launch(space_, shape,
               detail::pack_arcs<Id, Owners, Value>{rules, edges, values, arcs, sorted, packed, packed_values,
                                                    words});

        std::vector<std::uint64_t> read(ranks + 3);
        space_.copy_out(read.data(), begins, read.size() * sizeof(std::uint64_t));
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            routed.counts[rank] = read[rank + 1] - read[rank];
        routed.arcs = packed;
        routed.values = packed_values;
        routed.rejected = read[ranks + 1];
        routed.self_loops = read[ranks + 2];
        return routed;
    }

    [[nodiscard]] std::uint64_t held_bytes() const {
        std::uint64_t bytes = 0;
        for (auto const* const piece : {&keys_, &arcs_, &values_, &words_, &sort_scratch_})
            bytes += piece->held_bytes();
        return bytes;
    }
    /// Frees the scratch, routed batches included.
    void release_scratch() {
        for (auto* const piece : {&keys_, &arcs_, &values_, &words_, &sort_scratch_})
            piece->give_back();
    }

private:
    Space space_;
    exec::workspace<Space> keys_;
    exec::workspace<Space> arcs_;
    exec::workspace<Space> values_;
    exec::workspace<Space> words_;
    exec::workspace<Space> sort_scratch_;
};

} // namespace rhizome::graph
