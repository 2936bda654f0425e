// SPDX-License-Identifier: Apache-2.0
// The files that a run leaves behind: found out before it begins whether they can be written, and written
// whatever happens.
#pragma once

#include <rhizome/bench/harness/public_figures.hpp>
#include <rhizome/bench/harness/results.hpp>
#include <rhizome/io/output_file.hpp>

#include <functional>
#include <memory>
#include <string>

namespace rhizome::bench {

/// Where results go; "" is not wanted.
struct result_paths {
    std::string json;
    std::string csv;
    std::string picture;
};

class result_files {
public:
    /// Opens the files, finds out whether there is room for the results of so many cells and whether pictures
    /// can be drawn: takes a second where one is wanted. Throws io::file_error and std::runtime_error, which
    /// say what cannot be done; nothing is written then.
    result_files(result_paths paths, std::uint64_t cells);

    /// Writes the results: each file whole or not at all, and each even where another fails. Then calls
    /// print(), if there is one, with the JSON document. What cannot be written or printed goes to the folder
    /// for temporary files. Throws std::runtime_error, which says what failed and where the results are;
    /// io::closed_pipe if only print() failed, because its reader has gone.
    void write(run_results const& results, public_figures const& figures,
               std::function<void(std::string const&)> const& print = {});

    /// "a.json, a.csv"; "" where nothing is wanted.
    [[nodiscard]] std::string names() const;

private:
    result_paths paths_;
    std::unique_ptr<io::output_file> json_;
    std::unique_ptr<io::output_file> csv_;
    std::unique_ptr<io::output_file> picture_;
};

} // namespace rhizome::bench
