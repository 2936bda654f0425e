// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/store_section.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace rhizome::io {

/// The header does not say how long the text of all names is. The section does, and the length of the file
/// must agree.
void store_reader::read_name_bytes(int descriptor, std::uint64_t size) {
    if (header_.names != stored_names::text || store_format::file_bytes(header_) > size) return;
    store_format::section_head head{};
    std::uint64_t const position = store_format::position_of(header_, store_format::kind::name_text);
    if (read_at(path_, descriptor, &head, sizeof(head), position) == sizeof(head))
        header_.name_bytes = head.items;
}

store_reader::section store_reader::section_of(store_format::kind what) const {
    return {*this, store_format::head_of(header_, what), store_format::position_of(header_, what)};
}

/// Compares the checksums of the names.
void store_reader::check_names() const {
    if (header_.names == stored_names::none) return;
    section_of(store_format::kind::names).finish();
    if (header_.names == stored_names::text) section_of(store_format::kind::name_text).finish();
}

vertex_names store_reader::read_names() const {
    if (header_.names == stored_names::none) return {};
    section items = section_of(store_format::kind::names);
    std::uint64_t const begin = items.position();
    std::vector<std::uint64_t> numbers(header_.vertices);
    items.read(numbers.data(), numbers.size() * sizeof(numbers[0]));
    items.finish();
    if (header_.names == stored_names::numbers &&
        std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) == numbers.end())
        return vertex_names::ascending(std::move(numbers));
    std::string text(header_.name_bytes, '\0');
    if (header_.names == stored_names::text) {
        section all = section_of(store_format::kind::name_text);
        all.read(text.data(), text.size());
        all.finish();
    }
    vertex_names names;
    std::uint64_t name_begin = 0;
    for (std::size_t v = 0; v < numbers.size(); ++v) {
        std::uint64_t const byte = begin + v * sizeof(numbers[0]);
        if (header_.names == stored_names::text) {
            std::uint64_t const end = numbers[v];
            if (end < name_begin || end > text.size())
                fail(byte, "end of a name " + decimal(end),
                     "one from " + decimal(name_begin) + " to " + decimal(text.size()));
            (void)names.find_or_add(std::string_view(text).substr(name_begin, end - name_begin));
            name_begin = end;
        } else {
            (void)names.find_or_add(numbers[v]);
        }
        if (names.size() != v + 1) fail(byte, "the name of another vertex", "a name of its own");
    }
    if (name_begin != text.size())
        fail(begin, "end of the last name " + decimal(name_begin),
             decimal(text.size()) + ", the length of all names");
    return names;
}

} // namespace rhizome::io
