// SPDX-License-Identifier: Apache-2.0
// Applies a stream of updates to a graph, batch by batch: what the tool and bindings for other languages
// share.
#pragma once

#include <rhizome/graph/batch_report.hpp>
#include <rhizome/io/vertex_names.hpp>
#include <rhizome/runtime/any_graph.hpp>
#include <rhizome/stream/batch_pipeline.hpp>
#include <rhizome/stream/batch_reader.hpp>
#include <rhizome/stream/lengths.hpp>
#include <rhizome/stream/update_source.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace rhizome::stream {

/// How a graph_stream applies updates. The source says how the stream is cut into batches, and whether
/// updates call vertices by their ids or by other names (update_source::map_names()).
struct options {
    /// Erases the edges that leave this window (io/sliding_window.hpp).
    std::optional<window_length> window = {};
    /// The graph gets the vertices that updates name and it lacks. Otherwise such updates are rejected.
    bool grows_vertices = false;
    /// A batch that needs more vertices throws std::length_error.
    std::uint64_t most_vertices = ~std::uint64_t{0};
    /// Whether the graph takes self-loops (graph_choice::self_loops): a window of edges counts what it takes.
    bool self_loops = true;
    /// A graph without values: an update that names a weight is an error. Otherwise weights are left out.
    bool refuses_weights = false;
    /// What the message of that error expects in the place of a weight.
    std::string instead_of_weights = "none, as the graph has no weights";
    /// names() has the names after each batch, not only at the end of the stream. Costs a second copy of the
    /// names.
    bool follows_names = true;
    unsigned threads = 0; ///< of the host that reduce batches; 0: all that the machine has
};

/// What a batch did. updates = superseded + inserted.total() + erased.total().
struct applied_batch {
    std::uint64_t number = 0;         ///< of the batch, from 1
    std::uint64_t updates = 0;        ///< those of the stream, and those that erase what left the window
    std::uint64_t superseded = 0;     ///< updates that a later update of the same edge in the batch overrules
    graph::batch_report inserted;     ///< what became of the insertions
    graph::batch_report erased;       ///< what became of the erasures
    std::uint64_t expired = 0;        ///< updates that erase what left the window
    std::uint64_t edges_after = 0;    ///< of the graph
    std::uint64_t vertices_after = 0; ///< of the graph
    double read_ms = 0;               ///< reading the batch, on the host, ahead
    double reduce_ms = 0;             ///< forming its net effect, on the host ahead or in the space
    double insert_ms = 0;             ///< inserting; holds no copy into the space
    double erase_ms = 0;              ///< erasing
    double fraction_read = -1;        ///< of the stream, up to here; negative if its size is not known

    [[nodiscard]] std::uint64_t rejected() const { return inserted.rejected + erased.rejected; }
    /// Returns updates per second of the time that the graph takes: inserting and erasing.
    [[nodiscard]] double updates_per_second() const {
        double const ms = insert_ms + erase_ms;
        return ms > 0 ? static_cast<double>(updates) / ms * 1e3 : 0;
    }
};

/// Applies a stream to a graph. A batch has the effect of its updates one after the other: it is reduced to
/// its net effect, and applied as one batch of insertions and one of erasures. While a batch is applied,
/// other threads read and reduce the next ones, and the next one is copied into the graph's space.
///
/// A graph with values takes the weights of the stream as its values. An insertion without a weight gives the
/// edge the value 1, and inserting a present edge gives it the new value.
///
/// The caller may change the graph between two batches. One thread at a time calls the functions. The stream
/// may end before its source does: the destructor waits for no thread, and threads that still read hold the
/// source. Memory on the host: about 100 bytes per update of a batch.
class graph_stream {
public:
    /// Starts to read ahead. `graph` must outlive the stream. `updates`: no batch of it was taken, and the
    /// caller leaves it alone until next() has returned false. Throws std::invalid_argument for a window of
    /// length 0 and for a window of time over updates without times; what has_times() of the source throws.
    graph_stream(runtime::any_graph& graph, std::shared_ptr<update_source> updates,
                 stream::options const& options = {});
    graph_stream(graph_stream const&) = delete;
    graph_stream& operator=(graph_stream const&) = delete;

    /// Applies the next batch, waiting for it: advance() and apply(). Returns false at the end of the stream.
    /// Throws what both throw.
    bool next(applied_batch& done);

    /// Goes on to the next batch, waiting for it, unless the present one has not been applied. Returns false
    /// at the end. Throws what the source throws; io::parse_error for a weight that is refused;
    /// io::file_error for a weight that the values of the graph cannot hold. The end comes after an
    /// exception.
    bool advance();
    /// The batch that advance() went on to, as it was read. It has its net effect (reduced_batch::net) if the
    /// graph has values or does not form net effects itself.
    [[nodiscard]] reduced_batch const& present() const { return pipeline_.present(); }
    /// Applies that batch. Precondition: advance() returned true, and the batch has not been applied.
    ///
    /// Throws exec::out_of_memory; std::length_error for more vertices than the graph can have, and for a
    /// batch of more than 2^32 - 1 updates. The edges of the graph are then those before the batch, unless it
    /// was erasing that failed: then the insertions of the batch are there. New vertices of the batch may be
    /// there. The next call of apply() or next() tries the batch again.
    void apply(applied_batch& done);

    /// The names of the vertices if the source maps names: those that the graph had, followed by those of the
    /// batches that advance() has reached. Vertices that only rejected updates name have one too: first_of()
    /// (names.hpp) leaves them out. Valid until the next call of advance(). Throws std::logic_error before
    /// the end of the stream unless options::follows_names is set.
    [[nodiscard]] io::vertex_names const& names() const;
    /// The share of the stream up to the present batch; a negative number if its size is not known.
    [[nodiscard]] double fraction_read() const { return fraction_read_; }
    /// Number of batches that were applied.
    [[nodiscard]] std::uint64_t batches() const { return batches_; }

private:
    void apply_present(applied_batch& done);
    double apply_list(batch_list list, graph::batch_report& report);

    runtime::any_graph& graph_;
    std::shared_ptr<update_source> updates_;
    bool follows_names_;
    std::uint64_t most_vertices_;
    io::vertex_names names_; ///< if they are followed
    batch_reader reader_;
    batch_pipeline pipeline_;
    double fraction_read_;
    std::uint64_t batches_ = 0;
    bool is_pending_ = false; ///< the present batch has not been applied
    bool has_failed_ = false; ///< in advance()
    bool has_ended_ = false;
};

/// Returns about how many bytes of heap the neighbours take that the stream will bring; 0 if that is not
/// known without waiting. For graph_choice::heap_bytes, so that the heap need not grow. `value_bytes`: of an
/// edge value; 0: none. May read the first batch.
[[nodiscard]] std::uint64_t heap_bytes_ahead(update_source& updates,
                                             std::optional<window_length> const& window, bool directed,
                                             std::uint64_t value_bytes);

} // namespace rhizome::stream
