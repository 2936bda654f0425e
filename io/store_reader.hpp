// Reading a stored graph, batch by batch.
#pragma once

#include <rhizome/graph/types.hpp>
#include <rhizome/io/store_format.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::io {

/// Whether the file begins as stored graphs do. False for what cannot be opened or is no regular file.
[[nodiscard]] bool is_stored_graph(std::string const& path);

/// Gives out the edges of a stored graph in ascending order. Believes nothing: the header is compared with
/// the file's size before any memory is taken, every id and offset is checked as it comes, and checksums
/// before next_edges() says that there are no more: until then, a graph that is built from the edges may be
/// one of a damaged file. Holds a few blocks, whatever the file's size, and the ids of erased vertices.
class store_reader {
public:
    /// Throws file_error if the file cannot be read or is no regular file, store_error if it is damaged, of a
    /// newer version or another byte order.
    explicit store_reader(std::string const& path);
    ~store_reader();
    store_reader(store_reader const&) = delete;
    store_reader& operator=(store_reader const&) = delete;

    [[nodiscard]] store_header const& header() const { return header_; }
    /// Ascending.
    [[nodiscard]] std::vector<graph::vertex_id> const& erased() const { return erased_; }

    /// Throws store_error unless the values are of that type and size; name "" and 0 bytes: unless there are
    /// none.
    void expect_values(std::string_view type_name, std::uint32_t value_bytes) const;

    /// Throws store_error where vertices were erased: for graphs that have no such.
    void expect_no_erased() const;

    /// The next edges, as many as there is room for; fewer only at the end, and 0 once all have been given
    /// and the file has been found whole. `values`: room for as many values, or nullptr where they are not
    /// wanted. Throws file_error, store_error.
    [[nodiscard]] std::size_t next_edges(std::span<graph::edge> edges, void* values);

    /// Share of the edges that has been given, in [0, 1].
    [[nodiscard]] double fraction_read() const;

private:
    class section;

    void read_header(int descriptor);
    void read_erased();
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
    std::vector<graph::vertex_id> erased_;
    std::vector<graph::vertex_id> ids_; ///< a block of targets
    std::vector<std::byte> unwanted_;   ///< a block of values
    std::uint64_t rows_ = 0;            ///< entered
    std::uint64_t row_end_ = 0;         ///< edges up to the end of the row
    std::uint64_t given_ = 0;           ///< edges
    std::uint64_t least_ = 0;           ///< target that the row may have next
    bool ended_ = false;
};

} // namespace rhizome::io
