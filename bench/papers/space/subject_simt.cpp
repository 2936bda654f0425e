// SPDX-License-Identifier: Apache-2.0
// Compactions measured on simt.
#include <rhizome/bench/papers/space/subject_on.hpp>
#include <rhizome/exec/simt.hpp>

namespace rhizome::bench {

std::unique_ptr<compaction_subject> open_compaction_on_simt(compaction_options const& options) {
    return open_compaction_on(exec::simt_space({.seed = options.seed}), options);
}

} // namespace rhizome::bench
