// SPDX-License-Identifier: Apache-2.0
// Algorithms over ranks give the results of the same algorithms on one graph.
#include <rhizome/algorithms/bfs.hpp>
#include <rhizome/algorithms/components.hpp>
#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/partitioned/bfs.hpp>
#include <rhizome/algorithms/partitioned/components.hpp>
#include <rhizome/algorithms/partitioned/pagerank.hpp>
#include <rhizome/algorithms/partitioned/triangles.hpp>
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/comm/decorator.hpp>
#include <rhizome/comm/network/delayed_communicator.hpp>
#include <rhizome/comm/threads.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/partition/partitioned_graph.hpp>

#include <counting_resource.hpp>
#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

using comm::communicator;

/// What the algorithms answer about one graph.
struct partitioned_answers {
    std::vector<double> ranks;
    unsigned iterations = 0;
    std::vector<std::uint32_t> levels;
    algorithms::bfs_report search;
    std::vector<std::uint32_t> components;
    std::uint64_t component_count = 0;
    std::uint64_t triangles = 0;
};

struct partitioned_input {
    graph::graph_options options;
    std::vector<graph::edge> edges;
    std::vector<std::uint32_t> erased;
    std::vector<std::uint32_t> sources;
};

/// Two hubs whose rows are cut into pieces, a long path, parts without connection, and erased vertices.
partitioned_input input_of(bool directed, std::uint32_t scale) {
    partitioned_input input{{.vertices = 10 * scale, .directed = directed, .in_arcs = directed},
                            {},
                            {7, 8, 3 * scale},
                            {2, 6 * scale + 1, 2}};
    std::mt19937 random(9);
    auto const below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    for (std::uint32_t i = 0; i < 20 * scale; ++i)
        input.edges.push_back({below(5 * scale), below(1 + below(5 * scale))});
    for (std::uint32_t i = 0; i < 4 * scale; ++i) {
        input.edges.push_back({0, below(5 * scale)});
        input.edges.push_back({below(5 * scale), 1});
    }
    for (std::uint32_t v = 6 * scale; v < 6 * scale + 60; ++v)
        input.edges.push_back({v, v + 1});
    for (std::uint32_t v = 8 * scale; v < 9 * scale; v += 3)
        input.edges.push_back({v + 1, v});
    input.edges.push_back({4, 4});
    return input;
}

template <class Space>
partitioned_answers answers_of_one(partitioned_input const& input,
                                   algorithms::pagerank_options const& options) {
    auto space = make_space<Space>();
    graph::dynamic_graph<Space> whole(space, input.options);
    whole.insert_edges(input.edges);
    static_cast<void>(whole.erase_vertices(input.erased));
    auto const view = whole.view();
    partitioned_answers answers;
    algorithms::pagerank<double, Space> pagerank(space);
    auto const ranked = pagerank.run(view, options);
    answers.ranks = ranked.ranks_on_host();
    answers.iterations = ranked.iterations;
    exec::buffer<Space, std::uint32_t> found(space, whole.vertex_count());
    algorithms::breadth_first_search<Space> search(space);
    answers.search = search.run(view, std::span<std::uint32_t const>(input.sources), found.data());
    answers.levels = found.to_host();
    algorithms::connected_components<Space> components(space);
    answers.component_count = components.run(view, found.data());
    answers.components = found.to_host();
    if (!input.options.directed) {
        algorithms::triangle_counter<Space> counter(space);
        answers.triangles = counter.count(view);
    }
    return answers;
}

/// Whether parents are a level before their children, along an arc.
void expect_parents(partitioned_input const& input, std::vector<std::uint32_t> const& levels, std::uint32_t v,
                    std::uint32_t parent, std::string const& where) {
    if (levels[v] == algorithms::unreached) {
        EXPECT_EQ(parent, graph::no_vertex) << where;
        return;
    }
    if (levels[v] == 0) {
        EXPECT_EQ(parent, v) << where;
        return;
    }
    ASSERT_LT(parent, levels.size()) << where;
    EXPECT_EQ(levels[parent] + 1, levels[v]) << where;
    bool found = false;
    for (graph::edge const& e : input.edges)
        found = found || (e.source == parent && e.target == v) ||
                (!input.options.directed && e.source == v && e.target == parent);
    EXPECT_TRUE(found) << where << ": no arc from " << parent << " to " << v;
}

