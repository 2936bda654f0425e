// SPDX-License-Identifier: Apache-2.0
// Reads the next batches of an update stream while the present one is applied.
#pragma once

#include <rhizome/io/batch_reducer.hpp>
#include <rhizome/runtime/values.hpp>
#include <rhizome/stream/one_ahead.hpp>
#include <rhizome/stream/update_source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::stream {

/// What becomes of the weights that a stream names.
enum class stream_weights { drop, refuse, keep };

/// A batch of a stream, reduced to its net effect; or as it stands there, where batch_reader_options say so.
struct reduced_batch {
    std::uint64_t updates = 0;
    io::net_batch net;
    runtime::values values; ///< net.weights in the type of the graph's values, unless that is double
    std::vector<io::update> in_order; ///< the updates themselves, if they are not reduced; else empty
    double read_ms = 0;
    double reduce_ms = 0;
    double fraction_read = -1;  ///< of the stream, up to here; negative where its size is not known
    std::uint64_t expired = 0;  ///< updates that erase what left a window
    std::uint64_t vertices = 0; ///< that the graph must have for all updates of the batch; counted if wanted
    std::vector<std::string> new_names; ///< as parsed_batch::new_names

    /// The weights of net.insertions as values of the graph; none unless weights are kept.
    [[nodiscard]] runtime::values_view insertion_values() const {
        return values.type() == runtime::value_type::none ? runtime::values_view(net.weights) : values.view();
    }
};

struct batch_reader_options {
    bool directed = false;
    stream_weights weights = stream_weights::drop;
    runtime::value_type values = runtime::value_type::float64; ///< what weights become if they are kept
    /// What the message of refused weights expects in the place of a weight.
    std::string instead_of_weights = "none, as the graph has no weights";
    bool counts_vertices = false;
    bool reduces = true;  ///< false: batches come as they stand in the stream, without weights
    unsigned threads = 0; ///< that reduce; 0: all that the machine has
};

/// One thread reads a batch while another reduces the one before, while the caller applies the one before
/// that. next() throws what went wrong in its batch. Takes about 100 bytes of the host's memory for
/// each update of a batch.
class batch_reader {
public:
    /// Weights that are kept stand beside the insertions of the net effect. In the place of its batch, next()
    /// throws io::parse_error for a weight that is refused, and io::file_error for one that the graph's
    /// values cannot hold.
    batch_reader(std::shared_ptr<update_source> const& updates, batch_reader_options const& options);

    /// The next batch, waiting for it; false at the end. Throws what the source does. The lists in
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

} // namespace rhizome::stream
