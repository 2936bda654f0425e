// SPDX-License-Identifier: Apache-2.0
// A cell that ranks on the host measure together, as threads of its process.
#pragma once

#include <rhizome/bench/harness/cell.hpp>
#include <rhizome/runtime/ranks/open_ranks.hpp>

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace rhizome::bench {

/// Threads of each rank: the choice `host-threads`; 0: one per core.
[[nodiscard]] inline unsigned host_threads_of(cell const& which) {
    auto const threads = static_cast<unsigned>(which.count("host-threads"));
    return threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
}

/// Calls measure(rank) on each of `ranks` ranks, and returns what it gave on rank 0. Throws what the first
/// rank threw that threw; the others then fail.
[[nodiscard]] inline cell_result
measured_by_host_ranks(cell const& which, unsigned ranks,
                       std::function<cell_result(runtime::any_rank&)> const& measure) {
    auto all = runtime::host_ranks(static_cast<int>(ranks), {.threads = ranks * host_threads_of(which)});
    cell_result of_first;
    std::mutex mutex;
    std::exception_ptr thrown;
    std::vector<std::thread> threads;
    for (auto& each : all)
        threads.emplace_back([&, self = std::move(each)] {
            try {
                cell_result mine = measure(*self);
                if (self->rank() == 0) of_first = std::move(mine);
            } catch (std::exception const& error) {
                std::lock_guard const lock(mutex);
                if (thrown == nullptr) thrown = std::current_exception();
                self->abort(error.what());
            }
        });
    for (auto& each : threads)
        each.join();
    if (thrown != nullptr) std::rethrow_exception(thrown);
    return of_first;
}

} // namespace rhizome::bench
