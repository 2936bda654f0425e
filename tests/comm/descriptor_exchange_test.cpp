// SPDX-License-Identifier: Apache-2.0
// Descriptors that ranks pass to each other: most tests call the ranks in turn, since nothing waits.
// launch_test.cpp has ranks that are processes.
#include <rhizome/comm/bootstrap/descriptor_exchange.hpp>
#include <rhizome/comm/launch/process.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

using comm::descriptor;
using comm::descriptor_exchange;

descriptor file_with(std::string const& text) {
    descriptor file(::memfd_create("rhizome-test", MFD_CLOEXEC));
    EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    return file;
}

/// "none" if there is no descriptor.
std::string text_of(descriptor const& file) {
    if (file.get() < 0) return "none";
    std::array<char, 100> bytes{};
    ssize_t const count = ::pread(file.get(), bytes.data(), bytes.size(), 0);
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

std::ptrdiff_t open_descriptors() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
}

/// The ends of a pipe, of which one is passed.
class watched_pipe {
public:
    [[nodiscard]] descriptor passed() { return descriptor(::fcntl(ends_.write.get(), F_DUPFD_CLOEXEC, 3)); }
    /// Whether all copies of the other end are closed.
    [[nodiscard]] bool is_alone() {
        ends_.write.reset();
        pollfd read{ends_.read.get(), 0, 0};
        return ::poll(&read, 1, 0) == 1 && (read.revents & POLLHUP) != 0;
    }

private:
    comm::pipe_ends ends_;
};

class comm_descriptors : public ::testing::Test {
protected:
    comm_descriptors() : open_before_(open_descriptors()) {}
    ~comm_descriptors() override {
        ranks_.clear();
        EXPECT_EQ(open_descriptors(), open_before_) << "descriptors were not closed";
    }

    void make(int ranks) {
        for (int rank = 0; rank < ranks; ++rank) {
            ranks_.push_back(std::make_unique<descriptor_exchange>(rank, ranks));
            auto const address = ranks_.back()->address();
            addresses_.insert(addresses_.end(), address.begin(), address.end());
        }
    }
    [[nodiscard]] descriptor_exchange& of(int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }
    void begin(int rank, std::string const& text) {
        of(rank).begin(text.empty() ? descriptor() : file_with(text), addresses_);
    }
    void step_until_done() {
        for (int steps = 0; steps < 1000; ++steps) {
            for (auto const& rank : ranks_)
                rank->step();
            if (std::ranges::all_of(ranks_, [](auto const& rank) { return rank->is_done(); })) return;
        }
        FAIL() << "the exchange is not done";
    }

    std::ptrdiff_t open_before_;
    std::vector<std::unique_ptr<descriptor_exchange>> ranks_;
    std::vector<std::uint64_t> addresses_;
};

TEST_F(comm_descriptors, each_rank_gets_those_of_all_others) {
    make(3);
    auto const text = [](int rank, int round) {
        bool const gives = round != 2 && (round != 3 || rank == 1); // none in the third, one in the fourth
        return gives ? std::to_string(rank) + " in round " + std::to_string(round) : std::string();
    };
    for (int round = 0; round < 5; ++round) {
        for (int rank = 0; rank < 3; ++rank)
            begin(rank, text(rank, round));
        EXPECT_EQ(of(0).missing(), (std::vector<int>{1, 2}));
        ASSERT_NO_FATAL_FAILURE(step_until_done());
        EXPECT_TRUE(of(0).missing().empty());
        for (int rank = 0; rank < 3; ++rank)
            for (int other = 0; other < 3; ++other) {
                if (other == rank) continue;
                descriptor const got = of(rank).take(other);
                std::string const expected = text(other, round).empty() ? "none" : text(other, round);
                EXPECT_EQ(text_of(got), expected) << "rank " << rank;
                EXPECT_EQ(text_of(of(rank).take(other)), "none") << "it can be taken once";
                if (got.get() >= 0) {
                    EXPECT_NE(::fcntl(got.get(), F_GETFD) & FD_CLOEXEC, 0);
                }
            }
    }
}

TEST_F(comm_descriptors, a_rank_alone_is_done_at_once) {
    make(1);
    begin(0, "mine");
    of(0).step();
    EXPECT_TRUE(of(0).is_done());
}

TEST_F(comm_descriptors, nothing_is_sent_or_received_before_an_exchange_begins) {
    make(2);
    begin(0, "early");
    of(0).step();
    of(1).step();
    EXPECT_TRUE(of(0).has_sent());
    EXPECT_FALSE(of(0).is_done());
    EXPECT_FALSE(of(1).is_done());
    EXPECT_TRUE(of(1).missing().empty()) << "none is under way";
    begin(1, "late");
    ASSERT_NO_FATAL_FAILURE(step_until_done());
    EXPECT_EQ(text_of(of(1).take(0)), "early");
    EXPECT_EQ(text_of(of(0).take(1)), "late");
}

