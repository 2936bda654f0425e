// SPDX-License-Identifier: Apache-2.0
// Feeds rubbish to one reader of files, which RHIZOME_FUZZ_READER names. Each may refuse it with an exception
// of its own, and with nothing else; what it takes must be a graph. "list" prints the names.
#include "memory_file.hpp"
#include "memory_source.hpp"

#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/io/dimacs_queries.hpp>
#include <rhizome/io/formats/ldbc.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/store_format.hpp>
#include <rhizome/io/store_reader.hpp>
#include <rhizome/io/update_stream.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::fuzz {
namespace {

io::read_options const options{.threads = 1};

void demand(bool holds, char const* what) {
    if (holds) return;
    std::fprintf(stderr, "a reader took a file that is no graph: %s\n", what);
    std::abort();
}

void check(io::graph_file const& file) {
    std::size_t const edges = file.edges.size();
    for (graph::edge const& edge : file.edges) {
        demand(edge.source < file.vertex_count && edge.target < file.vertex_count,
               "an endpoint is no vertex");
        demand(file.directed || edge.source <= edge.target, "an undirected edge begins at its larger end");
    }
    demand(file.names.empty() || file.names.size() == file.vertex_count, "names");
    demand(file.edge_weights.empty() || file.edge_weights.size() == edges, "weights");
    demand(file.edge_values.empty() || file.edge_values.size() == edges, "values");
    demand(file.edge_values.empty() || file.edge_weights.empty(), "weights and values");
    demand(file.edge_times.empty() || file.edge_times.size() == edges, "times");
    demand(file.vertex_sizes.empty() || file.vertex_sizes.size() == file.vertex_count, "sizes");
    demand(file.vertex_weights.size() == file.weights_per_vertex * file.vertex_count, "weights of vertices");
}

void read_as(io::graph_format const& format, std::string_view text) {
    io::input from = memory_input(text);
    check(io::read_graph(from, &format, options));
}

void mend_metis(std::string_view text) {
    io::input from = memory_input(text);
    io::read_options lenient = options;
    lenient.lenient = true;
    check(io::read_graph(from, &io::formats::metis, lenient));
}

/// Recognises the format, too.
void read_any(std::string_view text) {
    io::input from = memory_input(text);
    check(io::read_graph(from, nullptr, options));
}

/// The parts between zero bytes are the properties, the vertices and the edges.
void read_ldbc(std::string_view text) {
    std::array<std::string_view, 3> parts;
    for (std::string_view& part : parts) {
        part = text.substr(0, text.find('\0'));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
    }
    io::input properties = memory_input(parts[0]);
    io::input vertices = memory_input(parts[1]);
    io::input edges = memory_input(parts[2]);
    check(io::read_ldbc_graph(io::read_ldbc_properties(properties), vertices, edges, options));
}

void read_updates(std::string_view text) {
    memory_file const file(text.data(), text.size());
    io::update_reader reader(file.path());
    io::update_batch batch;
    while (reader.next_batch(1000, batch)) {
    }
}

void read_stored(std::string_view bytes) {
    memory_file const file(bytes.data(), bytes.size());
    {
        io::store_reader reader(file.path(), io::stored_files::whole_or_part);
        std::uint32_t const value_bytes = std::min(reader.header().value_bytes, std::uint32_t{1} << 10);
        std::vector<graph::edge> edges(100);
        std::vector<std::byte> values(edges.size() * value_bytes);
        bool const with_values = value_bytes == reader.header().value_bytes;
        while (reader.next_edges(edges, with_values ? values.data() : nullptr) > 0) {
        }
    }
    static exec::thread_team team(1);
    io::store_reader reader(file.path());
    (void)reader.read_rows(team, true);
    (void)reader.read_names();
}

/// A stored graph whose header looks unharmed, so that the checksum does not hide what is behind it.
void read_stored_with_checksum(std::string_view bytes) {
    namespace format = io::store_format;
    if (bytes.size() < sizeof(format::header)) return;
    std::string fixed(bytes);
    std::copy(format::magic.begin(), format::magic.end(), fixed.begin());
    format::header header{};
    std::memcpy(&header, fixed.data(), sizeof header);
    header.checksum = format::checksum(0, &header, offsetof(format::header, checksum));
    std::memcpy(fixed.data(), &header, sizeof header);
    // Of a part, also the section that says which part it is.
    constexpr std::size_t section_end =
        sizeof(format::header) + sizeof(format::section_head) + sizeof(format::part_record);
    if (header.version == format::version_of_part && fixed.size() >= section_end + sizeof(std::uint64_t)) {
        std::uint64_t const sum =
            format::checksum(0, fixed.data() + sizeof(format::header), section_end - sizeof(format::header));
        std::memcpy(fixed.data() + section_end, &sum, sizeof sum);
    }
    read_stored(fixed);
}

void unpack(std::string_view bytes) {
    constexpr std::size_t most = std::size_t{1} << 24; // a small file may hold very much
    memory_file const file(bytes.data(), bytes.size());
    auto const source = io::open_source(file.path());
    std::vector<char> block(1 << 16);
    for (std::size_t all = 0; all < most;) {
        std::size_t got = 0;
        try {
            got = source->read(block.data(), block.size());
        } catch (std::runtime_error const&) {
            break; // damage, which io::input turns into a parse_error
        }
        if (got == 0) break;
        all += got;
    }
}

using reader = std::function<void(std::string_view)>;

std::map<std::string, reader> const& readers() {
    static std::map<std::string, reader> const all = [] {
        std::map<std::string, reader> result;
        for (io::graph_format const* const format : io::graph_formats())
            if (format->read != nullptr)
                result[format->name] = [format](std::string_view text) { read_as(*format, text); };
        // These need more than one text, or a regular file.
        result["ldbc"] = read_ldbc;
        result["stored"] = read_stored;
        result["stored-with-checksum"] = read_stored_with_checksum;
        result["any"] = read_any;
        result["metis-lenient"] = mend_metis;
        result["updates"] = read_updates;
        result["packed"] = unpack;
        result["coordinates"] = [](std::string_view text) {
            io::input from = memory_input(text);
            (void)io::read_coordinates(from, options);
        };
        result["sources"] = [](std::string_view text) {
            io::input from = memory_input(text);
            (void)io::read_source_queries(from, options);
        };
        result["pairs"] = [](std::string_view text) {
            io::input from = memory_input(text);
            (void)io::read_pair_queries(from, options);
        };
        return result;
    }();
    return all;
}

reader const& chosen_reader() {
    static reader const& chosen = [&]() -> reader const& {
        char const* const name = std::getenv("RHIZOME_FUZZ_READER");
        auto const found = readers().find(name == nullptr ? "" : name);
        if (found != readers().end()) return found->second;
        bool const lists = name != nullptr && std::string_view(name) == "list";
        if (!lists) std::fprintf(stderr, "RHIZOME_FUZZ_READER names one of these readers:\n");
        for (auto const& [each, function] : readers())
            std::fprintf(lists ? stdout : stderr, "%s\n", each.c_str());
        std::exit(lists ? 0 : 2);
    }();
    return chosen;
}

} // namespace
} // namespace rhizome::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    (void)rhizome::fuzz::chosen_reader();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size) {
    using namespace rhizome;
    try {
        fuzz::chosen_reader()({reinterpret_cast<char const*>(bytes), size});
    } catch (io::parse_error const& error) {
        fuzz::demand(std::string_view(error.what()).find('\n') == std::string_view::npos,
                     "a message of two lines");
    } catch (io::file_error const&) {
    } catch (io::store_error const&) {
    }
    return 0;
}
