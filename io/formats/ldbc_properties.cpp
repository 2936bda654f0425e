// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/formats/ldbc.hpp>
#include <rhizome/io/parse_error.hpp>

#include <charconv>
#include <map>
#include <string_view>

namespace rhizome::io {
namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\f";
    std::size_t const begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

struct property {
    std::string value;
    std::uint64_t line;
    std::uint64_t column; ///< of the value
};

/// The properties of the one graph of a file, by what follows "graph.NAME." in their keys.
class property_list {
public:
    explicit property_list(input& from) : name_(from.name()) {
        std::string_view line;
        while (from.next_line(line))
            add(line, from.line_number());
        end_ = from.line_number() + 1;
    }

    [[nodiscard]] property const* find(std::string const& key) const {
        auto const found = all_.find(key);
        return found == all_.end() ? nullptr : &found->second;
    }

    [[nodiscard]] property const& get(std::string const& key) const {
        if (property const* const found = find(key)) return *found;
        throw parse_error(name_, end_, 1, "the end of the file", "a line 'graph.NAME." + key + " = ...'");
    }

    [[nodiscard]] std::optional<std::uint64_t> count(std::string const& key) const {
        property const* const found = find(key);
        if (found == nullptr) return std::nullopt;
        std::uint64_t number = 0;
        char const* const end = found->value.data() + found->value.size();
        auto const [stop, error] = std::from_chars(found->value.data(), end, number);
        if (error != std::errc{} || stop != end) fail(*found, "a whole number, 0 or more");
        return number;
    }

    [[noreturn]] void fail(property const& found, std::string const& expected) const {
        throw parse_error(name_, found.line, found.column,
                          found.value.empty() ? "the end of the line" : io::quoted(found.value), expected);
    }

private:
    void add(std::string_view line, std::uint64_t number) {
        std::string_view const text = trimmed(line);
        if (text.empty() || text.front() == '#' || text.front() == '!') return;
        std::size_t const separator = line.find_first_of("=:");
        if (separator == std::string_view::npos)
            throw parse_error(name_, number, static_cast<std::uint64_t>(text.data() - line.data()) + 1,
                              io::quoted(text), "a property 'KEY = VALUE' or a comment '# ...'");
        std::string_view const key = trimmed(line.substr(0, separator));
        std::string_view const value = trimmed(line.substr(separator + 1));
        constexpr std::string_view prefix = "graph.";
        if (!key.starts_with(prefix)) return;
        // The name of the graph may contain points: known keys are looked for behind it.
        for (char const* known : {"vertex-file", "edge-file", "directed", "edge-properties.names",
                                  "edge-properties.types", "meta.vertices", "meta.edges"}) {
            std::string const ending = std::string(".") + known;
            if (!key.ends_with(ending) || key.size() < prefix.size() + ending.size()) continue;
            std::uint64_t const column =
                value.empty() ? line.size() + 1 : static_cast<std::uint64_t>(value.data() - line.data()) + 1;
            if (!all_.emplace(known, property{std::string(value), number, column}).second)
                throw parse_error(name_, number, 1, "a second '" + ending.substr(1) + "'",
                                  "one graph in the file");
        }
    }

    std::string name_;
    std::uint64_t end_ = 0;
    std::map<std::string, property> all_;
};

ldbc_properties::weight_type weight_type_of(property_list const& list) {
    using enum ldbc_properties::weight_type;
    property const* const names = list.find("edge-properties.names");
    if (names == nullptr || names->value.empty()) return none;
    if (names->value.find(',') != std::string::npos) list.fail(*names, "one property of edges, the weight");
    property const& type = list.get("edge-properties.types");
    if (type.value == "real") return real;
    if (type.value != "int" && type.value != "integer") list.fail(type, "'real' or 'int'");
    return whole;
}

} // namespace

ldbc_properties read_ldbc_properties(input& from) {
    property_list const list(from);
    ldbc_properties properties;
    auto const file = [&](char const* key) {
        property const& found = list.get(key);
        if (found.value.empty()) list.fail(found, "the name of a file");
        return found.value;
    };
    properties.vertex_file = file("vertex-file");
    properties.edge_file = file("edge-file");
    property const& directed = list.get("directed");
    if (directed.value != "true" && directed.value != "false") list.fail(directed, "'true' or 'false'");
    properties.directed = directed.value == "true";
    properties.weights = weight_type_of(list);
    properties.vertices = list.count("meta.vertices");
    properties.edges = list.count("meta.edges");
    return properties;
}

} // namespace rhizome::io
