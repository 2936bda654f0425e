// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/search_sources.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/graph/limits.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/io/name_text.hpp>
#include <rhizome/io/parse_error.hpp>

#include <fmt/format.h>

#include <optional>
#include <string_view>

namespace rhizome::cli {
namespace {

/// Which words name vertices of the graph.
std::string expected_vertex(graph_session const& graph, std::string const& path) {
    if (!graph.names.empty()) return fmt::format("the name of a vertex in {}", io::shown(path));
    std::uint64_t const vertices = graph.session->vertex_count();
    if (vertices == 0) return fmt::format("a vertex, but {} has none", io::shown(path));
    std::string text = fmt::format("a vertex of {}: 0 to {}", io::shown(path), vertices - 1);
    if (!graph.counts_from_one.empty()) text += fmt::format(" (one more in {})", graph.counts_from_one);
    return text;
}

std::optional<graph::vertex_id> find_source(std::string const& word, graph_session const& graph) {
    if (!graph.names.empty()) return graph.names.find(std::string_view(word));
    std::uint64_t const vertices = graph.session->vertex_count();
    bool const digits = word.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || word.size() > 10) return std::nullopt;
    std::uint64_t const number = std::stoull(word);
    if (number >= vertices) return std::nullopt;
    return static_cast<graph::vertex_id>(number);
}

} // namespace

option_text source_option() {
    return {"source",
            "vertices from which the search starts, commas between them; names in quotes may hold commas",
            "V[,V...]"};
}

std::vector<std::string> source_words(arguments const& args) {
    std::string const text = args.text("source");
    auto const refuse = [&](std::string const& expected) {
        throw usage_error(fmt::format("--source: found {}, expected {}", io::quoted(text), expected));
    };
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        std::string word;
        if (std::string_view const rest = std::string_view(text).substr(at); rest.starts_with('"')) {
            std::size_t const bytes = io::take_quoted_name(rest, word);
            at += bytes;
            if (bytes == 0 || (at < text.size() && text[at] != ','))
                refuse("a closing quote, and a comma between two vertices");
        } else {
            word = rest.substr(0, rest.find(','));
            at += word.size();
            if (word.empty()) refuse("vertices with commas between them");
        }
        words.push_back(std::move(word));
    }
    return words;
}

std::vector<graph::vertex_id> source_numbers(std::vector<std::string> const& words) {
    std::vector<graph::vertex_id> numbers;
    for (std::string const& word : words)
        numbers.push_back(static_cast<graph::vertex_id>(
            parse_count("source", word, 0, graph::most_rows<graph::vertex_id> - 1)));
    return numbers;
}

std::vector<graph::vertex_id> find_sources(std::vector<std::string> const& words, graph_session const& graph,
                                           std::string const& path) {
    std::vector<graph::vertex_id> sources;
    for (std::string const& word : words) {
        std::optional<graph::vertex_id> const found = find_source(word, graph);
        if (!found)
            throw usage_error(fmt::format("--source: found {}, expected {}", io::quoted(word),
                                          expected_vertex(graph, path)));
        sources.push_back(*found);
    }
    return sources;
}

nlohmann::ordered_json sources_json(std::vector<graph::vertex_id> const& sources,
                                    graph_session const& graph) {
    auto list = nlohmann::ordered_json::array();
    for (graph::vertex_id const source : sources) {
        list.push_back({{"vertex", source}});
        if (!graph.names.empty()) list.back()["name"] = name_of(graph, source);
    }
    return list;
}

std::string sources_text(std::vector<graph::vertex_id> const& sources, graph_session const& graph) {
    if (sources.size() == 1 && !graph.counts_from_one.empty())
        return fmt::format("from vertex {}, which is {} in the file", sources.front(),
                           std::uint64_t{sources.front()} + 1);
    if (sources.size() == 1) return "from vertex " + shown_name_of(graph, sources.front());
    return fmt::format("from {} vertices", sources.size());
}

double edges_per_second(graph_session const& graph, std::uint64_t arcs, double ms) {
    if (ms <= 0) return 0;
    double const arcs_per_edge = graph.options.directed ? 1 : 2;
    return static_cast<double>(arcs) / arcs_per_edge / (ms * 1e-3);
}

} // namespace rhizome::cli
