// SPDX-License-Identifier: Apache-2.0
// rhizome generate grid: regular grids in two and three dimensions.
#include <rhizome/cli/generate_graph.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/generate/grid.hpp>
#include <rhizome/io/message_text.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::cli {
namespace {

command_text grid_text() {
    return {
        .name = "generate grid",
        .words = "--extents WIDTHxHEIGHT[xDEPTH] --output FILE",
        .summary = "writes a regular grid in two or three dimensions",
        .details =
            "The vertices of a grid, numbered along x, then y, then z. The neighbours of a vertex are the\n"
            "other points of its stencil. They differ from it\n"
            "  4 points:  by 1 in x, or in y on one side only: a honeycomb\n"
            "  5 points:  by 1 in x or in y\n"
            "  9 points:  by at most 1 in x and in y\n"
            "  7 points:  by 1 in x, in y or in z\n"
            "  27 points: by at most 1 in x, in y and in z\n"
            "There is nothing random about it.\n",
        .examples = "  rhizome generate grid --extents 1000x500 --stencil 9 --output grid.graph\n"
                    "  rhizome generate grid --extents 64x64x64 --stencil 7 --wrap --output torus.graph",
        .options =
            {{"extents", "vertices along x, y and z; together at most 4294967295", "XxYxZ"},
             {"stencil",
              "points of the stencil: 4, 5 or 9 in two dimensions, 7 or 27 in three (default: 5 or 7)",
              "N",
              std::nullopt,
              {"4", "5", "9", "7", "27"}},
             {"per-point",
              "vertices at each point, adjacent to each other and to all of the neighbouring points: finite "
              "elements; 1 to 64",
              "N", "1"},
             {"wrap", "the last vertex along an axis is next to the first: a torus"},
             generator_threads_option(),
             graph_output_option()},
        .opens_session = false};
}

io::grid_shape shape_of(arguments const& args) {
    std::string const text = args.text("extents");
    std::vector<std::uint64_t> extents;
    std::istringstream parts(text + "x"); // so that an empty last part is seen
    for (std::string part; std::getline(parts, part, 'x');)
        extents.push_back(parse_count("extents", part, 1, io::largest_grid));
    if (extents.size() != 2 && extents.size() != 3)
        throw usage_error(fmt::format("--extents: found {}, expected WIDTHxHEIGHT or WIDTHxHEIGHTxDEPTH",
                                      io::quoted(text)));
    bool const flat = extents.size() == 2;
    io::grid_shape shape;
    shape.extents = {extents[0], extents[1], flat ? 1 : extents[2]};
    shape.stencil = flat ? 5 : 7;
    if (args.has("stencil")) shape.stencil = static_cast<unsigned>(args.count("stencil", 4, 27));
    shape.wraps = args.has("wrap");
    shape.vertices_per_point =
        static_cast<unsigned>(args.count("per-point", 1, io::grid_shape::most_per_point));
    bool const flat_stencil = shape.stencil == 4 || shape.stencil == 5 || shape.stencil == 9;
    if (flat != flat_stencil)
        throw usage_error(fmt::format("--stencil: found '{}', expected {}, since there are {} extents",
                                      shape.stencil, flat ? "4, 5 or 9" : "7 or 27", extents.size()));
    bool const even = shape.extents[0] % 2 == 0 && shape.extents[1] % 2 == 0;
    if (shape.stencil == 4 && shape.wraps && !even)
        throw usage_error(
            fmt::format("--extents: found {}, expected even ones for --stencil 4 --wrap", io::quoted(text)));
    try {
        (void)shape.vertex_count();
    } catch (std::invalid_argument const&) {
        throw usage_error(fmt::format("--extents: found {}, expected at most {} vertices in all",
                                      io::quoted(text), io::largest_grid));
    }
    return shape;
}

void run_grid(command_context& context) {
    auto const& args = context.args;
    demand_size_and_output(args, "extents");
    io::grid_shape const shape = shape_of(args);
    unsigned const threads = threads_of(args);
    write_generated_graph(context, "generate grid",
                          {{"extents", args.text("extents")},
                           {"stencil", shape.stencil},
                           {"per_point", shape.vertices_per_point},
                           {"wraps", shape.wraps}},
                          shape.most_edges() * sizeof(graph::edge),
                          [&] { return io::generate_grid(shape, threads); });
}

} // namespace

command const generate_grid_command{grid_text, run_grid};

} // namespace rhizome::cli
