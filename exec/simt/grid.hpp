// SPDX-License-Identifier: Apache-2.0
// A kernel and its shape, with the kernel's type forgotten.
#pragma once

#include <rhizome/exec/shape.hpp>

#include <cstddef>

namespace rhizome::exec::emulator {

struct lane;

struct grid {
    launch_shape shape;
    void const* kernel;
    void (*body)(void const* kernel, lane& caller);
    std::size_t storage_bytes;
    std::size_t storage_alignment;
    bool all_resident = false; ///< all blocks run at once, whatever the options say
};

} // namespace rhizome::exec::emulator
