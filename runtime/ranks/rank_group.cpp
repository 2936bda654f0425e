// SPDX-License-Identifier: Apache-2.0
#include <rhizome/graph/partition/exchange.hpp>
#include <rhizome/runtime/algorithms/bfs.hpp>
#include <rhizome/runtime/algorithms/pagerank.hpp>
#include <rhizome/runtime/ranks/rank_group.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace rhizome::runtime {

using detail::command;
using detail::order;

rank_group::rank_group(std::unique_ptr<any_rank> first, std::chrono::milliseconds interval)
    : first_(std::move(first)), interval_(interval), last_given_(std::chrono::steady_clock::now()) {
    if (first_->rank() != 0) throw std::invalid_argument("rank 0 leads a group, and no other");
    signs_of_life_ = std::thread([this] { say_that_it_is_there(); });
}

std::shared_ptr<rank_group> rank_group::lead(std::unique_ptr<any_rank> first,
                                             std::chrono::milliseconds interval) {
    return std::shared_ptr<rank_group>(new rank_group(std::move(first), interval));
}

std::shared_ptr<rank_group> rank_group::lead(std::vector<std::unique_ptr<any_rank>> all,
                                             std::chrono::milliseconds interval) {
    auto group = lead(std::move(all.at(0)), interval);
    for (std::size_t rank = 1; rank < all.size(); ++rank)
        group->followers_.emplace_back([self = std::move(all[rank])] {
            try {
                follow(*self);
            } catch (std::exception const& error) { // rank 0 fails too, and reports it
                self->abort(error.what());
            }
        });
    return group;
}

rank_group::~rank_group() {
    {
        std::lock_guard const lock(mutex_);
        ends_ = true;
        try {
            if (!first_->has_failed()) give({order::end, {}});
        } catch (std::exception const&) {
            // Then the others have failed as well.
        }
    }
    changed_.notify_all();
    signs_of_life_.join();
    for (auto& each : followers_)
        each.join();
}

void rank_group::say_that_it_is_there() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_until(lock, last_given_ + interval_, [&] { return ends_; })) {
        if (std::chrono::steady_clock::now() - last_given_ < interval_) continue;
        try {
            give({order::nothing, {}});
        } catch (std::exception const&) {
            return; // the next call of the program throws it too
        }
    }
}

void rank_group::give(command const& given) {
    (void)detail::tell(*first_, given);
    last_given_ = std::chrono::steady_clock::now();
}

template <class Call>
auto rank_group::together(command const& given, Call const& call) {
    std::lock_guard const lock(mutex_);
    give(given);
    std::optional<int> refuser;
    try {
        return call();
    } catch (graph::refused_by_rank const& error) {
        refuser = error.rank();
    }
    give({order::explain, {static_cast<std::uint64_t>(*refuser)}});
    detail::refusal().explain(*first_, *refuser); // throws
    throw std::logic_error("a rank refused and does not say why");
}

/// Every collective call is given to the other ranks first.
class graph_over_ranks final : public any_graph {
public:
    graph_over_ranks(std::shared_ptr<rank_group> group, graph_choice choice, graph_names names)
        : group_(std::move(group)), names_(std::move(names)) {
        if (group_->has_graph_) throw std::logic_error("a group of ranks has one graph at a time");
        constexpr std::uint64_t least_heap_bytes = 2u << 20;
        auto const ranks = static_cast<std::uint64_t>(group_->size());
        choice.heap_bytes =
            std::max((choice.heap_bytes + ranks - 1) / ranks, std::min(choice.heap_bytes, least_heap_bytes));
        part_ = group_->together(detail::open_command(choice), [&] { return first().open(choice); });
        group_->has_graph_ = true;
    }
    ~graph_over_ranks() override {
        group_->has_graph_ = false;
        try {
            if (!first().has_failed()) group_->together({order::close, {}}, [&] { part_.reset(); });
        } catch (std::exception const&) {
            // The group has ended, and with it the parts of the others.
        }
    }

    [[nodiscard]] graph_names const& names() const override { return names_; }
    [[nodiscard]] std::string device_name() const override {
        int const ranks = first().size();
        std::string how = first().backend();
        if (part_->transport() == graph::arc_transport::written) how += ", writes batches";
        if (part_->transport() == graph::arc_transport::sent) how += ", sends batches";
        return first().device_name() + ", " + std::to_string(ranks) + (ranks == 1 ? " rank (" : " ranks (") +
               how + ")";
    }
    [[nodiscard]] runtime::value_type value_type() const override { return runtime::value_type::none; }
    [[nodiscard]] bool directed() const override { return part_->directed(); }
    [[nodiscard]] std::uint64_t vertex_count() const override { return part_->vertex_count(); }
    [[nodiscard]] std::uint64_t live_vertex_count() const override { return part_->vertex_count(); }
    [[nodiscard]] std::uint64_t edge_count() const override { return part_->edge_count(); }
    [[nodiscard]] std::uint64_t arc_count() const override {
        return group_->together({order::arcs, {}}, [&] {
            std::uint64_t const mine = part_->arc_count();
            std::uint64_t sum = 0;
            for (std::uint64_t const each : first().gather_words({&mine, 1}))
                sum += each;
            return sum;
        });
    }
    [[nodiscard]] std::uint64_t first_load_edges() const override { return std::uint64_t{1} << 24; }
    [[nodiscard]] bool builds_rows() const override { return false; }

