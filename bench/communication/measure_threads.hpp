// SPDX-License-Identifier: Apache-2.0
// Measures calls of the backend `threads`.
#pragma once

#include <rhizome/bench/communication/measure.hpp>
#include <rhizome/comm/threads.hpp>

#include <chrono>
#include <utility>
#include <vector>

namespace rhizome::bench {

/// A rank per space.
template <class Space>
[[nodiscard]] std::vector<double> measure_threads(std::vector<Space> spaces,
                                                  communication_options const& options) {
    std::vector<double> times;
    comm::run_ranks(std::move(spaces),
                    [&](comm::communicator<Space>& self) {
                        std::vector<double> mine = measure_call(self, options);
                        if (self.rank() == 0) times = std::move(mine);
                    },
                    {.time_limit = std::chrono::seconds(30)});
    return times;
}

} // namespace rhizome::bench
