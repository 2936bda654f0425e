// SPDX-License-Identifier: Apache-2.0
// What is measured on simt.
#include <rhizome/bench/allocators/subject.hpp>
#include <rhizome/bench/graphs/subject_on.hpp>
#include <rhizome/exec/simt.hpp>

namespace rhizome::bench {

std::unique_ptr<subject> open_subject_on_simt(subject_options const& options) {
    return runtime::open_allocator_on(exec::simt_space({.seed = options.seed}), options.allocator,
                                      options.heap_bytes);
}

std::unique_ptr<graph_subject> open_graph_on_simt(graph_subject_options const& options) {
    return std::make_unique<graph_subject_on<exec::simt_space>>(exec::simt_space({.seed = options.seed}),
                                                                options);
}

} // namespace rhizome::bench
