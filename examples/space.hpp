// SPDX-License-Identifier: Apache-2.0
// Which space the examples run on: the GPU if nvcc compiles them, the cores of the host otherwise.
#pragma once

#if defined(__CUDACC__)
#include <rhizome/exec/cuda.hpp>

#include <cstdio>
#include <cstdlib>

namespace examples {
using space = rhizome::exec::cuda_space;
using space_options = rhizome::exec::cuda_options;

/// Ends the program with exit code 77 if no GPU can be used.
inline space open_space(space_options const& options = {}) {
    if (auto const reason = space::unusable_because(); !reason.empty()) {
        std::fprintf(stderr, "no usable GPU: %s\n", reason.c_str());
        std::exit(77);
    }
    return space(options);
}
} // namespace examples
#else
#include <rhizome/exec/host.hpp>

namespace examples {
using space = rhizome::exec::host_space;
using space_options = rhizome::exec::host_options;

inline space open_space(space_options const& options = {}) { return space(options); }
} // namespace examples
#endif
