// SPDX-License-Identifier: Apache-2.0
// What is measured on cuda.
#include <rhizome/bench/allocators/subject.hpp>
#include <rhizome/bench/graphs/subject_on.hpp>
#include <rhizome/exec/cuda.hpp>

namespace rhizome::bench {

std::unique_ptr<subject> open_subject_on_cuda(subject_options const& options) {
    return runtime::open_allocator_on(exec::cuda_space(), options.allocator, options.heap_bytes);
}

std::unique_ptr<graph_subject> open_graph_on_cuda(graph_subject_options const& options) {
    return std::make_unique<graph_subject_on<exec::cuda_space>>(exec::cuda_space(), options);
}

} // namespace rhizome::bench
