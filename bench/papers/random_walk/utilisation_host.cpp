// SPDX-License-Identifier: Apache-2.0
// Heaps of figure 15 on host.
#include <rhizome/bench/papers/random_walk/utilisation_on.hpp>
#include <rhizome/exec/host.hpp>

namespace rhizome::bench {

std::unique_ptr<utilisation_subject> open_utilisation_on_host(utilisation_options const& options) {
    return open_utilisation_on(exec::host_space({.threads = options.host_threads}), options);
}

} // namespace rhizome::bench
