// SPDX-License-Identifier: Apache-2.0
// An unsigned integer of 128 bits: a key of two numbers that do not fit in 64 bits together.
#pragma once

namespace rhizome::exec {

/// Not standard C++, but g++, clang++ and nvcc have it, on the host and on the device.
__extension__ typedef unsigned __int128 uint128;

} // namespace rhizome::exec
