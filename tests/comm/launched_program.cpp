// SPDX-License-Identifier: Apache-2.0
// A rank for the tests of the launcher: does what its words say.
//   print             who it is, on both outputs
//   meet              shares 8 bytes of rank 0, and prints them and the file
//   fail RANK         that rank writes a line and ends with exit code 3; the others sleep
//   die RANK          that rank kills itself; the others end with exit code 1 because of it, a little earlier
//   sleep             until it is ended
//   stubborn          as sleep, but ignores SIGTERM; rank 0 fails
//   leave             rank 0 starts a process that keeps its output open, prints its number, and ends
//   board RANK        all write to their board; that rank kills itself, the others print what they find
//   pass [RANK]       three times, each writes into memory of all others, whose descriptors they pass, and
//                     prints what is in its own; that rank kills itself instead of passing the second, and
//                     the others print what they find
//   echo TEXT ...     prints its words, a line each
#include <rhizome/comm/bootstrap/descriptor_exchange.hpp>
#include <rhizome/comm/bootstrap/id_exchange.hpp>
#include <rhizome/comm/bootstrap/process_rank.hpp>
#include <rhizome/comm/bootstrap/rank_board.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;

int sleep_long() {
    std::puts("sleeps");
    std::fflush(stdout);
    std::this_thread::sleep_for(100s);
    return 0;
}

int meet(rhizome::comm::process_rank const& self) {
    std::array<std::byte, 8> bytes{};
    if (self.rank == 0) std::memcpy(bytes.data(), "seven 7", 8);
    auto const exchange = rhizome::comm::exchange_for(self);
    auto const result = exchange->share(bytes, 60s);
    if (!result.ok()) return 1;
    std::printf("%s at %s\n", reinterpret_cast<char const*>(bytes.data()), self.file.c_str());
    // Rank 0 removes the file when it ends: after the others, which sleep less.
    if (self.rank == 0) std::this_thread::sleep_for(300ms);
    return 0;
}

int watch_board(rhizome::comm::process_rank const& self, int victim) {
    rhizome::comm::rank_board board(self.board, self.rank, self.size);
    board.begin_call();
    while (!board.behind().empty())
        std::this_thread::sleep_for(1ms);
    if (self.rank == victim) {
        std::this_thread::sleep_for(200ms); // until the others have seen it
        std::raise(SIGKILL);
    }
    if (!board.look().ok()) return 1;
    for (;;) {
        auto const found = board.look();
        if (found.ok()) continue;
        std::printf("%.*s\n", static_cast<int>(found.why().size()), found.why().data());
        return 0;
    }
}

/// Memory that others map by its descriptor.
char* mapped(rhizome::comm::descriptor const& file, std::size_t bytes) {
    void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    return at == MAP_FAILED ? nullptr : static_cast<char*>(at);
}

int pass_descriptors(rhizome::comm::process_rank const& self, int victim) {
    using rhizome::comm::descriptor;
    rhizome::comm::rank_board board(self.board, self.rank, self.size);
    rhizome::comm::descriptor_exchange exchange(self.rank, self.size);
    auto const ranks = static_cast<std::size_t>(self.size);
    auto const is_lost = [&] {
        auto const found = board.look();
        if (!found.ok()) std::printf("%.*s\n", static_cast<int>(found.why().size()), found.why().data());
        return !found.ok();
    };
    auto const gather = [&](std::span<std::uint64_t const> words, std::vector<std::uint64_t>& all) {
        all.resize(words.size() * ranks);
        board.publish(words);
        while (!board.collect(all).complete)
            if (is_lost()) return false;
        return true;
    };
    std::vector<std::uint64_t> addresses;
    std::vector<std::uint64_t> met;
    if (!gather(exchange.address(), addresses)) return 0;
    for (int round = 0; round < 3; ++round) {
        if (self.rank == victim && round == 1) {
            std::this_thread::sleep_for(200ms); // until the others have seen that it has written
            std::raise(SIGKILL);
        }
        descriptor mine(::memfd_create("rhizome-test", MFD_CLOEXEC));
        if (::ftruncate(mine.get(), self.size) != 0) return 1;
        char* const memory = mapped(mine, ranks);
        exchange.begin(std::move(mine), addresses);
        while (!exchange.is_done()) {
            exchange.step();
            if (is_lost()) return 0;
        }
        for (int rank = 0; rank < self.size; ++rank) {
            char* const theirs = rank == self.rank ? memory : mapped(exchange.take(rank), ranks);
            if (theirs == nullptr) return 1;
            theirs[self.rank] = static_cast<char>('a' + 3 * round + self.rank);
        }
        std::uint64_t const one = 1;
        if (!gather({&one, 1}, met)) return 0; // all have written
        std::printf("%.*s\n", self.size, memory);
        std::fflush(stdout);
    }
    return 0;
}

} // namespace

int main(int count, char** words) {
    auto const self = rhizome::comm::rank_from_environment();
    std::string const what = count > 1 ? words[1] : "";
    int const chosen = count > 2 ? std::atoi(words[2]) : 0;
    if (what == "print") {
        std::printf("rank %d of %d, device %d, by %s\n", self.rank, self.size, self.local_rank,
                    self.launcher.c_str());
        std::fprintf(stderr, "no newline at the end");
        return 0;
    }
    if (what == "meet") return meet(self);
    if (what == "board") return watch_board(self, chosen);
    if (what == "pass") return pass_descriptors(self, count > 2 ? chosen : -1);
    if (what == "echo") {
        for (int i = 2; i < count; ++i)
            std::puts(words[i]);
        return std::getchar() == EOF ? 0 : 1; // reads nothing
    }
    if (what == "fail" && self.rank == chosen) {
        std::fputs("first line\nthe disk is full\n", stderr);
        return 3;
    }
    if (what == "die") {
        if (self.rank != chosen) return 1;
        std::this_thread::sleep_for(100ms);
        std::raise(SIGKILL);
    }
    if (what == "stubborn") {
        std::signal(SIGTERM, SIG_IGN);
        if (self.rank == 0) {
            std::this_thread::sleep_for(500ms); // until the others ignore it
            return 2;
        }
    }
    if (what == "leave") {
        if (self.rank != 0) return 0;
        pid_t const child = ::fork();
        if (child == 0) std::this_thread::sleep_for(100s);
        std::printf("%d\n", static_cast<int>(child));
        return 0;
    }
    return sleep_long();
}
