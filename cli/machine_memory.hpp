// SPDX-License-Identifier: Apache-2.0
// How much memory this process may still take.
#pragma once

#include <cstdint>
#include <string>

namespace rhizome::cli {

/// Bytes that the machine has available (MemAvailable), or that the control groups of this process leave
/// (version 1 or 2, with what they can drop of files), whichever is less. 0 where neither is known. `root` is
/// what stands for "/": tests have files of their own.
[[nodiscard]] std::uint64_t available_memory_bytes(std::string const& root = "/");

/// The memory limit of graphs on host where the user sets none: a share of what is available stays free, for
/// batches on the host and for others on the machine.
[[nodiscard]] std::uint64_t default_memory_limit();

/// Throws std::runtime_error where `what` needs more memory than that: before the machine's kernel ends the
/// process.
void demand_memory(std::uint64_t needed_bytes, std::string const& what, std::string const& root = "/");

} // namespace rhizome::cli