template <class Space, class Owners>
void expect_same_answers(communicator<Space>& self, Owners const& owners, partitioned_input const& input,
                         partitioned_answers const& expected, algorithms::pagerank_options const& options) {
    graph::partitioned_graph<Space, Owners> tested(self, owners, input.options);
    std::string const where = "rank " + std::to_string(self.rank()) + " of " + std::to_string(self.size());
    std::size_t const each = input.edges.size() / static_cast<std::size_t>(self.size()) + 1;
    std::size_t const begin = std::min(input.edges.size(), each * static_cast<std::size_t>(self.rank()));
    tested.insert_edges(std::span(input.edges).subspan(begin, std::min(each, input.edges.size() - begin)));
    static_cast<void>(tested.erase_vertices(self.rank() == 0 ? std::span<std::uint32_t const>(input.erased)
                                                             : std::span<std::uint32_t const>()));
    auto const view = tested.view();
    auto& space = self.space();
    exec::buffer<Space, std::uint32_t> found(space, view.row_count());
    exec::buffer<Space, std::uint32_t> parents(space, view.row_count());

    algorithms::partitioned_pagerank<double, Space> pagerank(self);
    algorithms::partitioned_bfs<Space> search(self);
    algorithms::partitioned_components<Space> components(self);
    algorithms::partitioned_triangles<Space> counter(self);
    std::vector<double> first_ranks;
    for (int round = 0; round < 2; ++round) { // the second with the scratch of the first
        auto const ranked = pagerank.run(view, options);
        ASSERT_EQ(ranked.iterations, expected.iterations) << where;
        std::vector<double> ranks(ranked.rows);
        space.copy_out(ranks.data(), ranked.ranks, ranks.size() * sizeof(double));
        if (round == 0) first_ranks = ranks;
        EXPECT_EQ(ranks, first_ranks) << where << ": bit for bit";
        auto const read = pagerank.run(view, options, algorithms::pagerank_exchange::read);
        ASSERT_EQ(read.iterations, expected.iterations) << where;
        std::vector<double> ranks_of_read(read.rows);
        space.copy_out(ranks_of_read.data(), read.ranks, ranks_of_read.size() * sizeof(double));
        EXPECT_EQ(ranks_of_read, ranks) << where << ": bit for bit";
        std::span<std::uint32_t const> const sources(input.sources);
        auto const mine = self.rank() == self.size() - 1 ? sources : sources.first(0);
        auto const report = search.run(view, mine, found.data(), parents.data());
        EXPECT_EQ(report.reached, expected.search.reached) << where;
        EXPECT_EQ(report.levels, expected.search.levels) << where;
        EXPECT_EQ(report.arcs, expected.search.arcs) << where;
        auto const levels = found.to_host();
        auto const before = parents.to_host();
        EXPECT_EQ(components.run(view, found.data()), expected.component_count) << where;
        auto const least = found.to_host();
        for (std::uint64_t row = 0; row < view.row_count(); ++row) {
            if (!view.is_used(row)) continue;
            auto const v = view.id_of(row);
            ASSERT_NEAR(ranks[row], expected.ranks[v], 1e-12) << where << ", vertex " << v;
            ASSERT_NEAR(ranks_of_read[row], expected.ranks[v], 1e-12) << where << ", vertex " << v;
            ASSERT_EQ(levels[row], expected.levels[v]) << where << ", vertex " << v;
            expect_parents(input, expected.levels, v, before[row], where);
            ASSERT_EQ(least[row], expected.components[v]) << where << ", vertex " << v;
        }
        if (!input.options.directed) {
            EXPECT_EQ(counter.count(view), expected.triangles) << where;
        }
    }
    std::vector<std::uint32_t> const erased{7};
    EXPECT_THROW(search.run(view, self.rank() == 0 ? erased : std::span<std::uint32_t const>(), found.data()),
                 std::invalid_argument);
    if (input.options.directed) {
        EXPECT_THROW(static_cast<void>(counter.count(view)), std::invalid_argument);
    }
}

template <class Space>
class partitioned_algorithms : public space_test {};
TYPED_TEST_SUITE(partitioned_algorithms, all_spaces, space_names);

