// SPDX-License-Identifier: Apache-2.0
// The choices of benchmarks for people.
#pragma once

#include <rhizome/bench/harness/registry.hpp>

#include <string>

namespace rhizome::bench {

/// The default values: "16,64". Of a long list the first and the last ones; "" where they depend on the
/// machine.
[[nodiscard]] std::string default_text(choice const& which);

/// What the benchmark is: its name, its summary, and its details, indented.
[[nodiscard]] std::string description_of(benchmark const& which);

} // namespace rhizome::bench
