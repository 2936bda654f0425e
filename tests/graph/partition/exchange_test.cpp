// SPDX-License-Identifier: Apache-2.0
// Batches that begin on any ranks, brought to the ranks that own their rows, against a sequential answer.
#include <rhizome/comm/decorator.hpp>
#include <rhizome/comm/threads.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/partition/agreement.hpp>
#include <rhizome/graph/partition/arrival_room.hpp>
#include <rhizome/graph/partition/exchange.hpp>

#include <counting_resource.hpp>
#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

using comm::communicator;
using graph::basic_edge;
using graph::routed_arc;
using graph::routing_rules;

/// How the edges of a batch are distributed over the ranks before the exchange.
enum class share { all_on_one, on_all, last_has_none };

struct batch_case {
    std::uint64_t vertices = 1000;
    std::uint64_t edges = 700; ///< of each rank that has any
    bool directed = false;
    bool in_arcs = false;
    bool self_loops = true;
    share how = share::on_all;
    bool to_one_vertex = false; ///< all sources are vertex 0, so that one rank gets most arcs
};

template <class Id>
std::vector<basic_edge<Id>> edges_of(batch_case const& c, int rank, int ranks) {
    if (c.how == share::all_on_one && rank != 0) return {};
    if (c.how == share::last_has_none && rank == ranks - 1) return {};
    std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 10);
    auto const id = [&] { return static_cast<Id>(random() % (c.vertices + 3)); }; // some are no vertices
    std::vector<basic_edge<Id>> edges;
    for (std::uint64_t i = 0; i < c.edges; ++i) {
        Id const source = c.to_one_vertex ? Id{0} : id();
        edges.push_back({source, random() % 16 == 0 ? source : id()});
    }
    return edges;
}

/// The value of an edge tells where it comes from.
double value_of(int rank, std::uint64_t number) { return rank * 1e6 + static_cast<double>(number); }

template <class Id>
struct answer {
    std::vector<routed_arc<Id>> arcs;
    std::vector<double> values;
    std::uint64_t rejected = 0;
    std::uint64_t self_loops = 0;
};

/// What rank `self` must get, computed edge by edge.
template <class Id, class Owners>
answer<Id> expected_at(int self, int ranks, batch_case const& c, Owners const& owners) {
    answer<Id> expected;
    for (int rank = 0; rank < ranks; ++rank) {
        auto const edges = edges_of<Id>(c, rank, ranks);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            auto const [source, target] = edges[i];
            if (source >= c.vertices || target >= c.vertices) {
                ++expected.rejected;
                continue;
            }
            if (source == target && !c.self_loops) {
                ++expected.self_loops;
                continue;
            }
            auto const add = [&](Id from, Id to, bool in) {
                if (static_cast<int>(owners.owner(from)) != self) return;
                std::uint64_t const row = owners.row(from);
                expected.arcs.push_back({static_cast<Id>(c.in_arcs ? 2 * row + (in ? 1 : 0) : row), to});
                expected.values.push_back(value_of(rank, i));
            };
            add(source, target, false);
            if (!c.directed && source != target) add(target, source, false);
            if (c.in_arcs) add(target, source, true);
        }
    }
    return expected;
}

template <class Space>
std::vector<Space> spaces_of(int ranks, std::uint64_t limit_bytes = 0, int limited = -1) {
    std::vector<Space> spaces;
    for (int rank = 0; rank < ranks; ++rank)
        spaces.push_back(make_space<Space>({.threads = 2,
                                            .memory_limit_bytes = rank == limited ? limit_bytes : 0,
                                            .seed = static_cast<std::uint64_t>(rank) + 1,
                                            .device = device_of_rank(rank)}));
    return spaces;
}

