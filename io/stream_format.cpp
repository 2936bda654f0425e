#include <rhizome/io/line_scanner.hpp>
#include <rhizome/io/stream_format.hpp>

#include <array>
#include <utility>

namespace rhizome::io {
namespace {

constexpr std::array<std::pair<stream_format, std::string_view>, 3> all_names{
    {{stream_format::updates, "updates"},
     {stream_format::graphbolt, "graphbolt"},
     {stream_format::temporal, "temporal"}}};

bool is_number(std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
}

/// By its first line.
stream_format format_of(line_scanner& words) {
    std::string_view const first = words.word();
    if (first == "a" || first == "d") return stream_format::graphbolt;
    bool const is_temporal = is_number(first) && is_number(words.word()) && !words.at_line_end();
    return is_temporal ? stream_format::temporal : stream_format::updates;
}

/// Whether a comment is the first line of a file of KONECT: '% sym positive', the kind of network and that of
/// the weights. Takes the percent sign then.
bool take_konect_sign(line_scanner& words) {
    line_scanner behind = words;
    (void)behind.word();
    std::string_view const kind = behind.peek_word();
    return (kind == "sym" || kind == "asym" || kind == "bip") && words.take("%");
}

} // namespace

std::string_view stream_format_name(stream_format format) {
    for (auto const& [each, name] : all_names)
        if (each == format) return name;
    return "";
}

std::vector<std::string> stream_format_names() {
    std::vector<std::string> names;
    for (auto const& [each, name] : all_names)
        names.emplace_back(name);
    return names;
}

std::optional<stream_format> stream_format_named(std::string_view wanted) {
    for (auto const& [each, name] : all_names)
        if (name == wanted) return each;
    return std::nullopt;
}

stream_syntax recognise_stream(input& from, std::optional<stream_format> wanted) {
    from.skip_byte_order_mark();
    stream_syntax syntax;
    bool is_first = true;
    stream_format found = stream_format::updates;
    (void)from.find_line([&](std::string_view line) {
        line_scanner words(from.name(), {line, 1});
        if (words.at_line_end()) return false;
        bool const may_be_header = std::exchange(is_first, false);
        char const first = words.peek();
        if (may_be_header && take_konect_sign(words)) {
            syntax.konect = true;
            if (words.word() == "bip" && wanted.value_or(stream_format::temporal) == stream_format::temporal)
                throw parse_error(from.name(), 1, "a bipartite network of KONECT",
                                  "one kind of vertices ('% sym' or '% asym')");
            syntax.is_dynamic = words.peek_word() == "dynamic";
            syntax.has_weights = words.peek_word() != "unweighted" && !syntax.is_dynamic;
        }
        if (first == '#' || first == '%') return false;
        syntax.has_lines = true;
        found = syntax.konect ? stream_format::temporal : format_of(words);
        return true;
    });
    syntax.format = wanted.value_or(found);
    syntax.konect = syntax.konect && syntax.format == stream_format::temporal;
    syntax.is_dynamic = syntax.is_dynamic && syntax.konect;
    return syntax;
}

} // namespace rhizome::io