    void add_vertices(std::uint64_t count) override {
        group_->together({order::add_vertices, {count}}, [&] { part_->add_vertices(count); });
    }
    graph::batch_report insert_edges(batch_edges const& batch, values_view values) override {
        expect_no_values(values);
        auto const edges = pairs_of(batch);
        return group_->together({order::insert, {}}, [&] { return part_->insert_edges(edges); });
    }
    graph::batch_report erase_edges(batch_edges const& batch) override {
        auto const edges = pairs_of(batch);
        return group_->together({order::erase, {}}, [&] { return part_->erase_edges(edges); });
    }
    graph::batch_report insert_edges_in_space(batch_edges const& batch, void const* values) override {
        if (values != nullptr) throw std::invalid_argument(no_values);
        auto const edges = pairs_of(batch);
        return group_->together({order::insert, {}},
                                [&] { return part_->insert_edges_in_space(edges.data(), edges.size()); });
    }
    graph::batch_report erase_edges_in_space(batch_edges const& batch) override {
        auto const edges = pairs_of(batch);
        return group_->together({order::erase, {}},
                                [&] { return part_->erase_edges_in_space(edges.data(), edges.size()); });
    }
    std::unique_ptr<any_staged_batch> stage(batch_edges const& batch, values_view values) override {
        expect_no_values(values);
        auto const edges = pairs_of(batch);
        return std::make_unique<staged>(std::vector<graph::edge>(edges.begin(), edges.end()), this);
    }
    graph::batch_report insert_edges(any_staged_batch const& batch) override {
        return insert_edges(edges_of(batch), values_view{});
    }
    graph::batch_report erase_edges(any_staged_batch const& batch) override {
        return erase_edges(edges_of(batch));
    }
    [[nodiscard]] bool reduces_updates() const override { return part_->reduces_updates(); }
    std::unique_ptr<any_staged_batch> stage_updates(std::span<graph::update const> updates) override {
        std::lock_guard const lock(group_->mutex_);
        return part_->stage_updates(updates);
    }
    graph::net_edges net_effect(any_staged_batch const& updates) override {
        std::lock_guard const lock(group_->mutex_);
        return part_->net_effect(updates);
    }
    graph::batch_report insert_rows(rows_in_space const& rows) override {
        if (rows.values != nullptr) throw std::invalid_argument(no_values);
        std::vector<graph::edge> edges;
        edges.reserve(rows.arcs);
        for (std::uint64_t v = 0; v < rows.vertices; ++v)
            for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + 1]; ++i)
                if (directed() || !rows.symmetric || v <= rows.targets[i])
                    edges.push_back({static_cast<graph::vertex_id>(v), rows.targets[i]});
        return insert_edges(edges, values_view{});
    }

    [[nodiscard]] std::vector<std::uint32_t> all_degrees() override {
        std::vector<std::uint32_t> degrees(vertex_count());
        for_each_row([&](std::uint64_t v, std::span<graph::vertex_id const> targets) {
            degrees[v] = static_cast<std::uint32_t>(targets.size());
        });
        return degrees;
    }
    [[nodiscard]] std::vector<graph::edge> all_edges() override {
        std::vector<graph::edge> edges;
        edges.reserve(edge_count());
        for_each_row([&](std::uint64_t v, std::span<graph::vertex_id const> targets) {
            for (graph::vertex_id const target : targets)
                if (directed() || v <= target) edges.push_back({static_cast<graph::vertex_id>(v), target});
        });
        return edges;
    }
    [[nodiscard]] values all_values() override { return {}; }

    [[nodiscard]] graph::memory_report memory() override {
        return group_->together({order::memory, {}}, [&] { return part_->memory_of_all(); });
    }
    [[nodiscard]] std::vector<std::string> validate() override {
        return group_->together({order::validate, {}}, [&] { return part_->validate(); });
    }
    [[nodiscard]] bool can_compact() const override { return true; } // of the default layout and allocator
    graph::compaction_report compact(std::uint64_t most_moved_bytes) override {
        return group_->together({order::compact, {most_moved_bytes}},
                                [&] { return part_->compact(most_moved_bytes); });
    }
    void release_scratch() override {
        group_->together({order::release_scratch, {}}, [&] { part_->release_scratch(); });
    }
    void synchronize() override {
        std::lock_guard const lock(group_->mutex_);
        part_->synchronize();
    }

    // What graphs over ranks do not offer here.
    std::vector<graph::vertex_id> insert_vertices(std::uint64_t) override { refuse("vertices with old ids"); }
    graph::vertex_report erase_vertices(std::span<graph::vertex_id const>) override {
        refuse("erasing vertices");
    }
    graph::batch_report insert_rows_in_space(rows_in_space const&) override { refuse("rows in the space"); }
    graph_queries& queries() override { refuse("queries and snapshots"); }
    graph_results& results() override { refuse("results that follow the graph"); }
    /// Of what algorithms find, the ranks of PageRank alone are kept, on the host.
    void copy_out(void* to, void const* found, std::uint64_t bytes) override {
        if (found == nullptr || found != ranks_.data() || bytes > ranks_.size() * sizeof(double))
            refuse("arrays in the space");
        std::memcpy(to, found, bytes);
    }

