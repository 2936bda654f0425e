// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/processor.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>

namespace rhizome::bench {
namespace {

namespace fs = std::filesystem;

/// The first line of a file; "" where there is none.
std::string line_of(fs::path const& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

/// "32K", "1M": a number and its unit. 0 for anything else.
std::uint64_t bytes_of(std::string const& text) {
    char* end = nullptr;
    std::uint64_t const number = std::strtoull(text.c_str(), &end, 10);
    if (*end == 'K') return number << 10;
    if (*end == 'M') return number << 20;
    if (*end == 'G') return number << 30;
    return number;
}

/// Bits in a mask such as "ff,00000003".
unsigned bits_of(std::string const& mask) {
    unsigned bits = 0;
    for (char const c : mask)
        if (c != ',') {
            char const digit[] = {c, '\0'};
            bits += static_cast<unsigned>(std::popcount(std::strtoul(digit, nullptr, 16)));
        }
    return bits;
}

std::vector<fs::path> entries(fs::path const& folder, std::string const& prefix) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_entry const& each : fs::directory_iterator(folder, error)) {
        std::string const name = each.path().filename().string();
        if (name.starts_with(prefix) && name.size() > prefix.size() &&
            name.find_first_not_of("0123456789", prefix.size()) == std::string::npos)
            found.push_back(each.path());
    }
    return found;
}

} // namespace

std::optional<bool> frequency_scales(fs::path const& folder) {
    std::optional<bool> scales;
    for (fs::path const& processor : entries(folder, "cpu")) {
        std::string const governor = line_of(processor / "cpufreq" / "scaling_governor");
        if (governor.empty()) continue;
        if (governor != "performance") return true;
        scales = false;
    }
    return scales;
}

std::vector<processor_cache> caches(fs::path const& folder) {
    std::vector<processor_cache> found;
    for (fs::path const& each : entries(folder / "cpu0" / "cache", "index")) {
        processor_cache const cache{
            line_of(each / "type"),
            static_cast<unsigned>(std::strtoul(line_of(each / "level").c_str(), nullptr, 10)),
            bytes_of(line_of(each / "size")), bits_of(line_of(each / "shared_cpu_map"))};
        if (!cache.type.empty() && cache.level != 0 && cache.bytes != 0) found.push_back(cache);
    }
    std::sort(found.begin(), found.end(), [](processor_cache const& a, processor_cache const& b) {
        return a.level != b.level ? a.level < b.level : a.type < b.type;
    });
    return found;
}

} // namespace rhizome::bench
