// SPDX-License-Identifier: Apache-2.0
// Text files, compressed as they are written.
#pragma once

#include <rhizome/io/output_file.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace rhizome::io {

enum class packing { none, gzip, bzip2, zstd, xz };

/// Returns how a file of this name is compressed: .gz by gzip, .bz2 by bzip2, .zst by zstd, .xz by
/// xz, others not at all. Throws file_error for the endings of packings that cannot be written: .lz4, .zip
/// and others, and .zst and .xz if the installed Boost does not have them.
[[nodiscard]] packing packing_by_name(std::string const& path);

/// Returns the path without the ending of its packing: "a.graph" for "a.graph.gz".
[[nodiscard]] std::string without_packing(std::string const& path);

/// An output_file that compresses as its name says.
class packed_file {
public:
    /// Throws file_error if the file cannot be written, or for the reasons of packing_by_name().
    explicit packed_file(std::string const& path);
    ~packed_file();

    /// Throws what output_file::write() throws.
    void write(std::string_view text);

    /// As output_file::commit().
    void commit();

private:
    struct packer;

    output_file file_;
    std::unique_ptr<packer> packer_; ///< nullptr: text is written as it comes
};

} // namespace rhizome::io
