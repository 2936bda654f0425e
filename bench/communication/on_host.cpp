// SPDX-License-Identifier: Apache-2.0
// Communication measured on host.
#include <rhizome/bench/communication/measure_threads.hpp>
#include <rhizome/exec/host.hpp>

namespace rhizome::bench {

std::vector<double> communicate_on_host(communication_options const& options) {
    std::vector<exec::host_space> spaces;
    for (int rank = 0; rank < options.ranks; ++rank)
        spaces.emplace_back(exec::host_options{.threads = 1});
    return measure_threads(std::move(spaces), options);
}

} // namespace rhizome::bench
