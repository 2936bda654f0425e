// SPDX-License-Identifier: Apache-2.0
// Batches over ranks with the backend `nccl`, over the stand-in for NCCL: ranks of one machine write arcs
// into each other's memory, which may be released at any time.
#include "../../comm/nccl_ranks.hpp"
#include "partitioned_cases.hpp"

#include <rhizome/algorithms/partitioned/pagerank.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/partition/exchange.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::tests {
namespace {

using comm::detail::host_peers;

class partitioned_nccl : public comm_nccl {
protected:
    partitioned_nccl() { board_ = id_file_.string() + ".board"; }
    ~partitioned_nccl() override { std::filesystem::remove(board_); }

    /// Arrays that ranks receive arcs in, and those of others that they have mapped. Called by all ranks.
    static void expect_mapped(communicator<host_space>& self, int own, int opened, std::string const& where) {
        ASSERT_TRUE(self.barrier().ok());
        EXPECT_EQ(host_peers::own.load(), own) << where;
        EXPECT_EQ(host_peers::opened.load(), opened) << where;
        ASSERT_TRUE(self.barrier().ok());
    }
};

constexpr int ranks = 3;
constexpr std::uint32_t vertices = 120;

/// The batch with this number: all ranks draw the same edges, and each takes its share.
struct drawn_batch {
    explicit drawn_batch(std::uint32_t number) : is_erased(number % 4 == 3) {
        std::mt19937 random(number + 1);
        // Larger and larger ones, so that ranks make room again; also of few edges, and of none.
        std::size_t const count = number % 5 == 4 ? 0 : number % 3 == 1 ? 7 : 100 * (number + 1);
        for (std::size_t i = 0; i < count; ++i) {
            edges.push_back({static_cast<std::uint32_t>(random()) % vertices,
                             static_cast<std::uint32_t>(random()) % (vertices + 2)});
            values.push_back(static_cast<double>(random() % 1000));
        }
        cuts = random_cuts(random, count, ranks, number % 3);
    }
    bool is_erased;
    std::vector<graph::edge> edges;
    std::vector<double> values;
    std::vector<std::size_t> cuts;
};

template <class Value>
using graph_of = graph::partitioned_graph<host_space, graph::modulo_owners, Value>;

/// Applies it to both.
template <class Value>
void apply(drawn_batch const& batch, graph_of<Value>& tested, sequential_graph& expected,
           std::string const& where) {
    auto const rank = static_cast<std::uint32_t>(tested.communicator().rank());
    auto const mine = share_of(batch.edges, batch.cuts, rank);
    if (batch.is_erased) {
        ASSERT_EQ(tested.erase_edges(mine), expected.erase(batch.edges)) << where;
    } else if constexpr (std::is_void_v<Value>) {
        ASSERT_EQ(tested.insert_edges(mine), expected.insert(batch.edges, batch.values, false)) << where;
    } else {
        ASSERT_EQ(tested.insert_edges(mine, share_of(batch.values, batch.cuts, rank)),
                  expected.insert(batch.edges, batch.values, true))
            << where;
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(tested, expected, where));
}

/// `releases(number, rank)`: whether a rank releases its scratch after this batch. `sends`: whether the ranks
/// do not reach each other's memory.
template <class Value>
void follow_batches(communicator<host_space>& plain, bool sends,
                    std::function<bool(std::uint32_t, int)> const& releases) {
    apart_ranks<host_space> apart(plain);
    communicator<host_space>& self = sends ? static_cast<communicator<host_space>&>(apart) : plain;
    graph::graph_options const options{.vertices = vertices, .directed = true, .in_arcs = true};
    graph_of<Value> tested(self, graph::modulo_owners(ranks), options);
    sequential_graph expected(options);
    for (std::uint32_t number = 0; number < 20; ++number) {
        std::string const where = "batch " + std::to_string(number) + " at rank " +
                                  std::to_string(self.rank()) + (sends ? ", sent" : ", written");
        ASSERT_NO_FATAL_FAILURE(apply(drawn_batch(number), tested, expected, where));
        EXPECT_EQ(tested.transport(), sends ? graph::arc_transport::sent : graph::arc_transport::written);
        if (releases(number, self.rank())) tested.release_scratch();
    }
    EXPECT_EQ(tested.validate(), std::vector<std::string>());
}

TEST_F(partitioned_nccl, batches_that_are_written_are_as_those_that_are_sent) {
    for (bool const sends : {true, false}) {
        plan({});
        host_peers::plan_nothing();
        auto const never = [](std::uint32_t, int) { return false; };
        on_ranks(ranks, [&](communicator<host_space>& self) { follow_batches<void>(self, sends, never); });
        on_ranks(ranks, [&](communicator<host_space>& self) { follow_batches<double>(self, sends, never); });
        EXPECT_EQ(host_peers::opens.load() == 0, sends);
        EXPECT_EQ(fake_nccl_get().calls == 0, !sends) << "arcs are written, and words go over the board";
    }
}

TEST_F(partitioned_nccl, ranks_release_their_scratch_together_or_alone) {
    std::vector<std::function<bool(std::uint32_t, int)>> const releases{
        [](std::uint32_t, int) { return true; },
        [](std::uint32_t number, int) { return number % 3 == 0; },
        [](std::uint32_t, int rank) { return rank == 1; },
        [](std::uint32_t number, int rank) { return number % ranks == static_cast<std::uint32_t>(rank); },
        [](std::uint32_t number, int rank) { return number % 2 == 0 && rank != 0; },
    };
    for (auto const& each : releases) {
        on_ranks(ranks, [&](communicator<host_space>& self) { follow_batches<void>(self, false, each); });
        on_ranks(ranks, [&](communicator<host_space>& self) { follow_batches<double>(self, false, each); });
    }
    EXPECT_EQ(fake_nccl_get().calls, 0);
}

/// A rank that gets no arcs after it has released its scratch needs no room, and has forgotten where the
/// others have theirs.
TEST_F(partitioned_nccl, a_rank_that_gets_nothing_still_learns_where_to_write) {
    for (int releasing = 0; releasing < ranks; ++releasing)
        on_ranks(ranks, [&](communicator<host_space>& self) {
            graph_of<void> tested(self, graph::modulo_owners(ranks),
                                  {.vertices = vertices, .directed = true});
            std::vector<graph::edge> all;
            for (std::uint32_t v = 0; v < vertices; ++v)
                all.push_back({v, (v + static_cast<std::uint32_t>(self.rank())) % vertices});
            tested.insert_edges(all);
            std::uint64_t const before = tested.edge_count();
            if (self.rank() == releasing) tested.release_scratch();
            // From the releasing rank to all others, and nothing to it.
            std::vector<graph::edge> others;
            for (std::uint32_t v = 0; v < vertices; ++v)
                if (v % ranks != static_cast<std::uint32_t>(releasing))
                    others.push_back({v, (v + 50) % vertices});
            auto const report =
                tested.insert_edges(self.rank() == releasing ? others : std::vector<graph::edge>());
            EXPECT_EQ(report.applied, others.size());
            EXPECT_EQ(tested.edge_count(), before + others.size());
            EXPECT_EQ(tested.validate(), std::vector<std::string>());
        });
}

TEST_F(partitioned_nccl, memory_is_given_back_once_all_ranks_have_released_theirs) {
    on_ranks(ranks, [](communicator<host_space>& self) {
        graph::graph_options const options{.vertices = vertices, .directed = true, .in_arcs = true};
        std::optional<graph_of<double>> tested(std::in_place, self, graph::modulo_owners(ranks), options);
        sequential_graph expected(options);
        // Of each rank an array of arcs and one of values.
        constexpr int own = 2 * ranks;
        constexpr int opened = own * (ranks - 1);
        expect_mapped(self, 0, 0, "before the first batch");
        apply(drawn_batch(0), *tested, expected, "the first");
        expect_mapped(self, own, opened, "after a batch");
        apply(drawn_batch(2), *tested, expected, "a larger one");
        expect_mapped(self, own, opened, "after a larger batch");
        if (self.rank() == 0) tested->release_scratch();
        expect_mapped(self, own - 2, opened - 2 * (ranks - 1), "after rank 0 has released");
        apply(drawn_batch(0), *tested, expected, "after one has released");
        expect_mapped(self, own, opened, "after one has released, and a batch");
        tested->release_scratch();
        expect_mapped(self, 0, 0, "after all have released");
        apply(drawn_batch(2), *tested, expected, "after all have released");
        expect_mapped(self, own, opened, "after all have released, and a batch");
        if (self.rank() == 2) tested.reset();
        expect_mapped(self, own - 2, opened - 2 * (ranks - 1), "after the graph of rank 2 has gone");
        tested.reset();
        expect_mapped(self, 0, 0, "after all graphs have gone");
    });
    EXPECT_EQ(host_peers::still_mapped.load(), 0)
        << "the old room of a rank is gone before it makes a new one";
}

/// The first ranks share memory, and then one cannot: for example because it has no descriptors left.
TEST_F(partitioned_nccl, if_ranks_lose_each_others_memory_they_send) {
    for (int const left : {0, 1, 5, 6, 11}) {
        plan({});
        on_ranks(ranks, [&](communicator<host_space>& self) {
            graph::graph_options const options{.vertices = vertices, .directed = true, .in_arcs = true};
            graph_of<double> tested(self, graph::modulo_owners(ranks), options);
            sequential_graph expected(options);
            apply(drawn_batch(0), tested, expected, "written");
            EXPECT_TRUE(self.barrier().ok());
            if (self.rank() == 0) {
                EXPECT_EQ(fake_nccl_get().calls, 0);
                host_peers::opens_left = left;
            }
            EXPECT_TRUE(self.barrier().ok());
            for (std::uint32_t const number : {2u, 5u, 6u, 3u}) {
                apply(drawn_batch(number), tested, expected, "sent");
                expect_mapped(self, 0, 0, "arcs arrive in ordinary memory");
                if (number == 5) tested.release_scratch();
            }
        });
        EXPECT_GT(fake_nccl_get().calls, 0);
    }
}

/// A resource of one rank may lend memory that others do not reach.
TEST_F(partitioned_nccl, if_one_rank_has_memory_of_its_own_all_send) {
    class own_memory final : public exec::memory_resource {
    public:
        void* allocate(std::uint64_t bytes, void*) override {
            return ::operator new (bytes, std::align_val_t{256});
        }
        void deallocate(void* pointer, std::uint64_t, void*) noexcept override {
            ::operator delete (pointer, std::align_val_t{256});
        }
    } memory;
    on_ranks(ranks, [&](communicator<host_space>& self) {
        graph::graph_options options{.vertices = vertices, .directed = true, .in_arcs = true};
        if (self.rank() == 1) options.scratch = &memory;
        graph_of<void> tested(self, graph::modulo_owners(ranks), options);
        sequential_graph expected(options);
        for (std::uint32_t const number : {0u, 1u, 2u, 3u}) {
            apply(drawn_batch(number), tested, expected, "sent");
            expect_mapped(self, 0, 0, "sent");
        }
    });
    EXPECT_EQ(host_peers::opens.load(), 0);
    EXPECT_EQ(host_peers::shows.load(), ranks - 1) << "it is tried once";
    EXPECT_GT(fake_nccl_get().calls, 0);
}

/// A rank has no memory for what arrives: the batch is refused on all, and the next one is written.
TEST_F(partitioned_nccl, a_batch_that_is_refused_leaves_no_mappings_behind) {
    on_ranks(ranks, [](communicator<host_space>& self) {
        graph::arc_exchange<host_space, std::uint32_t> exchange(self);
        graph::routing_rules<std::uint32_t, graph::modulo_owners> const rules{graph::modulo_owners(ranks),
                                                                              vertices, true};
        std::vector<graph::edge> edges;
        for (std::uint32_t i = 0; i < 3000; ++i)
            edges.push_back({i % vertices, 1});
        static_cast<void>(exchange.exchange(rules, edges.data(), nullptr, 300));
        expect_mapped(self, ranks, ranks * (ranks - 1), "a batch");
        auto& budget = self.space().budget();
        std::uint64_t const rest = self.rank() == 1 ? budget.available_bytes() : 0;
        ASSERT_TRUE(budget.try_charge(rest));
        std::uint64_t const many = self.rank() == 0 ? 3000 : 0; // so that the others need no scratch
        EXPECT_THROW(static_cast<void>(exchange.exchange(rules, edges.data(), nullptr, many)),
                     std::runtime_error);
        budget.refund(rest);
        ASSERT_TRUE(self.barrier().ok());
        EXPECT_EQ(host_peers::opened.load(), 0);
        ASSERT_TRUE(self.barrier().ok());
        auto const got = exchange.exchange(rules, edges.data(), nullptr, many);
        EXPECT_EQ(got.count, 3000u / ranks);
        expect_mapped(self, ranks, ranks * (ranks - 1), "the batch after the one that was refused");
    });
    EXPECT_EQ(fake_nccl_get().calls, 0);
}

/// PageRank maps memory of its own beside that of batches. Where a rank has no memory for a larger graph, the
/// run is refused on all, wherever that happens, and addresses that are forgotten may become those of others.
TEST_F(partitioned_nccl, ranks_of_vertices_are_written_beside_batches) {
    on_ranks(ranks, [](communicator<host_space>& self) {
        constexpr std::uint32_t most = 20'000;
        apart_ranks<host_space> apart(self);
        graph_of<void> tested(self, graph::modulo_owners(ranks),
                              {.vertices = 50, .directed = true, .in_arcs = true});
        std::optional<algorithms::partitioned_pagerank<double, host_space>> writes(std::in_place, self);
        algorithms::partitioned_pagerank<double, host_space> gathers(apart);
        auto const ranks_by = [&](auto& pagerank) {
            auto const found = pagerank.run(tested.view(), {.tolerance = 0, .max_iterations = 5});
            return std::vector<double>(found.ranks, found.ranks + found.rows);
        };
        std::mt19937 random(5);
        auto const insert_some = [&] {
            std::vector<graph::edge> edges;
            for (int i = 0; i < 200; ++i)
                edges.push_back({static_cast<std::uint32_t>(random() % tested.vertex_count()),
                                 static_cast<std::uint32_t>(random() % tested.vertex_count())});
            return tested.insert_edges(self.rank() == 1 ? edges : std::vector<graph::edge>()).applied;
        };
        std::uint64_t edges = insert_some();
        constexpr int opened = 2 * ranks * (ranks - 1); // an array of arcs and one of values of each
        int refused = 0;
        for (std::uint64_t left = 0; tested.vertex_count() < most; left += 16'000) {
            std::string const where = "with " + std::to_string(left) + " bytes left";
            EXPECT_EQ(ranks_by(*writes), ranks_by(gathers)) << where;
            expect_mapped(self, 2 * ranks, opened, where);
            tested.add_vertices(tested.vertex_count());
            auto& budget = self.space().budget();
            std::uint64_t const available = budget.available_bytes();
            std::uint64_t const taken = self.rank() == 1 && available > left ? available - left : 0;
            ASSERT_TRUE(budget.try_charge(taken));
            try {
                static_cast<void>(ranks_by(*writes));
            } catch (exec::out_of_memory const&) {
                ++refused;
            } catch (graph::refused_by_rank const& error) {
                EXPECT_EQ(error.rank(), 1) << where;
                ++refused;
            }
            budget.refund(taken);
            tested.release_scratch(); // so that the next batch maps memory anew
            edges += insert_some();
            static_cast<void>(ranks_by(*writes));
            edges += insert_some();
            EXPECT_EQ(tested.edge_count(), edges) << where;
        }
        EXPECT_GT(refused, 2);
        writes.reset();
        expect_mapped(self, ranks, opened / 2, "without the object that writes");
    });
    EXPECT_EQ(host_peers::still_mapped.load(), ranks * (ranks - 1))
        << "those of batches; old ones of vertices are gone before a rank makes a new one";
}

/// A progress report that ends the computation leaves nothing that others have to know.
TEST_F(partitioned_nccl, ranks_of_vertices_are_found_again_after_a_report_has_ended_a_run) {
    on_ranks(ranks, [](communicator<host_space>& self) {
        graph_of<void> tested(self, graph::modulo_owners(ranks), {.vertices = vertices});
        std::vector<graph::edge> const some{{0, 1}, {1, 2}, {2, 5}, {7, 0}};
        tested.insert_edges(self.rank() == 0 ? some : std::vector<graph::edge>());
        algorithms::partitioned_pagerank<double, host_space> pagerank(self);
        auto const first = pagerank.run(tested.view());
        std::vector<double> const expected(first.ranks, first.ranks + first.rows);
        struct ended {};
        std::function<void(unsigned, double)> const end = [](unsigned, double) { throw ended(); };
        EXPECT_THROW(static_cast<void>(pagerank.run(tested.view(), {.progress = &end})), ended);
        tested.release_scratch();
        tested.insert_edges(self.rank() == 0 ? some : std::vector<graph::edge>()); // present already
        auto const again = pagerank.run(tested.view());
        EXPECT_EQ(std::vector<double>(again.ranks, again.ranks + again.rows), expected);
        expect_mapped(self, 2 * ranks, 2 * ranks * (ranks - 1), "of a batch and the last run");
    });
}

} // namespace
} // namespace rhizome::tests
