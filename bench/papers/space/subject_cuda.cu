// SPDX-License-Identifier: Apache-2.0
// Compactions measured on cuda.
#include <rhizome/bench/papers/space/subject_on.hpp>
#include <rhizome/exec/cuda.hpp>

namespace rhizome::bench {

std::unique_ptr<compaction_subject> open_compaction_on_cuda(compaction_options const& options) {
    return open_compaction_on(exec::cuda_space(), options);
}

} // namespace rhizome::bench
