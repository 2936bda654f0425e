// SPDX-License-Identifier: Apache-2.0
// METIS files, also called DIMACS10 files: one line per vertex.
#pragma once

#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/input.hpp>

#include <string>

namespace rhizome::io {

/// Reads a METIS / DIMACS10 `.graph` file, plain, gzip, bzip2, zstd or xz; "-" is standard input.
///
///     n m [fmt [ncon]]
///     [size] [weights] {neighbour [weight]}     one such line per vertex; vertices count from 1
///
/// - fmt has up to three digits, each 0 or 1: vertex sizes, vertex weights, edge weights. ncon is the number
///   of weights per vertex; it is an error if the digit for vertex weights is not 1.
/// - Lines that begin with % are comments. A blank line is a vertex without neighbours.
/// - Sizes and weights are whole numbers, 0 or more. Since other programs write decimal weights of edges,
///   the reader accepts these too: all weights of edges then go to graph_file::edge_values.
/// - Each edge is in the lines of both its ends, with the same weight. A self-loop is once in the line of
///   its vertex and counts as one edge of m. Parallel edges are kept; each must have its reverse.
/// - After the last vertex, only blank lines and comments may follow. Lines may end in CR LF. The line end
///   of the last line may be missing. So the line of a last vertex without neighbours may be missing too.
///
/// With options.lenient the reader repairs what other programs write: a wrong number of edges in the header,
/// edges in the line of one end only, neighbours 0, missing lines at the end. graph_file::mended says what
/// it repaired.
///
/// Returns the edges in ascending order. Several threads parse and check. Memory besides the blocks of the
/// file: 4 bytes per neighbour until the edges are made. To check that each edge has its reverse, the reader
/// compares 64-bit sums of hashes with a random seed. It misses an error of this kind with a probability of
/// 2^-64. Throws parse_error if the file violates these rules; file_error if it cannot be read or has
/// another format (MatrixMarket, or a stored graph).
[[nodiscard]] graph_file read_metis(std::string const& path, read_options const& options = {});
/// As above, from a file of which nothing was read yet.
[[nodiscard]] graph_file read_metis(input& from, read_options const& options = {});

/// Writes a METIS file, compressed as its name says (packed_file.hpp). The header has a digit for each vector
/// that is not empty. The file is replaced when everything is written.
/// Throws file_error; std::invalid_argument if the graph is directed, an endpoint is out of range, or a
/// vector has the wrong length.
void write_metis(std::string const& path, graph_file const& file);

} // namespace rhizome::io
