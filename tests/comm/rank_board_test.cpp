// What ranks find on their board of those that have left, have failed, or are gone. Each board here has a
// file and a lock of its own, as those of different processes.
#include <rhizome/comm/bootstrap/rank_board.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
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
    EXPECT_EQ(second.look().why(), std::string(491, 'x'));
}

TEST_F(comm_rank_board, two_processes_are_not_the_same_rank) {
    rank_board const first(path_, 0, 2);
    EXPECT_THROW(rank_board(path_, 0, 2), comm::comm_error);
    EXPECT_THROW(rank_board("/no/such/folder/board", 0, 2), comm::comm_error);
}

} // namespace
} // namespace rhizome::tests