/// Compares the answers over each number of ranks with those of one graph. owners_of(ranks, vertices) returns
/// the owner policy for so many ranks and vertices.
template <class Space, class OwnersOf>
void expect_on_ranks(bool directed, std::vector<std::uint32_t> const& ranks, OwnersOf const& owners_of,
                     algorithms::pagerank_options const& options = {.tolerance = 1e-9,
                                                                    .max_iterations = 25}) {
    auto const input = input_of(directed, is_emulated<Space> ? 60 : 300);
    auto const expected = answers_of_one<Space>(input, options);
    EXPECT_GT(expected.search.levels, 3u);
    EXPECT_GT(expected.component_count, 3u);
    EXPECT_TRUE(directed || expected.triangles > 10);
    for (std::uint32_t const count : also_all_devices(ranks)) {
        auto const spaces = spaces_of_ranks<Space>(static_cast<int>(count), {.threads = 2});
        comm::run_ranks(spaces, [&](communicator<Space>& self) {
            expect_same_answers(self, owners_of(count, input.options.vertices), input, expected, options);
        });
    }
}
graph::modulo_owners modulo(std::uint32_t ranks, std::uint64_t) { return graph::modulo_owners(ranks); }

TYPED_TEST(partitioned_algorithms, of_undirected_graphs) {
    using counts = std::vector<std::uint32_t>;
    expect_on_ranks<TypeParam>(false, sanitized ? counts{1, 3} : counts{1, 2, 3, 8}, modulo);
}
TYPED_TEST(partitioned_algorithms, of_directed_graphs) {
    using counts = std::vector<std::uint32_t>;
    expect_on_ranks<TypeParam>(true, sanitized ? counts{2} : counts{2, 3}, modulo);
}
/// PageRank converges, after more iterations than the host waits for at a time.
TYPED_TEST(partitioned_algorithms, with_scattered_owners) {
    expect_on_ranks<TypeParam>(false, {3},
                               [](std::uint32_t count, std::uint64_t) { return graph::hash_owners(count); },
                               {.tolerance = 1e-3});
}
/// PageRank takes all iterations.
TYPED_TEST(partitioned_algorithms, with_owners_that_keep_the_order) {
    expect_on_ranks<TypeParam>(true, {3}, graph::range_owners::of, {.tolerance = 0, .max_iterations = 11});
}

/// Ranks that disagree on new vertices have made rows for them, which belong to no vertex.
TYPED_TEST(partitioned_algorithms, of_pagerank_leave_out_rows_of_refused_vertices) {
    auto const spaces = spaces_of_ranks<TypeParam>(2, {});
    comm::run_ranks(spaces, [&](communicator<TypeParam>& self) {
        graph::partitioned_graph<TypeParam> tested(self, graph::modulo_owners(2), {.vertices = 10});
        EXPECT_THROW(tested.add_vertices(self.rank() == 0 ? 4000 : 3000), std::invalid_argument);
        auto const view = tested.view();
        EXPECT_GT(view.row_count(), 5u) << "the test is about rows without a vertex";
        algorithms::partitioned_pagerank<double, TypeParam> pagerank(self);
        auto const ranked = pagerank.run(view);
        EXPECT_TRUE(ranked.converged);
        std::vector<double> ranks(ranked.rows);
        self.space().copy_out(ranks.data(), ranked.ranks, ranks.size() * sizeof(double));
        EXPECT_EQ(ranks.size(), 5u);
        for (double const rank : ranks)
            EXPECT_NEAR(rank, 0.1, 1e-12);
    });
}

TYPED_TEST(partitioned_algorithms, of_graphs_without_vertices_or_edges) {
    auto const spaces = spaces_of_ranks<TypeParam>(2, {});
    comm::run_ranks(spaces, [&](communicator<TypeParam>& self) {
        for (std::uint64_t const vertices : {0u, 1u, 5u}) {
            graph::partitioned_graph<TypeParam> tested(self, graph::modulo_owners(2), {.vertices = vertices});
            auto const view = tested.view();
            exec::buffer<TypeParam, std::uint32_t> found(self.space(), view.row_count());
            algorithms::partitioned_pagerank<double, TypeParam> pagerank(self);
            EXPECT_TRUE(pagerank.run(view, {}, algorithms::pagerank_exchange::read).converged);
            auto const ranked = pagerank.run(view);
            EXPECT_TRUE(ranked.converged);
            std::vector<double> ranks(ranked.rows);
            self.space().copy_out(ranks.data(), ranked.ranks, ranks.size() * sizeof(double));
            for (double const rank : ranks)
                EXPECT_NEAR(rank, 1.0 / static_cast<double>(vertices), 1e-12);
            algorithms::partitioned_components<TypeParam> components(self);
            EXPECT_EQ(components.run(view, found.data()), vertices);
            algorithms::partitioned_triangles<TypeParam> counter(self);
            EXPECT_EQ(counter.count(view), 0u);
            algorithms::partitioned_bfs<TypeParam> search(self);
            EXPECT_EQ(search.run(view, {}, found.data()).reached, 0u);
        }
    });
}