template <class Id, class Space, class Owners>
void expect_exchanged(int ranks, batch_case const& c, Owners const& owners) {
    comm::run_ranks(spaces_of<Space>(ranks), [&](communicator<Space>& self) {
        routing_rules<Id, Owners> const rules{owners, c.vertices, c.directed, c.in_arcs, c.self_loops};
        auto const mine = edges_of<Id>(c, self.rank(), ranks);
        std::vector<double> values;
        for (std::size_t i = 0; i < mine.size(); ++i)
            values.push_back(value_of(self.rank(), i));
        exec::buffer<Space, basic_edge<Id>> const edges(self.space(), std::span<basic_edge<Id> const>(mine));
        exec::buffer<Space, double> const edge_values(self.space(), std::span<double const>(values));
        auto const expected = expected_at<Id>(self.rank(), ranks, c, owners);
        std::string const where = "rank " + std::to_string(self.rank()) + " of " + std::to_string(ranks);

        auto const host = [&](auto const* data, std::uint64_t count) {
            std::vector<std::remove_cvref_t<decltype(*data)>> copy(count);
            self.space().copy_out(copy.data(), data, count * sizeof(*data));
            return copy;
        };
        graph::arc_exchange<Space, Id, double> with_values(self);
        for (int round = 0; round < 2; ++round) { // the second with the scratch of the first
            auto const got = with_values.exchange(rules, edges.data(), edge_values.data(), mine.size());
            ASSERT_EQ(host(got.arcs, got.count), expected.arcs) << where;
            ASSERT_EQ(host(got.values, got.count), expected.values) << where;
            EXPECT_EQ(got.rejected, expected.rejected) << where;
            EXPECT_EQ(got.self_loops, expected.self_loops) << where;
        }
        graph::arc_exchange<Space, Id> without(self);
        auto const got = without.exchange(rules, edges.data(), nullptr, mine.size());
        EXPECT_EQ(host(got.arcs, got.count), expected.arcs) << where;
        EXPECT_EQ(got.values, nullptr);
        with_values.release_scratch();
        without.release_scratch();
    });
}

template <class Space>
class partition_exchange : public space_test {};
TYPED_TEST_SUITE(partition_exchange, all_spaces, space_names);

TYPED_TEST(partition_exchange, undirected_edges_give_an_arc_to_the_owner_of_each_end) {
    for (int const ranks : also_all_devices<int>({1, 2, 3, 8}))
        for (auto const how : {share::all_on_one, share::on_all, share::last_has_none}) {
            batch_case const c{.how = how};
            expect_exchanged<std::uint32_t, TypeParam>(
                ranks, c, graph::modulo_owners(static_cast<std::uint32_t>(ranks)));
        }
}

TYPED_TEST(partition_exchange, directed_edges_with_and_without_in_arcs) {
    for (int const ranks : also_all_devices<int>({1, 3, 8}))
        for (bool const in_arcs : {false, true})
            expect_exchanged<std::uint32_t, TypeParam>(
                ranks, {.directed = true, .in_arcs = in_arcs, .self_loops = false},
                graph::hash_owners(static_cast<std::uint32_t>(ranks)));
}

TYPED_TEST(partition_exchange, wide_ids_and_ranges) {
    expect_exchanged<std::uint64_t, TypeParam>(3, {.vertices = 500}, graph::range_owners::of(3, 500));
    expect_exchanged<std::uint64_t, TypeParam>(2, {.vertices = std::uint64_t{1} << 34, .directed = true},
                                               graph::range_owners::of(2, std::uint64_t{1} << 34));
}

TYPED_TEST(partition_exchange, one_owner_may_get_everything) {
    expect_exchanged<std::uint32_t, TypeParam>(8, {.directed = true, .to_one_vertex = true},
                                               graph::modulo_owners(8));
    expect_exchanged<std::uint32_t, TypeParam>(3, {.vertices = 50}, graph::range_owners(3, 1000));
}

TYPED_TEST(partition_exchange, an_empty_batch_changes_nothing) {
    expect_exchanged<std::uint32_t, TypeParam>(3, {.edges = 0}, graph::modulo_owners(3));
}

