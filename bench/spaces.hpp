// SPDX-License-Identifier: Apache-2.0
// The spaces of this binary, as this machine has them.
#pragma once

#include <rhizome/bench/harness/registry.hpp>

#include <optional>

namespace rhizome::bench {

/// The GPU, or why there is none to use. Touches it.
[[nodiscard]] space_description describe_cuda();
/// The emulator, where this binary has it.
[[nodiscard]] std::optional<space_description> describe_simt();

} // namespace rhizome::bench