/// Ranks 0 and 1 have what they need, and rank 0 begins again while rank 2 has not looked yet.
TEST_F(comm_descriptors, what_a_faster_rank_sends_for_the_next_exchange_is_kept) {
    make(3);
    for (int rank = 0; rank < 3; ++rank)
        begin(rank, "first of " + std::to_string(rank));
    for (int const rank : {2, 1, 0}) // rank 2 sends, and receives nothing
        of(rank).step();
    ASSERT_TRUE(of(0).is_done());
    EXPECT_EQ(of(2).missing(), (std::vector<int>{0, 1}));
    begin(0, "second of 0");
    of(0).step();
    of(2).step();
    EXPECT_TRUE(of(2).is_done());
    EXPECT_EQ(text_of(of(2).take(0)), "first of 0");
    EXPECT_EQ(text_of(of(2).take(1)), "first of 1");
    of(1).step();
    ASSERT_TRUE(of(1).is_done());
    begin(1, "second of 1");
    begin(2, "second of 2");
    EXPECT_EQ(of(2).missing(), std::vector<int>{1}) << "that of rank 0 was there";
    ASSERT_NO_FATAL_FAILURE(step_until_done());
    EXPECT_EQ(text_of(of(2).take(0)), "second of 0");
    EXPECT_EQ(text_of(of(2).take(1)), "second of 1");
    EXPECT_EQ(text_of(of(0).take(2)), "second of 2");
}

/// A queue holds few datagrams (net.unix.max_dgram_qlen, often 10).
TEST_F(comm_descriptors, a_full_queue_is_tried_again) {
    constexpr int ranks = 40;
    make(ranks);
    for (int round = 0; round < 3; ++round) {
        for (int rank = 0; rank < ranks; ++rank)
            begin(rank, std::to_string(100 * round + rank));
        for (int rank = 1; rank < ranks; ++rank)
            of(rank).step(); // rank 0 receives nothing meanwhile
        ASSERT_NO_FATAL_FAILURE(step_until_done());
        for (int other = 1; other < ranks; ++other)
            EXPECT_EQ(text_of(of(0).take(other)), std::to_string(100 * round + other));
    }
}

TEST_F(comm_descriptors, a_rank_that_is_gone_is_told) {
    make(3);
    ranks_[1].reset();
    watched_pipe pipe;
    of(0).begin(pipe.passed(), addresses_);
    of(0).step();
    EXPECT_TRUE(of(0).is_refused());
    EXPECT_FALSE(of(0).has_sent());
    EXPECT_FALSE(of(0).is_done());
    of(0).end();
    EXPECT_FALSE(of(0).is_refused());
    begin(2, "after it");
    of(2).end();
    ranks_.clear();
    EXPECT_TRUE(pipe.is_alone()) << "what rank 2 never received is closed";
}

TEST_F(comm_descriptors, what_comes_for_an_exchange_that_was_given_up_is_dropped) {
    make(2);
    watched_pipe pipe;
    of(0).begin(pipe.passed(), addresses_);
    of(0).step();
    begin(1, "");
    of(0).end();
    of(1).end();
    EXPECT_TRUE(of(0).missing().empty());
    begin(0, "new of 0");
    begin(1, "new of 1");
    ASSERT_NO_FATAL_FAILURE(step_until_done());
    EXPECT_EQ(text_of(of(1).take(0)), "new of 0");
    EXPECT_EQ(text_of(of(0).take(1)), "new of 1");
    EXPECT_TRUE(pipe.is_alone());
}

TEST_F(comm_descriptors, what_no_rank_takes_is_closed) {
    for (int const moment : {0, 1, 2, 3}) {
        watched_pipe pipe;
        {
            descriptor_exchange first(0, 2);
            descriptor_exchange second(1, 2);
            std::vector<std::uint64_t> addresses;
            for (auto const* each : {&first, &second})
                for (std::uint64_t const word : each->address())
                    addresses.push_back(word);
            first.begin(pipe.passed(), addresses);
            if (moment >= 1) first.step();
            if (moment >= 2) {
                second.begin(descriptor(), addresses);
                second.step();
                EXPECT_TRUE(second.is_done());
            }
            if (moment == 3) { // one more, which comes early
                first.step();
                EXPECT_TRUE(first.is_done());
                first.begin(pipe.passed(), addresses);
                first.step();
                second.step();
            }
        }
        EXPECT_TRUE(pipe.is_alone()) << "moment " << moment;
    }
}

