// SPDX-License-Identifier: Apache-2.0
// Graphs that people measure with: what they are, where they are, and what stands in for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::cli {

/// The generator of graphs of like family and degree, and its settings; what a generator does not read is 0.
struct stand_in_model {
    std::string generator;    ///< as `rhizome generate` names it
    unsigned edge_factor = 0; ///< kronecker
    unsigned degree = 0;      ///< barabasi-albert: edges that each vertex draws
    unsigned stencil = 0;     ///< grid
    unsigned per_point = 0;   ///< grid
};

/// Sizes as the paper prints them: edges are the entries of a matrix, sometimes with its diagonal.
struct printed_size {
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;
};

/// One graph of datasets/manifest.json.
struct dataset {
    std::string name;
    std::string family; ///< "dimacs10", "dimacs9", "snap"
    std::string kind;   ///< "roads", "web": for people
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;  ///< self-loops left out; lines of the file over time are `events`
    std::uint64_t events = 0; ///< of a graph over time, otherwise 0
    std::string listed;       ///< "once", "both directions": every edge twice, "directed"
    std::string format;
    std::string home;     ///< a page for people
    std::string download; ///< the file itself
    std::string sha256;   ///< of that file, "": not known
    std::string licence;
    std::optional<printed_size> ouroboros_table1; ///< only of graphs in Table 1 of the Ouroboros paper
    stand_in_model stand_in;

    /// Neighbours per vertex if each edge, of whatever direction, joins two vertices.
    [[nodiscard]] double mean_degree() const;
    /// The last part of `download`.
    [[nodiscard]] std::string file_name() const;
    /// "NAME-stand-in.graph": where the calls that the tool prints write the stand-in. Files of the graph
    /// itself are called NAME.*, so programs never take one for the other.
    [[nodiscard]] std::string stand_in_file() const;
};

/// The text of datasets/manifest.json, which CMake compiles in.
[[nodiscard]] std::string_view dataset_manifest();

/// Throws std::runtime_error, naming the graph, for a manifest that lacks something.
[[nodiscard]] std::vector<dataset> parse_datasets(std::string_view manifest);

/// All graphs, in the order of the manifest: first those of Table 1, as the paper orders them.
[[nodiscard]] std::vector<dataset> const& datasets();

/// Throws usage_error, with the closest name, for a name that is none.
[[nodiscard]] dataset const& find_dataset(std::string const& name);

/// The families, each once.
[[nodiscard]] std::vector<std::string> dataset_families();

} // namespace rhizome::cli
