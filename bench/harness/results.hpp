// SPDX-License-Identifier: Apache-2.0
// What a run came to, in the forms in which it is kept.
#pragma once

#include <rhizome/bench/harness/cell.hpp>
#include <rhizome/bench/harness/comparison.hpp>
#include <rhizome/bench/harness/environment.hpp>
#include <rhizome/bench/harness/public_figures.hpp>

#include <string>
#include <vector>

namespace rhizome::bench {

struct run_results {
    environment where;
    std::vector<std::string> notes; ///< those of the plan
    std::vector<measured_cell> cells;
    std::vector<comparison> comparisons = {}; ///< of all benchmarks that have any
};

/// Google Benchmark's schema: `context` and `benchmarks`, an entry for each sample (run_type "iteration") and
/// for mean, median, stddev and cv of each time (run_type "aggregate"). What is no time stands as a counter
/// in the entries of its cell. A cell that failed has error_occurred and error_message, one that is not
/// served skipped and skip_message. Times are in nanoseconds (time_unit ns), but cv, a share of the mean;
/// cpu_time repeats real_time. The name has the choices that say what is measured: `axes` holds all of the
/// cell's, `repetitions` and `seed` stand beside. `public` holds the figures of others, `context.break_evens`
/// those of break_even.hpp.
[[nodiscard]] std::string json_text(run_results const& results, public_figures const& figures);

/// One line a measure, one a cell that has none; fields as in RFC 4180. public_figures reads it.
[[nodiscard]] std::string csv_text(run_results const& results, public_figures const& figures);

/// A table's head, when the benchmark begins, and its lines, as cells come in: for people.
class result_table {
public:
    /// The widths come from the cells that are going to be shown.
    result_table(std::vector<cell> const& cells, public_figures const& figures);

    /// The lines of this cell, with the table's head before the first of its benchmark.
    [[nodiscard]] std::string lines_of(measured_cell const& measured);
    /// What the columns mean.
    [[nodiscard]] std::string foot() const;

private:
    struct column {
        std::string choice;
        std::size_t width;
    };

    void begin(std::string const& benchmark);
    [[nodiscard]] std::string head() const;
    [[nodiscard]] std::string label_of(cell const& which) const;

    std::vector<cell> cells_;
    public_figures const& figures_;
    std::string benchmark_;       ///< whose lines are printed
    std::string common_;          ///< the choices in which its cells agree
    std::vector<column> columns_; ///< the choices in which they differ
};

/// "1 KiB", "4 B to 64 B", "1000000": a value of a choice, for people.
[[nodiscard]] std::string pretty(std::string const& choice, std::string const& value);

} // namespace rhizome::bench
