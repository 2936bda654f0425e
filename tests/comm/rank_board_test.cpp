// SPDX-License-Identifier: Apache-2.0
// What ranks find on their board of those that have left, have failed, or are gone. Each board here has a
// file and a lock of its own, as those of different processes.
#include <rhizome/comm/bootstrap/rank_board.hpp>

#include <gtest/gtest.h>
#include <scale.hpp>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace rhizome::tests {
namespace {

using comm::comm_result;
using comm::failure;
using comm::rank_board;

class comm_rank_board : public ::testing::Test {
protected:
    comm_rank_board()
        : path_((std::filesystem::temp_directory_path() /
                 ("rhizome_board_" + std::to_string(::getpid()) + "_" +
                  ::testing::UnitTest::GetInstance()->current_test_info()->name()))
                    .string()) {
        std::filesystem::remove(path_);
    }
    ~comm_rank_board() override { std::filesystem::remove(path_); }

    std::string path_;
};

TEST_F(comm_rank_board, names_ranks_that_are_behind_or_not_there_yet) {
    rank_board first(path_, 0, 4);
    EXPECT_EQ(first.behind(), (std::vector<int>{1, 2, 3}));
    EXPECT_TRUE(first.look().ok()) << "ranks that are not there yet may come";
    rank_board second(path_, 1, 4);
    rank_board last(path_, 3, 4);
    EXPECT_EQ(first.behind(), std::vector<int>{2});
    first.begin_call();
    first.begin_call();
    second.begin_call();
    EXPECT_EQ(first.behind(), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(second.behind(), (std::vector<int>{2, 3}));
    EXPECT_EQ(last.behind(), std::vector<int>{2});
}

TEST_F(comm_rank_board, a_rank_that_leaves_is_missed_in_calls_that_it_has_not_made) {
    rank_board first(path_, 0, 2);
    {
        rank_board second(path_, 1, 2);
        first.begin_call();
        second.begin_call();
        EXPECT_TRUE(first.look().ok());
    }
    EXPECT_TRUE(first.look().ok()) << "it has done its part";
    first.begin_call();
    comm_result const found = first.look();
    EXPECT_EQ(found.kind(), failure::peer_left);
    EXPECT_EQ(found.rank(), 1);
    EXPECT_EQ(found.why(), "rank 1 left the group");
}

TEST_F(comm_rank_board, a_failure_is_the_same_for_all) {
    rank_board first(path_, 0, 3);
    rank_board second(path_, 1, 3);
    second.end(comm_result::failed(failure::timed_out, 2, "rank 2 did not take part"));
    second.end(comm_result::failed(failure::library, 1, "what follows from it"));
    second.leave();
    comm_result const found = first.look();
    EXPECT_EQ(found.kind(), failure::timed_out);
    EXPECT_EQ(found.rank(), 2);
    EXPECT_EQ(found.why(), "rank 2 did not take part");
    EXPECT_TRUE(second.look().ok()) << "its own failure is known to it";
    first.end(comm_result::failed(failure::aborted, 0, std::string(2000, 'x')));
    EXPECT_EQ(second.look().why(), std::string(483, 'x'));
}

TEST_F(comm_rank_board, words_of_all_ranks_come_exchange_by_exchange) {
    constexpr int ranks = 3;
    std::uint64_t const exchanges = scaled(20'000);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            rank_board board(path_, rank, ranks);
            std::uint64_t wrong = 0;
            for (std::uint64_t number = 1; number <= exchanges; ++number) {
                std::size_t const count = 1 + number % rank_board::most_words;
                std::vector<std::uint64_t> mine(count);
                for (std::size_t i = 0; i < count; ++i)
                    mine[i] = number * 1000 + i * ranks + static_cast<std::uint64_t>(rank);
                std::vector<std::uint64_t> all(count * ranks);
                board.publish(mine);
                rank_board::collected found;
                while (!found.complete) {
                    found = board.collect(all);
                    if (!found.complete) std::this_thread::yield();
                }
                wrong += found.result.ok() ? 0 : 1;
                for (std::size_t i = 0; i < all.size(); ++i)
                    wrong += all[i] != number * 1000 + i % count * ranks + i / count ? 1 : 0;
            }
            EXPECT_EQ(wrong, 0u);
        });
    for (auto& thread : threads)
        thread.join();
}

TEST_F(comm_rank_board, a_rank_that_gives_another_number_of_words_is_named) {
    rank_board first(path_, 0, 2);
    rank_board second(path_, 1, 2);
    std::vector<std::uint64_t> const three{1, 2, 3};
    std::vector<std::uint64_t> all(6);
    first.publish(three);
    EXPECT_FALSE(first.collect(all).complete);
    second.publish({three.data(), 2});
    auto const found = first.collect(all);
    EXPECT_TRUE(found.complete);
    EXPECT_EQ(found.result.kind(), failure::mismatch);
    EXPECT_EQ(found.result.rank(), 1);
    EXPECT_EQ(found.result.why(), "rank 1 gives 2 words, and rank 0 gives 3");
}

TEST_F(comm_rank_board, two_processes_are_not_the_same_rank) {
    rank_board const first(path_, 0, 2);
    EXPECT_THROW(rank_board(path_, 0, 2), comm::comm_error);
    EXPECT_THROW(rank_board("/no/such/folder/board", 0, 2), comm::comm_error);
}

} // namespace
} // namespace rhizome::tests
