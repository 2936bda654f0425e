// Running a test over many seeds.
#pragma once

#include <rhizome/exec/simt/space.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace rhizome::exec {

/// What explore() found. Converts to true where every seed passed.
struct exploration {
    std::uint64_t seeds_run = 0;
    std::optional<std::uint64_t> failed_seed; ///< the first; none after it were run
    std::string what; ///< of the failure: the exception's text, or that the check said no

    [[nodiscard]] explicit operator bool() const { return !failed_seed.has_value(); }
    /// One paragraph for people, with the line that replays the failure.
    [[nodiscard]] std::string report() const;
};

/// Runs scenario(space) on a fresh space for each of the seeds first_seed, first_seed + 1, ...; stops at the
/// first that throws or returns false. Other options are the same for each. RHIZOME_SIMT_SEED=n runs seed n
/// alone; RHIZOME_SIMT_SEEDS=n overrides the number of seeds, RHIZOME_SIMT_FIRST_SEED=n where they begin, so
/// that processes can share them. Throws std::invalid_argument for 0 seeds, which would pass without running.
[[nodiscard]] exploration explore(std::uint64_t first_seed, std::uint64_t seeds,
                                  std::function<bool(simt&)> const& scenario, simt_options options = {});

/// The same whatever the environment says: for tests that state within how many seeds a bug is found.
[[nodiscard]] exploration explore_exactly(std::uint64_t first_seed, std::uint64_t seeds,
                                          std::function<bool(simt&)> const& scenario,
                                          simt_options options = {});

} // namespace rhizome::exec
