// SPDX-License-Identifier: Apache-2.0
// Stands in for with_cuda.cpp and the subjects on the GPU where the CUDA space is not built.
#include <rhizome/bench/allocators/subject.hpp>
#include <rhizome/bench/communication/calls.hpp>
#include <rhizome/bench/graphs/subject.hpp>
#include <rhizome/bench/papers/coalesced_allocation/subject.hpp>
#include <rhizome/bench/papers/ggarray/subject.hpp>
#include <rhizome/bench/papers/random_walk/hash_join/subject.hpp>
#include <rhizome/bench/papers/random_walk/subject.hpp>
#include <rhizome/bench/papers/random_walk/utilisation.hpp>
#include <rhizome/bench/papers/space/subject.hpp>
#include <rhizome/bench/spaces.hpp>

#include <stdexcept>

namespace rhizome::bench {

space_description describe_cuda() {
    return {.name = "cuda", .usable = false, .reason = "built without CUDA"};
}

std::unique_ptr<subject> open_subject_on_cuda(subject_options const&) {
    throw std::logic_error("a cell on cuda in a build without CUDA"); // the plan asks first
}

std::unique_ptr<graph_subject> open_graph_on_cuda(graph_subject_options const&) {
    throw std::logic_error("a cell on cuda in a build without CUDA");
}

std::unique_ptr<array_subject> open_array_on_cuda(array_subject_options const&) {
    throw std::logic_error("a cell on cuda in a build without CUDA");
}

std::unique_ptr<compaction_subject> open_compaction_on_cuda(compaction_options const&) {
    throw std::logic_error("a cell on cuda in a build without CUDA");
}

std::unique_ptr<walk_subject> open_walk_on_cuda(walk_options const&) {
    throw std::logic_error("a cell on cuda in a build without CUDA");
}

std::unique_ptr<latency_subject> open_latency_on_cuda(walk_options const&) {
    throw std::logic_error("a cell on cuda in a build without CUDA");
}

std::unique_ptr<utilisation_subject> open_utilisation_on_cuda(utilisation_options const&) {
    throw std::logic_error("a cell on cuda in a build without CUDA");
}

std::unique_ptr<join_subject> open_join_on_cuda(join_options const&) {
    throw std::logic_error("a cell on cuda in a build without CUDA");
}

std::unique_ptr<coalescing_subject> open_coalescing_on_cuda(coalescing_options const&) {
    throw std::logic_error("a cell on cuda in a build without CUDA");
}

std::vector<double> communicate_on_cuda(communication_options const&) {
    throw std::logic_error("a cell on cuda in a build without CUDA");
}

std::vector<double> communicate_through_nccl(communication_options const&) {
    throw std::logic_error("a cell on cuda in a build without CUDA");
}

std::string no_nccl_because() { return "built without CUDA"; }

} // namespace rhizome::bench