/// The ranks do not reach each other's memory.
template <class Space>
class apart : public comm::communicator_decorator<Space> {
public:
    using comm::communicator_decorator<Space>::communicator_decorator;
    [[nodiscard]] bool may_share_memory() const override { return false; }
};

/// Arcs come packed to the ranks with even numbers, and in the order of the lowest bits of their targets. A
/// second batch is larger, so that ranks make room again.
template <class Id, class Space, class Owners>
void expect_packed(Owners const& owners, bool directed, bool in_arcs) {
    auto const ranks = static_cast<int>(owners.ranks());
    counting_resource pools[4];
    for (unsigned const low_bits : {0u, 1u, 2u})
        for (int const how : {0, 1, 2}) // written, sent, sent as a resource lends memory
            comm::run_ranks(spaces_of<Space>(ranks), [&](communicator<Space>& plain) {
                apart<Space> decorated(plain);
                communicator<Space>& self = how == 1 ? static_cast<communicator<Space>&>(decorated) : plain;
                bool const packs = self.rank() % 2 == 0;
                graph::arc_exchange<Space, Id> exchange(
                    self, how == 2 ? &pools[static_cast<std::size_t>(self.rank())] : nullptr);
                for (std::uint64_t const count : {40u, 700u, 650u}) {
                    batch_case const c{
                        .vertices = 600, .edges = count, .directed = directed, .in_arcs = in_arcs};
                    routing_rules<Id, Owners> const rules{owners, c.vertices, c.directed, c.in_arcs};
                    graph::arc_wishes<Id> wishes;
                    if (packs) wishes.least_packed = 10;
                    wishes.keys = graph::batch::packed_keys<Id>::of(c.vertices, 2 * c.vertices);
                    wishes.low_bits = low_bits;
                    auto const mine = edges_of<Id>(c, self.rank(), ranks);
                    exec::buffer<Space, basic_edge<Id>> const edges(self.space(),
                                                                    std::span<basic_edge<Id> const>(mine));
                    auto const got = exchange.exchange_placed(
                        rules,
                        [&] {
                            return graph::batch_share<Id, graph::no_edge_value>{edges.data(), nullptr,
                                                                                mine.size()};
                        },
                        wishes);
                    EXPECT_EQ(got.form.packed, packs);
                    EXPECT_EQ(got.form.ordered_bits, packs ? low_bits : 0);
                    std::vector<routed_arc<Id>> arcs(got.count);
                    if (packs) {
                        std::vector<typename graph::batch::packed_keys<Id>::key> keys(got.count);
                        self.space().copy_out(keys.data(), got.arcs, got.count * sizeof(keys[0]));
                        for (std::size_t i = 0; i < keys.size(); ++i)
                            arcs[i] = {static_cast<Id>(wishes.keys.row_of(keys[i])),
                                       wishes.keys.target_of(keys[i])};
                    } else {
                        self.space().copy_out(arcs.data(), got.arcs, got.count * sizeof(arcs[0]));
                    }
                    auto expected = expected_at<Id>(self.rank(), ranks, c, owners).arcs;
                    Id const low = static_cast<Id>((1u << low_bits) - 1);
                    std::stable_sort(expected.begin(), expected.end(), [&](auto const& a, auto const& b) {
                        return (a.target & low) < (b.target & low);
                    });
                    EXPECT_EQ(arcs, expected) << "rank " << self.rank() << " of " << ranks << ", " << low_bits
                                              << " bits, " << how << ", " << count << " edges";
                }
            });
}

TYPED_TEST(partition_exchange, arcs_come_packed_and_in_the_order_of_low_bits_where_ranks_wish) {
    expect_packed<std::uint32_t, TypeParam>(graph::modulo_owners(2), true, false);
    expect_packed<std::uint32_t, TypeParam>(graph::hash_owners(3), true, true);
    expect_packed<std::uint64_t, TypeParam>(graph::hash_owners(2), false, false);
    expect_packed<std::uint64_t, TypeParam>(graph::range_owners(4, 150), true, false);
}

