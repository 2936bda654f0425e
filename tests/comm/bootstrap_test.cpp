// SPDX-License-Identifier: Apache-2.0
// Which rank a process is, and how ranks get bytes from rank 0: through a file, and through TCP on this
// machine.
#include <rhizome/comm/bootstrap/id_exchange.hpp>
#include <rhizome/comm/bootstrap/process_rank.hpp>

#include <arpa/inet.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace rhizome::tests {
namespace {

/// For this host the program's name server gives no answer while `no_answer` is true.
constexpr std::string_view silent_host = "silent.invalid";
std::atomic<bool> no_answer{false};
std::atomic<int> searches{0}; ///< under way, for this host

} // namespace
} // namespace rhizome::tests

/// Takes the place of the C library's function in this program.
extern "C" int getaddrinfo(char const* host, char const* service, addrinfo const* wanted, addrinfo** found) {
    using namespace rhizome::tests;
    if (host != nullptr && host == silent_host) {
        searches.fetch_add(1);
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (no_answer.load() && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        searches.fetch_sub(1);
        return EAI_AGAIN;
    }
    static auto const library = reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    return library(host, service, wanted, found);
}

namespace rhizome::tests {
namespace {

using comm::comm_result;
using comm::process_rank;
using std::chrono::milliseconds;

process_rank rank_in(std::map<std::string, std::string> const& variables) {
    return comm::rank_from_environment([&](std::string const& name) -> std::optional<std::string> {
        auto const found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
    });
}

void expect_refused(std::map<std::string, std::string> const& variables, std::string const& text) {
    try {
        static_cast<void>(rank_in(variables));
        ADD_FAILURE() << "not refused: expected " << text;
    } catch (comm::comm_error const& error) {
        EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
}

TEST(comm_process_rank, torchrun) {
    auto const process = rank_in({{"RANK", "5"},
                                  {"WORLD_SIZE", "8"},
                                  {"LOCAL_RANK", "1"},
                                  {"MASTER_ADDR", "gpu-1"},
                                  {"MASTER_PORT", "29500"}});
    EXPECT_EQ(process.launcher, "torchrun");
    EXPECT_EQ(process.rank, 5);
    EXPECT_EQ(process.size, 8);
    EXPECT_EQ(process.local_rank, 1);
    EXPECT_EQ(process.address, "gpu-1");
    EXPECT_EQ(process.port, 29500);
    EXPECT_EQ(process.file, "");
}

TEST(comm_process_rank, the_port_after_the_one_on_which_torchruns_agent_listens) {
    auto const process = rank_in({{"RANK", "0"},
                                  {"WORLD_SIZE", "2"},
                                  {"MASTER_ADDR", "gpu-1"},
                                  {"MASTER_PORT", "29500"},
                                  {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
    EXPECT_EQ(process.port, 29501);
    EXPECT_EQ(process.local_rank, 0);
}

TEST(comm_process_rank, slurm) {
    auto const process = rank_in({{"SLURM_PROCID", "9"},
                                  {"SLURM_NTASKS", "16"},
                                  {"SLURM_LOCALID", "1"},
                                  {"SLURM_JOB_ID", "1234567"},
                                  {"SLURM_STEP_ID", "2"},
                                  {"SLURM_JOB_NODELIST", "node[007-014]"}});
    EXPECT_EQ(process.launcher, "Slurm");
    EXPECT_EQ(process.rank, 9);
    EXPECT_EQ(process.size, 16);
    EXPECT_EQ(process.local_rank, 1);
    EXPECT_EQ(process.address, "node007");
    EXPECT_GE(process.port, 20000);
    EXPECT_LT(process.port, 32000);
    auto const next_step = rank_in({{"SLURM_PROCID", "9"},
                                    {"SLURM_NTASKS", "16"},
                                    {"SLURM_JOB_ID", "1234567"},
                                    {"SLURM_STEP_ID", "3"},
                                    {"SLURM_STEP_NODELIST", "node9"},
                                    {"SLURM_JOB_NODELIST", "node[007-014]"}});
    EXPECT_NE(next_step.port, process.port);
    EXPECT_EQ(next_step.address, "node9");
}

TEST(comm_process_rank, mpirun) {
    auto const open_mpi = rank_in({{"OMPI_COMM_WORLD_RANK", "1"},
                                   {"OMPI_COMM_WORLD_SIZE", "2"},
                                   {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                   {"RHIZOME_COMM_FILE", "/shared/id"}});
    EXPECT_EQ(open_mpi.launcher, "Open MPI");
    EXPECT_EQ(open_mpi.rank, 1);
    EXPECT_EQ(open_mpi.file, "/shared/id");
    auto const mpich =
        rank_in({{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}, {"MASTER_ADDR", "a"}, {"RHIZOME_COMM_PORT", "4000"}});
    EXPECT_EQ(mpich.launcher, "MPICH");
    EXPECT_EQ(mpich.size, 3);
    EXPECT_EQ(mpich.port, 4000);
}

TEST(comm_process_rank, our_own_variables_come_first) {
    auto const process = rank_in({{"RHIZOME_RANK", "1"},
                                  {"RHIZOME_RANKS", "2"},
                                  {"RHIZOME_COMM_FILE", "f"},
                                  {"RHIZOME_COMM_BOARD", "b"},
                                  {"RANK", "0"},
                                  {"WORLD_SIZE", "1"}});
    EXPECT_EQ(process.launcher, "rhizome");
    EXPECT_EQ(process.rank, 1);
    EXPECT_EQ(process.board, "b");
}

TEST(comm_process_rank, one_rank_needs_no_place_to_meet) {
    EXPECT_EQ(rank_in({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).size, 1);
}

TEST(comm_process_rank, tells_whether_there_is_a_job) {
    auto const in_job = [](std::map<std::string, std::string> const& variables) {
        return comm::is_in_job([&](std::string const& name) -> std::optional<std::string> {
            auto const found = variables.find(name);
            if (found == variables.end()) return std::nullopt;
            return found->second;
        });
    };
    EXPECT_FALSE(in_job({}));
    EXPECT_FALSE(in_job({{"RANK", "0"}}));
    EXPECT_FALSE(in_job({{"RANK", "0"}, {"WORLD_SIZE", "1"}}));
    EXPECT_TRUE(in_job({{"RHIZOME_RANK", "0"}, {"RHIZOME_RANKS", "1"}})); // launch() has started it
    EXPECT_TRUE(in_job({{"RANK", "0"}, {"WORLD_SIZE", "2"}}));            // also without a place to meet
}

TEST(comm_process_rank, says_what_is_missing_or_wrong) {
    expect_refused({}, "start the program with torchrun, mpirun or srun");
    expect_refused({{"RANK", "0"}}, "no rank found");
    expect_refused({{"RHIZOME_RANK", "0"}}, "RHIZOME_RANK is set, but RHIZOME_RANKS is not");
    expect_refused({{"RANK", "two"}, {"WORLD_SIZE", "4"}}, "RANK is 'two', not a number from 0 to 3");
    expect_refused({{"RANK", "4"}, {"WORLD_SIZE", "4"}}, "RANK is '4'");
    expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "0"}}, "WORLD_SIZE is '0'");
    expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "2"}},
                   "torchrun started 2 ranks, but they have no place to meet");
    expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}}, "no place to meet");
    expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "70000"}},
                   "MASTER_PORT is '70000'");
    expect_refused({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"SLURM_JOB_ID", "7"}}, "no place to meet");
}

