// SPDX-License-Identifier: Apache-2.0
// Names of allocators, patterns and collectives.
#include <rhizome/bench/papers/coalesced_allocation/subject.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace rhizome::bench {
namespace {

/// The number of a name in a list. Throws std::invalid_argument.
std::uint8_t place_of_name(std::vector<std::string> const& names, std::string const& name, char const* what) {
    auto const found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw std::invalid_argument(std::string("no ") + what + " '" + name + "'");
    return static_cast<std::uint8_t>(found - names.begin());
}

} // namespace

std::vector<std::string> const& coalescing_allocators() {
    static std::vector<std::string> const names = [] {
        std::vector<std::string> all{"device-malloc"};
        for (std::string const backing : {"-device-malloc", ""})
            for (char const* variant :
                 {"block-header", "block-table", "warp-header", "warp-table", "dynamic"})
                all.push_back(std::string("coalescing-") + variant + backing);
        all.insert(all.begin() + 6, "ouroboros-page-virtual-array");
        // The paper's tables, without padding between segments: where the paper has them, over CUDA's malloc.
        for (char const* name :
             {"coalescing-block-dense-device-malloc", "coalescing-warp-dense-device-malloc"})
            all.emplace_back(name);
        for (char const* name : {"random-walk-malloc", "coalescing-block-table-random-walk-malloc",
                                 "coalescing-warp-table-random-walk-malloc"})
            all.emplace_back(name);
        return all;
    }();
    return names;
}

split_name split_allocator(std::string const& allocator) {
    std::string const prefix = "coalescing-";
    if (!allocator.starts_with(prefix)) return {"", allocator};
    std::string const rest = allocator.substr(prefix.size());
    for (std::string const backing : {"device-malloc", "random-walk-malloc"})
        if (rest.ends_with("-" + backing)) return {rest.substr(0, rest.size() - backing.size() - 1), backing};
    return {rest, "ouroboros-page-virtual-array"};
}

std::vector<std::string> const& pattern_names() {
    static std::vector<std::string> const names{"linear", "quadratic", "update", "stride", "scattered"};
    return names;
}
access_pattern pattern_of(std::string const& name) {
    return static_cast<access_pattern>(place_of_name(pattern_names(), name, "pattern"));
}
double pattern_flops(access_pattern pattern, std::uint64_t floats) {
    auto const n = static_cast<double>(floats);
    if (pattern == access_pattern::quadratic) return 2 * n * n;
    return pattern == access_pattern::update ? 2 * n * update_passes : n;
}

std::vector<std::string> const& collective_names() {
    static std::vector<std::string> const names{"reduce", "broadcast", "all-to-all",
                                                "gather", "scatter",   "allreduce"};
    return names;
}
std::vector<std::string> const& program_names() {
    static std::vector<std::string> const names{"sort", "solver", "transpose"};
    return names;
}
mpi_program program_of(std::string const& name) {
    constexpr std::array<mpi_program, 3> programs{
        {{{collective::allreduce, collective::all_to_all, collective::reduce}, 3},
         {{collective::broadcast, collective::allreduce, collective::allreduce}, 3},
         {{collective::all_to_all, collective::all_to_all, collective::reduce}, 3}}};
    return programs.at(place_of_name(program_names(), name, "program"));
}

collective collective_of(std::string const& name) {
    return static_cast<collective>(place_of_name(collective_names(), name, "collective"));
}

} // namespace rhizome::bench
