// The spaces of this binary, as this machine has them.
#pragma once

#include <rhizome/bench/registry.hpp>

namespace rhizome::bench {

/// The GPU, or why there is none to use. Touches it.
[[nodiscard]] space_description describe_cuda();

} // namespace rhizome::bench
