#include <rhizome/cli/graph_files.hpp>
#include <rhizome/io/metis.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/store_reader.hpp>

namespace rhizome::cli {

char const* name_of(file_format format) { return format == file_format::stored ? "stored" : "metis"; }

std::optional<file_format> format_by_name(std::string const& path) {
    if (path.ends_with(".rhz")) return file_format::stored;
    if (path.ends_with(".graph") || path.ends_with(".metis")) return file_format::metis;
    return std::nullopt;
}

file_format format_of_file(std::string const& path) {
    return io::is_stored_graph(path) ? file_format::stored : file_format::metis;
}

io::graph_file read_graph_file(std::string const& path, bool with_weights,
                               std::function<void(double)> const& progress) {
    if (format_of_file(path) == file_format::stored)
        return io::read_stored_graph(path, with_weights, progress);
    return io::read_metis(path);
}

std::uint64_t write_graph_file(std::string const& path, file_format format, io::graph_file const& file,
                               io::store_file_options const& options) {
    if (format == file_format::stored) return io::write_stored_graph(path, file, options);
    if (file.directed)
        throw io::file_error(path, "the graph is directed, and METIS files hold undirected graphs only");
    io::write_metis(path, file);
    return file.edges.size();
}

} // namespace rhizome::cli
