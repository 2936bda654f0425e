// SPDX-License-Identifier: Apache-2.0
// Coalescing measured on simt.
#include <rhizome/bench/papers/coalesced_allocation/open_on.hpp>
#include <rhizome/exec/simt.hpp>

namespace rhizome::bench {

std::unique_ptr<coalescing_subject> open_coalescing_on_simt(coalescing_options const& options) {
    return open_coalescing_on(exec::simt_space({.seed = options.seed}), options);
}

} // namespace rhizome::bench
