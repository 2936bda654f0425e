// SPDX-License-Identifier: Apache-2.0
// Runs a test over many seeds.
#pragma once

#include <rhizome/exec/simt/space.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace rhizome::exec {

/// The result of explore(). Converts to true if every seed passed.
struct exploration {
    std::uint64_t seeds_run = 0;
    std::optional<std::uint64_t> failed_seed; ///< the first one that failed; later ones were not run
    std::string what; ///< the failure: the text of the exception, or that the check returned false

    [[nodiscard]] explicit operator bool() const { return !failed_seed.has_value(); }
    /// One readable paragraph, with the line that replays the failure.
    [[nodiscard]] std::string report() const;
};

/// Runs scenario(space) on a fresh space for each of the seeds first_seed, first_seed + 1, ...; stops at the
/// first that throws or returns false. Other options are the same for each. RHIZOME_SIMT_SEED=n runs only
/// seed n. RHIZOME_SIMT_SEEDS=n overrides the number of seeds and RHIZOME_SIMT_FIRST_SEED=n the first one, so
/// that processes can share them. Throws std::invalid_argument for 0 seeds, which would pass without running.
[[nodiscard]] exploration explore(std::uint64_t first_seed, std::uint64_t seeds,
                                  std::function<bool(simt_space&)> const& scenario,
                                  simt_options options = {});

/// The same, ignoring the environment: for tests that state within how many seeds a bug is found.
[[nodiscard]] exploration explore_exactly(std::uint64_t first_seed, std::uint64_t seeds,
                                          std::function<bool(simt_space&)> const& scenario,
                                          simt_options options = {});

} // namespace rhizome::exec
