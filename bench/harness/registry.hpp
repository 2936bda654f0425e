// SPDX-License-Identifier: Apache-2.0
// What can be measured. The harness knows benchmarks through this page alone.
#pragma once

#include <rhizome/bench/harness/cell.hpp>
#include <rhizome/bench/harness/comparison.hpp>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace rhizome::bench {

/// Something about a benchmark that the user may choose; an option of the same name.
struct choice {
    std::string name; ///< the same name means the same in all benchmarks
    std::string summary;
    std::string value;    ///< what its values are, for --help: "N", "BYTES"
    std::string defaults; ///< "16,64" for an axis, one value otherwise
    bool is_axis = false; ///< takes a list, and is crossed with the other axes
    /// The value in normal form. Throws cli::usage_error where it is none.
    std::function<std::string(std::string const& option, std::string const& text)> normalize;
};

/// A space as this machine has it.
struct space_description {
    std::string name = {};
    bool usable = true;
    std::string reason = {}; ///< why not
    std::string device = {};
    std::uint64_t memory_bytes = 0;
    std::string driver = {};  ///< "" where there is none
    std::string runtime = {}; ///< "" where there is none

    friend bool operator==(space_description const&, space_description const&) = default;
};

struct benchmark {
    std::string name;
    std::string summary; ///< one line
    std::string details; ///< what exactly is measured
    std::vector<choice> choices;
    /// Fits what the user has not chosen (`chosen` holds the names that he has) to a cell's other values and
    /// its space, and tells what it changed, or "". May be empty.
    std::function<std::string(cell&, std::set<std::string> const& chosen, space_description const&)> fit;
    /// Runs a cell to its end, in a process of its own. May throw: the cell has failed then.
    std::function<cell_result(cell const&)> run;
    /// What a paper states of these measurements, beside what came out here. Called with all cells of this
    /// benchmark once they have run. May be empty.
    std::function<std::vector<comparison>(std::vector<measured_cell> const&)> compare = {};
    /// Runs one rank of a cell. `run` calls run_as_ranks() (ranks.hpp) for cells that several processes
    /// measure; each of these calls this function. The result of rank 0 counts. May be empty.
    std::function<cell_result(cell const&)> run_rank = {};
};

// Whoever links the harness brings these two: the tool its registry, the tests a fake one.

/// In the order in which they are listed and run.
[[nodiscard]] std::vector<benchmark> const& benchmarks();
/// The spaces of this binary, the best first. Touches the GPU: called in a process of its own only.
[[nodiscard]] std::vector<space_description> describe_spaces();

/// Throws cli::usage_error where there is none of that name.
[[nodiscard]] benchmark const& find_benchmark(std::string const& name);

} // namespace rhizome::bench
