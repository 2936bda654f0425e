// SPDX-License-Identifier: Apache-2.0
// What is measured on host.
#include <rhizome/bench/allocators/subject.hpp>
#include <rhizome/bench/graphs/subject_on.hpp>
#include <rhizome/exec/host.hpp>

namespace rhizome::bench {

std::unique_ptr<subject> open_subject_on_host(subject_options const& options) {
    return runtime::open_allocator_on(exec::host_space({.threads = options.host_threads}), options.allocator,
                                      options.heap_bytes);
}

std::unique_ptr<graph_subject> open_graph_on_host(graph_subject_options const& options) {
    return std::make_unique<graph_subject_on<exec::host_space>>(
        exec::host_space({.threads = options.host_threads}), options);
}

} // namespace rhizome::bench
