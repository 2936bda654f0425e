// SPDX-License-Identifier: Apache-2.0
// The file that a download grows in until it is whole.
#pragma once

#include <cstdint>
#include <string>

namespace rhizome::cli {

/// FILE.part, and beside it FILE.part.url with the URL that its bytes come from. While an object lives, or a
/// program that it started still writes, no other process can hold the same file. Both files go with the
/// object if no byte came.
class part_file {
public:
    /// Makes the file if there is none. The lock lasts until all programs that this process starts meanwhile
    /// have ended, too: they inherit it. Throws io::file_error if the file cannot be written or another
    /// process holds it.
    explicit part_file(std::string path);
    part_file(part_file const&) = delete;
    part_file& operator=(part_file const&) = delete;
    ~part_file();

    [[nodiscard]] std::string const& path() const { return path_; }
    [[nodiscard]] std::uint64_t bytes() const;

    /// Drops the bytes so far unless they come from this URL, which is noted for the next attempt. Throws
    /// io::file_error.
    void expect(std::string const& url);
    /// Drops the bytes so far.
    void clear() const;
    /// Gives the file its name.
    void become(std::string const& target) const;
    /// Removes the file.
    void remove() const;

private:
    [[nodiscard]] std::string note() const { return path_ + ".url"; }

    std::string path_;
    int descriptor_;
};

} // namespace rhizome::cli
