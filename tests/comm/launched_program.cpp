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
//   echo TEXT ...     prints its words, a line each
#include <rhizome/comm/bootstrap/id_exchange.hpp>
#include <rhizome/comm/bootstrap/process_rank.hpp>
#include <rhizome/comm/bootstrap/rank_board.hpp>

#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

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
