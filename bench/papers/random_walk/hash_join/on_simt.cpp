// SPDX-License-Identifier: Apache-2.0
// Hash joins measured on simt.
#include <rhizome/bench/papers/random_walk/hash_join/subject_on.hpp>
#include <rhizome/exec/simt.hpp>

namespace rhizome::bench {

std::unique_ptr<join_subject> open_join_on_simt(join_options const& options) {
    return open_join_on(exec::simt_space({.seed = options.seed}), options);
}

} // namespace rhizome::bench