/// Sends words and copies of a descriptor to the socket of a rank, as any process of the machine can.
void send_words(std::span<std::uint64_t const> address, std::span<std::uint64_t const> words, int passed,
                std::size_t copies) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    int const length = std::snprintf(to.sun_path + 1, sizeof(to.sun_path) - 1, "rhizome-%016llx%016llx",
                                     static_cast<unsigned long long>(address[0]),
                                     static_cast<unsigned long long>(address[1]));
    iovec data{const_cast<std::uint64_t*>(words.data()), words.size_bytes()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(4 * sizeof(int))> room{};
    msghdr message{};
    message.msg_name = &to;
    message.msg_namelen =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = CMSG_SPACE(copies * sizeof(int));
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(copies * sizeof(int));
    for (std::size_t copy = 0; copy < copies; ++copy)
        std::memcpy(CMSG_DATA(header) + copy * sizeof(int), &passed, sizeof(int));
    descriptor const socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    EXPECT_GE(::sendmsg(socket.get(), &message, MSG_DONTWAIT), 0) << std::strerror(errno);
}

TEST_F(comm_descriptors, datagrams_of_others_and_damaged_ones_are_dropped_with_their_descriptors) {
    make(3);
    std::span<std::uint64_t const> const to = std::span(addresses_).first(descriptor_exchange::words);
    std::uint64_t const a = to[2];
    std::uint64_t const b = to[3];
    using words = std::vector<std::uint64_t>;
    std::vector<words> const foreign{
        {a ^ 1, b, 1, 1},                                 // another secret
        {a, b ^ 1, 1, 1}, {0, 0, 1, 1},     {a, b, 0, 1}, // an exchange that is over, or far ahead
        {a, b, 3, 1},     {a, b, ~0ull, 1}, {a, b, 1, 0}, // from the rank itself, or from none
        {a, b, 1, 3},     {a, b, 1, ~0ull}, {a, b, 1},    // too short, or too long
        {a, b, 1, 1, 0},
    };
    begin(0, "0");
    of(0).step(); // has sent its own
    watched_pipe pipe;
    {
        descriptor const passed = pipe.passed();
        for (words const& each : foreign)
            for (std::size_t const copies : {1u, 2u, 4u}) {
                send_words(to, each, passed.get(), copies);
                std::ptrdiff_t const before = open_descriptors();
                of(0).step();
                EXPECT_EQ(open_descriptors(), before);
            }
        EXPECT_EQ(of(0).missing(), (std::vector<int>{1, 2}));
    }
    EXPECT_TRUE(pipe.is_alone());
    begin(1, "1");
    begin(2, "2");
    ASSERT_NO_FATAL_FAILURE(step_until_done());
    EXPECT_EQ(text_of(of(0).take(1)), "1");
    EXPECT_EQ(text_of(of(0).take(2)), "2");
}

/// Of several descriptors, the first counts; of several datagrams of one rank, too.
TEST_F(comm_descriptors, what_is_too_much_is_closed) {
    make(2);
    begin(0, "0");
    std::vector<std::uint64_t> const from_other{addresses_[2], addresses_[3], 1, 1};
    watched_pipe second;
    {
        descriptor const first = file_with("first");
        send_words(addresses_, from_other, first.get(), 2);
        descriptor const more = second.passed();
        send_words(addresses_, from_other, more.get(), 1);
    }
    std::ptrdiff_t const before = open_descriptors();
    of(0).step();
    EXPECT_EQ(open_descriptors(), before) << "its own was sent and closed, and one came";
    EXPECT_TRUE(of(0).is_done());
    EXPECT_EQ(text_of(of(0).take(1)), "first");
    EXPECT_TRUE(second.is_alone());
}

TEST_F(comm_descriptors, ranks_with_threads_of_their_own) {
    constexpr int ranks = 4;
    make(ranks);
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            for (int round = 0; round < 100; ++round) {
                begin(rank, std::to_string(10 * round + rank));
                while (!of(rank).is_done()) {
                    of(rank).step();
                    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
                    std::this_thread::yield();
                }
                for (int other = 0; other < ranks; ++other)
                    if (other != rank) {
                        EXPECT_EQ(text_of(of(rank).take(other)), std::to_string(10 * round + other));
                    }
            }
        });
    for (auto& thread : threads)
        thread.join();
}

TEST_F(comm_descriptors, a_descriptor_moves) {
    watched_pipe pipe;
    descriptor first = pipe.passed();
    descriptor second(std::move(first));
    EXPECT_EQ(first.get(), -1); // NOLINT(bugprone-use-after-move): that is what it is
    EXPECT_GE(second.get(), 0);
    descriptor third = file_with("old");
    third = std::move(second);
    third = descriptor();
    EXPECT_TRUE(pipe.is_alone());
}

} // namespace
} // namespace rhizome::tests
