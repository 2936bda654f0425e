// SPDX-License-Identifier: Apache-2.0
// Ranks that throw, leave, hang, abort or call something else, in every call of the backend `threads`.
#include "ranks.hpp"

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/host/space.hpp>

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace rhizome::tests {
namespace {

using comm::comm_result;
using comm::communicator;
using comm::failure;
using clock = std::chrono::steady_clock;

template <class Space>
struct named_call {
    char const* name;
    std::function<comm_result(communicator<Space>&)> make;
};

/// Each call of a communicator that needs the other ranks.
template <class Space>
std::vector<named_call<Space>> const& all_calls() {
    static std::vector<named_call<Space>> const calls{
        {"all_to_all",
         [](communicator<Space>& self) {
             std::vector<std::uint64_t> const one(static_cast<std::size_t>(self.size()), 1);
             exec::buffer<Space, int> from(self.space(), one.size()), to(self.space(), one.size());
             from.fill_bytes(1);
             return self.all_to_all(static_cast<int const*>(from.data()), one, to.data(), one);
         }},
        {"all_gather",
         [](communicator<Space>& self) {
             exec::buffer<Space, int> from(self.space(), 1),
                 to(self.space(), static_cast<std::uint64_t>(self.size()));
             from.fill_bytes(1);
             return self.all_gather(static_cast<int const*>(from.data()), 1, to.data());
         }},
        {"all_reduce",
         [](communicator<Space>& self) {
             exec::buffer<Space, int> data(self.space(), 10);
             data.fill_bytes(1);
             return self.all_reduce(static_cast<int const*>(data.data()), data.data(), 10,
                                    comm::reduction::sum);
         }},
        {"broadcast",
         [](communicator<Space>& self) {
             exec::buffer<Space, int> data(self.space(), 10);
             data.fill_bytes(1);
             return self.broadcast(data.data(), 10, 0);
         }},
        {"barrier", [](communicator<Space>& self) { return self.barrier(); }},
        {"vote", [](communicator<Space>& self) { return self.vote(true).result; }},
        {"gather_words",
         [](communicator<Space>& self) {
             std::vector<std::uint64_t> const mine(3, 1);
             std::vector<std::uint64_t> all(3 * static_cast<std::size_t>(self.size()));
             return self.gather_words(mine, all);
         }},
        {"exchange_counts",
         [](communicator<Space>& self) {
             return self.exchange_counts(std::vector<std::uint64_t>(static_cast<std::size_t>(self.size()), 1))
                 .result;
         }},
    };
    return calls;
}

/// Expects a failure that names the rank, and that later calls return it too.
template <class Space>
void expect_dead(communicator<Space>& self, comm_result const& result, failure kind, int rank,
                 std::string const& text) {
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(result.kind(), kind) << result.why();
    EXPECT_EQ(result.rank(), rank) << result.why();
    EXPECT_NE(result.why().find(text), std::string_view::npos) << result.why();
    EXPECT_EQ(result.why().find('\n'), std::string_view::npos);
    auto const begin = clock::now();
    for (auto const& call : all_calls<Space>())
        EXPECT_EQ(call.make(self).why(), result.why()) << call.name;
    EXPECT_EQ(self.state().why(), result.why());
    EXPECT_EQ(self.wait().why(), result.why());
    EXPECT_LT(clock::now() - begin, ample_limit / 2);
}

template <class Space>
class comm_failures : public space_test {};
TYPED_TEST_SUITE(comm_failures, all_spaces, space_names);

TYPED_TEST(comm_failures, a_rank_that_throws_ends_every_call_with_its_message) {
    for (auto const& call : all_calls<TypeParam>())
        for (int const culprit : {0, 2}) {
            std::atomic<int> ended{0};
            auto const run = [&] {
                on_ranks<TypeParam>(3, [&](communicator<TypeParam>& self) {
                    ASSERT_TRUE(call.make(self).ok()) << call.name;
                    if (self.rank() == culprit) throw std::runtime_error("the disk is full");
                    expect_dead(self, call.make(self), failure::peer_left, culprit,
                                "rank " + std::to_string(culprit) + " threw: the disk is full");
                    ended.fetch_add(1);
                });
            };
            EXPECT_THROW(run(), std::runtime_error) << call.name;
            EXPECT_EQ(ended.load(), 2) << call.name;
        }
}

TYPED_TEST(comm_failures, a_rank_that_leaves_ends_every_call) {
    for (auto const& call : all_calls<TypeParam>())
        on_ranks<TypeParam>(3, [&](communicator<TypeParam>& self) {
            ASSERT_TRUE(call.make(self).ok()) << call.name;
            if (self.rank() == 1) return;
            expect_dead(self, call.make(self), failure::peer_left, 1, "rank 1 left the group");
        });
}

TYPED_TEST(comm_failures, a_rank_that_hangs_ends_every_call_at_the_time_limit) {
    for (auto const& call : all_calls<TypeParam>()) {
        std::atomic<int> ended{0};
        on_ranks<TypeParam>(
            3,
            [&](communicator<TypeParam>& self) {
                if (self.rank() == 1) { // until the others have given up
                    while (ended.load() != 2)
                        std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    EXPECT_FALSE(call.make(self).ok());
                    return;
                }
                auto const begin = clock::now();
                auto const result = call.make(self);
                // The other rank may have begun to wait earlier, never later than this one.
                EXPECT_LT(clock::now() - begin, short_limit + std::chrono::seconds(30));
                expect_dead(self, result, failure::timed_out, 1, "rank 1 did not take part in");
                ended.fetch_add(1);
            },
            short_limit);
    }
}

TYPED_TEST(comm_failures, a_rank_that_aborts_ends_the_calls_of_the_others) {
    on_ranks<TypeParam>(4, [&](communicator<TypeParam>& self) {
        ASSERT_TRUE(self.barrier().ok());
        if (self.rank() == 3) self.abort("the graph is broken");
        expect_dead(self, self.barrier(), failure::aborted, 3, "rank 3 aborted: the graph is broken");
    });
}

TYPED_TEST(comm_failures, the_first_exception_is_thrown_not_those_that_follow) {
    auto const run = [] {
        on_ranks<TypeParam>(3, [&](communicator<TypeParam>& self) {
            if (self.rank() == 1) throw std::runtime_error("cause");
            self.barrier().or_throw();
        });
    };
    try {
        run();
        ADD_FAILURE() << "nothing was thrown";
    } catch (comm::comm_error const& error) {
        ADD_FAILURE() << error.what();
    } catch (std::runtime_error const& error) {
        EXPECT_EQ(std::string_view(error.what()), "cause");
    }
}

TYPED_TEST(comm_failures, the_longest_time_limit_is_none) {
    auto const run = [](communicator<TypeParam>& self) {
        for (auto const& call : all_calls<TypeParam>()) {
            if (self.rank() == 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(5)); // the other waits
            comm_result const result = call.make(self);
            ASSERT_TRUE(result.ok()) << call.name << ": " << result.why();
        }
    };
    on_ranks<TypeParam>(2, run, std::chrono::milliseconds::max());
}

#if !RZ_TEST_SANITIZED && !defined(__CUDACC__) // a sanitizer has threads of its own; ranks on the host
/// While it exists, no thread can start: none gets a stack that takes the whole address space.
class no_more_threads {
public:
    no_more_threads() {
        EXPECT_EQ(pthread_getattr_default_np(&before_), 0);
        pthread_attr_t huge;
        EXPECT_EQ(pthread_attr_init(&huge), 0);
        EXPECT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 47), 0);
        EXPECT_EQ(pthread_setattr_default_np(&huge), 0);
        pthread_attr_destroy(&huge);
    }
    no_more_threads(no_more_threads const&) = delete;
    no_more_threads& operator=(no_more_threads const&) = delete;
    ~no_more_threads() {
        pthread_setattr_default_np(&before_);
        pthread_attr_destroy(&before_);
    }

private:
    pthread_attr_t before_;
};

