// SPDX-License-Identifier: Apache-2.0
// Coalescing measured on host.
#include <rhizome/bench/papers/coalesced_allocation/open_on.hpp>
#include <rhizome/exec/host.hpp>

namespace rhizome::bench {

std::unique_ptr<coalescing_subject> open_coalescing_on_host(coalescing_options const& options) {
    return open_coalescing_on(exec::host_space({.threads = options.host_threads}), options);
}

} // namespace rhizome::bench
