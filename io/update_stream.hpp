// Streams of edge updates, one per line.
#pragma once

#include <rhizome/io/input.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/text_writer.hpp>
#include <rhizome/io/update.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace rhizome::io {

/// Reads an update stream, plain, gzip, bzip2, zstd or xz; "-" is standard input.
///
///     + u v [w]     inserts the edge {u, v} (directed: the arc u -> v) with weight w, a finite number
///     - u v         erases it
///     # ...         a comment; blank lines are ignored too
///
/// Vertices count from 0, up to 4294967294. The reader does not know which vertices the graph has.
class update_reader {
public:
    /// Throws file_error if the file cannot be opened.
    explicit update_reader(std::string const& path) : input_(path) {}

    /// Replaces the batch by the next `count` updates, or by fewer at the end of the stream. Returns false if
    /// there are none. Throws parse_error at the first line that is not an update, file_error if the file
    /// cannot be read.
    bool next_batch(std::size_t count, update_batch& batch);

    /// Returns the path, for messages.
    [[nodiscard]] std::string const& name() const { return input_.name(); }
    /// Returns the share of the file that was read, in [0, 1], or a negative number if its size is not known.
    [[nodiscard]] double fraction_read() const { return input_.fraction_read(); }

private:
    input input_;
};

/// Writes an update stream, compressed as its name says (packed_file.hpp). commit() makes the file appear or
/// replaces it.
class update_writer {
public:
    /// Throws file_error.
    explicit update_writer(std::string const& path) : file_(path), text_(file_) {}

    /// Writes one comment line.
    void comment(std::string_view text);
    /// Writes the updates, without weights. Throws file_error.
    void append(std::span<update const> updates);
    /// Makes the file appear, or replaces it. Throws file_error.
    void commit();

private:
    packed_file file_;
    text_writer text_;
};

} // namespace rhizome::io
