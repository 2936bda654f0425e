// SPDX-License-Identifier: Apache-2.0
// Ranks that meet through MPI. mpirun starts it; exit code 0 if each rank found what it should.
#include <rhizome/comm/bootstrap/mpi_exchange.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace rhizome;

int failures = 0;
void expect(bool holds, char const* what) {
    if (holds) return;
    std::fprintf(stderr, "not so: %s\n", what);
    ++failures;
}

void all_get_the_bytes_of_rank_0(comm::process_rank const& self) {
    std::array<std::byte, 128> bytes{};
    if (self.rank == 0)
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::byte>(i * 7 + 1);
    comm::mpi_exchange exchange(MPI_COMM_WORLD);
    expect(exchange.share(bytes, 60s).ok(), "share succeeds");
    for (std::size_t i = 0; i < bytes.size(); ++i)
        expect(bytes[i] == static_cast<std::byte>(i * 7 + 1), "the bytes are those of rank 0");
    exchange.finish();
}

void who_waits_too_long_says_so(comm::process_rank const& self) {
    std::array<std::byte, 128> bytes{};
    comm::mpi_exchange exchange(MPI_COMM_WORLD);
    if (self.rank == 0) std::this_thread::sleep_for(500ms);
    auto const result = exchange.share(bytes, self.rank == 0 ? 60s : 50ms);
    expect(result.ok() == (self.rank == 0), "rank 0 comes late, so that the others reach their time limit");
    if (self.rank == 0) return;
    expect(result.kind() == comm::failure::timed_out, "the failure is a time limit");
    expect(result.why().find("waited for the bytes of rank 0") != std::string_view::npos,
           "the line says for what");
}

} // namespace

int main(int count, char** words) {
    MPI_Init(&count, &words);
    auto const self = comm::rank_from_mpi(MPI_COMM_WORLD);
    expect(self.size == 3, "mpirun has started three ranks");
    std::vector<int> places(3, -1);
    MPI_Allgather(&self.local_rank, 1, MPI_INT, places.data(), 1, MPI_INT, MPI_COMM_WORLD);
    expect(places == std::vector<int>({0, 1, 2}), "ranks of one machine have different devices");
    all_get_the_bytes_of_rank_0(self);
    who_waits_too_long_says_so(self);
    int all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (self.rank == 0 && all == 0) std::puts("three ranks have met through MPI");
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}
