// SPDX-License-Identifier: Apache-2.0
// Streams of edge updates, one per line.
#pragma once

#include <rhizome/io/input.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/stream_format.hpp>
#include <rhizome/io/text_writer.hpp>
#include <rhizome/io/update.hpp>
#include <rhizome/io/update_parser.hpp>
#include <rhizome/io/vertex_names.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rhizome::io {

class update_parts;

struct update_reader_options {
    std::optional<stream_format> format = {}; ///< empty: recognise it by content
    unsigned threads = 0;                     ///< number of parsing threads; 0: one per core
    /// Set this if a temporal list is already sorted by time. The reader then reads it batch by batch, and
    /// throws parse_error at a line whose time is less than the one before. Otherwise it reads the whole list
    /// before the first batch.
    bool is_sorted = false;
};

/// Reads an update stream, plain, gzip, bzip2, zstd or xz; "-" is standard input. Formats (stream_format):
///
///     + u v [w]     inserts the edge {u, v} (directed: the arc u -> v) with weight w, a finite number
///     - u v         erases it
///     a u v [w]     the same as "+ u v [w]", in files of GraphBolt
///     d u v [w]     the same as "- u v", in files of GraphBolt; w is ignored
///     u v t [w]     inserts it at the time t, a number, whose fraction is left out
///     u v w t       the same in files of KONECT; in a dynamic network a w of -1 erases the edge
///     ...           what a header names, such as '# source target weight time', for each line
///     # ...         a comment, also % ...; blank lines are ignored too
///
/// Vertices are numbers from 0 to 4294967293, unless map_names() was called. The reader does not know which
/// vertices the graph has. Threads parse blocks of lines ahead of the batches. Batches of a temporal list
/// are in the order of its times; lines of equal times keep their order. Unless the list is_sorted, the
/// reader holds all of it in memory: 20 bytes per line, 28 with weights, and 60 to 68 more while it sorts.
class update_reader {
public:
    /// Throws file_error if the file cannot be opened.
    explicit update_reader(std::string const& path, update_reader_options const& options = {});
    update_reader(update_reader const&) = delete;
    update_reader& operator=(update_reader const&) = delete;
    /// Does not wait for a read from a pipe that is still in progress.
    ~update_reader();

    /// Returns the format. Waits for the first update. Throws as recognise_stream().
    [[nodiscard]] io::stream_format format();

    /// Returns whether there is any line that is neither blank nor a comment. Waits and throws as format().
    [[nodiscard]] bool has_lines();

    /// From now on, any word may name a vertex. The vertices of `names` come first. Each new word in the
    /// stream becomes the next vertex. Precondition: no function that reads was called before, except
    /// format().
    void map_names(vertex_names names);
    /// Returns the names of map_names(), followed by the new ones in the batches that were read.
    [[nodiscard]] vertex_names const& names() const { return names_; }

    /// Replaces the batch by the next `count` updates, or by fewer at the end of the stream. Returns false if
    /// there are none. Throws parse_error at the first line that is not an update, file_error if the file
    /// cannot be read.
    bool next_batch(std::size_t count, update_batch& batch);

    /// Replaces the batch by the updates of the next time step that has updates, but at most `most` of them;
    /// the next call then gives the rest of the step. A step is `step` units of time long; the first one
    /// begins at the time of the first update. Throws as next_batch(), and file_error for a stream without
    /// times. Precondition: step > 0.
    bool next_time_step(std::int64_t step, std::size_t most, update_batch& batch);

    /// Returns the path, for messages.
    [[nodiscard]] std::string const& name() const { return name_; }
    /// Returns the share of the stream that was read, in [0, 1], or a negative number if its size is not
    /// known.
    [[nodiscard]] double fraction_read() const { return fraction_; }
    /// Returns how many times of the updates that were read have a fraction, which is left out.
    [[nodiscard]] std::uint64_t rounded_times() const { return rounded_times_; }
    /// Returns an estimate of the number of updates of the stream, from those that were parsed so far; 0 if
    /// nothing was read yet, or if the size of the stream is unknown.
    [[nodiscard]] std::uint64_t estimated_updates() const;

private:
    void start();
    bool fetch();
    void append(std::size_t count, update_batch& batch);

    std::string name_;
    update_reader_options options_;
    std::unique_ptr<input> input_; ///< until the first part is wanted
    stream_syntax syntax_;
    vertex_names names_;
    std::unique_ptr<update_parts> parts_;
    update_part part_;              ///< the present one
    std::size_t at_ = 0;            ///< updates of it that were given out
    std::vector<update_part> held_; ///< all parts of a temporal list
    std::size_t next_held_ = 0;
    std::uint64_t held_updates_ = 0;
    std::uint64_t given_ = 0; ///< updates
    std::uint64_t first_weight_line_ = 0;
    std::uint64_t rounded_times_ = 0;
    std::int64_t first_time_ = 0;
    double fraction_ = -1;
    bool is_recognised_ = false;
    bool maps_names_ = false;
    bool holds_all_ = false;
};

/// Writes an update stream; the end of the name decides the compression (packed_file.hpp). commit() makes
/// the file appear, or replaces the old one.
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
