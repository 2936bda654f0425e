// SPDX-License-Identifier: Apache-2.0
// The benchmark that computes instead of measuring.
#pragma once

#include <rhizome/bench/harness/registry.hpp>

namespace rhizome::bench {

/// "communication-model".
[[nodiscard]] benchmark communication_model_benchmark();

} // namespace rhizome::bench
