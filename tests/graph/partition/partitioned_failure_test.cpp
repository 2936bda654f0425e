// SPDX-License-Identifier: Apache-2.0
// What a graph over ranks is left with when a rank refuses, passes wrong arguments, leaves, or is damaged.
#include "partitioned_cases.hpp"

#include <rhizome/exec/buffer.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>

namespace rhizome::tests {
namespace {

using comm::communicator;

/// Leaves only `left_bytes` of a space's memory limit to others.
template <class Space>
class held_memory {
public:
    held_memory(Space& space, std::uint64_t left_bytes) : space_(space) {
        std::uint64_t const available = space.budget().available_bytes();
        bytes_ = available - std::min(available, left_bytes);
        EXPECT_TRUE(space.budget().try_charge(bytes_));
    }
    held_memory(held_memory const&) = delete;
    held_memory& operator=(held_memory const&) = delete;
    ~held_memory() { space_.budget().refund(bytes_); }

private:
    Space& space_;
    std::uint64_t bytes_;
};

std::vector<graph::edge> random_edges(std::uint32_t seed, std::size_t count, std::uint32_t vertices) {
    std::mt19937 random(seed);
    std::vector<graph::edge> edges;
    for (std::size_t i = 0; i < count; ++i)
        edges.push_back({static_cast<std::uint32_t>(random() % vertices),
                         static_cast<std::uint32_t>(random() % vertices)});
    return edges;
}

template <class Space>
class partitioned_failures : public space_test {};
TYPED_TEST_SUITE(partitioned_failures, all_spaces, space_names);

/// Each rank in turn has little memory, from none to enough, so that each step of the batch is refused once.
TYPED_TEST(partitioned_failures, a_rank_without_memory_refuses_on_all_ranks) {
    constexpr int ranks = 3;
    constexpr std::uint32_t vertices = 600;
    std::size_t const many = is_emulated<TypeParam> ? 3000 : 12'000;
    for (int poor = 0; poor < ranks; ++poor) {
        std::atomic<int> refused{0};
        std::atomic<int> applied{0};
        comm::run_ranks(rank_spaces<TypeParam>(ranks, 64u << 20), [&](communicator<TypeParam>& self) {
            graph::graph_options const options{.vertices = vertices, .heap_bytes = 64u << 10};
            graph::partitioned_graph<TypeParam> tested(self, graph::modulo_owners(ranks), options);
            sequential_graph expected(options);
            auto const rank = static_cast<std::uint32_t>(self.rank());
            auto const before = random_edges(1, 300, vertices);
            auto const few_cuts = std::vector<std::size_t>{0, 100, 200, 300};
            ASSERT_EQ(tested.insert_edges(share_of(before, few_cuts, rank)),
                      expected.insert(before, {}, false));
            auto const batch = random_edges(2, many, vertices);
            std::vector<std::size_t> const cuts{0, many / 2, many / 2 + 10, many};
            bool done = false;
            for (std::uint64_t left_bytes = 0; !done && left_bytes < (64u << 20);
                 left_bytes = left_bytes * 5 / 4 + 2048) {
                tested.release_scratch();
                self.barrier().or_throw();
                std::string const where = "rank " + std::to_string(rank) + ", rank " + std::to_string(poor) +
                                          " has " + std::to_string(left_bytes) + " bytes";
                try {
                    held_memory<TypeParam> const held(self.space(),
                                                      self.rank() == poor ? left_bytes : 64u << 20);
                    auto const report = tested.insert_edges(share_of(batch, cuts, rank));
                    ASSERT_EQ(report, expected.insert(batch, {}, false)) << where;
                    done = true;
                    applied.fetch_add(1);
                } catch (exec::out_of_memory const&) {
                    ASSERT_EQ(self.rank(), poor) << where;
                    refused.fetch_add(1);
                } catch (graph::refused_by_rank const& error) {
                    ASSERT_NE(self.rank(), poor) << where;
                    ASSERT_EQ(error.rank(), poor) << where;
                    refused.fetch_add(1);
                }
                ASSERT_FALSE(tested.broken());
                ASSERT_NO_FATAL_FAILURE(expect_same(tested, expected, where));
            }
            ASSERT_EQ(tested.validate(), std::vector<std::string>());
        });
        EXPECT_EQ(applied.load(), ranks);
        // Routing, arrival, working memory and pages of the graph, at least.
        EXPECT_GE(refused.load(), 6 * ranks) << "hardly anything was refused";
    }
}

/// A rank that cannot compact its part refuses on all ranks; no edge is lost.
TYPED_TEST(partitioned_failures, a_rank_without_memory_compacts_nothing_and_says_so) {
    constexpr int ranks = 3;
    constexpr int poor = 1;
    // On the GPU a heap shrinks in pieces of 2 MiB: each rank's has more than one.
    constexpr std::uint32_t vertices = is_gpu<TypeParam> ? 10'000 : is_emulated<TypeParam> ? 600 : 2'000;
    constexpr std::uint64_t limit_bytes = (is_gpu<TypeParam> ? 512u : 64u) << 20;
    std::size_t const many = is_gpu<TypeParam> ? 900'000 : is_emulated<TypeParam> ? 3000 : 60'000;
    std::atomic<int> refused{0};
    std::atomic<int> compacted{0};
    comm::run_ranks(rank_spaces<TypeParam>(ranks, limit_bytes), [&](communicator<TypeParam>& self) {
        graph::graph_options const options{.vertices = vertices, .heap_bytes = 64u << 10};
        graph::partitioned_graph<TypeParam> tested(self, graph::modulo_owners(ranks), options);
        sequential_graph expected(options);
        auto const rank = static_cast<std::uint32_t>(self.rank());
        auto const batch = random_edges(2, many, vertices);
        std::vector<std::size_t> const cuts{0, many / 2, many / 2 + 10, many};
        tested.insert_edges(share_of(batch, cuts, rank));
        static_cast<void>(expected.insert(batch, {}, false));
        std::vector<graph::edge> const gone(batch.begin(),
                                            batch.begin() + static_cast<std::ptrdiff_t>(many - many / 8));
        std::vector<std::size_t> const gone_cuts{0, 10, gone.size() / 2, gone.size()};
        tested.erase_edges(share_of(gone, gone_cuts, rank));
        static_cast<void>(expected.erase(gone));
        for (bool const has_memory : {false, true}) {
            try {
                held_memory<TypeParam> const held(self.space(),
                                                  has_memory || self.rank() != poor ? limit_bytes : 0);
                self.barrier().or_throw();
                graph::compaction_report const report = tested.compact();
                ASSERT_TRUE(has_memory);
                // The others have given back what they could; this rank has kept its chunks.
                ASSERT_TRUE(is_emulated<TypeParam> || report.returned_bytes > 0)
                    << "there was little to give back";
                compacted.fetch_add(1);
            } catch (exec::out_of_memory const&) {
                ASSERT_EQ(self.rank(), poor);
                refused.fetch_add(1);
            } catch (graph::refused_by_rank const& error) {
                ASSERT_NE(self.rank(), poor);
                ASSERT_EQ(error.rank(), poor);
                refused.fetch_add(1);
            }
            ASSERT_NO_FATAL_FAILURE(expect_same(tested, expected, has_memory ? "compacted" : "refused"));
            ASSERT_EQ(tested.validate(), std::vector<std::string>());
        }
    });
    EXPECT_EQ(refused.load(), ranks);
    EXPECT_EQ(compacted.load(), ranks);
}

/// Ranks 1 and 2 have little memory, from none to enough.
TYPED_TEST(partitioned_failures, of_two_ranks_that_refuse_a_batch_the_lower_is_named) {
    constexpr int ranks = 3;
    constexpr std::uint32_t vertices = 600;
    std::size_t const many = is_emulated<TypeParam> ? 3000 : 12'000;
    std::atomic<int> both_refuse{0};
    std::atomic<int> both_refuse_by_vote{0};
    comm::run_ranks(rank_spaces<TypeParam>(ranks, 64u << 20), [&](communicator<TypeParam>& self) {
        graph::graph_options const options{.vertices = vertices, .heap_bytes = 64u << 10};
        graph::partitioned_graph<TypeParam> tested(self, graph::modulo_owners(ranks), options);
        sequential_graph expected(options);
        auto const rank = static_cast<std::uint32_t>(self.rank());
        auto const batch = random_edges(8, many, vertices);
        std::vector<std::size_t> const cuts{0, many / 3, many / 3 * 2, many};
        bool done = false;
        for (std::uint64_t left_bytes = 0; !done; left_bytes = left_bytes * 5 / 4 + 2048) {
            tested.release_scratch();
            std::uint64_t lacks_memory = 0;
            self.barrier().or_throw();
            std::optional<graph::refused_by_rank> refusal;
            try {
                held_memory<TypeParam> const held(self.space(), rank == 0 ? 64u << 20 : left_bytes);
                auto const report = tested.insert_edges(share_of(batch, cuts, rank));
                ASSERT_EQ(report, expected.insert(batch, {}, false));
                done = true;
            } catch (exec::out_of_memory const&) {
                lacks_memory = 1;
            } catch (graph::refused_by_rank const& error) {
                refusal = error;
            }
            std::array<std::uint64_t, ranks> lack_memory{};
            self.gather_words({&lacks_memory, 1}, lack_memory).or_throw();
            ASSERT_NO_FATAL_FAILURE(expect_same(tested, expected, std::to_string(left_bytes)));
            ASSERT_EQ(lack_memory[0], 0u);
            if (!refusal) continue;
            ASSERT_EQ(refusal->rank(), lack_memory[1] == 1 ? 1 : 2);
            if (lack_memory[1] + lack_memory[2] != 2) continue;
            both_refuse.fetch_add(1);
            if (std::string(refusal->what()) == graph::refused_by_rank(1).what())
                both_refuse_by_vote.fetch_add(1);
        }
        ASSERT_EQ(tested.validate(), std::vector<std::string>());
    });
    EXPECT_GT(both_refuse_by_vote.load(), 0);
    EXPECT_GT(both_refuse.load(), both_refuse_by_vote.load()) << "some refuse what arrives";
}

/// Rank 0 has little memory, from none to enough. Each rank sends all its arcs to the other one.
TYPED_TEST(partitioned_failures, a_batch_is_tried_again_without_the_scratch_of_routing) {
    constexpr std::uint32_t vertices = 600;
    std::uint32_t const many = is_emulated<TypeParam> ? 3000 : 12'000;
    comm::run_ranks(rank_spaces<TypeParam>(2, 64u << 20), [&](communicator<TypeParam>& together) {
        apart_ranks<TypeParam> self(together); // so that arcs are sent from scratch
        using graph_type = graph::partitioned_graph<TypeParam>;
        graph::graph_options const options{.vertices = vertices, .directed = true, .heap_bytes = 64u << 10};
        auto const rank = static_cast<std::uint32_t>(self.rank());
        std::vector<graph::edge> mine;
        for (std::uint32_t i = 0; i < many; ++i)
            mine.push_back({(2 * i + 1 - rank) % vertices, (i * 7 + i / 300) % vertices});
        exec::buffer<TypeParam, graph::edge> const batch(self.space(), std::span<graph::edge const>(mine));
        auto const scratch_of_exchange = [](graph_type& of) {
            return of.memory().scratch_bytes - of.part().memory().scratch_bytes;
        };
        std::uint64_t with_routing = 0;
        {
            graph_type ample(self, graph::modulo_owners(2), options);
            ample.insert_edges_in_space(batch.data(), many);
            with_routing = scratch_of_exchange(ample);
        }
        graph_type tested(self, graph::modulo_owners(2), options);
        bool done = false;
        // The scratch of routing has 8 bytes per edge at least.
        for (std::uint64_t left_bytes = 0; !done; left_bytes += 4 * many) {
            tested.release_scratch();
            self.barrier().or_throw();
            held_memory<TypeParam> const held(self.space(), rank == 0 ? left_bytes : 64u << 20);
            try {
                tested.insert_edges_in_space(batch.data(), many);
                done = true;
            } catch (exec::out_of_memory const&) {
                ASSERT_EQ(rank, 0u);
            } catch (graph::refused_by_rank const& error) {
                ASSERT_EQ(error.rank(), 0);
            }
        }
        if (rank == 0)
            EXPECT_LE(scratch_of_exchange(tested) + 8 * many, with_routing) << "the batch was tried once";
        else
            EXPECT_EQ(scratch_of_exchange(tested), with_routing);
        EXPECT_EQ(tested.validate(), std::vector<std::string>());
    });
}

/// Rank 0, which gets all arcs, has room for them from an erasure, and no memory for their values.
TYPED_TEST(partitioned_failures, a_rank_without_memory_for_values_refuses_on_all_ranks) {
    constexpr std::uint32_t vertices = 600;
    auto const run = [&](communicator<TypeParam>& self) {
        graph::graph_options const options{.vertices = vertices, .directed = true, .heap_bytes = 64u << 10};
        graph::partitioned_graph<TypeParam, graph::modulo_owners, double> tested(
            self, graph::modulo_owners(2), options);
        sequential_graph expected(options);
        std::vector<graph::edge> batch;
        std::vector<double> values;
        for (std::uint32_t i = 0; i < 3000; ++i) {
            batch.push_back({2 * i % vertices, (i * 7 + i / 300) % vertices});
            values.push_back(i);
        }
        std::size_t const count = self.rank() == 1 ? batch.size() : 0;
        auto const mine = std::span<graph::edge const>(batch).first(count);
        auto const my_values = std::span<double const>(values).first(count);
        EXPECT_EQ(tested.erase_edges(mine).applied, 0u);
        {
            held_memory<TypeParam> const held(self.space(), self.rank() == 0 ? 0 : 64u << 20);
            try {
                tested.insert_edges(mine, my_values);
                ADD_FAILURE() << "rank " << self.rank() << " was not refused";
            } catch (exec::out_of_memory const&) {
                EXPECT_EQ(self.rank(), 0);
            } catch (graph::refused_by_rank const& error) {
                EXPECT_EQ(self.rank(), 1);
                EXPECT_EQ(error.rank(), 0);
                EXPECT_NE(std::string(error.what()).find("out of memory"), std::string::npos) << error.what();
            }
        }
        EXPECT_FALSE(tested.broken());
        ASSERT_NO_FATAL_FAILURE(expect_same(tested, expected, "refused"));
        EXPECT_EQ(tested.insert_edges(mine, my_values), expected.insert(batch, values, true));
        ASSERT_NO_FATAL_FAILURE(expect_same(tested, expected, "inserted"));
        EXPECT_EQ(tested.validate(), std::vector<std::string>());
    };
    comm::run_ranks(rank_spaces<TypeParam>(2, 64u << 20), run, {.time_limit = std::chrono::seconds(60)});
}

/// While ids are free, kernels read a bit for each vertex.
TYPED_TEST(partitioned_failures, new_vertices_have_bits_while_ids_are_free) {
    constexpr std::uint32_t more = 600'000; // bits of which take more than a step of the host's regions
    comm::run_ranks(rank_spaces<TypeParam>(2), [&](communicator<TypeParam>& self) {
        graph::partitioned_graph<TypeParam> tested(self, graph::modulo_owners(2), {.vertices = 100});
        std::vector<std::uint32_t> const gone{1, 2, 3};
        EXPECT_EQ(tested.erase_vertices(gone).erased, gone.size());
        tested.add_vertices(more);
        ASSERT_GE(tested.memory().vertex_table_bytes - tested.part().memory().vertex_table_bytes,
                  tested.vertex_count() / 8);
        std::vector<graph::edge> const edges{{more, 5}, {more + 98, more + 99}, {more + 99, 1}};
        EXPECT_EQ(tested.insert_edges(edges).applied, 2u);
        EXPECT_EQ(tested.live_vertex_count(), 97 + more);
    });
}

TYPED_TEST(partitioned_failures, vertices_are_made_and_erased_on_all_ranks_or_on_none) {
    constexpr int ranks = 2;
    for (int poor = 0; poor < ranks; ++poor)
        comm::run_ranks(rank_spaces<TypeParam>(ranks, 64u << 20), [&](communicator<TypeParam>& self) {
            graph::graph_options const options{.vertices = 100, .heap_bytes = 64u << 10};
            graph::partitioned_graph<TypeParam> tested(self, graph::modulo_owners(ranks), options);
            sequential_graph expected(options);
            auto const edges = random_edges(3, 400, 100);
            auto const mine =
                self.rank() == 0 ? std::span<graph::edge const>(edges) : std::span<graph::edge const>();
            ASSERT_EQ(tested.insert_edges(mine), expected.insert(edges, {}, false));
            tested.release_scratch();
            std::vector<std::uint32_t> const gone{1, 2, 50};
            {
                held_memory<TypeParam> const held(self.space(), self.rank() == poor ? 0 : 64u << 20);
                if (self.rank() == poor) {
                    EXPECT_THROW(tested.add_vertices(1'000'000), exec::out_of_memory);
                    EXPECT_THROW(static_cast<void>(tested.insert_vertices(1'000'000)), exec::out_of_memory);
                    EXPECT_THROW(static_cast<void>(tested.erase_vertices(gone)), exec::out_of_memory);
                } else {
                    EXPECT_THROW(tested.add_vertices(1'000'000), graph::refused_by_rank);
                    EXPECT_THROW(static_cast<void>(tested.insert_vertices(1'000'000)),
                                 graph::refused_by_rank);
                    EXPECT_THROW(static_cast<void>(tested.erase_vertices(gone)), graph::refused_by_rank);
                }
            }
            ASSERT_NO_FATAL_FAILURE(expect_same(tested, expected, "refused"));
            std::vector<std::uint32_t> twice = gone;
            twice.insert(twice.end(), gone.begin(), gone.end());
            EXPECT_EQ(tested.erase_vertices(gone), expected.erase_vertices(twice));
            ASSERT_NO_FATAL_FAILURE(expect_same(tested, expected, "erased"));
            EXPECT_EQ(tested.validate(), std::vector<std::string>());
        });
}

TYPED_TEST(partitioned_failures, wrong_arguments_of_one_rank_are_refused_on_all) {
    comm::run_ranks(rank_spaces<TypeParam>(2), [&](communicator<TypeParam>& self) {
        bool const wrong = self.rank() == 1;
        using graph_type = graph::partitioned_graph<TypeParam, graph::modulo_owners, double>;
        EXPECT_THROW(graph_type(self, graph::modulo_owners(2), {.vertices = wrong ? 5u : 4u}),
                     std::invalid_argument);
        EXPECT_THROW(graph_type(self, graph::modulo_owners(3), {}), std::exception);
        graph_type tested(self, graph::modulo_owners(2), {.vertices = 10});
        std::vector<graph::edge> const edges{{1, 2}, {3, 4}};
        std::vector<double> const values{5, 6};
        auto const insert = [&](std::size_t count) {
            return tested.insert_edges(edges, std::span(values).first(count));
        };
        if (wrong)
            EXPECT_THROW(insert(1), std::invalid_argument);
        else
            EXPECT_THROW(insert(2), graph::refused_by_rank);
        EXPECT_THROW(tested.add_vertices(wrong ? 3 : 4), std::invalid_argument);
        EXPECT_EQ(tested.edge_count(), 0u);
        EXPECT_EQ(tested.vertex_count(), 10u);
        EXPECT_EQ(insert(2).applied, 2u);
        std::vector<std::uint32_t> const of_rank_1{1};
        if (wrong)
            EXPECT_EQ(tested.degrees(of_rank_1), std::vector<std::uint32_t>{1});
        else
            EXPECT_THROW(static_cast<void>(tested.degrees(of_rank_1)), std::invalid_argument);
        EXPECT_EQ(tested.validate(), std::vector<std::string>());
    });
}

TYPED_TEST(partitioned_failures, ranks_that_divide_the_vertices_in_different_ways_make_no_graph) {
    comm::run_ranks(rank_spaces<TypeParam>(2), [&](communicator<TypeParam>& self) {
        auto const other = static_cast<std::uint64_t>(self.rank());
        using by_range = graph::partitioned_graph<TypeParam, graph::range_owners>;
        EXPECT_THROW(by_range(self, graph::range_owners(2, 50 + other), {.vertices = 100}),
                     std::invalid_argument);
        using by_hash = graph::partitioned_graph<TypeParam, graph::hash_owners>;
        EXPECT_THROW(by_hash(self, graph::hash_owners(2, other), {.vertices = 100}), std::invalid_argument);
        by_range const same(self, graph::range_owners(2, 50), {.vertices = 100});
        EXPECT_EQ(same.vertex_count(), 100u);
    });
}

TYPED_TEST(partitioned_failures, more_vertices_than_ids_are_refused) {
    comm::run_ranks(rank_spaces<TypeParam>(2), [&](communicator<TypeParam>& self) {
        graph::partitioned_graph<TypeParam> tested(self, graph::modulo_owners(2), {.vertices = 10});
        std::uint64_t const half = std::uint64_t{1} << 63; // of both ranks together 2^64, which wraps to 0
        EXPECT_THROW(static_cast<void>(tested.insert_vertices(half)), std::length_error);
        EXPECT_THROW(static_cast<void>(tested.insert_vertices(self.rank() == 0 ? ~std::uint64_t{0} : 1)),
                     std::length_error);
        EXPECT_THROW(tested.add_vertices(~std::uint64_t{0} - 5), std::exception);
        EXPECT_EQ(tested.vertex_count(), 10u);
        EXPECT_EQ(tested.insert_vertices(1).size(), 1u);
        EXPECT_EQ(tested.vertex_count(), 12u);
    });
}

/// A rank ends instead of taking part in a batch: the others learn of it and name it, within the time limit.
TYPED_TEST(partitioned_failures, a_rank_that_leaves_ends_the_batch_on_all_ranks) {
    for (int leaver = 0; leaver < 3; ++leaver)
        try {
            comm::run_ranks(rank_spaces<TypeParam>(3), [&](communicator<TypeParam>& self) {
                graph::partitioned_graph<TypeParam> tested(self, graph::modulo_owners(3), {.vertices = 50});
                auto const edges = random_edges(4, 100, 50);
                std::uint64_t const applied = tested.insert_edges(edges).applied;
                if (self.rank() == leaver) throw std::runtime_error("enough");
                try {
                    tested.insert_edges(random_edges(5, 100, 50));
                    ADD_FAILURE() << "rank " << self.rank();
                } catch (comm::comm_error const& error) {
                    EXPECT_EQ(error.result().rank(), leaver) << error.what();
                }
                EXPECT_EQ(tested.edge_count(), applied);
                EXPECT_EQ(tested.part().validate(), std::vector<std::string>());
            });
            ADD_FAILURE() << "run_ranks did not tell of the exception";
        } catch (std::runtime_error const& error) {
            EXPECT_STREQ(error.what(), "enough");
        }
}

/// One that has reserved its part waits for the votes. If a rank does not vote, the batch is called off.
TYPED_TEST(partitioned_failures, a_missing_vote_leaves_the_rows_as_they_were) {
    EXPECT_THROW(
        comm::run_ranks(rank_spaces<TypeParam>(2),
                        [&](communicator<TypeParam>& self) {
                            graph::partitioned_graph<TypeParam> tested(self, graph::modulo_owners(2),
                                                                       {.vertices = 50});
                            auto const edges = random_edges(6, 100, 50);
                            tested.insert_edges(edges);
                            if (self.rank() == 1) {
                                // Takes part in the exchange of the batch only.
                                graph::arc_exchange<TypeParam, std::uint32_t> exchange(self);
                                graph::routing_rules<std::uint32_t, graph::modulo_owners> const rules{
                                    graph::modulo_owners(2), 50};
                                static_cast<void>(exchange.exchange(rules, nullptr, nullptr, 0));
                                throw std::runtime_error("left before the vote");
                            }
                            auto const offsets = tested.snapshot().offsets.to_host();
                            EXPECT_THROW(tested.insert_edges(random_edges(7, 200, 50)), comm::comm_error);
                            EXPECT_TRUE(tested.broken());
                            EXPECT_THROW(tested.insert_edges(edges), std::logic_error);
                            EXPECT_EQ(tested.part().snapshot().offsets.to_host(), offsets);
                            EXPECT_EQ(tested.part().validate(), std::vector<std::string>());
                        }),
        std::runtime_error);
}

#if !defined(__CUDACC__)
/// Damages a row by hand, in an arc that is sent in a late round, and whose mirror is.
TYPED_TEST(partitioned_failures, mirrors_are_looked_for_in_every_round) {
    comm::run_ranks(rank_spaces<TypeParam>(2), [&](communicator<TypeParam>& self) {
        graph::partitioned_graph<TypeParam> tested(self, graph::modulo_owners(2), {.vertices = 40});
        std::vector<graph::edge> edges;
        for (std::uint32_t v = 1; v < 30; ++v)
            edges.push_back({0, v});
        tested.insert_edges(edges);
        graph::arc_exchange<TypeParam, std::uint32_t> exchange(self);
        for (std::uint64_t const arcs_at_once : {1u, 4u, 28u, 29u, 1000u}) {
            auto const missing = [&] {
                graph::no_edge_value const* const no_values = nullptr;
                return graph::check_mirrors(self, tested.view(), exchange, tested.snapshot(), no_values,
                                            arcs_at_once)
                    .missing;
            };
            EXPECT_EQ(missing(), 0u) << arcs_at_once << " arcs at once";
            std::uint32_t copy = 29; // at rank 1, which has nothing to damage
            std::uint32_t* const last =
                self.rank() == 0 ? const_cast<std::uint32_t*>(tested.view().neighbours(0).begin()) + 28
                                 : &copy;
            ASSERT_EQ(*last, 29u);
            *last = 31;
            EXPECT_EQ(missing(), 1u) << arcs_at_once
                                     << " arcs at once"; // {0, 31} at rank 1, {29, 0} at rank 0
            *last = 29;
        }
    });
}

/// Damages a row of one rank by hand: the owner of the other end notices.
TYPED_TEST(partitioned_failures, validate_notices_what_only_two_ranks_can_see) {
    for (bool const directed : {false, true})
        comm::run_ranks(rank_spaces<TypeParam>(2), [&](communicator<TypeParam>& self) {
            using graph_type = graph::partitioned_graph<TypeParam, graph::modulo_owners, double>;
            graph_type tested(self, graph::modulo_owners(2),
                              {.vertices = 40, .directed = directed, .in_arcs = directed});
            std::vector<graph::edge> edges;
            std::vector<double> values;
            for (std::uint32_t v = 1; v < 30; ++v) {
                edges.push_back({0, v});
                values.push_back(v);
            }
            auto const mine = self.rank() == 0 ? edges.size() : 0;
            tested.insert_edges(std::span(edges).first(mine), std::span(values).first(mine));
            EXPECT_EQ(tested.validate(), std::vector<std::string>());
            auto const expect_noticed = [&](auto* word, auto damaged, char const* what) {
                auto const before = *word;
                if (self.rank() == 0) *word = damaged;
                EXPECT_NE(tested.validate(), std::vector<std::string>()) << what;
                if (self.rank() == 0) *word = before;
                EXPECT_EQ(tested.validate(), std::vector<std::string>()) << what;
            };
            // Rank 1 has nothing to damage: its words are copies.
            std::uint32_t id = 0;
            double value = 0;
            auto* ids = &id;
            auto* row_values = &value;
            if (self.rank() == 0) {
                ids = const_cast<std::uint32_t*>(tested.view().neighbours(0).begin()) + 28;
                row_values = const_cast<double*>(tested.view().values(0)) + 28;
            }
            expect_noticed(ids, 31u, "an arc to a vertex of the other rank, which has no mirror");
            expect_noticed(ids, 30u, "an arc to a vertex of this rank, which has no mirror");
            expect_noticed(ids, 40u, "a neighbour that is no vertex");
            expect_noticed(row_values, 7.5, "another value than the mirror");
        });
}
#endif

} // namespace
} // namespace rhizome::tests
