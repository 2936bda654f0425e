// SPDX-License-Identifier: Apache-2.0
// What the choices of different benchmarks have in common.
#pragma once

#include <rhizome/bench/harness/registry.hpp>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace rhizome::bench {

/// Normalizers for `choice`: text in, normal form out, cli::usage_error for anything else.
using normalizer = std::function<std::string(std::string const& option, std::string const& text)>;

/// A whole number in a range.
[[nodiscard]] normalizer normal_count(std::uint64_t lowest, std::uint64_t highest);
/// One of these names.
[[nodiscard]] normalizer normal_name(std::vector<std::string> names);
/// A count of edges from 1 to 10^9, with k or M (powers of 1000) if the user likes.
[[nodiscard]] std::string normal_edges(std::string const& option, std::string const& text);
/// An allocator of the tool.
[[nodiscard]] std::string normal_allocator(std::string const& option, std::string const& text);

/// --space, --warm-up, --repetitions, --seed, --host-threads, the same in all benchmarks. "" as default of
/// the second and third: the benchmark has none. space_of() (subject.hpp) reads the others.
[[nodiscard]] choice space_choice();
void add_repetition_choices(std::vector<choice>& choices, std::string const& warm_up,
                            std::string const& repetitions);
void add_machine_choices(std::vector<choice>& choices);

/// Lowers the choices that the user did not set, and reports it. All cells of a benchmark get the same
/// values.
class fitting {
public:
    fitting(cell& which, std::set<std::string> const& chosen) : cell_(which), chosen_(chosen) {}

    /// `by_default`: the highest of the defaults.
    void lower(std::string const& choice, std::uint64_t by_default, std::uint64_t most);
    /// One line for the plan's notes; "" where nothing was lowered.
    [[nodiscard]] std::string note(space_description const& space, std::string const& why) const;

private:
    cell& cell_;
    std::set<std::string> const& chosen_;
    std::string changes_;
};

/// The benchmarks of each folder.
[[nodiscard]] std::vector<benchmark> allocator_benchmarks();
[[nodiscard]] std::vector<benchmark> graph_benchmarks();
[[nodiscard]] std::vector<benchmark> array_benchmarks();
[[nodiscard]] std::vector<benchmark> compaction_benchmarks();
[[nodiscard]] std::vector<benchmark> walk_benchmarks();
[[nodiscard]] std::vector<benchmark> join_benchmarks();
[[nodiscard]] std::vector<benchmark> coalescing_benchmarks();
[[nodiscard]] std::vector<benchmark> communication_benchmarks();
[[nodiscard]] std::vector<benchmark> device_scaling_benchmarks();

} // namespace rhizome::bench
