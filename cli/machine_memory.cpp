// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/machine_memory.hpp>
#include <rhizome/cli/text_columns.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace rhizome::cli {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> number_in(std::filesystem::path const& path) {
    std::ifstream file(path);
    std::uint64_t value = 0;
    if (file >> value) return value;
    return std::nullopt; // "max", too
}

/// The number behind `key` in a file of lines "key number".
std::optional<std::uint64_t> number_after(std::filesystem::path const& path, std::string_view key) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string name;
        std::uint64_t value = 0;
        if (words >> name >> value && name == key) return value;
    }
    return std::nullopt;
}

/// The names of one version's files.
struct group_files {
    char const* limit;
    char const* usage;
    char const* droppable; ///< in memory.stat
};
constexpr group_files version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr group_files version_2{"memory.max", "memory.current", "inactive_file"};

/// What a group and those above it leave.
std::uint64_t left_by(std::filesystem::path const& mount, std::filesystem::path group,
                      group_files const& files) {
    std::uint64_t least = unlimited;
    for (;;) {
        std::filesystem::path const folder = mount / group.relative_path();
        auto const limit = number_in(folder / files.limit);
        auto const usage = number_in(folder / files.usage);
        if (limit && usage) {
            std::uint64_t const droppable = number_after(folder / "memory.stat", files.droppable).value_or(0);
            std::uint64_t const held = *usage - std::min(*usage, droppable);
            least = std::min(least, *limit - std::min(*limit, held));
        }
        if (!group.has_relative_path()) return least;
        group = group.parent_path();
    }
}

/// Whether a list "cpu,memory" has it.
bool names_memory(std::string const& controllers) {
    std::istringstream list(controllers);
    for (std::string name; std::getline(list, name, ',');)
        if (name == "memory") return true;
    return false;
}

/// Lines "number:controllers:path"; version 2 has number 0 and no controllers.
std::uint64_t left_by_groups(std::filesystem::path const& root) {
    std::ifstream file(root / "proc/self/cgroup");
    std::string line;
    std::uint64_t least = unlimited;
    while (std::getline(file, line)) {
        auto const first = line.find(':');
        auto const second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        std::string const controllers = line.substr(first + 1, second - first - 1);
        std::string const path = line.substr(second + 1);
        if (controllers.empty()) least = std::min(least, left_by(root / "sys/fs/cgroup", path, version_2));
        if (names_memory(controllers))
            least = std::min(least, left_by(root / "sys/fs/cgroup/memory", path, version_1));
    }
    return least;
}

} // namespace

std::uint64_t available_memory_bytes(std::string const& root) {
    std::filesystem::path const at = root;
    auto const available_kib = number_after(at / "proc/meminfo", "MemAvailable:");
    std::uint64_t const least =
        std::min(available_kib ? *available_kib * 1024 : unlimited, left_by_groups(at));
    return least == unlimited ? 0 : least;
}

std::uint64_t default_memory_limit() { return available_memory_bytes() / 16 * 15; }

void demand_memory(std::uint64_t needed_bytes, std::string const& what, std::string const& root) {
    std::uint64_t const available = available_memory_bytes(root);
    if (available != 0 && needed_bytes > available)
        throw std::runtime_error(fmt::format("{} needs about {} of memory, and this machine has {} free",
                                             what, bytes_text(needed_bytes), bytes_text(available)));
}

} // namespace rhizome::cli
