// SPDX-License-Identifier: Apache-2.0
// Hash joins measured on host.
#include <rhizome/bench/papers/random_walk/hash_join/subject_on.hpp>
#include <rhizome/exec/host.hpp>

namespace rhizome::bench {

std::unique_ptr<join_subject> open_join_on_host(join_options const& options) {
    return open_join_on(exec::host_space({.threads = options.host_threads}), options);
}

} // namespace rhizome::bench
