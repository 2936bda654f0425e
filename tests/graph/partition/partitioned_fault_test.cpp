// SPDX-License-Identifier: Apache-2.0
// The space of one rank fails once, at each of its allocations and calls in turn, while a batch is applied:
// the ranks that do not say that the graph is broken hold the same state, from before or after the batch.
#include "../failing_space.hpp"

#include <rhizome/comm/threads.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/partition/partitioned_graph.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

using faulty_space = failing_space<exec::host_space>;
using faulty_graph = graph::partitioned_graph<faulty_space>;

enum class outcome : std::uint8_t { before, after, broken, other };

constexpr std::uint32_t fault_vertices = 60;

std::vector<graph::edge> star_edges(std::uint32_t from, std::uint32_t step) {
    std::vector<graph::edge> edges;
    for (std::uint32_t v = 0; v < fault_vertices; v += step)
        edges.push_back({from, v});
    return edges;
}

/// The arcs of a rank's rows, or nothing if the graph is broken.
std::vector<std::uint32_t> rows_now(faulty_graph& tested) {
    auto const copy = tested.part().snapshot();
    auto words = copy.targets.to_host();
    for (std::uint64_t const offset : copy.offsets.to_host())
        words.push_back(static_cast<std::uint32_t>(offset));
    return words;
}

/// Call or allocation `number` of a rank fails during an insertion. Returns what each rank then holds;
/// nothing if there is no such call.
std::vector<outcome> outcomes_of(int faulty, failure how, std::uint64_t number) {
    constexpr int ranks = 2;
    std::vector<outcome> outcomes(ranks, outcome::other);
    bool reached = false;
    std::vector<faulty_space> spaces;
    for (int rank = 0; rank < ranks; ++rank)
        spaces.emplace_back(exec::host_space({.threads = 1}));
    auto const batch = star_edges(3, 1);
    comm::run_ranks(
        spaces,
        [&](comm::communicator<faulty_space>& self) {
            auto const rank = static_cast<std::size_t>(self.rank());
            auto const insert = [&](faulty_graph& into, std::vector<graph::edge> const& edges) {
                return into.insert_edges(self.rank() == 0 ? std::span<graph::edge const>(edges)
                                                          : std::span<graph::edge const>());
            };
            graph::graph_options const options{.vertices = fault_vertices, .heap_bytes = 64u << 10};
            faulty_graph expected(self, graph::modulo_owners(ranks), options);
            insert(expected, star_edges(0, 2));
            auto const before = rows_now(expected);
            insert(expected, batch);
            auto const after = rows_now(expected);
            faulty_graph tested(self, graph::modulo_owners(ranks), options);
            insert(tested, star_edges(0, 2));
            self.barrier().or_throw();

            auto& plan = self.space().plan();
            if (self.rank() == faulty) plan.arm(how, number);
            bool thrown = false;
            try {
                insert(tested, batch);
            } catch (std::exception const&) {
                thrown = true;
            }
            if (self.rank() == faulty) reached = plan.disarm();
            if (tested.broken()) {
                outcomes[rank] = outcome::broken;
                EXPECT_TRUE(thrown);
                EXPECT_THROW(insert(tested, batch), std::logic_error);
                return;
            }
            std::vector<std::uint32_t> now;
            try {
                now = rows_now(tested);
            } catch (std::logic_error const&) {
                outcomes[rank] = outcome::broken;
                return;
            }
            EXPECT_EQ(tested.part().validate(), std::vector<std::string>());
            outcomes[rank] = now == before ? outcome::before : now == after ? outcome::after : outcome::other;
            EXPECT_EQ(outcomes[rank] == outcome::before, thrown) << "what was told is not what is there";
        },
        {.time_limit = std::chrono::seconds(20)});
    if (!reached) outcomes.clear();
    return outcomes;
}

TEST(partitioned_faults, leave_the_ranks_alike_or_broken) {
    std::set<std::vector<outcome>> seen;
    for (int faulty = 0; faulty < 2; ++faulty)
        for (auto const how :
             {failure::out_of_memory_once, failure::out_of_memory_on, failure::call_refused}) {
            std::uint64_t number = 1;
            for (;; ++number) {
                auto const outcomes = outcomes_of(faulty, how, number);
                if (outcomes.empty()) break;
                std::string const where = "rank " + std::to_string(faulty) + ", failure " +
                                          std::to_string(static_cast<int>(how)) + ", number " +
                                          std::to_string(number);
                std::set<outcome> whole(outcomes.begin(), outcomes.end());
                EXPECT_EQ(whole.count(outcome::other), 0u) << where;
                whole.erase(outcome::broken);
                EXPECT_LE(whole.size(), 1u) << where;
                seen.insert(outcomes);
                if (how == failure::call_refused) continue;
                EXPECT_EQ(outcomes[0] == outcome::broken || outcomes[1] == outcome::broken, false) << where;
            }
            EXPECT_GT(number, how == failure::call_refused ? 12u : 2u);
        }
    EXPECT_TRUE(seen.count({outcome::before, outcome::before}) != 0);
    EXPECT_TRUE(seen.count({outcome::broken, outcome::broken}) != 0) << "no failure came after the vote";
}