/// Only vertices at the ends of the path of each rank are read by another one.
TYPED_TEST(partitioned_algorithms, of_pagerank_exchange_only_what_is_read) {
    auto const spaces = spaces_of_ranks<TypeParam>(3, {.threads = 2});
    constexpr std::uint32_t vertices = 300;
    comm::run_ranks(spaces, [&](communicator<TypeParam>& plain) {
        comm::delayed_communicator<TypeParam> self(plain, comm::network{});
        graph::partitioned_graph<TypeParam, graph::range_owners> tested(
            self, graph::range_owners::of(3, vertices), {.vertices = vertices});
        std::vector<graph::edge> path;
        for (std::uint32_t v = 1; v < vertices && self.rank() == 0; ++v)
            path.push_back({v - 1, v});
        tested.insert_edges(path);
        algorithms::partitioned_pagerank<double, TypeParam> pagerank(self);
        auto const bytes_of = [&](algorithms::pagerank_exchange how, unsigned iterations) {
            std::uint64_t const before = self.sent().bytes;
            static_cast<void>(
                pagerank.run(tested.view(), {.tolerance = 0, .max_iterations = iterations}, how));
            return self.sent().bytes - before;
        };
        auto const per_iteration = [&](algorithms::pagerank_exchange how) {
            return (bytes_of(how, 11) - bytes_of(how, 1)) / 10;
        };
        std::uint64_t const neighbours = self.rank() == 1 ? 2 : 1; // ranks that read one vertex of this rank
        std::uint64_t const all = per_iteration(algorithms::pagerank_exchange::all);
        std::uint64_t const read = per_iteration(algorithms::pagerank_exchange::read);
        EXPECT_EQ(all - read, (2 * vertices / 3 - neighbours) * sizeof(double)) << "rank " << self.rank();
    });
}

/// Counts the calls by which ranks get what vertices give. Rank 1 goes on late after each follow_all(), and
/// takes what it shows from `source`, if there is one.
template <class Space>
class late_communicator final : public comm::communicator_decorator<Space> {
public:
    using base = comm::communicator_decorator<Space>;
    explicit late_communicator(communicator<Space>& decorated, exec::memory_resource* source = nullptr)
        : base(decorated), source_(source) {}

