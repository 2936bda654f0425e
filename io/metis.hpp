// DIMACS10 graphs, which are METIS graphs: one line a vertex.
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <functional>
#include <string>

namespace rhizome::io {

/// Reads a METIS / DIMACS10 `.graph` file, plain, gzip, bzip2 or zstd; "-" is standard input.
///
///     n m [fmt [ncon]]                          fmt: up to three digits 0 or 1: vertex sizes, vertex
///     weights, [size] [ncon weights] {neighbour [w]}     edge weights. One such line a vertex; vertices
///     count from 1.
///
/// What is not obvious:
/// - Lines that begin with % are comments, wherever they stand. A blank line is a vertex without neighbours.
/// - Sizes and weights are whole numbers, 0 or more. ncon without the vertex weight digit is an error.
/// - Each edge stands in the lines of both its ends, with the same weight; a self-loop stands once in its
/// line
///   and counts as one edge of m. Parallel edges are kept, each must have its reverse.
/// - After the last vertex, blank lines and comments may follow, nothing else. Line ends may be CR LF. The
///   last line needs no end, so that a file may lack the line of a last vertex that is isolated.
///
/// Edges come sorted. `progress` is told the share of the file that is read, in [0, 1], or a negative number
/// where its size is not known. Throws parse_error for all that departs from this, file_error if the file
/// cannot be read or is of another format: MatrixMarket, or a stored graph.
[[nodiscard]] graph_file read_metis(std::string const& path,
                                    std::function<void(double)> const& progress = {});

/// Writes the graph with the header flags that its vectors ask for, compressed as the name says
/// (packed_file.hpp); replaces the file when all is written.
/// Throws file_error; std::invalid_argument if the graph is directed, an endpoint is out of range, or a
/// vector has the wrong length.
void write_metis(std::string const& path, graph_file const& file);

} // namespace rhizome::io