TEST(comm_process_rank, first_host_of_a_list) {
    EXPECT_EQ(comm::first_host("gpu1"), "gpu1");
    EXPECT_EQ(comm::first_host("gpu1,gpu2"), "gpu1");
    EXPECT_EQ(comm::first_host("node[03-07,9],other"), "node03");
    EXPECT_EQ(comm::first_host("node[9]"), "node9");
    EXPECT_EQ(comm::first_host("rack[2,4]-a,x"), "rack2-a");
    EXPECT_EQ(comm::first_host("a,node[1-2]"), "a");
    EXPECT_EQ(comm::first_host(""), "");
}

using id = std::array<std::byte, 128>;
id made_id() {
    id bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(i * 7 + 1);
    return bytes;
}

/// Shares an id among the ranks, each a thread that starts `delay(rank)` later, and returns what each got.
struct shared_id {
    comm_result result;
    id bytes{};
};
std::vector<shared_id> share(
    process_rank const& job, milliseconds limit,
    std::function<milliseconds(int)> const& delay = [](int) { return milliseconds(0); }) {
    std::vector<shared_id> got(static_cast<std::size_t>(job.size));
    std::vector<std::unique_ptr<comm::id_exchange>> exchanges;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < job.size; ++rank) {
        process_rank process = job;
        process.rank = rank;
        exchanges.push_back(comm::exchange_for(process));
        threads.emplace_back([&, rank, exchange = exchanges.back().get()] {
            std::this_thread::sleep_for(delay(rank));
            auto& mine = got[static_cast<std::size_t>(rank)];
            if (rank == 0) mine.bytes = made_id();
            mine.result = exchange->share(mine.bytes, limit);
        });
    }
    for (auto& thread : threads)
        thread.join();
    for (auto const& exchange : exchanges)
        exchange->finish();
    return got;
}