    [[nodiscard]] exec::memory_resource* shareable_memory() override { return source_; }
    int gathers = 0;
    int meetings = 0;

private:
    comm::comm_result do_all_gather(void const* send, void* receive, std::span<std::uint64_t const> counts,
                                    std::uint64_t element_bytes) override {
        ++gathers;
        return base::do_all_gather(send, receive, counts, element_bytes);
    }
    comm::comm_result do_follow_all() override {
        ++meetings;
        auto met = base::do_follow_all();
        if (this->rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return met;
    }

    exec::memory_resource* source_;
};

/// Memory of a space, which other ranks reach, or none.
template <class Space>
class refusing_source final : public exec::memory_resource {
public:
    explicit refusing_source(Space space) : space_(std::move(space)) {}
    [[nodiscard]] void* allocate(std::uint64_t bytes, void*) override {
        if (refuses) throw exec::out_of_memory("shown memory", bytes, 0);
        return space_.allocate(bytes);
    }
    void deallocate(void* pointer, std::uint64_t bytes, void*) noexcept override {
        space_.deallocate(pointer, bytes);
    }
    bool refuses = false;

private:
    Space space_;
};

/// The ranks of the rows of `tested`, by `pagerank`.
template <class Pagerank, class Graph>
std::vector<double> ranks_of(Pagerank& pagerank, Graph& tested) {
    auto const ranked = pagerank.run(tested.view(), {.tolerance = 0, .max_iterations = 9});
    std::vector<double> ranks(ranked.rows);
    tested.space().copy_out(ranks.data(), ranked.ranks, ranks.size() * sizeof(double));
    return ranks;
}

/// A rank that is ahead writes what its vertices give while another one still reads what was given before.
TYPED_TEST(partitioned_algorithms, of_pagerank_write_into_memory_of_other_ranks) {
    auto const spaces = spaces_of_ranks<TypeParam>(3, {.threads = 2});
    comm::run_ranks(spaces, [&](communicator<TypeParam>& plain) {
        late_communicator<TypeParam> self(plain);
        comm::delayed_communicator<TypeParam> gathering(plain, comm::network{});
        graph::partitioned_graph<TypeParam, graph::hash_owners> tested(
            self, graph::hash_owners(3), {.vertices = 100, .directed = true, .in_arcs = true});
        algorithms::partitioned_pagerank<double, TypeParam> writes(self);
        algorithms::partitioned_pagerank<double, TypeParam> gathers(gathering);
        std::mt19937 random(static_cast<unsigned>(self.rank()));
        for (int const more : {0, 4000, 50}) { // the second graph needs more memory, the third as much
            if (more != 0) tested.add_vertices(static_cast<std::uint64_t>(more));
            std::vector<graph::edge> edges;
            for (int i = 0; i < 900; ++i)
                edges.push_back({static_cast<std::uint32_t>(random() % tested.vertex_count()),
                                 static_cast<std::uint32_t>(random() % tested.vertex_count())});
            tested.insert_edges(edges);
            self.meetings = self.gathers = 0;
            auto const written = ranks_of(writes, tested);
            EXPECT_EQ(self.gathers, 0);
            EXPECT_EQ(self.meetings, 10) << "the first values, and nine iterations";
            EXPECT_EQ(written, ranks_of(gathers, tested)) << "bit for bit";
        }
    });
}

/// Wherever one rank has no memory to show, all ranks learn of it, and find the ranks later.
TYPED_TEST(partitioned_algorithms, of_pagerank_are_refused_on_all_ranks_where_one_cannot_show_memory) {
    auto const spaces = spaces_of_ranks<TypeParam>(2, {.threads = 2});
    comm::run_ranks(spaces, [&](communicator<TypeParam>& plain) {
        refusing_source<TypeParam> source(plain.space());
        late_communicator<TypeParam> self(plain, &source);
        graph::partitioned_graph<TypeParam> tested(plain, graph::modulo_owners(2), {.vertices = 40});
        tested.insert_edges(std::vector<graph::edge>{{0, 1}, {1, 2}, {5, 7}});
        algorithms::partitioned_pagerank<double, TypeParam> pagerank(self);
        bool const is_short = self.rank() == 1;
        source.refuses = is_short;
        try {
            static_cast<void>(pagerank.run(tested.view()));
            ADD_FAILURE() << "rank 1 had memory";
        } catch (exec::out_of_memory const&) {
            EXPECT_TRUE(is_short);
        } catch (graph::refused_by_rank const& error) {
            EXPECT_EQ(error.rank(), 1);
        }
        source.refuses = false;
        comm::delayed_communicator<TypeParam> gathering(plain, comm::network{});
        algorithms::partitioned_pagerank<double, TypeParam> gathers(gathering);
        EXPECT_EQ(ranks_of(pagerank, tested), ranks_of(gathers, tested));
        EXPECT_EQ(self.gathers, 0);
    });
}

/// A clique of which two vertices are hubs: each leaf has an edge to both, and to the leaf before. Rows have
/// more neighbours than any limit of the kernels, in both directions of the order of degrees.
struct hubs_and_clique {
    std::uint32_t clique = 142;
    std::uint32_t leaves = 700;

