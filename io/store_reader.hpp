// SPDX-License-Identifier: Apache-2.0
// Reading a stored graph, batch by batch or all rows at once.
#pragma once

#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/io/store_format.hpp>
#include <rhizome/io/vertex_names.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::io {

/// Returns whether the file begins as a stored graph does. Returns false if it cannot be opened or is not a
/// regular file.
[[nodiscard]] bool is_stored_graph(std::string const& path);

/// Throws store_error if the values have another type or size. With the name "" and 0 bytes: if there are
/// values. `path`: of the file with the header.
void expect_stored_values(std::string const& path, store_header const& header, std::string_view type_name,
                          std::uint32_t value_bytes);

/// All edges of a stored graph as compressed sparse rows: those of vertex v have the numbers offsets[v] to
/// offsets[v + 1] - 1. An undirected edge is in the row of its smaller end only.
struct stored_arrays {
    std::unique_ptr<std::uint64_t[]> offsets;    ///< vertices + 1
    std::unique_ptr<graph::vertex_id[]> targets; ///< one per edge, ascending within a row
    std::unique_ptr<std::byte[]> values;         ///< one value per edge, or none
};

/// All edges are read at once if that takes at most one part in so many of the memory.
inline constexpr std::uint64_t rows_memory_parts = 8;

/// Which files a store_reader takes.
enum class stored_files : std::uint8_t {
    whole,        ///< whole graphs only
    whole_or_part ///< also one part of a graph that several ranks have saved
};

/// Reads the edges of a stored graph in ascending order and checks everything that the format promises:
/// - the size of the file, before memory is allocated
/// - every id and offset, when it is read
/// - the checksums, before next_edges() returns 0. Until then, edges may come from a damaged file.
/// Memory: a few blocks, whatever the size of the file, the ids of erased vertices, and what read_rows()
/// returns; of a part also the ids of its rows.
class store_reader {
public:
    /// Throws file_error if the file cannot be read or is not a regular file; store_error if it is damaged,
    /// or has another version or byte order, or is a part although only whole graphs are taken.
    explicit store_reader(std::string const& path, stored_files taken = stored_files::whole);
    ~store_reader();
    store_reader(store_reader const&) = delete;
    store_reader& operator=(store_reader const&) = delete;

    [[nodiscard]] store_header const& header() const { return header_; }
    /// Returns the ids of erased vertices, ascending.
    [[nodiscard]] std::vector<graph::vertex_id> const& erased() const { return erased_; }
    /// Returns the vertex of a row. Precondition: row < header().rows().
    [[nodiscard]] std::uint64_t vertex_of(std::uint64_t row) const {
        return row_ids_.empty() ? row : row_ids_[static_cast<std::size_t>(row)];
    }

    /// As expect_stored_values().
    void expect_values(std::string_view type_name, std::uint32_t value_bytes) const;

    /// Throws store_error if the graph has erased vertices.
    void expect_no_erased() const;

    /// Fills `edges` with the next edges and returns how many. These are fewer than edges.size() only at the
    /// end. Returns 0 after the last edge, if the checksums are right. `values` has room for as many values,
    /// or is nullptr to skip them. Throws file_error, store_error.
    [[nodiscard]] std::size_t next_edges(std::span<graph::edge> edges, void* values);

    /// Reads all edges at once, in place of next_edges(), on the threads of the team. Everything is checked
    /// when it returns. Reads the values if `with_values`. Throws file_error, store_error; std::logic_error
    /// if edges were read before, or the file is a part. Cost: about that of copying the file.
    [[nodiscard]] stored_arrays read_rows(exec::thread_team& team, bool with_values);
    /// Returns the bytes of what read_rows() returns.
    [[nodiscard]] std::uint64_t rows_bytes(bool with_values) const;

    /// Returns the names of the vertices, or none if the file has none. Checks them. Throws file_error,
    /// store_error.
    [[nodiscard]] vertex_names read_names() const;

    /// Begins again before the first edge.
    void rewind();

    /// Returns the share of the edges that was read, in [0, 1].
    [[nodiscard]] double fraction_read() const;

private:
    class section;

    void read_header(int descriptor, stored_files taken);
    void read_part_record(stored_files taken);
    void read_row_ids();
    void read_name_bytes(int descriptor, std::uint64_t size);
    [[nodiscard]] section section_of(store_format::kind what) const;
    void check_names() const;
    void read_erased();
    [[nodiscard]] bool read_right_rows(exec::thread_team& team, stored_arrays const& rows);
    [[nodiscard]] bool rows_are_right(stored_arrays const& rows, std::uint64_t first,
                                      std::uint64_t last) const;
    [[noreturn]] void find_damage();
    void read_first_offset();
    void enter_next_row();
    void give_row(std::span<graph::vertex_id const> targets, std::uint64_t position, graph::edge* to);
    void explain_row(std::span<graph::vertex_id const> targets, std::uint64_t position) const;
    void check_end();
    [[noreturn]] void fail(std::uint64_t byte, std::string const& found, std::string const& expected) const;

    std::string path_;
    int descriptor_ = -1;
    store_header header_;
    std::unique_ptr<section> offsets_;
    std::unique_ptr<section> targets_;
    std::unique_ptr<section> values_;
    std::vector<graph::vertex_id> row_ids_; ///< the vertex of each row of a part
    std::vector<graph::vertex_id> erased_;
    std::vector<bool> is_erased_;       ///< of each vertex; empty if none is
    std::vector<graph::vertex_id> ids_; ///< a block of targets
    std::vector<std::byte> unwanted_;   ///< a block of values
    std::uint64_t rows_ = 0;            ///< entered
    std::uint64_t row_end_ = 0;         ///< edges up to the end of the row
    std::uint64_t given_ = 0;           ///< edges
    std::uint64_t least_ = 0;           ///< target that the row may have next
    bool begun_ = false;                ///< edges were read
    bool ended_ = false;
};

} // namespace rhizome::io
