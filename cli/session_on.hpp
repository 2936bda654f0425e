// The session on one space with one allocator: the types chosen at compile time, behind the interface.
#pragma once

#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/cli/session.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::cli {

/// The names under which the registry knows a session's types.
struct session_names {
    std::string allocator;
    std::string layout;
};

/// `Weight` is void, or double.
template <class Space, class Layout, class Allocator, class Weight = void>
class session_on final : public session {
public:
    session_on(Space space, std::uint64_t vertex_count, session_options const& options, session_names names)
        : names_(std::move(names)), graph_(std::move(space), {.vertices = vertex_count,
                                                              .directed = options.directed,
                                                              .in_arcs = options.in_arcs,
                                                              .self_loops = options.self_loops,
                                                              .heap_bytes = options.heap_bytes}),
          pagerank_(graph_.space()), triangles_(graph_.space()) {}

    std::string space_name() const override { return std::string(Space::name); }
    std::string device_name() const override {
        return const_cast<session_on*>(this)->graph_.space().device_name();
    }
    std::string allocator_name() const override { return names_.allocator; }
    std::string layout_name() const override { return names_.layout; }

    std::uint64_t vertex_count() const override { return graph_.vertex_count(); }
    std::uint64_t edge_count() const override { return graph_.edge_count(); }
    std::uint64_t arc_count() const override { return graph_.arc_count(); }

    std::uint64_t first_load_edges() const override { return decltype(graph_)::first_load_edges; }

    graph::batch_report insert_edges(std::span<graph::edge const> edges) override {
        if constexpr (has_weights)
            return graph_.insert_edges(edges, std::vector<double>(edges.size(), 1.0));
        else
            return graph_.insert_edges(edges);
    }
    graph::batch_report erase_edges(std::span<graph::edge const> edges) override {
        return graph_.erase_edges(edges);
    }

    graph::batch_report insert_edges(std::span<graph::edge const> edges,
                                     std::span<double const> weights) override {
        if constexpr (has_weights)
            return graph_.insert_edges(edges, weights);
        else
            throw std::logic_error("weights for a graph without them");
    }

    std::unique_ptr<staged_edges> stage(std::span<graph::edge const> edges,
                                        std::span<double const> weights) override {
        if constexpr (has_weights)
            if (!weights.empty()) return std::make_unique<staged>(graph_.stage(edges, weights));
        return std::make_unique<staged>(graph_.stage(edges));
    }
    graph::batch_report insert_edges(staged_edges const& edges) override {
        return graph_.insert_edges(static_cast<staged const&>(edges).batch);
    }
    graph::batch_report erase_edges(staged_edges const& edges) override {
        return graph_.erase_edges(static_cast<staged const&>(edges).batch);
    }

    pagerank_answer pagerank(algorithms::pagerank_options const& options) override {
        auto const result = pagerank_.run(graph_.view(), options);
        pagerank_answer answer;
        answer.iterations = result.iterations;
        answer.residual = result.residual;
        answer.converged = result.converged;
        answer.ranks.resize(graph_.vertex_count());
        graph_.space().copy_out(answer.ranks.data(), result.ranks, answer.ranks.size() * sizeof(double));
        return answer;
    }

    std::uint64_t count_triangles() override {
        return triangles_.count(graph_.view(), {.symmetrize = graph_.directed()});
    }

    std::vector<std::uint32_t> degrees() override {
        auto const copy = graph_.snapshot();
        std::vector<std::uint64_t> const offsets = copy.offsets.to_host();
        std::vector<std::uint32_t> degrees(graph_.vertex_count());
        for (std::size_t v = 0; v < degrees.size(); ++v)
            degrees[v] = static_cast<std::uint32_t>(offsets[v + 1] - offsets[v]);
        return degrees;
    }

    std::vector<graph::edge> edges() override {
        std::vector<graph::edge> edges;
        edges.reserve(graph_.edge_count());
        auto const copy = graph_.snapshot();
        for_each_edge(copy, [&](graph::edge edge, std::uint64_t) { edges.push_back(edge); });
        return edges;
    }

    std::vector<double> weights() override {
        std::vector<double> weights;
        if constexpr (has_weights) {
            weights.reserve(graph_.edge_count());
            auto const copy = graph_.snapshot();
            std::vector<double> const values = copy.values.to_host();
            for_each_edge(copy, [&](graph::edge, std::uint64_t i) { weights.push_back(values[i]); });
        }
        return weights;
    }

    graph::memory_report memory() override { return graph_.memory(); }
    std::vector<std::string> validate() override { return graph_.validate(); }
    void synchronize() override { graph_.space().synchronize(); }

private:
    using graph_type = graph::dynamic_graph<Space, Layout, Allocator, Weight>;
    static constexpr bool has_weights = graph_type::has_values;

    /// function(edge, i) for edges() in their order; the edge is the i-th of the snapshot.
    template <class Snapshot, class Function>
    void for_each_edge(Snapshot const& copy, Function&& function) const {
        std::vector<std::uint64_t> const offsets = copy.offsets.to_host();
        std::vector<graph::vertex_id> const targets = copy.targets.to_host();
        for (std::uint64_t v = 0; v < graph_.vertex_count(); ++v)
            for (std::uint64_t i = offsets[v]; i < offsets[v + 1]; ++i)
                if (graph_.directed() || v <= targets[i])
                    function(graph::edge{static_cast<graph::vertex_id>(v), targets[i]}, i);
    }

    struct staged final : staged_edges {
        explicit staged(graph::staged_batch given) : batch(std::move(given)) {}
        graph::staged_batch batch;
    };

    session_names names_;
    graph_type graph_;
    algorithms::pagerank<double, Space> pagerank_;
    algorithms::triangle_counter<Space> triangles_;
};

} // namespace rhizome::cli