    [[nodiscard]] std::uint32_t vertices() const { return clique + leaves; }
    [[nodiscard]] std::vector<graph::edge> edges() const {
        std::vector<graph::edge> all{{2, 2}, {vertices() - 1, vertices() - 1}};
        for (std::uint32_t v = 0; v < clique; ++v)
            for (std::uint32_t u = 0; u < v; ++u)
                all.push_back({v, u});
        for (std::uint32_t leaf = clique; leaf < vertices(); ++leaf) {
            all.push_back({0, leaf});
            all.push_back({leaf, 1});
            if (leaf != clique) all.push_back({leaf - 1, leaf});
        }
        return all;
    }
    [[nodiscard]] std::uint64_t triangles() const {
        std::uint64_t const of_clique = std::uint64_t{clique} * (clique - 1) * (clique - 2) / 6;
        return of_clique + leaves + 2 * (leaves - 1); // with both hubs; with one hub and the leaf before
    }
};

/// Calls check(self, graph) on each rank.
template <class Space, class Owners, class Check>
void with_hubs_and_clique(Owners const& owners, hubs_and_clique const& shape, Check const& check) {
    auto const spaces = spaces_of_ranks<Space>(static_cast<int>(owners.ranks()), {.threads = 2});
    comm::run_ranks(spaces, [&](communicator<Space>& plain) {
        comm::delayed_communicator<Space> self(plain, comm::network{}); // counts what is sent
        graph::partitioned_graph<Space, Owners> tested(self, owners,
                                                       {.vertices = shape.vertices(), .self_loops = true});
        tested.insert_edges(self.rank() == 0 ? shape.edges() : std::vector<graph::edge>());
        check(self, tested);
    });
}

TYPED_TEST(partitioned_algorithms, of_triangles_of_hubs_whoever_owns_them_in_one_round_or_several) {
    hubs_and_clique const shape;
    auto const check = [&](auto& self, auto& tested) {
        algorithms::partitioned_triangles<TypeParam> counter(self);
        algorithms::partitioned_triangles<TypeParam, graph::vertex_id, 4> with_small_sets(self);
        EXPECT_EQ(counter.count(tested.view()), shape.triangles());
        EXPECT_EQ(with_small_sets.count(tested.view()), shape.triangles());
        std::uint64_t const rows_of_one = shape.edges().size() * 4 / static_cast<std::uint64_t>(self.size());
        for (std::uint64_t const round_bytes : {std::uint64_t{0}, rows_of_one * 5 / 2}) {
            SCOPED_TRACE(round_bytes);
            EXPECT_EQ(counter.count(tested.view(), {.round_bytes = round_bytes}), shape.triangles());
        }
    };
    if (!sanitized) with_hubs_and_clique<TypeParam>(graph::modulo_owners(1), shape, check);
    with_hubs_and_clique<TypeParam>(graph::modulo_owners(3), shape, check);
    with_hubs_and_clique<TypeParam>(graph::range_owners(3, shape.vertices()), shape, check); // rank 0 has all
}

/// One rank owns all rows. Each gathers the higher neighbours of what was dealt to the others.
TYPED_TEST(partitioned_algorithms, of_triangles_are_divided_evenly_whoever_owns_the_rows) {
    hubs_and_clique const shape;
    with_hubs_and_clique<TypeParam>(
        graph::range_owners(2, shape.vertices()), shape, [&](auto& self, auto& tested) {
            algorithms::partitioned_triangles<TypeParam> counter(self);
            std::uint64_t const before = self.sent().bytes;
            EXPECT_EQ(counter.count(tested.view()), shape.triangles());
            std::uint64_t const sent = self.sent().bytes - before;
            std::uint64_t const half = shape.edges().size() / 2 * sizeof(graph::vertex_id);
            if (self.rank() == 1) {
                EXPECT_GT(sent, half * 9 / 10); // beside 8 bytes per vertex that was dealt
                EXPECT_LT(sent, half * 11 / 10 + 8 * shape.vertices());
            }
        });
}

/// Wherever one rank has no memory, all ranks learn of it, and count later.
TYPED_TEST(partitioned_algorithms, of_triangles_are_refused_on_all_ranks_or_counted) {
    hubs_and_clique const shape{.clique = 10, .leaves = 20};
    auto const check = [&](auto& self, auto& tested) {
        bool const is_short = self.rank() == 1;
        bool refused = true;
        for (std::uint64_t from = 1; refused; ++from) {
            SCOPED_TRACE(from);
            counting_resource resource;
            if (is_short) resource.refuse_from(from, refusal::out_of_memory);
            algorithms::partitioned_triangles<TypeParam> counter(self, &resource);
            refused = false;
            try {
                EXPECT_EQ(counter.count(tested.view()), shape.triangles());
            } catch (exec::out_of_memory const&) {
                refused = true;
                EXPECT_TRUE(is_short);
            } catch (graph::refused_by_rank const& error) {
                refused = true;
                EXPECT_EQ(error.rank(), 1);
            }
            EXPECT_EQ(refused || from > 15, true) << "there are as many pieces of scratch";
            resource.refuse_no_more();
            EXPECT_EQ(counter.count(tested.view()), shape.triangles());
        }
    };
    with_hubs_and_clique<TypeParam>(graph::modulo_owners(2), shape, check);
    with_hubs_and_clique<TypeParam>(graph::range_owners(2, shape.vertices()), shape, check);
}

} // namespace
} // namespace rhizome::tests
