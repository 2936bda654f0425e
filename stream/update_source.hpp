// SPDX-License-Identifier: Apache-2.0
// Where the updates of a stream come from, batch by batch, the first of which can be looked at ahead.
#pragma once

#include <rhizome/io/sliding_window.hpp>
#include <rhizome/io/update.hpp>
#include <rhizome/io/vertex_names.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace rhizome::stream {

/// A batch as it stands in the stream.
struct parsed_batch {
    io::update_batch batch;
    std::vector<std::string> new_names; ///< of the vertices that the batch names first, if they are followed
    double read_ms = 0;
    double fraction_read = -1; ///< of the stream, up to here; negative if its size is not known
};

/// How a stream is cut into batches.
struct batch_rule {
    std::size_t batch_updates = 100'000; ///< updates per batch; of time steps: the most
    std::int64_t time_step = 0;          ///< length of the time steps that are a batch each; 0: by count
};

/// A stream of updates. file_updates and array_updates are the two kinds. One thread at a time
/// uses it; while a graph_stream or a batch_reader reads from it, that is a thread of theirs.
class update_source {
public:
    update_source(update_source const&) = delete;
    update_source& operator=(update_source const&) = delete;
    virtual ~update_source() = default;

    /// Replaces the batch by the next one. Returns false at the end. Throws what the source throws when it
    /// reads.
    bool next(parsed_batch& parsed);

    /// Returns the first batch as it stands in the stream. Reads it, and keeps it for next(). What reading it
    /// throws, next() throws; the batch is then empty. Precondition: next() has not been called.
    [[nodiscard]] io::update_batch const& first_batch();
    /// Returns whether an update of the first batch names a weight. Reads that batch, as first_batch() does.
    [[nodiscard]] bool first_batch_has_weights() { return first_batch().first_weight_line != 0; }
    /// Returns the time in ms that first_batch() took. Precondition: as first_batch().
    [[nodiscard]] double first_read_ms() const { return first_.read_ms; }

    /// Adds updates that erase the edges which leave this window. A window of time needs times (has_times()).
    /// Precondition: next() has not been called.
    void set_window(io::sliding_window window) { window_ = std::move(window); }
    /// From now on, the updates of the stream name vertices by any numbers (in files: by any words). The
    /// vertices of `names` come first. Each new name becomes the next vertex. Precondition: no batch was
    /// read.
    void map_names(io::vertex_names names) {
        first_names_ = followed_names_ = names.size();
        start_names(std::move(names));
    }
    /// Returns the names of map_names(), followed by the new ones in the batches that were read. A file may
    /// have read ahead: then names of later batches follow.
    [[nodiscard]] virtual io::vertex_names const& names() const = 0;
    /// Batches tell the names that are new in them (parsed_batch::new_names). Returns the names of
    /// map_names(). Precondition: next() has not been called.
    [[nodiscard]] io::vertex_names follow_names();

    /// Returns whether updates have times. Of a file it waits for the first update.
    [[nodiscard]] virtual bool has_times() = 0;
    /// Returns what messages call the source: the path of a file.
    [[nodiscard]] virtual std::string const& name() const = 0;
    /// Returns the share of the stream that was read, in [0, 1]; a negative number if its size is not known.
    [[nodiscard]] virtual double fraction_read() const = 0;
    /// Returns about how many updates the stream has, without waiting for a pipe; 0 if that is not known. Of
    /// a file it reads the first batch.
    [[nodiscard]] virtual std::uint64_t estimated_updates() = 0;
    [[nodiscard]] batch_rule const& batches() const { return rule_; }

protected:
    explicit update_source(batch_rule const& rule) : rule_(rule) {}

private:
    /// As io::update_reader::next_batch() and next_time_step().
    virtual bool read_updates(std::size_t count, io::update_batch& batch) = 0;
    virtual bool read_time_step(std::int64_t step, std::size_t most, io::update_batch& batch) = 0;
    virtual void start_names(io::vertex_names names) = 0;
    bool read(parsed_batch& parsed);
    void add_new_names(parsed_batch& parsed);

    batch_rule rule_;
    std::optional<io::sliding_window> window_;
    parsed_batch first_;
    std::exception_ptr first_failure_;
    bool holds_first_ = false;
    bool follows_names_ = false;
    std::uint64_t first_names_ = 0;    ///< names of map_names()
    std::uint64_t followed_names_ = 0; ///< those, and the new ones that batches have told
};

} // namespace rhizome::stream
