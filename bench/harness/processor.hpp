// SPDX-License-Identifier: Apache-2.0
// What this machine's processors are, as far as the system tells.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rhizome::bench {

/// A cache that the first processor uses.
struct processor_cache {
    std::string type; ///< "Data", "Instruction", "Unified"
    unsigned level = 0;
    std::uint64_t bytes = 0;
    unsigned sharing = 0; ///< processors that share it

    friend bool operator==(processor_cache const&, processor_cache const&) = default;
};

inline constexpr char const* processors_folder = "/sys/devices/system/cpu";

/// Whether some processor's frequency is not fixed: a scaling governor other than "performance". Nothing
/// where the system does not tell, as in most virtual machines.
[[nodiscard]] std::optional<bool> frequency_scales(std::filesystem::path const& folder = processors_folder);

/// Ascending by level; empty where the system does not tell.
[[nodiscard]] std::vector<processor_cache> caches(std::filesystem::path const& folder = processors_folder);

} // namespace rhizome::bench
