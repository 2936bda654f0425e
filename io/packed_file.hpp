// Text files that are compressed while they are written.
#pragma once

#include <rhizome/io/output_file.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace rhizome::io {

enum class packing { none, gzip, bzip2, zstd };

/// How a file of this name is compressed: .gz by gzip, .bz2 by bzip2, .zst by zstd, others not. Throws
/// file_error for the endings of packings that cannot be written (.xz, .lz4, .zip, ...; .zst where Boost
/// lacks it).
[[nodiscard]] packing packing_by_name(std::string const& path);

/// The path without the ending that says how it is compressed: "a.graph" of "a.graph.gz".
[[nodiscard]] std::string without_packing(std::string const& path);

/// An output_file whose name says how it is compressed.
class packed_file {
public:
    /// Throws file_error if nothing can be written there, or by packing_by_name().
    explicit packed_file(std::string const& path);
    ~packed_file();

    /// Throws what output_file::write() does.
    void write(std::string_view text);

    /// As output_file::commit().
    void commit();

private:
    struct packer;

    output_file file_;
    std::unique_ptr<packer> packer_; ///< nullptr: text is written as it comes
};

} // namespace rhizome::io
