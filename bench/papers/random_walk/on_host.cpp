// SPDX-License-Identifier: Apache-2.0
// Random walks measured on host.
#include <rhizome/bench/papers/random_walk/subject_on.hpp>
#include <rhizome/exec/host.hpp>

namespace rhizome::bench {

std::unique_ptr<walk_subject> open_walk_on_host(walk_options const& options) {
    return open_walk_on(exec::host_space({.threads = options.host_threads}), options);
}

std::unique_ptr<latency_subject> open_latency_on_host(walk_options const& options) {
    return std::make_unique<latency_subject_on<exec::host_space>>(
        exec::host_space({.threads = options.host_threads}));
}

} // namespace rhizome::bench
