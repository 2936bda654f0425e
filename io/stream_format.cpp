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

stream_format format_of(std::string_view first_word) {
    if (first_word == "a" || first_word == "d") return stream_format::graphbolt;
    bool const is_number =
        !first_word.empty() && first_word.find_first_not_of("0123456789") == first_word.npos;
    return is_number ? stream_format::temporal : stream_format::updates;
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
    std::string first_word;
    (void)from.find_line([&](std::string_view line) {
        line_scanner words(from.name(), {line, 1});
        if (words.at_line_end()) return false;
        std::string_view const word = words.word();
        if (std::exchange(is_first, false) && word == "%") {
            // '% sym positive': the kind of network, then the kind of weights.
            syntax.konect = true;
            if (words.peek_word() == "bip")
                throw parse_error(from.name(), 1, "a bipartite network of KONECT",
                                  "one kind of vertices ('% sym' or '% asym')");
            (void)words.word();
            syntax.has_weights = words.peek_word() != "unweighted";
        }
        if (word.front() == '#' || word.front() == '%') return false;
        first_word = word;
        return true;
    });
    // Text in the place of a number is a name where the user says that the stream is temporal.
    syntax.format = wanted.value_or(format_of(first_word));
    syntax.konect = syntax.konect && syntax.format == stream_format::temporal;
    return syntax;
}

} // namespace rhizome::io
