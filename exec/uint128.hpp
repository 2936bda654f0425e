// An unsigned integer of 128 bits: a key of two numbers that 64 bits do not hold together.
#pragma once

namespace rhizome::exec {

/// No part of C++, but g++, clang++ and nvcc have it, on the host and on the device.
__extension__ typedef unsigned __int128 uint128;

} // namespace rhizome::exec
