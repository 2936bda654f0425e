// SPDX-License-Identifier: Apache-2.0
// Random walks measured on simt.
#include <rhizome/bench/papers/random_walk/subject_on.hpp>
#include <rhizome/exec/simt.hpp>

namespace rhizome::bench {

std::unique_ptr<walk_subject> open_walk_on_simt(walk_options const& options) {
    return open_walk_on(exec::simt_space({.seed = options.seed}), options);
}

std::unique_ptr<latency_subject> open_latency_on_simt(walk_options const& options) {
    return std::make_unique<latency_subject_on<exec::simt_space>>(exec::simt_space({.seed = options.seed}));
}

} // namespace rhizome::bench
