// SPDX-License-Identifier: Apache-2.0
// Compactions measured on host.
#include <rhizome/bench/papers/space/subject_on.hpp>
#include <rhizome/exec/host.hpp>

namespace rhizome::bench {

std::unique_ptr<compaction_subject> open_compaction_on_host(compaction_options const& options) {
    return open_compaction_on(exec::host_space({.threads = options.host_threads}), options);
}

} // namespace rhizome::bench