/// Copies arcs, and takes its time before. One thread.
struct late_copy {
    routed_arc<std::uint32_t> const* from;
    routed_arc<std::uint32_t>* to;
    std::uint64_t count;
    std::uint64_t turns;

    template <class Thread>
    RZ_HD void operator()(Thread const&) const {
        std::uint64_t number = count;
        for (std::uint64_t i = 0; i < turns; ++i)
            number = number * 6364136223846793005ull + (number >> 7 | 1);
        std::uint64_t const none = number == 0 ? 1 : 0; // so that the loop is not left out
        for (std::uint64_t i = none; i < count; ++i)
            to[i] = from[i];
    }
};

/// A rank may pass nothing while its kernels still read what arrived before.
TYPED_TEST(partition_exchange, arcs_stay_until_work_before_the_next_exchange_is_done) {
    comm::run_ranks(spaces_of<TypeParam>(2), [&](communicator<TypeParam>& self) {
        routing_rules<std::uint32_t, graph::modulo_owners> const rules{graph::modulo_owners(2), 4000, true};
        graph::arc_exchange<TypeParam, std::uint32_t> exchange(self);
        std::uint64_t const count = self.rank() == 0 ? 1000 : 0;
        exec::buffer<TypeParam, routed_arc<std::uint32_t>> copied(self.space(), 1000);
        for (std::uint32_t round = 0; round < 3; ++round) {
            std::vector<graph::edge> mine; // to rank 1
            std::vector<routed_arc<std::uint32_t>> expected;
            for (std::uint32_t i = 0; i < 1000; ++i) {
                mine.push_back({2 * i + 1, i + round});
                expected.push_back({i, i + round});
            }
            exec::buffer<TypeParam, graph::edge> const edges(self.space(),
                                                             std::span<graph::edge const>(mine));
            for (graph::edge& each : mine)
                each.target += 2000;
            exec::buffer<TypeParam, graph::edge> const others(self.space(),
                                                              std::span<graph::edge const>(mine));
            auto const first = exchange.exchange(rules, edges.data(), nullptr, count);
            if (self.rank() == 1) {
                ASSERT_EQ(first.count, 1000u);
                launch(self.space(), exec::launch_shape{1, 1},
                       late_copy{first.arcs, copied.data(), first.count, 3'000'000});
            }
            static_cast<void>(exchange.exchange(rules, others.data(), nullptr, count));
            if (self.rank() == 1) {
                EXPECT_EQ(copied.to_host(), expected) << "round " << round;
            }
        }
    });
}