private:
    /// The ranks of PageRank come to the host; of other algorithms the figures alone.
    algorithm_result run(std::size_t number, algorithm_arguments const& given,
                         any_snapshot const* snapshot) override {
        std::string_view const name = algorithms()[number].name;
        if (snapshot != nullptr) refuse("algorithms on snapshots");
        if (name == "pagerank") return rank(given);
        if (name == "triangles")
            return group_->together({order::triangles, {}}, [&] {
                return algorithm_result{{{"count", part_->count_triangles()}}, {}};
            });
        if (name == "bfs") {
            if (given.flag("parents")) refuse("parents");
            return group_->together({order::bfs, {}}, [&] {
                return algorithm_result{bfs_entry::figures(part_->bfs(given.vertices("source"))), {}};
            });
        }
        if (name == "components")
            return group_->together({order::components, {}}, [&] {
                return algorithm_result{{{"count", part_->count_components()}}, {}};
            });
        refuse(std::string(algorithms()[number].title));
    }
    algorithm_result rank(algorithm_arguments const& given) {
        auto const type = given.flag("single-precision") ? rank_type::float32 : rank_type::float64;
        if (!given.reals("start").empty() || !given.vertices("teleport").empty())
            throw std::invalid_argument(
                "pagerank over several devices takes neither start ranks nor teleports");
        algorithms::pagerank_options const options = pagerank_entry::options(given);
        ranked_part found = group_->together(detail::pagerank_command(options, type, true),
                                             [&] { return part_->pagerank(options, type, true); });
        ranks_ = std::move(found.values);
        return {pagerank_entry::figures(found), {{element_type::float64, ranks_.data()}}};
    }

    static constexpr char const* no_values = "a graph over ranks has no values of edges";

    struct staged final : any_staged_batch {
        staged(std::vector<graph::edge> given, graph_over_ranks const* graph)
            : edges(std::move(given)), of(graph) {}
        std::vector<graph::edge> edges;
        graph_over_ranks const* of;
    };

    [[noreturn]] static void refuse(std::string const& what) {
        throw std::invalid_argument("a graph over ranks does not offer " + what);
    }
    static void expect_no_values(values_view const& given) {
        if (!given.empty()) throw std::invalid_argument(no_values);
    }
    [[nodiscard]] static std::span<graph::edge const> pairs_of(batch_edges const& batch) {
        auto const* const pairs = std::get_if<std::span<graph::edge const>>(&batch);
        if (pairs == nullptr) refuse("batches of columns");
        return *pairs;
    }
    [[nodiscard]] any_rank& first() const { return *group_->first_; }
    [[nodiscard]] std::span<graph::edge const> edges_of(any_staged_batch const& given) const {
        auto const* const own = dynamic_cast<staged const*>(&given);
        if (own == nullptr || own->of != this) throw std::invalid_argument("a staged batch of another graph");
        return own->edges;
    }
    /// function(vertex, targets) for all vertices, in ascending order.
    template <class Function>
    void for_each_row(Function const& function) {
        std::vector<rows_of_rank> all;
        rank_owners const owners = owners_among(first().size());
        for (std::uint64_t from = 0; from < owners.ranks(); ++from)
            all.push_back(group_->together({order::rows, {from}},
                                           [&] { return part_->rows_on_first(static_cast<int>(from)); }));
        for (std::uint64_t v = 0; v < vertex_count(); ++v) {
            rows_of_rank const& rows = all[owners.owner(v)];
            std::uint64_t const row = owners.row(v);
            std::uint64_t const begin = rows.offsets[row];
            function(v, std::span(rows.targets).subspan(begin, rows.offsets[row + 1] - begin));
        }
    }

    std::shared_ptr<rank_group> group_;
    graph_names names_;
    std::unique_ptr<any_part> part_;
    std::vector<double> ranks_; ///< that PageRank found
};

std::unique_ptr<any_graph> rank_group::open(graph_choice const& choice, graph_names names) {
    return std::make_unique<graph_over_ranks>(shared_from_this(), choice, std::move(names));
}

} // namespace rhizome::runtime