TEST(comm_run_ranks, ranks_end_if_a_later_one_cannot_start) {
    int refused = 0;
    int ended = 0;
    for (int attempt = 0; attempt < 100 && refused < 3; ++attempt) {
        std::optional<no_more_threads> none;
        try {
            on_ranks<exec::host_space>(64, [&](communicator<exec::host_space>& self) {
                if (self.rank() == 0) none.emplace(); // the threads of some later ranks have started already
                comm_result const met = self.barrier();
                if (self.rank() == 0 && !met.ok()) {
                    ++ended;
                    EXPECT_NE(met.why().find("could not start"), std::string_view::npos) << met.why();
                }
            });
        } catch (std::system_error const&) {
            ++refused;
        }
    }
    EXPECT_EQ(refused, 3) << "all threads had started before";
    EXPECT_EQ(ended, 3);
}
#endif

TYPED_TEST(comm_failures, several_missing_ranks_are_all_named) {
    std::atomic<bool> ended{false};
    on_ranks<TypeParam>(
        4,
        [&](communicator<TypeParam>& self) {
            if (self.rank() != 2) {
                while (!ended.load())
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                return;
            }
            auto const result = self.barrier();
            ended.store(true);
            EXPECT_EQ(result.rank(), 0);
            EXPECT_EQ(result.why(),
                      "rank 0 did not take part in gather_words within 200 ms (also missing: 1, 3)");
        },
        short_limit);
}

