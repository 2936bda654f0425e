// SPDX-License-Identifier: Apache-2.0
// How a benchmark opens what it measures (its subject) on the space of a cell. The subject's interface is
// compiled once, in subject.hpp of the benchmark; subject_on.hpp implements it on any space. There,
//
//     template <class Space>
//     std::unique_ptr<walk_subject> open_on(chosen_space const& where, walk_options const& options);
//
// opens it. bench/on_space.in compiles this function in a file per space.
#pragma once

#include <rhizome/bench/harness/cell.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rhizome::exec {
class host_space;
class simt_space;
class cuda_space;
} // namespace rhizome::exec

namespace rhizome::bench {

/// A space by name, and the choices of add_machine_choices().
struct chosen_space {
    std::string name;
    std::uint64_t seed = 1;    ///< simt: of its scheduler
    unsigned host_threads = 0; ///< host: 0 means one per core
};
[[nodiscard]] chosen_space space_of(cell const& which);

/// What open_on() returns and throws, on the space of that name. Throws std::logic_error for a space that
/// this build does not have.
template <class Options>
[[nodiscard]] auto open_subject(chosen_space const& where, Options const& options) {
#if defined(RHIZOME_HAS_CUDA) && !defined(RHIZOME_WITHOUT_DEVICE_CODE)
    if (where.name == "cuda") return open_on<exec::cuda_space>(where, options);
#endif
#if defined(RHIZOME_COMPILED_SIMT)
    if (where.name == "simt") return open_on<exec::simt_space>(where, options);
#endif
    if (where.name == "host") return open_on<exec::host_space>(where, options);
    throw std::logic_error("a cell on " + where.name + " in a build without it"); // the plan asks first
}

} // namespace rhizome::bench
