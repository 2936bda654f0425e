// Graph files of any format, for commands that read or write one without building the graph.
#pragma once

#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/store_file.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace rhizome::cli {

enum class file_format { metis, stored };

/// "metis", "stored"
[[nodiscard]] char const* name_of(file_format format);
/// What the name of a file that is to be written says: .rhz is a stored graph, .graph and .metis are METIS,
/// also compressed (.graph.gz, ...); others say nothing. Throws usage_error for a stored graph that is to be
/// compressed.
[[nodiscard]] std::optional<file_format> format_by_name(std::string const& path);
/// What a file is, by its first bytes. What begins neither as stored graphs do nor as text is a stored graph
/// where its name ends in .rhz: a damaged one. All else is METIS, packed or not.
[[nodiscard]] file_format format_of_file(std::string const& path);

/// Reads a file of any format. Values of a stored graph's edges become weights if `with_weights`; METIS
/// weights are there always. Throws what the readers throw.
[[nodiscard]] io::graph_file read_graph_file(std::string const& path, bool with_weights = false,
                                             std::function<void(double)> const& progress = {});

/// Throws io::file_error, naming the edge, unless METIS has a place for all weights: whole numbers, 0 or
/// more.
void check_metis_weights(std::string const& path, std::span<graph::edge const> edges,
                         std::span<double const> weights);

/// Writes a file of that format; the number of edges in it. Throws what the writers throw, and file_error for
/// a directed graph in METIS. edge_values are written to METIS as weights.
std::uint64_t write_graph_file(std::string const& path, file_format format, io::graph_file const& file,
                               io::store_file_options const& options = {});

} // namespace rhizome::cli
