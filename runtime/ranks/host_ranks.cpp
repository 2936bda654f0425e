// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/threads.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/runtime/detail/rank_on.hpp>
#include <rhizome/runtime/ranks/open_ranks.hpp>

#include <algorithm>
#include <thread>

namespace rhizome::runtime {

std::vector<std::unique_ptr<any_rank>> host_ranks(int ranks, rank_options const& options) {
    comm::thread_group<exec::host_space> group(ranks, {.time_limit = options.time_limit});
    unsigned const threads =
        options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::unique_ptr<any_rank>> all;
    for (int rank = 0; rank < ranks; ++rank) {
        exec::host_space const space({.threads = std::max(1u, threads / static_cast<unsigned>(ranks)),
                                      .memory_limit_bytes = options.memory_limit_bytes});
        all.push_back(std::make_unique<detail::rank_on<exec::host_space>>(group.join(rank, space)));
    }
    return all;
}

} // namespace rhizome::runtime