/// Whichever rank lacks memory, in whichever step: it throws out_of_memory, the others refused_by_rank, and
/// the next exchange works.
TYPED_TEST(partition_exchange, a_rank_without_memory_refuses_the_batch_on_all_ranks) {
    constexpr int ranks = 3;
    for (int limited = 0; limited < ranks; ++limited)
        // The communicator takes 525 KB and the edges of the limited rank 12 KB, so that the first limit does
        // not hold the arcs that this rank sends. On other ranks nothing is limited.
        for (std::uint64_t const limit_bytes : {540'000u, 700'000u}) {
            std::atomic<int> refused{0};
            comm::run_ranks(
                spaces_of<TypeParam>(ranks, limit_bytes, limited), [&](communicator<TypeParam>& self) {
                    routing_rules<std::uint32_t, graph::modulo_owners> const rules{
                        graph::modulo_owners(ranks), 1'000'000};
                    graph::arc_exchange<TypeParam, std::uint32_t> exchange(self);
                    // The second limit holds the batch of the limited rank, which has 10 edges, but not what
                    // arrives.
                    bool const has_few = limit_bytes == 700'000u && self.rank() == limited;
                    std::vector<graph::edge> mine;
                    std::uint32_t const step = static_cast<std::uint32_t>(ranks);
                    for (std::uint32_t i = 0; i < (has_few ? 10u : 20'000u); ++i)
                        mine.push_back({i * step + static_cast<std::uint32_t>(limited), i});
                    if (self.rank() == limited && !has_few) mine.resize(1500);
                    exec::buffer<TypeParam, graph::edge> const edges(self.space(),
                                                                     std::span<graph::edge const>(mine));
                    try {
                        static_cast<void>(exchange.exchange(rules, edges.data(), nullptr, mine.size()));
                        ADD_FAILURE() << "rank " << self.rank() << " was not refused";
                    } catch (exec::out_of_memory const&) {
                        EXPECT_EQ(self.rank(), limited);
                        refused.fetch_add(1);
                    } catch (graph::refused_by_rank const& error) {
                        EXPECT_NE(self.rank(), limited);
                        EXPECT_EQ(error.rank(), limited);
                        refused.fetch_add(1);
                    }
                    exchange.release_scratch();
                    auto const got = exchange.exchange(rules, edges.data(), nullptr, 10);
                    EXPECT_EQ(got.rejected, 0u);
                });
            EXPECT_EQ(refused.load(), ranks);
        }
}

TYPED_TEST(partition_exchange, values_on_some_ranks_only_are_refused) {
    comm::run_ranks(spaces_of<TypeParam>(2), [&](communicator<TypeParam>& self) {
        routing_rules<std::uint32_t, graph::modulo_owners> const rules{graph::modulo_owners(2), 10};
        graph::arc_exchange<TypeParam, std::uint32_t, double> exchange(self);
        std::vector<graph::edge> const one{{1, 2}};
        std::vector<double> const value{7};
        exec::buffer<TypeParam, graph::edge> const edges(self.space(), std::span<graph::edge const>(one));
        exec::buffer<TypeParam, double> const values(self.space(), std::span<double const>(value));
        double const* const mine = self.rank() == 0 ? values.data() : nullptr;
        EXPECT_THROW(static_cast<void>(exchange.exchange(rules, edges.data(), mine, 1)),
                     std::invalid_argument);
        // A rank without edges needs no values.
        auto const got = exchange.exchange(rules, edges.data(), mine, self.rank() == 0 ? 1 : 0);
        EXPECT_EQ(got.count, 1u);
        EXPECT_NE(got.values, nullptr);
        routing_rules<std::uint32_t, graph::modulo_owners> const others{graph::modulo_owners(3), 10};
        EXPECT_THROW(static_cast<void>(exchange.exchange(others, edges.data(), mine, 0)),
                     std::invalid_argument);
    });
}

TYPED_TEST(partition_exchange, a_step_that_throws_on_a_rank_throws_on_all) {
    for (int culprit = 0; culprit < 3; ++culprit)
        comm::run_ranks(spaces_of<TypeParam>(3), [&](communicator<TypeParam>& self) {
            auto const step = [&]() -> std::vector<std::uint64_t> {
                if (self.rank() == culprit) throw std::length_error("too long");
                return {static_cast<std::uint64_t>(self.rank())};
            };
            if (self.rank() == culprit)
                EXPECT_THROW(static_cast<void>(graph::all_or_none(self, 1, step)), std::length_error);
            else
                EXPECT_THROW(static_cast<void>(graph::all_or_none(self, 1, step)), graph::refused_by_rank);
            auto const words = graph::all_or_none(self, 1, [&] {
                return std::vector<std::uint64_t>{static_cast<std::uint64_t>(self.rank()) * 10};
            });
            EXPECT_EQ(words, (std::vector<std::uint64_t>{0, 10, 20}));
        });
}

/// What ranks 1 and 2 throw has these lengths.
TYPED_TEST(partition_exchange, of_two_ranks_whose_steps_throw_the_lower_is_named_with_its_text) {
    for (auto const& lengths : {std::pair<std::size_t, std::size_t>{7, 8}, {16, 3}, {0, 900}, {5000, 1}}) {
        std::size_t const first = lengths.first;
        std::size_t const second = lengths.second;
        comm::run_ranks(spaces_of<TypeParam>(3), [&](communicator<TypeParam>& self) {
            auto const step = [&]() -> std::vector<std::uint64_t> {
                if (self.rank() == 1) throw std::length_error(std::string(first, 'b'));
                if (self.rank() == 2) throw std::length_error(std::string(second, 'c'));
                return {};
            };
            try {
                static_cast<void>(graph::all_or_none(self, 0, step));
                ADD_FAILURE() << "rank " << self.rank() << " was not refused";
            } catch (std::length_error const& error) {
                EXPECT_EQ(std::string(error.what()),
                          self.rank() == 1 ? std::string(first, 'b') : std::string(second, 'c'));
            } catch (graph::refused_by_rank const& error) {
                EXPECT_EQ(self.rank(), 0);
                EXPECT_EQ(error.rank(), 1);
                std::string const told(std::min(first, graph::detail::most_refusal_bytes), 'b');
                EXPECT_EQ(std::string(error.what()), graph::refused_by_rank(1, told).what());
            }
        });
    }
}

TYPED_TEST(partition_exchange, a_vote_names_the_lowest_rank_that_refuses) {
    for (unsigned refusers = 0; refusers < 8; ++refusers) // a bit for each rank
        comm::run_ranks(spaces_of<TypeParam>(3), [&](communicator<TypeParam>& self) {
            graph::agreement<TypeParam> vote(self);
            EXPECT_FALSE(vote.was_asked());
            EXPECT_EQ(vote.ask((refusers >> self.rank() & 1) == 0), refusers == 0);
            EXPECT_TRUE(vote.was_asked());
            EXPECT_TRUE(vote.result().ok());
            ASSERT_EQ(vote.refuser().has_value(), refusers != 0);
            EXPECT_EQ(vote.refuser().value_or(32), std::countr_zero(refusers));
        });
}

/// The number of arcs is refused before there is memory for them.
TYPED_TEST(partition_exchange, room_is_made_for_at_most_as_many_arcs_as_32_bits_count) {
    auto const space = make_space<TypeParam>({.memory_limit_bytes = 64u << 20});
    using room_type = graph::arrival_room<TypeParam, std::uint32_t, double>;
    room_type room(space);
    EXPECT_THROW(room.make(0, 0xffff'ffffull, false), std::length_error);
    EXPECT_THROW(room.make(0, 0xffff'ffffull, true), std::length_error);
    EXPECT_THROW(room.make(0, 0xffff'fffeull, false), exec::out_of_memory);
    EXPECT_EQ(room.held_bytes(), 0u);

    EXPECT_TRUE(room_type::suffices(room.word(), 0, true));
    EXPECT_FALSE(room_type::suffices(room.word(), 1, false));
    room.make(0, 1000, false);
    EXPECT_TRUE(room_type::suffices(room.word(), 1000, false));
    EXPECT_FALSE(room_type::suffices(room.word(), 1000, true)) << "there is no room for values";
    room.make(0, 1000, true);
    EXPECT_TRUE(room_type::suffices(room.word(), 1000, true));
    std::uint64_t const most = 0xffff'fffeull << 32 | 0xffff'fffeull;
    EXPECT_TRUE(room_type::suffices(most, 0xffff'fffeull, true));
    EXPECT_FALSE(room_type::suffices(most, 0xffff'ffffull, true));
    EXPECT_FALSE(room_type::suffices(most, 0xffff'ffffull, false)) << "a rank with this word refuses";
}

} // namespace
} // namespace rhizome::tests
