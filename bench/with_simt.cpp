// SPDX-License-Identifier: Apache-2.0
// The emulator, in builds with it.
#include <rhizome/bench/spaces.hpp>
#include <rhizome/exec/simt/space.hpp>

namespace rhizome::bench {

std::optional<space_description> describe_simt() {
    exec::simt_space const simt;
    return space_description{.name = "simt", .device = "emulator", .memory_bytes = simt.memory_bytes()};
}

} // namespace rhizome::bench
