// SPDX-License-Identifier: Apache-2.0
// Random changes of a graph, after each of which a maintained result is compared with the static one.
#pragma once

#include "cases.hpp"
#include "refused_scratch.hpp"

#include <rhizome/algorithms/maintained/maintenance.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/changes.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <gtest/gtest.h>
#include <scale.hpp>
#include <spaces.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests {

/// Which changes a stream has.
struct stream_shape {
    std::string name;
    std::uint64_t vertices;
    std::uint64_t first_edges;  ///< that the graph starts with
    std::uint64_t most_edges;   ///< of a batch
    bool skewed;                ///< some vertices have most edges
    std::uint64_t kept = 0;     ///< vertices below this are not erased
    std::uint64_t weights = 10; ///< in graphs with values: so many different ones, of which 0 is the least
};

/// Changes of one graph: inserted, erased and repeated edges, which get other values, self-loops, vertices
/// that go and come back. Each step is one batch, or two that have no edge in common.
template <class Graph>
class graph_changer {
public:
    using changes_type = typename Graph::changes_type;

    graph_changer(Graph& changed, stream_shape const& shape, std::uint64_t seed)
        : graph_(changed), shape_(shape), random_(seed), changes_(changed.space()) {
        insert(edges(shape.first_edges));
        changes_.clear();
    }

    /// The next step. Returns what it changed.
    [[nodiscard]] changes_type const& step() {
        changes_.clear();
        std::uint64_t const count = 1 + random_() % (random_() % 3 == 0 ? 4 : shape_.most_edges);
        switch (random_() % 9) {
        case 0:
            erase_vertices();
            break;
        case 1: // all at once, and nothing at all
            if (random_() % 4 == 0)
                erase(std::vector<graph::edge>(present_.begin(), present_.end()));
            else
                insert({});
            break;
        case 2:
        case 3:
            erase(some_present(count));
            break;
        case 4: { // two batches
            auto const gone = some_present(count);
            erase(gone);
            auto fresh = edges(count);
            std::erase_if(fresh, [&](graph::edge const& e) {
                return std::find_if(gone.begin(), gone.end(),
                                    [&](graph::edge const& g) { return key(g) == key(e); }) != gone.end();
            });
            insert(fresh);
            break;
        }
        case 5:
            insert(clique(2 + random_() % 12));
            break;
        case 6: // again, with other values
            insert(some_present(count));
            break;
        default:
            insert(edges(count));
            break;
        }
        return changes_;
    }
    /// Inserts or erases exactly these edges.
    [[nodiscard]] changes_type const& apply(std::vector<graph::edge> const& batch, bool erasing) {
        changes_.clear();
        erasing ? erase(batch) : insert(batch);
        return changes_;
    }
    [[nodiscard]] std::set<graph::edge> const& present() const { return present_; }

private:
    [[nodiscard]] graph::edge key(graph::edge e) const {
        if (!graph_.directed() && e.source > e.target) std::swap(e.source, e.target);
        return e;
    }
    [[nodiscard]] graph::vertex_id end() {
        std::uint64_t const below = shape_.skewed && random_() % 2 == 0
                                        ? std::max<std::uint64_t>(2, shape_.vertices / 32)
                                        : shape_.vertices;
        return static_cast<graph::vertex_id>(random_() % below);
    }
    template <class Value>
    [[nodiscard]] Value weight() {
        auto const whole = static_cast<Value>(random_() % shape_.weights);
        if constexpr (std::is_floating_point_v<Value>)
            return whole / Value{7}; // sums are rounded
        else
            return whole;
    }
    [[nodiscard]] std::vector<graph::edge> edges(std::uint64_t count) {
        std::vector<graph::edge> made;
        while (made.size() < count) {
            made.push_back({end(), end()});
            if (random_() % 8 == 0) made.push_back(made[random_() % made.size()]);
        }
        return made;
    }
    [[nodiscard]] std::vector<graph::edge> clique(std::uint64_t size) {
        std::vector<graph::vertex_id> corners;
        for (std::uint64_t i = 0; i < size; ++i)
            corners.push_back(end());
        std::vector<graph::edge> made;
        for (auto const u : corners)
            for (auto const v : corners)
                made.push_back({u, v});
        return made;
    }
    [[nodiscard]] std::vector<graph::edge> some_present(std::uint64_t count) {
        std::vector<graph::edge> chosen;
        std::sample(present_.begin(), present_.end(), std::back_inserter(chosen), count, random_);
        chosen.push_back({end(), end()}); // absent, perhaps
        return chosen;
    }
    void insert(std::vector<graph::edge> const& batch) {
        if constexpr (Graph::has_values) {
            std::vector<typename Graph::value_type> values;
            for (std::size_t i = 0; i < batch.size(); ++i)
                values.push_back(weight<typename Graph::value_type>());
            graph_.insert_edges(batch, values, &changes_);
        } else {
            graph_.insert_edges(batch, &changes_);
        }
        for (graph::edge const& e : batch)
            if (dead_.count(e.source) + dead_.count(e.target) == 0) present_.insert(key(e));
    }
    void erase(std::vector<graph::edge> const& batch) {
        graph_.erase_edges(batch, &changes_);
        for (graph::edge const& e : batch)
            present_.erase(key(e));
    }
    void erase_vertices() {
        if (!dead_.empty() && random_() % 2 == 0) { // they come back, without edges
            graph_.insert_vertices(dead_.size());
            dead_.clear();
            return;
        }
        std::vector<graph::vertex_id> gone{end(), end()};
        std::erase_if(gone, [&](graph::vertex_id v) { return v < shape_.kept; });
        graph_.erase_vertices(gone, &changes_);
        dead_.insert(gone.begin(), gone.end());
        std::erase_if(present_, [&](graph::edge const& e) {
            return dead_.count(e.source) + dead_.count(e.target) != 0;
        });
    }

