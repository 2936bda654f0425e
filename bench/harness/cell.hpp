// SPDX-License-Identifier: Apache-2.0
// One point of a benchmark's axes, and what was measured there.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::bench {

/// A benchmark with one value for each of its choices. Values are text as the user writes it, in normal form.
struct cell {
    std::string benchmark;
    std::vector<std::pair<std::string, std::string>> values; ///< in the order of the benchmark's choices

    [[nodiscard]] bool has(std::string const& choice) const;
    /// Throws std::out_of_range for a choice that the benchmark does not have.
    [[nodiscard]] std::string const& text(std::string const& choice) const;
    [[nodiscard]] std::uint64_t count(std::string const& choice) const;
    /// A size in bytes: "64M".
    [[nodiscard]] std::uint64_t bytes(std::string const& choice) const;
    void set(std::string const& choice, std::string value);

    friend bool operator==(cell const&, cell const&) = default;
};

/// Whether a choice tells how often a cell is measured and from which seed (warm-up, repetitions, seed), not
/// what is measured: results of cells that differ in these alone are compared with each other.
[[nodiscard]] bool says_how_measured(std::string const& choice);

/// "cycle/bump/16/threads:1000000": the first two choices alone, the others with their names; without those
/// that say how it is measured.
[[nodiscard]] std::string name_of(cell const& which);

/// One quantity, once a repetition.
struct measure {
    std::string name;
    std::string unit; ///< "ms" for times; "share", "ratio", "rounds", ... for others
    bool more_is_better = false;
    std::vector<double> samples;
    bool is_curve = false; ///< samples are steps in their order: the JSON has all of them, for pictures

    [[nodiscard]] bool is_time() const { return unit == "ms"; }
    friend bool operator==(measure const&, measure const&) = default;
};

enum class cell_status : std::uint8_t {
    ok,
    not_served, ///< the subject does not offer this: no failure
    failed,     ///< it answered wrongly or threw
    crashed,    ///< its process ended by a signal, or without an answer
    timed_out,  ///< its process was ended at the time limit
};

[[nodiscard]] char const* name_of(cell_status status);
/// Throws std::invalid_argument for text that names none.
[[nodiscard]] cell_status status_of(std::string const& name);

struct cell_result {
    cell_status status = cell_status::ok;
    std::string message; ///< why it is not ok
    std::vector<measure> measures;

    friend bool operator==(cell_result const&, cell_result const&) = default;
};

struct measured_cell {
    bench::cell cell;
    cell_result result;
    double wall_seconds = 0; ///< of its process, from start to end
};

} // namespace rhizome::bench
