// SPDX-License-Identifier: Apache-2.0
// What is done to arrays, and what is measured of them. Each checks the sum of the elements, outside of the
// measured times; what is wrong is thrown as std::runtime_error.
#pragma once

#include <rhizome/bench/harness/cell.hpp>
#include <rhizome/bench/papers/ggarray/subject.hpp>

#include <functional>
#include <memory>

namespace rhizome::bench {

/// Opens an array of that structure, which holds at most so many elements.
using open_array =
    std::function<std::unique_ptr<array_subject>(std::string const& structure, std::uint64_t most_elements)>;

/// Fills an array with `elements` elements, and then doubles it: measures grow, insert, read_write, with
/// `by_index` also read_write_by_index; and memory, bytes over those of the elements. Each repetition has an
/// array of its own.
[[nodiscard]] cell_result run_doubling(open_array const& open, std::string const& structure,
                                       cell const& which, bool by_index);

/// Five phases of insertion, `each` elements for each element that is there, up to about `elements` in all;
/// after each, `calls` kernels add 1 to each element. Measures `semi_static`: all in a region_array;
/// `two_phases`: insertion into a gg_array, and work on a copy of it in a region_array; and the speedup of
/// the second.
[[nodiscard]] cell_result run_phases(open_array const& open, std::string const& inserts_into,
                                     cell const& which);

/// Memory over that of the first elements after `phases` phases, each of which multiplies the number of
/// elements by 1 + X, X log-normal with mu = 0 and this sigma. Computed, not measured: `expected`, the mean
/// number of elements; `static`, which is enough in 99 % of the cases; `gg`, the mean of the buckets' room;
/// and `gg_worst`, the most room over elements in any case.
[[nodiscard]] cell_result compute_memory(cell const& which);

} // namespace rhizome::bench
