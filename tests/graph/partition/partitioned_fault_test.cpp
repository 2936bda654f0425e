// The space of one rank fails once, at each of its allocations and calls in turn, while a batch is applied:
// the ranks that do not say that the graph is broken hold the same state, from before or after the batch.
#include "../failing_space.hpp"

#include <rhizome/comm/threads.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/partition/partitioned_graph.hpp>

#include <gtest/gtest.h>

#include <chrono>
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
            EXPECT_GT(number, how == failure::call_refused ? 15u : 3u);
        }
    EXPECT_TRUE(seen.count({outcome::before, outcome::before}) != 0);
    EXPECT_TRUE(seen.count({outcome::broken, outcome::broken}) != 0) << "no failure came after the vote";
}

} // namespace
} // namespace rhizome::tests
