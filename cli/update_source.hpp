// SPDX-License-Identifier: Apache-2.0
// The batches of an update stream as they stand in it, the first of which can be looked at ahead.
#pragma once

#include <rhizome/io/sliding_window.hpp>
#include <rhizome/io/update_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace rhizome::cli {

struct parsed_batch {
    io::update_batch batch;
    double read_ms = 0;
    double fraction_read = -1; ///< of the stream, up to here; negative where its size is not known
};

/// How a stream is cut into batches.
struct batch_rule {
    std::size_t batch_updates;  ///< updates per batch; of time steps: the most
    std::int64_t time_step = 0; ///< length of the time steps that are a batch each; 0: by count
};

/// One thread at a time uses it.
class update_source {
public:
    /// Throws io::file_error if the stream cannot be opened.
    update_source(std::string const& path, batch_rule const& rule,
                  io::update_reader_options const& options = {})
        : reader_(path, options), rule_(rule) {}

    /// The next batch; false at the end. Throws what io::update_reader does.
    bool next(parsed_batch& parsed);

    /// The first batch as it stands in the stream. Reads it, and keeps it for next(). What reading it throws,
    /// next() throws; the batch is then empty. Precondition: next() has not been called.
    [[nodiscard]] io::update_batch const& first_batch();

    /// The time that first_batch() took. Precondition: as first_batch().
    [[nodiscard]] double first_read_ms() const { return first_.read_ms; }

    /// Adds updates that erase the edges which leave this window. Precondition: next() has not been called.
    void set_window(io::sliding_window window) { window_ = std::move(window); }
    /// Vertices have names: io::update_reader::map_names(). Precondition: no batch was read.
    void map_names(io::vertex_names names) { reader_.map_names(std::move(names)); }

    /// The names of the vertices in the batches so far.
    [[nodiscard]] io::vertex_names const& names() const { return reader_.names(); }
    /// Throws what io::update_reader::format() does.
    [[nodiscard]] io::stream_format format() { return reader_.format(); }
    /// Throws what io::update_reader::has_lines() does.
    [[nodiscard]] bool has_lines() { return reader_.has_lines(); }
    [[nodiscard]] std::string const& name() const { return reader_.name(); }
    [[nodiscard]] double fraction_read() const { return reader_.fraction_read(); }
    [[nodiscard]] std::uint64_t rounded_times() const { return reader_.rounded_times(); }
    [[nodiscard]] std::uint64_t estimated_updates() const { return reader_.estimated_updates(); }

private:
    bool read(parsed_batch& parsed);

    io::update_reader reader_;
    batch_rule rule_;
    std::optional<io::sliding_window> window_;
    parsed_batch first_;
    std::exception_ptr first_failure_;
    bool holds_first_ = false;
};

} // namespace rhizome::cli