void expect_all_got_it(std::vector<shared_id> const& got) {
    for (std::size_t rank = 0; rank < got.size(); ++rank) {
        EXPECT_TRUE(got[rank].result.ok()) << "rank " << rank << ": " << got[rank].result.why();
        EXPECT_EQ(got[rank].bytes, made_id()) << "rank " << rank;
    }
}

constexpr milliseconds ample = std::chrono::minutes(1);

/// A port that no socket of this machine listens on at present.
std::uint16_t free_port() {
    int const probe = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof place;
    EXPECT_EQ(::bind(probe, reinterpret_cast<sockaddr*>(&place), length), 0);
    EXPECT_EQ(::getsockname(probe, reinterpret_cast<sockaddr*>(&place), &length), 0);
    ::close(probe);
    return ntohs(place.sin_port);
}

class comm_file_exchange : public ::testing::Test {
protected:
    comm_file_exchange()
        : folder_(std::filesystem::temp_directory_path() /
                  ("rhizome_comm_" + std::to_string(::getpid()) + "_" +
                   ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
        std::filesystem::create_directories(folder_);
        job_.file = (folder_ / "id").string();
    }
    ~comm_file_exchange() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path folder_;
    process_rank job_{.size = 4};
};

TEST_F(comm_file_exchange, gives_all_ranks_the_bytes_in_any_order_of_starting) {
    expect_all_got_it(share(job_, ample));
    EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "finish() removes the file";
    expect_all_got_it(share(job_, ample, [](int rank) { return milliseconds(rank == 0 ? 60 : 0); }));
    expect_all_got_it(share(job_, ample, [](int rank) { return milliseconds(rank * 20); }));
}

TEST_F(comm_file_exchange, the_longest_time_limit_is_none) {
    expect_all_got_it(
        share(job_, milliseconds::max(), [](int rank) { return milliseconds(rank == 0 ? 60 : 0); }));
}

TEST_F(comm_file_exchange, a_file_of_an_earlier_run_is_refused) {
    std::ofstream(job_.file) << "left by a run that was killed";
    id bytes = made_id();
    auto const result = comm::file_exchange(job_)->share(bytes, ample);
    EXPECT_EQ(result.kind(), comm::failure::library);
    EXPECT_NE(result.why().find("the file exists"), std::string_view::npos) << result.why();
    EXPECT_TRUE(std::filesystem::exists(job_.file)) << "it is another run's file";
}

TEST_F(comm_file_exchange, damaged_files_and_other_runs_are_refused) {
    process_rank process = job_;
    process.rank = 1;
    auto const read = [&] {
        id bytes{};
        return comm::file_exchange(process)->share(bytes, ample);
    };
    std::ofstream(job_.file) << "no id";
    EXPECT_NE(read().why().find("is not a file of Rhizome's rank 0"), std::string_view::npos);
    std::filesystem::remove(job_.file);
    id bytes = made_id();
    process_rank other{.size = 3};
    other.file = job_.file;
    {
        auto const of_three = comm::file_exchange(other);
        ASSERT_TRUE(of_three->share(bytes, ample).ok());
        EXPECT_NE(read().why().find("is of a run with 3 ranks, not 4"), std::string_view::npos);
    }
    EXPECT_FALSE(std::filesystem::exists(job_.file)) << "an exchange that ends removes its file";
    auto const of_four = comm::file_exchange(job_);
    ASSERT_TRUE(of_four->share(bytes, ample).ok());
    EXPECT_TRUE(read().ok());
    std::filesystem::resize_file(job_.file, 100);
    EXPECT_NE(read().why().find("ends too early"), std::string_view::npos);
}

TEST_F(comm_file_exchange, ends_at_the_time_limit_and_where_nothing_can_be_written) {
    process_rank process = job_;
    process.rank = 2;
    id bytes{};
    auto const late = comm::file_exchange(process)->share(bytes, milliseconds(50));
    EXPECT_EQ(late.kind(), comm::failure::timed_out);
    EXPECT_EQ(late.rank(), 0);
    process.rank = 0;
    process.file = (folder_ / "missing" / "id").string();
    EXPECT_NE(comm::file_exchange(process)->share(bytes, ample).why().find("cannot be written"),
              std::string_view::npos);
}

class comm_tcp_exchange : public ::testing::Test {
protected:
    process_rank job_{.size = 4, .address = "127.0.0.1", .port = free_port()};
};

TEST_F(comm_tcp_exchange, gives_all_ranks_the_bytes_in_any_order_of_starting) {
    expect_all_got_it(share(job_, ample));
    expect_all_got_it(share(job_, ample, [](int rank) { return milliseconds(rank == 0 ? 60 : 0); }));
    expect_all_got_it(share(job_, ample, [](int rank) { return milliseconds(rank * 20); }));
    job_.address = "localhost";
    job_.size = 8;
    expect_all_got_it(share(job_, ample));
}

TEST_F(comm_tcp_exchange, the_longest_time_limit_is_none) {
    expect_all_got_it(share(job_, milliseconds::max(), [](int rank) { return milliseconds(rank * 20); }));
}

TEST_F(comm_tcp_exchange, rank_0_names_a_rank_that_does_not_come) {
    auto const got =
        share(job_, milliseconds(400), [](int rank) { return milliseconds(rank == 2 ? 1000 : 0); });
    EXPECT_EQ(got[0].result.kind(), comm::failure::timed_out);
    EXPECT_EQ(got[0].result.rank(), 2);
    EXPECT_NE(got[0].result.why().find("rank 2 did not connect to rank 0 on port"), std::string_view::npos);
    EXPECT_EQ(got[2].result.kind(), comm::failure::timed_out);
    EXPECT_EQ(got[2].result.rank(), 0);
    EXPECT_NE(got[2].result.why().find("rank 0 did not answer at 127.0.0.1"), std::string_view::npos);
}

TEST_F(comm_tcp_exchange, a_name_server_that_gives_no_answer_is_not_waited_for_beyond_the_time_limit) {
    no_answer.store(true);
    job_.rank = 1;
    job_.address = silent_host;
    id bytes{};
    auto const begin = std::chrono::steady_clock::now();
    auto const late = comm::tcp_exchange(job_)->share(bytes, milliseconds(150));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    EXPECT_EQ(searches.load(), 1);
    EXPECT_EQ(late.kind(), comm::failure::timed_out);
    EXPECT_EQ(late.rank(), 0);
    EXPECT_NE(late.why().find("silent.invalid"), std::string_view::npos) << late.why();
    no_answer.store(false);
    while (searches.load() != 0)
        std::this_thread::sleep_for(milliseconds(1));
}

TEST_F(comm_tcp_exchange, a_rank_of_another_job_is_refused_and_stops_nothing) {
    comm_result stranger;
    std::thread other([&] {
        process_rank process = job_;
        process.rank = 1;
        process.size = 7;
        id bytes{};
        stranger = comm::tcp_exchange(process)->share(bytes, ample);
    });
    expect_all_got_it(share(job_, ample, [](int rank) { return milliseconds(rank == 3 ? 400 : 0); }));
    other.join();
    EXPECT_NE(stranger.why().find("its job has 4 ranks"), std::string_view::npos) << stranger.why();
}

TEST_F(comm_tcp_exchange, connections_that_send_something_else_or_nothing_stop_nothing) {
    auto const connect = [&] {
        sockaddr_in place{};
        place.sin_family = AF_INET;
        place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        place.sin_port = htons(job_.port);
        for (;;) { // until rank 0 listens
            int const line = ::socket(AF_INET, SOCK_STREAM, 0);
            if (::connect(line, reinterpret_cast<sockaddr*>(&place), sizeof place) == 0) return line;
            ::close(line);
            std::this_thread::sleep_for(milliseconds(5));
        }
    };
    std::vector<int> lines;
    std::thread strangers([&] {
        lines.push_back(connect()); // silent
        lines.push_back(connect());
        EXPECT_EQ(::send(lines.back(), "GET / HTTP/1.0\r\n\r\n1234567890", 28, MSG_NOSIGNAL), 28);
        lines.push_back(connect());
        ::close(lines.back());
    });
    expect_all_got_it(share(job_, ample, [](int rank) { return milliseconds(rank == 1 ? 300 : 0); }));
    strangers.join();
    ::close(lines[0]);
    ::close(lines[1]);
}

TEST_F(comm_tcp_exchange, a_port_in_use_is_named) {
    int const taken = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_ANY);
    place.sin_port = htons(job_.port);
    ASSERT_EQ(::bind(taken, reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
    ASSERT_EQ(::listen(taken, 1), 0);
    id bytes{};
    auto const result = comm::tcp_exchange(job_)->share(bytes, ample);
    ::close(taken);
    EXPECT_EQ(result.kind(), comm::failure::library);
    EXPECT_NE(result.why().find("cannot listen on port " + std::to_string(job_.port)), std::string_view::npos)
        << result.why();
}

TEST_F(comm_tcp_exchange, an_address_that_does_not_exist_ends_at_the_time_limit) {
    job_.rank = 1;
    job_.address = "no host of this name";
    id bytes{};
    EXPECT_EQ(comm::tcp_exchange(job_)->share(bytes, milliseconds(100)).kind(), comm::failure::timed_out);
}

TEST(comm_exchange, one_rank_needs_none) {
    id bytes = made_id();
    EXPECT_TRUE(comm::exchange_for({})->share(bytes, milliseconds(1)).ok());
    EXPECT_EQ(bytes, made_id());
}

} // namespace
} // namespace rhizome::tests