TYPED_TEST(comm_failures, calls_that_do_not_match_fail_on_all_ranks) {
    auto const mismatch = [](std::function<comm_result(communicator<TypeParam>&)> const& call, int culprit,
                             std::string const& text) {
        on_ranks<TypeParam>(3, [&](communicator<TypeParam>& self) {
            expect_dead(self, call(self), failure::mismatch, culprit, text);
        });
    };
    std::uint32_t* const none = nullptr;
    mismatch(
        [](communicator<TypeParam>& self) {
            exec::buffer<TypeParam, int> data(self.space(), 4);
            return self.rank() == 1 ? self.broadcast(data.data(), 4, 0) : self.vote(true).result;
        },
        1, "rank 1 called broadcast, but rank 0 called gather_words");
    mismatch(
        [&](communicator<TypeParam>& self) {
            exec::buffer<TypeParam, std::uint32_t> data(self.space(), 12);
            std::vector<std::uint64_t> out{1, 1, 1}, in{1, 1, 1};
            if (self.rank() == 2) out[1] = 2;
            return self.all_to_all(static_cast<std::uint32_t const*>(data.data()), out, data.data() + 6, in);
        },
        1, "rank 1 expects 1 elements from rank 2, which sends 2");
    mismatch(
        [&](communicator<TypeParam>& self) {
            exec::buffer<TypeParam, std::uint32_t> data(self.space(), 12);
            std::vector<std::uint64_t> out{1, 1, 1}, in{1, 1, 1};
            if (self.rank() == 2) out[2] = 2;
            return self.all_to_all(static_cast<std::uint32_t const*>(data.data()), out, data.data() + 6, in);
        },
        2, "rank 2 expects 1 elements from itself and sends 2");
    mismatch(
        [&](communicator<TypeParam>& self) {
            std::vector<std::uint64_t> sizes{0, 0, 0};
            if (self.rank() == 2) sizes[0] = 5;
            return self.all_gather(static_cast<std::uint32_t const*>(none), none,
                                   std::span<std::uint64_t const>(sizes));
        },
        2, "rank 2 called all_gather with other counts");
    mismatch(
        [&](communicator<TypeParam>& self) {
            exec::buffer<TypeParam, int> data(self.space(), 4);
            data.fill_bytes(0);
            return self.all_reduce(static_cast<int const*>(data.data()), data.data(),
                                   self.rank() == 1 ? 3 : 4, comm::reduction::sum);
        },
        1, "with 3 elements");
    mismatch(
        [&](communicator<TypeParam>& self) {
            return self.all_reduce(static_cast<std::uint32_t const*>(none), none, 0,
                                   self.rank() == 2 ? comm::reduction::max : comm::reduction::sum);
        },
        2, "another root, type or reduction");
    mismatch([&](communicator<TypeParam>& self) { return self.broadcast(none, 0, self.rank() == 1 ? 2 : 1); },
             1, "another root");
    mismatch(
        [&](communicator<TypeParam>& self) {
            std::vector<std::uint64_t> const mine(self.rank() == 1 ? 2 : 1);
            std::vector<std::uint64_t> all(3 * mine.size());
            return self.gather_words(mine, all);
        },
        1, "with 2 words");
}

TYPED_TEST(comm_failures, a_space_without_memory_for_the_scratch_makes_no_communicator) {
    auto spaces = spaces_of_ranks<TypeParam>(1, {.threads = 1});
    spaces.push_back(make_space<TypeParam>({.threads = 1, .memory_limit_bytes = 100'000}));
    EXPECT_THROW(comm::run_ranks(spaces, [](communicator<TypeParam>&) {}), exec::out_of_memory);
}

} // namespace
} // namespace rhizome::tests