    Graph& graph_;
    stream_shape shape_;
    std::mt19937_64 random_;
    std::set<graph::edge> present_;
    std::set<graph::vertex_id> dead_;
    changes_type changes_;
};

[[nodiscard]] inline std::vector<stream_shape> stream_shapes() {
    return {{"few vertices", 24, 60, 40, false},
            {"sparse", 400, 400, 60, false},
            {"skewed", 300, 1500, 200, true}};
}

/// Starts `tested` on a graph of this shape, and calls expect_exact(graph) after the update of each step.
template <class Graph, class Result, class Space, class ExpectExact>
void follow_stream(Space const& space, Result& tested, algorithms::maintenance way, stream_shape const& shape,
                   graph::graph_options options, std::uint64_t seed, std::uint64_t steps,
                   ExpectExact const& expect_exact) {
    SCOPED_TRACE(shape.name + ", seed " + std::to_string(seed) + (options.directed ? ", directed" : "") +
                 (options.in_arcs ? ", in-arcs" : ""));
    options.vertices = shape.vertices;
    Graph changed(space, options);
    graph_changer<Graph> changer(changed, shape, seed);
    tested.start(changed.view());
    for (std::uint64_t step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
        SCOPED_TRACE("step " + std::to_string(step));
        auto const& changes = changer.step();
        if (step % 16 == 15) changed.add_vertices(3);
        auto const report = tested.update(changed.view(), changes);
        if (way != algorithms::maintenance::cheaper) {
            EXPECT_EQ(report.recomputed, way == algorithms::maintenance::recompute);
        }
        ASSERT_TRUE(tested.is_current());
        expect_exact(changed);
    }
}

/// They take long to compile and to emulate: with a sanitizer the host alone runs them.
using maintained_spaces =
    detail::as_types<std::conditional_t<emulates_suites, space_list, fast_space_list>>::type;

/// The changes are made before the view is taken: as two arguments of one call they might not be.
template <class Result, class Graph, class Changes>
auto update_after(Result& tested, Graph const& changed, Changes const& changes) {
    return tested.update(changed.view(), changes);
}

struct counted_waits {
    std::uint64_t inserting = 0;
    std::uint64_t erasing = 0;

    friend bool operator==(counted_waits const&, counted_waits const&) = default;
};
/// How often the host waits in updates of one edge, once all memory is allocated. Fewer waits than a result
/// states mean that its numbers are read before the device has written them, which only a GPU would show.
template <class Graph, class Space, class Result>
[[nodiscard]] counted_waits waits_of_updates(Space const& space, Result& tested) {
    Graph changed(space, {.vertices = 50});
    graph_changer<Graph> changer(changed, {"", 50, 100, 1, false}, 1);
    tested.start(changed.view());
    counted_waits counted;
    for (int round = 0; round < 3; ++round)
        for (bool const erasing : {false, true}) {
            auto const& changes = changer.apply({{48, 49}}, erasing);
            auto const view = changed.view();
            std::uint64_t const before = space.waits();
            EXPECT_FALSE(tested.update(view, changes).recomputed);
            (erasing ? counted.erasing : counted.inserting) = space.waits() - before;
        }
    return counted;
}

/// Refuses each allocation of scratch of an update in turn: the result is then stale, and the next update
/// computes it anew. `make`: a result with this source of scratch. `change`: changes the graph, each time in
/// another way; returns the changes. `least`: allocations that an update makes at least.
template <class Graph, class Changer, class Make, class Change, class ExpectExact>
void refuse_each_allocation(Graph& changed, Changer& changer, Make const& make, Change const& change,
                            ExpectExact const& expect_exact, std::uint64_t least) {
    for (std::uint64_t from = 1;; ++from) {
        SCOPED_TRACE(from);
        counting_resource resource;
        auto tested = make(&resource);
        tested.start(changed.view());
        resource.refuse_from(from, refusal::out_of_memory);
        bool refused = false;
        auto const& changes = change(from);
        try {
            tested.update(changed.view(), changes);
        } catch (exec::out_of_memory const&) {
            refused = true;
            EXPECT_FALSE(tested.is_current());
        }
        resource.refuse_no_more();
        if (refused) {
            EXPECT_TRUE(update_after(tested, changed, changer.apply({}, false)).recomputed);
        }
        ASSERT_TRUE(tested.is_current());
        expect_exact(tested);
        if (!refused) {
            EXPECT_GT(from, least) << "too few allocations were refused";
            return;
        }
    }
}

} // namespace rhizome::tests
