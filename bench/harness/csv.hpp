// SPDX-License-Identifier: Apache-2.0
// Tables as text: RFC 4180.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace rhizome::bench {

/// One record with its line end. Fields with commas, quotes or line breaks are quoted.
[[nodiscard]] std::string csv_line(std::vector<std::string> const& fields);

/// Reads a file, record by record. Empty lines, and lines that begin with # where a record would, are left
/// out.
class csv_reader {
public:
    /// Throws io::file_error where it cannot be opened.
    explicit csv_reader(std::string const& path);

    /// False at the end of the file. Throws io::parse_error for quotes that do not match, io::file_error.
    [[nodiscard]] bool next(std::vector<std::string>& fields);

    [[nodiscard]] std::string const& path() const { return path_; }
    /// The line in which the last record began, from 1.
    [[nodiscard]] std::uint64_t line() const { return begin_; }

private:
    [[nodiscard]] bool next_line(std::string& line);

    std::string path_;
    std::ifstream file_;
    std::uint64_t lines_ = 0; ///< read
    std::uint64_t begin_ = 0;
};

} // namespace rhizome::bench
