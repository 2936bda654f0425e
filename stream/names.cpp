// SPDX-License-Identifier: Apache-2.0
#include <rhizome/stream/names.hpp>

#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace rhizome::stream {

io::vertex_names numbers_from(std::uint64_t first, std::uint64_t count) {
    std::vector<std::uint64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), first);
    return io::vertex_names::ascending(std::move(numbers));
}

bool are_numbers_from(std::uint64_t first, io::vertex_names const& names) {
    if (names.is_text()) return false;
    for (graph::vertex_id v = 0; v < names.size(); ++v)
        if (names.number(v) != first + v) return false;
    return true;
}

io::vertex_names first_of(io::vertex_names const& names, std::uint64_t count) {
    if (names.size() == count) return names;
    io::vertex_names first;
    for (graph::vertex_id v = 0; v < count; ++v)
        (void)(names.is_text() ? first.find_or_add(std::string_view(names.name(v)))
                               : first.find_or_add(names.number(v)));
    return first;
}

} // namespace rhizome::stream
