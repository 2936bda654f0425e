// SPDX-License-Identifier: Apache-2.0
// Reading the edges of a stored graph, whether it is one file or one for each rank that saved it.
#pragma once

#include <rhizome/graph/types.hpp>
#include <rhizome/io/store_parts.hpp>
#include <rhizome/io/store_reader.hpp>
#include <rhizome/io/vertex_names.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace rhizome::io {

/// Reads the edges of all parts, one part after the other; of a whole graph, those of its file. The edges of
/// a part ascend. Checks what store_reader and store_parts check. Memory: that of two store_readers.
class parts_reader {
public:
    /// Looks at the header of each part. Throws as store_parts; store_error if the parts together are not the
    /// whole graph.
    explicit parts_reader(std::string const& path);

    /// The header of the whole graph, or of its first part.
    [[nodiscard]] store_header const& header() const { return parts_.header(); }
    /// The reader of a graph that is one file; nullptr: it has parts.
    [[nodiscard]] store_reader* whole() { return header().is_part() ? nullptr : reader_.get(); }

    /// Throws store_error if the graph has erased vertices.
    void expect_no_erased() const;
    /// As store_reader::read_names(). Parts have none.
    [[nodiscard]] vertex_names read_names() const { return reader_->read_names(); }

    /// As store_reader::next_edges(). Fewer edges than there is room for may also come at the end of a part.
    [[nodiscard]] std::size_t next_edges(std::span<graph::edge> edges, void* values);
    /// The share of all edges that was read, in [0, 1].
    [[nodiscard]] double fraction_read() const;

private:
    store_parts parts_;
    std::unique_ptr<store_reader> reader_; ///< of part `number_`
    std::uint32_t number_ = 0;
    std::uint64_t edges_before_ = 0; ///< of the parts before
};

} // namespace rhizome::io
