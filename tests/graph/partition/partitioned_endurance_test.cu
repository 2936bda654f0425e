// SPDX-License-Identifier: Apache-2.0
// A hundred million random updates of a graph over all GPUs, 2 to 8, by threads and through NCCL, against the
// same graph on one GPU: every report, and at the end every row. RHIZOME_TEST_SCALE multiplies them.
#include <rhizome/comm/nccl/nccl.hpp>
#include <rhizome/comm/threads.hpp>
#include <rhizome/exec/cuda.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/partition/partitioned_graph.hpp>

#include <gtest/gtest.h>
#include <requirements.hpp>
#include <scale.hpp>
#include <spaces.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace rhizome::tests {
namespace {

constexpr int most_ranks = 8;
constexpr std::uint64_t vertices = 1u << 16;

/// The edges that rank `rank` of `ranks` passes to batch `number`. Each fifth batch is of few rows.
std::vector<graph::edge> share_of_batch(std::uint64_t number, std::uint32_t rank, std::uint32_t ranks) {
    std::mt19937_64 random(number * ranks + rank + 1);
    std::uint64_t const all = number % 4 == 0 ? 4'000'000 : number % 4 == 1 ? 10'000 : 1'000'000;
    std::uint64_t const mine = number % 3 == 0 ? all / ranks : rank == number % ranks ? all : 0;
    std::uint64_t const sources = number % 5 == 0 ? 64 : vertices;
    std::vector<graph::edge> edges(mine);
    for (graph::edge& edge : edges) {
        std::uint64_t const word = random();
        edge = {static_cast<graph::vertex_id>((word >> 32) % sources),
                static_cast<graph::vertex_id>(word % vertices)};
    }
    return edges;
}

/// One rank of the graph. Rank 0 also has the single graph.
void update_many_times(comm::communicator<exec::cuda_space>& self) {
    graph::graph_options const options{.vertices = vertices};
    auto const ranks = static_cast<std::uint32_t>(self.size());
    graph::partitioned_graph<exec::cuda_space> tested(self, graph::modulo_owners(ranks), options);
    std::unique_ptr<graph::dynamic_graph<exec::cuda_space>> single;
    auto const rank = static_cast<std::uint32_t>(self.rank());
    if (rank == 0)
        single = std::make_unique<graph::dynamic_graph<exec::cuda_space>>(
            exec::cuda_space({.device = self.space().device()}), options);
    std::uint64_t const updates = scaled(100'000'000);
    std::uint64_t done = 0;
    for (std::uint64_t number = 0; done < updates; ++number) {
        SCOPED_TRACE("batch " + std::to_string(number));
        bool const erasing = number % 2 == 1;
        std::vector<graph::edge> const mine = share_of_batch(number, rank, ranks);
        auto const report = erasing ? tested.erase_edges(mine) : tested.insert_edges(mine);
        done += report.total();
        // Of one rank at a time, and now and then of all.
        if (number % 8 == rank || number % 64 == 63) tested.release_scratch();
        if (rank != 0) continue;
        std::vector<graph::edge> all = mine;
        for (std::uint32_t other = 1; other < ranks; ++other) {
            std::vector<graph::edge> const share = share_of_batch(number, other, ranks);
            all.insert(all.end(), share.begin(), share.end());
        }
        ASSERT_EQ(report, erasing ? single->erase_edges(all) : single->insert_edges(all));
        ASSERT_EQ(tested.edge_count(), single->edge_count());
    }
    EXPECT_EQ(tested.validate(), std::vector<std::string>());
    auto const copy = tested.snapshot();
    auto const offsets = copy.offsets.to_host();
    auto const targets = copy.targets.to_host();
    auto const view = tested.view();
    std::vector<std::uint64_t> sums(vertices, 0); // of each row that this rank has
    for (std::uint64_t row = 0; row < view.row_count(); ++row) {
        if (!view.is_used(row)) continue;
        std::uint64_t sum = 1;
        for (std::uint64_t i = offsets[row]; i < offsets[row + 1]; ++i)
            sum = (sum ^ targets[i]) * 0x9e37'79b9'7f4a'7c15ull;
        sums[view.id_of(row)] = sum;
    }
    std::vector<std::uint64_t> of_all(vertices * ranks);
    self.gather_words(sums, of_all).or_throw();
    if (rank != 0) return;
    auto const expected = single->snapshot();
    auto const expected_offsets = expected.offsets.to_host();
    auto const expected_targets = expected.targets.to_host();
    std::uint64_t different = 0;
    for (std::uint64_t v = 0; v < vertices; ++v) {
        std::uint64_t sum = 1;
        for (std::uint64_t i = expected_offsets[v]; i < expected_offsets[v + 1]; ++i)
            sum = (sum ^ expected_targets[i]) * 0x9e37'79b9'7f4a'7c15ull;
        different += of_all[v % ranks * vertices + v] != sum ? 1 : 0;
    }
    EXPECT_EQ(different, 0u) << "rows";
    std::printf("%llu updates over %u ranks on %d GPUs, %llu edges left\n",
                static_cast<unsigned long long>(done), ranks, std::min(self.size(), device_count()),
                static_cast<unsigned long long>(tested.edge_count()));
}

class partitioned_endurance : public ::testing::Test {
protected:
    void SetUp() override {
        std::string const no_gpu = exec::cuda_space::unusable_because();
        if (!no_gpu.empty()) return end_without(gpus_are_required(), "no GPU can be used: " + no_gpu);
    }
};

/// A rank for each GPU, up to 8; two ranks where there is one GPU.
TEST_F(partitioned_endurance, a_hundred_million_random_updates_by_threads) {
    int const ranks = std::clamp(device_count(), 2, most_ranks);
    comm::run_ranks(spaces_of_ranks<exec::cuda_space>(ranks, {}), update_many_times);
}

/// With a board, ranks write arcs into each other's memory if they reach it; without, they send them.
void update_through_nccl(bool has_board) {
    int const ranks = std::min(device_count(), most_ranks);
    if (ranks < 2) return end_without(gpus_are_required(2), "there is one GPU");
    std::string const no_nccl = comm::nccl_unusable_because();
    if (!no_nccl.empty()) return end_without(gpus_are_required(2), no_nccl);
    auto const file = std::filesystem::temp_directory_path() /
                      ("rhizome_partitioned_endurance_" + std::to_string(::getpid()));
    std::string const board = has_board ? file.string() + ".board" : "";
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            comm::process_rank process{
                .rank = rank, .size = ranks, .local_rank = rank, .file = file.string(), .board = board};
            try {
                auto const exchange = comm::exchange_for(process);
                auto const self = comm::connect_nccl(exec::cuda_space({.device = rank}), process, *exchange);
                update_many_times(*self);
            } catch (std::exception const& error) {
                ADD_FAILURE() << "rank " << rank << ": " << error.what();
            }
        });
    for (auto& thread : threads)
        thread.join();
    if (has_board) std::filesystem::remove(board);
}

TEST_F(partitioned_endurance, a_hundred_million_random_updates_by_nccl) { update_through_nccl(false); }
TEST_F(partitioned_endurance, a_hundred_million_random_updates_by_nccl_with_a_board) {
    update_through_nccl(true);
}

} // namespace
} // namespace rhizome::tests
