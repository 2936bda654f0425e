// SPDX-License-Identifier: Apache-2.0
// What public code reaches on the same workloads, as recorded in a data file.
#pragma once

#include <rhizome/bench/harness/cell.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::bench {

/// One figure.
struct public_figure {
    std::string benchmark;
    std::string system;    ///< "Gallatin"
    std::string allocator; ///< ours of the same design; its variants begin with the same name; "": none
    /// The workload: choices with the values that a cell must have. A choice that is not here fits every
    /// cell.
    std::vector<std::pair<std::string, std::string>> choices;
    std::string measure;
    std::optional<double> value; ///< none: it crashed, hung, or could not run
    std::string note;
};

class public_figures {
public:
    public_figures() = default;
    /// The figures of all these files, whose heads name what their columns are: benchmark, system, measure,
    /// value and note; allocator, if they like; the others are choices of benchmarks. Or files that
    /// `rhizome bench run --csv` wrote: their medians, of a system that is called rhizome and the commit.
    /// Throws io::parse_error for a damaged file, io::file_error where one cannot be read.
    explicit public_figures(std::vector<std::string> const& paths);
    explicit public_figures(std::string const& path) : public_figures(std::vector<std::string>{path}) {}

    /// The figure of the public counterpart of the cell's own allocator, nullptr where none is recorded. The
    /// cell's workload must be the recorded one, in all choices that the file names; where requests have a
    /// mode and the file names none, one a thread.
    [[nodiscard]] public_figure const* counterpart(cell const& which, std::string const& measure) const;

    /// The best value that any public system reaches there, floors that never free left out.
    [[nodiscard]] public_figure const* best(cell const& which, std::string const& measure,
                                            bool more_is_better) const;

    /// The names of the files, without folders; "" without any.
    [[nodiscard]] std::string const& source_names() const { return source_names_; }
    [[nodiscard]] std::size_t size() const { return figures_.size(); }

private:
    void read(std::string const& path);

    std::string source_names_;
    std::vector<public_figure> figures_;
};

/// How many times better ours is; above 1 is better.
[[nodiscard]] double advantage(double ours, double theirs, bool more_is_better);

} // namespace rhizome::bench
