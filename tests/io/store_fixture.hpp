// SPDX-License-Identifier: Apache-2.0
// A stored graph to be read, damaged and replaced.
#pragma once

#include "scratch_folder.hpp"

#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/store_file.hpp>
#include <rhizome/io/store_format.hpp>
#include <rhizome/io/store_reader.hpp>
#include <rhizome/io/store_writer.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace rhizome::testing {

using edges = std::vector<graph::edge>;
using numbers = std::vector<std::uint64_t>;
using ids = std::vector<graph::vertex_id>;
namespace format = io::store_format;

class store : public ::testing::Test {
protected:
    scratch_folder folder;
    std::string path = folder.path("file.rhz");

    /// Six vertices, seven edges with values, a loop, and a row without edges at either end.
    [[nodiscard]] static io::graph_file sample() {
        return {.vertex_count = 6,
                .directed = false,
                .edges = {{1, 1}, {1, 2}, {1, 5}, {2, 3}, {2, 4}, {3, 5}, {4, 5}},
                .edge_weights = {10, 20, 30, 40, 50, 60, 70},
                .vertex_sizes = {},
                .vertex_weights = {},
                .weights_per_vertex = 0};
    }
    [[nodiscard]] std::string sample_bytes() const {
        io::write_stored_graph(path, sample());
        return text_of(path);
    }

    /// Reads a file to its end, as whoever wants all of it.
    static edges read_all(std::string const& from) {
        io::store_reader reader(from);
        edges all;
        edges batch(3);
        std::vector<std::byte> values(3 * (reader.header().value_bytes + std::size_t{1}));
        while (std::size_t const count = reader.next_edges(batch, values.data()))
            all.insert(all.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(count));
        return all;
    }
    /// The same by rows.
    static edges read_rows(std::string const& from) {
        exec::thread_team team(2);
        io::store_reader reader(from);
        io::stored_arrays const rows = reader.read_rows(team, true);
        edges all;
        for (graph::vertex_id v = 0; v < reader.header().vertices; ++v)
            for (std::uint64_t i = rows.offsets[v]; i < rows.offsets[v + std::uint64_t{1}]; ++i)
                all.push_back({v, rows.targets[i]});
        return all;
    }
    /// What is said about bytes that must be refused, in whatever way they are read.
    [[nodiscard]] std::string refusal(std::string const& bytes) const {
        // In place: to begin a file anew thousands of times takes some file systems seconds.
        std::string const file = folder.path("damaged.rhz");
        if (!std::filesystem::exists(file)) folder.write("damaged.rhz", "");
        std::fstream(file, std::ios::in | std::ios::out | std::ios::binary) << bytes;
        if (std::filesystem::file_size(file) != bytes.size())
            std::filesystem::resize_file(file, bytes.size());
        std::string const said = message_of<io::store_error>([&] { (void)read_all(file); });
        EXPECT_TRUE(said.empty() || said.starts_with(file + ": at byte ")) << said;
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
        EXPECT_EQ(message_of<io::store_error>([&] { (void)read_rows(file); }), said);
        return said;
    }
    /// ... in a sound file whose header is changed, and made to look unharmed.
    template <class Change>
    [[nodiscard]] std::string refusal_of_header(Change const& change) const {
        std::string bytes = sample_bytes();
        format::header header{};
        std::memcpy(&header, bytes.data(), sizeof(header));
        change(header);
        header.checksum = format::checksum(0, &header, offsetof(format::header, checksum));
        std::memcpy(bytes.data(), &header, sizeof(header));
        return refusal(bytes);
    }
    /// ... in a file whose checksums are right, and whose sections are these.
    [[nodiscard]] std::string refusal_of(io::store_header const& header, ids const& erased,
                                         numbers const& offsets, ids const& targets) const {
        {
            io::store_writer writer(folder.path("wrong.rhz"), header);
            writer.erased(erased);
            writer.offsets(offsets);
            writer.targets(targets);
            writer.commit();
        }
        return refusal(text_of(folder.path("wrong.rhz")));
    }
};

inline void expect_part(std::string const& text, std::string const& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' without '" << part << "'";
}

} // namespace rhizome::testing
