// SPDX-License-Identifier: Apache-2.0
// A graph that several ranks have saved: one file for each.
#pragma once

#include <rhizome/io/store_reader.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace rhizome::io {

/// The path of a part. Part 0 has the path of the graph; the others add their number and the number of the
/// save, so that they do not replace those of an earlier save.
[[nodiscard]] std::string part_path(std::string const& path, std::uint32_t number, std::uint64_t save);

/// Deletes parts of earlier saves to this path, also of interrupted ones; leaves those that cannot be
/// deleted. `save`: the save whose parts stay; 0: none.
void delete_other_parts(std::string const& path, std::uint64_t save) noexcept;

/// What parts have together.
struct part_sums {
    std::uint64_t rows = 0;
    std::uint64_t edges = 0;
    std::uint64_t erased = 0;

    void add(store_header const& part) {
        rows += part.rows();
        edges += part.edges;
        erased += part.erased;
    }
};

/// The files of a stored graph: one, or one for each rank that saved it.
class store_parts {
public:
    /// Opens the first file, and looks into its folder. Throws file_error if there is a part that the graph
    /// does not have, and as the constructor of store_reader.
    explicit store_parts(std::string const& path);

    /// Returns the header of the first file.
    [[nodiscard]] store_header const& header() const { return header_; }
    /// Returns the number of files, at least 1.
    [[nodiscard]] std::uint32_t count() const { return header_.is_part() ? header_.part.parts : 1; }
    /// Opens a file. Throws as the constructor of store_reader, and store_error if it is not part `number` of
    /// the same save. Precondition: number < count().
    [[nodiscard]] std::unique_ptr<store_reader> open(std::uint32_t number) const;

    /// Throws store_error if the parts together are not the whole graph.
    void expect_all(part_sums const& sums) const;

private:
    void expect_no_surplus() const;

    std::string path_;
    store_header header_;
};

} // namespace rhizome::io
