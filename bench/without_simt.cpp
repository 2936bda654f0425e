// SPDX-License-Identifier: Apache-2.0
// Stands in for with_simt.cpp and the subjects on the emulator where the emulator is not built.
#include <rhizome/bench/allocators/subject.hpp>
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

std::optional<space_description> describe_simt() { return std::nullopt; }

std::unique_ptr<subject> open_subject_on_simt(subject_options const&) {
    throw std::logic_error("a cell on simt in a build without the emulator"); // the plan asks first
}

std::unique_ptr<graph_subject> open_graph_on_simt(graph_subject_options const&) {
    throw std::logic_error("a cell on simt in a build without the emulator");
}

std::unique_ptr<array_subject> open_array_on_simt(array_subject_options const&) {
    throw std::logic_error("a cell on simt in a build without the emulator");
}

std::unique_ptr<compaction_subject> open_compaction_on_simt(compaction_options const&) {
    throw std::logic_error("a cell on simt in a build without the emulator");
}

std::unique_ptr<walk_subject> open_walk_on_simt(walk_options const&) {
    throw std::logic_error("a cell on simt in a build without the emulator");
}

std::unique_ptr<latency_subject> open_latency_on_simt(walk_options const&) {
    throw std::logic_error("a cell on simt in a build without the emulator");
}

std::unique_ptr<utilisation_subject> open_utilisation_on_simt(utilisation_options const&) {
    throw std::logic_error("a cell on simt in a build without the emulator");
}

std::unique_ptr<join_subject> open_join_on_simt(join_options const&) {
    throw std::logic_error("a cell on simt in a build without the emulator");
}

std::unique_ptr<coalescing_subject> open_coalescing_on_simt(coalescing_options const&) {
    throw std::logic_error("a cell on simt in a build without the emulator");
}

} // namespace rhizome::bench
