// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/simt/explore.hpp>

#include <cstdlib>
#include <exception>
#include <stdexcept>

namespace rhizome::exec {

namespace {

std::optional<std::uint64_t> number_from_environment(char const* name) {
    char const* const text = std::getenv(name);
    if (text == nullptr || *text == '\0') return std::nullopt;
    char* end = nullptr;
    std::uint64_t const value = std::strtoull(text, &end, 10);
    if (*end != '\0' || *text == '-')
        throw std::invalid_argument(std::string(name) + " must be a number, not '" + text + "'");
    return value;
}

} // namespace

std::string exploration::report() const {
    if (!failed_seed) return std::to_string(seeds_run) + " seeds passed";
    return "seed " + std::to_string(*failed_seed) + " failed, number " + std::to_string(seeds_run) + ": " +
           what + "\nreplay: RHIZOME_SIMT_SEED=" + std::to_string(*failed_seed);
}

exploration explore(std::uint64_t first_seed, std::uint64_t seeds,
                    std::function<bool(simt_space&)> const& scenario, simt_options options) {
    if (auto const number = number_from_environment("RHIZOME_SIMT_SEEDS")) {
        if (*number == 0)
            throw std::invalid_argument("RHIZOME_SIMT_SEEDS=0: explorations would pass without running");
        seeds = *number;
    }
    if (auto const number = number_from_environment("RHIZOME_SIMT_FIRST_SEED")) first_seed = *number;
    if (auto const only = number_from_environment("RHIZOME_SIMT_SEED")) {
        first_seed = *only;
        seeds = 1;
    }
    return explore_exactly(first_seed, seeds, scenario, options);
}

exploration explore_exactly(std::uint64_t first_seed, std::uint64_t seeds,
                            std::function<bool(simt_space&)> const& scenario, simt_options options) {
    if (seeds == 0) throw std::invalid_argument("an exploration of 0 seeds would pass without running");
    exploration found;
    for (std::uint64_t seed = first_seed; seed - first_seed < seeds; ++seed) {
        options.seed = seed;
        ++found.seeds_run;
        try {
            simt_space space(options);
            if (scenario(space)) continue;
            found.what = "the check said no";
        } catch (std::exception const& error) {
            found.what = error.what();
        }
        found.failed_seed = seed;
        break;
    }
    return found;
}

} // namespace rhizome::exec
