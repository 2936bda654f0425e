// SPDX-License-Identifier: Apache-2.0
// Random streams of batches on graphs over 1 to 8 ranks, against a sequential graph.
#include "partitioned_cases.hpp"

#include <rhizome/comm/network/delayed_communicator.hpp>

namespace rhizome::tests {
namespace {

using comm::communicator;

struct stream_plan {
    int ranks = 3;
    bool directed = false;
    bool in_arcs = false;
    bool self_loops = true;
    std::uint64_t vertices = 150;
    int rounds = 16;
    std::size_t most_edges = 1500;
    std::uint32_t seed = 1;
    bool apart = false; ///< ranks do not reach each other's memory
};

template <class Graph>
void expect_answers(Graph& tested, sequential_graph const& expected, std::mt19937& random,
                    std::string const& where) {
    std::vector<std::uint32_t> ids;
    std::vector<graph::edge> edges;
    std::vector<std::uint8_t> present;
    std::vector<std::uint32_t> degrees;
    auto const rows = expected.rows();
    std::uint32_t const ids_asked = static_cast<std::uint32_t>(expected.vertex_count()) + 2;
    for (std::uint32_t v = 0; v < ids_asked; ++v) {
        if (v < expected.vertex_count() && !tested.owns(v)) continue;
        ids.push_back(v);
        degrees.push_back(expected.is_live(v) ? static_cast<std::uint32_t>(rows[v].size())
                                              : graph::no_degree);
        std::uint32_t const w = static_cast<std::uint32_t>(random()) % ids_asked;
        bool found = false;
        if (expected.is_live(v))
            for (auto const& [target, value] : rows[v])
                found = found || target == w;
        edges.push_back({v, w});
        present.push_back(found ? 1 : 0);
    }
    ASSERT_EQ(tested.degrees(ids), degrees) << where;
    ASSERT_EQ(tested.has_edges(edges), present) << where;
    auto const lists = tested.neighbours_of(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        std::vector<std::uint32_t> targets;
        if (expected.is_live(ids[i]))
            for (auto const& [target, value] : rows[ids[i]])
                targets.push_back(target);
        ASSERT_EQ(std::vector<std::uint32_t>(lists.of(i).begin(), lists.of(i).end()), targets) << where;
    }
    if constexpr (Graph::has_values) {
        auto const found = tested.edge_values(edges);
        ASSERT_EQ(found.present, present) << where;
        for (std::size_t i = 0; i < edges.size(); ++i)
            for (auto const& [target, value] : present[i] != 0 ? rows[edges[i].source] : rows[0])
                if (present[i] != 0 && target == edges[i].target) {
                    ASSERT_EQ(found.values[i], value) << where;
                }
    }
}

/// The lists of all ranks have as many edges as the report says; those of this rank are its own, each once.
template <class Graph>
void expect_listed(Graph& tested, typename Graph::changes_type& changes, std::uint64_t inserted,
                   std::uint64_t erased, std::uint64_t updated, std::string const& where) {
    std::uint64_t const told[3] = {changes.inserted().size(), changes.erased().size(),
                                   changes.updated().size()};
    std::vector<std::uint64_t> all(3 * static_cast<std::size_t>(tested.communicator().size()));
    tested.communicator().gather_words(told, all).or_throw();
    std::uint64_t sums[3] = {};
    for (std::size_t i = 0; i < all.size(); ++i)
        sums[i % 3] += all[i];
    ASSERT_EQ(sums[0], inserted) << where;
    ASSERT_EQ(sums[1], erased) << where;
    ASSERT_EQ(sums[2], updated) << where;
    std::vector<std::uint8_t> const expected[3] = {std::vector<std::uint8_t>(told[0], 1),
                                                   std::vector<std::uint8_t>(told[1], 0),
                                                   std::vector<std::uint8_t>(told[2], 1)};
    unsigned number = 0;
    for (auto const list : {changes.inserted(), changes.erased(), changes.updated()}) {
        std::vector<graph::edge> edges(list.size());
        tested.space().copy_out(edges.data(), list.data(), list.size_bytes());
        ASSERT_EQ(tested.has_edges(edges), expected[number]) << where; // refuses sources of other ranks
        ++number;
        std::sort(edges.begin(), edges.end());
        ASSERT_TRUE(std::adjacent_find(edges.begin(), edges.end()) == edges.end()) << where;
    }
    changes.clear();
}

/// All ranks draw the same random numbers, so that each knows the whole batch and takes its share of it.
template <class Value, class Space, class Owners>
void follow_stream(communicator<Space>& self, Owners const& owners, stream_plan const& plan) {
    graph::graph_options const options{.vertices = plan.vertices,
                                       .directed = plan.directed,
                                       .in_arcs = plan.in_arcs,
                                       .self_loops = plan.self_loops,
                                       .heap_bytes = 64u << 10};
    graph::partitioned_graph<Space, Owners, Value> tested(self, owners, options);
    sequential_graph expected(options);
    typename decltype(tested)::changes_type changes(self.space());
    std::mt19937 random(plan.seed);
    auto const ranks = static_cast<std::uint32_t>(self.size());
    auto const rank = static_cast<std::uint32_t>(self.rank());
    for (int round = 0; round < plan.rounds; ++round) {
        std::string const where = "round " + std::to_string(round) + " at rank " + std::to_string(rank) +
                                  " of " + std::to_string(ranks) +
                                  (plan.directed ? " directed" : " undirected") +
                                  (plan.in_arcs ? " in_arcs" : "");
        std::uint32_t const ids = static_cast<std::uint32_t>(expected.vertex_count()) + 2;
        bool const large = round % 3 == 0; // sorted, or counted
        std::size_t const count = round % 7 == 6 ? 0 : large ? plan.most_edges : random() % 40;
        auto const cuts = random_cuts(random, count, ranks, static_cast<unsigned>(round) % 3);
        auto const what = round == 0 ? 0u : static_cast<unsigned>(random() % 10);
        if (what < 8) {
            std::vector<graph::edge> edges;
            std::vector<double> values;
            for (std::size_t i = 0; i < count; ++i) {
                // A vertex of many edges, and some edges of no vertices.
                std::uint32_t const source =
                    random() % 4 == 0 ? 3 : static_cast<std::uint32_t>(random()) % ids;
                edges.push_back(
                    {source, random() % 20 == 0 ? source : static_cast<std::uint32_t>(random()) % ids});
                values.push_back(static_cast<double>(random() % 1000));
            }
            auto const mine = share_of(edges, cuts, rank);
            if (what < 5) {
                constexpr bool has_values = !std::is_void_v<Value>;
                auto const report = expected.insert(edges, values, has_values);
                if constexpr (has_values) {
                    ASSERT_EQ(tested.insert_edges(mine, share_of(values, cuts, rank), &changes), report)
                        << where;
                } else {
                    ASSERT_EQ(tested.insert_edges(mine, &changes), report) << where;
                }
                expect_listed(tested, changes, report.applied, 0, report.updated, where);
            } else {
                auto const report = expected.erase(edges);
                ASSERT_EQ(tested.erase_edges(mine, &changes), report) << where;
                expect_listed(tested, changes, 0, report.applied, 0, where);
            }
        } else if (what == 8) {
            std::vector<std::uint32_t> gone;
            for (std::size_t i = 0; i < count % 17; ++i)
                gone.push_back(static_cast<std::uint32_t>(random()) % ids);
            auto const few = random_cuts(random, gone.size(), ranks, static_cast<unsigned>(round) % 3);
            auto const report = expected.erase_vertices(gone);
            ASSERT_EQ(tested.erase_vertices(share_of(gone, few, rank), &changes), report) << where;
            expect_listed(tested, changes, 0, report.edges, 0, where);
        } else {
            std::uint64_t const wanted = random() % 5 + rank; // the sum over ranks may exceed the erased ones
            std::vector<std::uint32_t> const got = tested.insert_vertices(wanted);
            ASSERT_EQ(got.size(), wanted) << where;
            // All ids of all ranks, gathered by way of the communicator.
            constexpr std::size_t most = 16;
            std::vector<std::uint64_t> told(most, ~std::uint64_t{0});
            std::copy(got.begin(), got.end(), told.begin());
            std::vector<std::uint64_t> all(most * ranks);
            self.gather_words(told, all).or_throw();
            std::vector<std::uint32_t> names;
            for (std::uint64_t const id : all)
                if (id != ~std::uint64_t{0}) {
                    names.push_back(static_cast<std::uint32_t>(id));
                    ASSERT_FALSE(expected.is_live(id)) << where;
                }
            std::sort(names.begin(), names.end());
            ASSERT_TRUE(std::adjacent_find(names.begin(), names.end()) == names.end()) << where;
            expected.insert_vertices(names);
            tested.add_vertices(3);
            expected.add_vertices(3);
        }
        ASSERT_NO_FATAL_FAILURE(expect_same(tested, expected, where));
        if (round % 4 == 3) {
            ASSERT_EQ(tested.validate(), std::vector<std::string>()) << where;
            ASSERT_NO_FATAL_FAILURE(expect_answers(tested, expected, random, where));
        } else if (round % 4 == 2) {
            tested.release_scratch();
        }
        random.seed(plan.seed * 1000 + static_cast<std::uint32_t>(round)); // ranks have drawn differently
    }
    EXPECT_GT(expected.edge_count(), 0u);
    auto const total = tested.memory_of_all();
    EXPECT_EQ(total.edges, expected.edge_count());
    EXPECT_GE(total.heap_bytes, ranks * options.heap_bytes);
}

template <class Space>
class partitioned_streams : public space_test {};
TYPED_TEST_SUITE(partitioned_streams, all_spaces, space_names);

template <class Value, class Space>
void expect_streams(stream_plan plan, std::vector<int> const& ranks) {
    if (is_emulated<Space>) {
        plan.rounds = 10;
        plan.most_edges = 400;
    }
    for (int const count : also_all_devices(ranks)) {
        plan.ranks = count;
        plan.seed += 1;
        comm::run_ranks(rank_spaces<Space>(count), [&](communicator<Space>& self) {
            apart_ranks<Space> decorated(self);
            follow_stream<Value>(plan.apart ? static_cast<communicator<Space>&>(decorated) : self,
                                 graph::modulo_owners(static_cast<std::uint32_t>(count)), plan);
        });
    }
}

TYPED_TEST(partitioned_streams, undirected) { expect_streams<void, TypeParam>({}, {1, 2, 3, 8}); }
TYPED_TEST(partitioned_streams, undirected_without_self_loops) {
    expect_streams<void, TypeParam>({.self_loops = false, .seed = 20}, {2, 3});
}
TYPED_TEST(partitioned_streams, directed) {
    expect_streams<void, TypeParam>({.directed = true, .seed = 40}, {1, 2, 3, 8});
}
TYPED_TEST(partitioned_streams, directed_with_in_arcs_and_values) {
    expect_streams<double, TypeParam>({.directed = true, .in_arcs = true, .seed = 60}, {1, 2, 3, 8});
}
TYPED_TEST(partitioned_streams, undirected_with_values) {
    expect_streams<double, TypeParam>({.seed = 80}, {2, 3, 8});
}
/// The keys of so many vertices have one or two bits more than two passes of a radix sort take.
TYPED_TEST(partitioned_streams, in_the_order_of_low_bits) {
    for (bool const apart : {false, true}) {
        expect_streams<void, TypeParam>({.vertices = 480, .most_edges = 3000, .seed = 200, .apart = apart},
                                        {2});
        expect_streams<void, TypeParam>(
            {.directed = true, .vertices = 900, .most_edges = 6000, .seed = 210, .apart = apart}, {4});
    }
}
TYPED_TEST(partitioned_streams, more_ranks_than_vertices) {
    expect_streams<void, TypeParam>({.vertices = 3, .most_edges = 20, .seed = 100}, {8});
}

TYPED_TEST(partitioned_streams, one_owner_with_everything) {
    comm::run_ranks(rank_spaces<TypeParam>(3), [&](communicator<TypeParam>& self) {
        // Vertices lie in the first range; the last rank gets some when vertices are added.
        follow_stream<void>(self, graph::range_owners(3, 145),
                            {.rounds = 10, .most_edges = is_emulated<TypeParam> ? 300u : 1500u, .seed = 120});
    });
}
/// Messages of a rank in a batch of which each rank passes arcs for all.
template <class Space, class Value>
std::uint64_t messages_of(comm::delayed_communicator<Space>& self,
                          graph::partitioned_graph<Space, graph::modulo_owners, Value>& into,
                          std::uint32_t edges) {
    std::vector<graph::edge> batch;
    for (std::uint32_t i = 0; i < edges; ++i)
        batch.push_back({i % 50, (i + 1 + static_cast<std::uint32_t>(self.rank())) % 50});
    std::uint64_t const before = self.sent().messages;
    if constexpr (std::is_void_v<Value>)
        into.insert_edges(batch);
    else
        into.insert_edges(batch, std::vector<double>(edges, 1.5));
    return self.sent().messages - before;
}

TYPED_TEST(partitioned_streams, take_three_rounds_of_words_for_a_batch) {
    comm::run_ranks(rank_spaces<TypeParam>(3), [&](communicator<TypeParam>& plain) {
        comm::delayed_communicator<TypeParam> self(plain, comm::network{});
        constexpr std::uint64_t others = 2; // a round of words is a message for each, and so is an exchange
        graph::partitioned_graph<TypeParam> tested(self, graph::modulo_owners(3), {.vertices = 50});
        EXPECT_EQ(messages_of(self, tested, 100), 5 * others) << "a round makes room for the arcs";
        EXPECT_EQ(messages_of(self, tested, 100), 4 * others) << "counts, arcs, vote, report";
        EXPECT_EQ(messages_of(self, tested, 60), 4 * others);
        EXPECT_EQ(messages_of(self, tested, 400), 5 * others);
        EXPECT_EQ(messages_of(self, tested, 400), 4 * others);
        graph::partitioned_graph<TypeParam, graph::modulo_owners, double> weighted(
            self, graph::modulo_owners(3), {.vertices = 50});
        EXPECT_EQ(messages_of(self, weighted, 100), 6 * others);
        EXPECT_EQ(messages_of(self, weighted, 100), 5 * others) << "the values besides";
        weighted.erase_edges({});
        EXPECT_EQ(messages_of(self, weighted, 100), 5 * others);
        weighted.release_scratch();
        EXPECT_EQ(messages_of(self, weighted, 100), 6 * others);
    });
}

TYPED_TEST(partitioned_streams, scattered_owners) {
    comm::run_ranks(rank_spaces<TypeParam>(3), [&](communicator<TypeParam>& self) {
        follow_stream<void>(self, graph::hash_owners(3, 7),
                            {.rounds = 10, .most_edges = is_emulated<TypeParam> ? 300u : 1500u, .seed = 140});
    });
}

} // namespace
} // namespace rhizome::tests
