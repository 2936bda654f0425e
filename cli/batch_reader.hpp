// SPDX-License-Identifier: Apache-2.0
// Reads the next batches of an update stream while the present one is applied.
#pragma once

#include <rhizome/cli/one_ahead.hpp>
#include <rhizome/cli/update_source.hpp>
#include <rhizome/io/batch_reducer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::cli {

/// What becomes of the weights that a stream names.
enum class stream_weights { drop, refuse, keep };

/// A batch of a stream, reduced to its net effect; or as it stands there, where batch_reader_options say so.
struct reduced_batch {
    std::uint64_t updates = 0;
    io::net_batch net;
    std::vector<io::update> in_order; ///< the updates themselves, if they are not reduced; else empty
    double read_ms = 0;
    double reduce_ms = 0;
    double fraction_read = -1;  ///< of the stream, up to here; negative where its size is not known
    std::uint64_t expired = 0;  ///< updates that erase what left a window
    std::uint64_t vertices = 0; ///< that the graph must have for all updates of the batch; counted if wanted
};

struct batch_reader_options {
    bool directed = false;
    stream_weights weights = stream_weights::drop;
    bool counts_vertices = false;
    bool reduces = true;  ///< false: batches come as they stand in the stream, without weights
    unsigned threads = 0; ///< that reduce; 0: all that the machine has
};

/// One thread reads a batch while another reduces the one before, while the caller applies the one before
/// that. next() throws what went wrong in its batch. Takes about 100 bytes of the host's memory for
/// each update of a batch.
class batch_reader {
public:
    /// Throws io::file_error if the stream cannot be opened.
    batch_reader(std::string const& path, std::size_t batch_updates, bool directed);
    /// Reads a stream that was opened before. Weights that are kept stand beside the insertions of the net
    /// effect; those that are refused are thrown as io::parse_error in the place of their batch.
    batch_reader(std::shared_ptr<update_source> const& updates, batch_reader_options const& options);

    /// The next batch, waiting for it; false at the end. Throws what io::update_reader does. The lists in
    /// `batch` are kept as room for a later one.
    bool next(reduced_batch& batch) { return reduced_.next(batch); }
    /// Whether a batch is there, so that next() gives it at once.
    [[nodiscard]] bool has_next() const { return reduced_.has_next(); }

    /// The share of the stream that was read before the first batch.
    [[nodiscard]] double fraction_at_start() const { return fraction_at_start_; }

private:
    double fraction_at_start_;
    one_ahead<reduced_batch> reduced_;
};

} // namespace rhizome::cli