enum class change : std::uint8_t {
    insertion,
    growth, ///< an insertion for which heaps grow: what follows it makes calls too
    erasure,
    vertices_erased,
    vertices_inserted,
    vertices_added,
    compaction
};

constexpr std::uint32_t growth_vertices = 600;

void make_change(faulty_graph& of, bool has_share, change what) {
    auto const edges = star_edges(3, 1);
    std::vector<std::uint32_t> const ids{0, 5, 6};
    std::size_t const count = has_share ? edges.size() : 0;
    switch (what) {
    case change::insertion:
        of.insert_edges(std::span(edges).first(count));
        return;
    case change::growth: {
        std::vector<graph::edge> many;
        for (std::uint32_t i = 0; has_share && i < 30 * growth_vertices; ++i)
            many.push_back({i % growth_vertices, (i + i / growth_vertices + 1) % growth_vertices});
        of.insert_edges(many);
        return;
    }
    case change::erasure:
        of.erase_edges(std::span(edges).first(count));
        return;
    case change::vertices_erased:
        of.erase_vertices(std::span(ids).first(has_share ? ids.size() : 0));
        return;
    case change::vertices_inserted:
        static_cast<void>(of.insert_vertices(has_share ? 5 : 0));
        return;
    case change::vertices_added:
        of.add_vertices(1000);
        return;
    case change::compaction:
        of.compact();
        return;
    }
}

/// What a change leaves if call `number` of a rank fails.
struct said_after {
    bool reached = false;
    std::array<bool, 2> broken{};
    std::array<bool, 2> ended{}; ///< whether the rank can no longer communicate
};
said_after after_failure(change what, int faulty, failure how, std::uint64_t number) {
    said_after after;
    std::vector<faulty_space> spaces;
    for (int rank = 0; rank < 2; ++rank)
        spaces.emplace_back(exec::host_space({.threads = 1}));
    auto const run = [&](comm::communicator<faulty_space>& self) {
        auto const rank = static_cast<std::size_t>(self.rank());
        std::uint32_t const vertices = what == change::growth ? growth_vertices : fault_vertices;
        faulty_graph tested(self, graph::modulo_owners(2), {.vertices = vertices, .heap_bytes = 64u << 10});
        auto const edges = star_edges(0, 2);
        tested.insert_edges(std::span(edges).first(rank == 0 ? edges.size() : 0));
        std::vector<std::uint32_t> const gone{7, 8}; // whose ids are given out again
        tested.erase_vertices(gone);
        self.barrier().or_throw();

        auto& plan = self.space().plan();
        if (self.rank() == faulty) plan.arm(how, number);
        bool thrown = false;
        try {
            make_change(tested, rank == 0, what);
        } catch (std::exception const&) {
            thrown = true;
        }
        if (self.rank() == faulty) after.reached = plan.disarm();
        after.broken[rank] = tested.broken();
        after.ended[rank] = !self.state().ok();
        EXPECT_TRUE(thrown || !tested.broken());
        EXPECT_TRUE(tested.broken() || !tested.part().broken());
        if (tested.broken()) {
            EXPECT_THROW(make_change(tested, rank == 0, what), std::logic_error);
            EXPECT_EQ(tested.part().broken(), tested.part().validate().size() == 1);
        } else if (self.state().ok()) {
            EXPECT_EQ(tested.part().validate(), std::vector<std::string>());
        }
    };
    comm::run_ranks(spaces, run, {.time_limit = std::chrono::seconds(20)});
    return after;
}

TEST(partitioned_faults, that_break_the_graph_of_a_rank_are_known_to_all_ranks) {
    for (change const what : {change::insertion, change::growth, change::erasure, change::vertices_erased,
                              change::vertices_inserted, change::vertices_added, change::compaction}) {
        unsigned broken = 0;
        for (int faulty = 0; faulty < 2; ++faulty)
            for (auto const how : {failure::call_refused, failure::call_done, failure::lost})
                for (std::uint64_t number = 1;; ++number) {
                    SCOPED_TRACE("change " + std::to_string(static_cast<int>(what)) + ", rank " +
                                 std::to_string(faulty) + ", failure " +
                                 std::to_string(static_cast<int>(how)) + ", number " +
                                 std::to_string(number));
                    auto const after = after_failure(what, faulty, how, number);
                    if (!after.reached) break;
                    // Ranks that cannot communicate have lost each other in the exchange or in the vote.
                    if (after.ended[0] || after.ended[1]) continue;
                    EXPECT_EQ(after.broken[0], after.broken[1]);
                    broken += after.broken[0] ? 1 : 0;
                }
        EXPECT_EQ(broken != 0, what != change::vertices_added);
    }
}

} // namespace
} // namespace rhizome::tests
