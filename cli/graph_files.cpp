#include <rhizome/cli/graph_files.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/metis.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/store_reader.hpp>
#include <rhizome/io/stored_numbers.hpp>

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace rhizome::cli {

char const* name_of(file_format format) { return format == file_format::stored ? "stored" : "metis"; }

std::optional<file_format> format_by_name(std::string const& path) {
    std::string const name = io::without_packing(path);
    if (name.ends_with(".rhz") && name != path)
        throw usage_error(
            fmt::format("'{}': stored graphs are not compressed; '{}' is a name for one", path, name));
    if (name.ends_with(".rhz")) return file_format::stored;
    if (name.ends_with(".graph") || name.ends_with(".metis")) return file_format::metis;
    return std::nullopt;
}

file_format format_of_file(std::string const& path) {
    if (io::is_stored_graph(path)) return file_format::stored;
    std::error_code error;
    if (!path.ends_with(".rhz") || !std::filesystem::is_regular_file(path, error)) return file_format::metis;
    std::ifstream file(path, std::ios::binary);
    int const first = file.get();
    bool const is_text = first == std::ifstream::traits_type::eof() || (first >= 0x20 && first < 0x7f) ||
                         first == '\n' || first == '\r' || first == '\t';
    return is_text ? file_format::metis : file_format::stored;
}

io::graph_file read_graph_file(std::string const& path, bool with_weights,
                               std::function<void(double)> const& progress) {
    if (format_of_file(path) == file_format::stored)
        return io::read_stored_graph(path, with_weights, progress);
    return io::read_metis(path, progress);
}

void check_metis_weights(std::string const& path, std::span<graph::edge const> edges,
                         std::span<double const> weights) {
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i] < 0 || std::trunc(weights[i]) != weights[i] ||
            weights[i] > static_cast<double>(io::largest_exact_number))
            throw io::file_error(path,
                                 fmt::format("edge {} -> {} has weight {}; METIS files hold whole numbers, "
                                             "0 or more, up to 2^53; one named .rhz holds any",
                                             edges[i].source, edges[i].target, weights[i]));
}

std::uint64_t write_graph_file(std::string const& path, file_format format, io::graph_file const& file,
                               io::store_file_options const& options) {
    if (format == file_format::stored) return io::write_stored_graph(path, file, options);
    if (file.directed)
        throw io::file_error(path, "the graph is directed, and METIS files hold undirected graphs only");
    if (file.edge_values.empty()) {
        io::write_metis(path, file);
    } else {
        check_metis_weights(path, file.edges, file.edge_values);
        io::graph_file whole = file;
        whole.edge_weights.assign(file.edge_values.begin(), file.edge_values.end());
        whole.edge_values.clear();
        io::write_metis(path, whole);
    }
    return file.edges.size();
}

} // namespace rhizome::cli
