// SPDX-License-Identifier: Apache-2.0
#include <rhizome/graph/types.hpp>
#include <rhizome/io/store_writer.hpp>

#include <cstring>
#include <stdexcept>
#include <string_view>

namespace rhizome::io {
namespace {

store_header const& checked(store_header const& header) {
    auto const demand = [](bool holds, char const* what) {
        if (!holds) throw std::invalid_argument(std::string("store_writer: ") + what);
    };
    demand(header.vertices <= graph::no_vertex, "too many vertices");
    demand(header.erased <= header.vertices, "more erased vertices than vertices");
    demand(!header.in_arcs || header.directed, "in_arcs is for directed graphs");
    demand(header.value_type.size() < sizeof(store_format::header::value_type),
           "the name of the value type is too long");
    demand(header.value_type.empty() == (header.value_bytes == 0),
           "values have a named type and a size, or neither");
    demand(header.names == stored_names::text || header.name_bytes == 0, "name_bytes is for text");
    stored_part const& part = header.part;
    demand(part.parts == 0 || (part.parts > 1 && part.number < part.parts && part.rows <= header.vertices &&
                               header.names == stored_names::none),
           "a part has a number, rows, and no names");
    return header;
}

} // namespace

store_writer::store_writer(std::string const& path, store_header const& header)
    : file_(path), header_(checked(header)) {
    store_format::header bytes{};
    std::memcpy(bytes.magic, store_format::magic.data(), sizeof(bytes.magic));
    bytes.byte_order = store_format::byte_order_mark;
    bytes.version = header.is_part() ? store_format::version_of_part : store_format::version_of_whole;
    bytes.flags = (header.directed ? store_format::directed : 0u) |
                  (header.in_arcs ? store_format::in_arcs : 0u) |
                  (header.self_loops ? 0u : store_format::refuses_self_loops) |
                  (header.names == stored_names::numbers ? store_format::named_by_numbers : 0u) |
                  (header.names == stored_names::text ? store_format::named_by_text : 0u) |
                  (header.counts_from_one ? store_format::counts_from_one : 0u);
    bytes.id_bytes = sizeof(graph::vertex_id);
    bytes.vertices = header.vertices;
    bytes.edges = header.edges;
    bytes.erased = header.erased;
    bytes.value_bytes = header.value_bytes;
    std::memcpy(bytes.value_type, header.value_type.data(), header.value_type.size());
    bytes.checksum = store_format::checksum(0, &bytes, offsetof(store_format::header, checksum));
    file_.write({reinterpret_cast<char const*>(&bytes), sizeof(bytes)});
    begin_section();
    if (!header.is_part()) return;
    stored_part const& part = header.part;
    store_format::part_record const record{part.save, part.number,    part.parts,
                                           part.rows, part.all_edges, part.all_erased};
    append_bytes(store_format::kind::part, &record, 1, sizeof(record));
}

void store_writer::begin_section() {
    head_ = store_format::head_of(header_, store_format::kinds_of(header_)[next_++]);
    written_ = 0;
    checksum_ = 0;
    put(&head_, sizeof(head_));
    pass_full_sections();
}

void store_writer::pass_full_sections() {
    if (written_ != head_.items) return;
    char const zeros[8] = {};
    put(zeros, store_format::padded_bytes(head_) - head_.items * head_.item_bytes);
    std::uint64_t const sum = checksum_;
    file_.write({reinterpret_cast<char const*>(&sum), sizeof(sum)});
    if (next_ < store_format::kinds_of(header_).size()) begin_section();
}

void store_writer::append_bytes(store_format::kind what, void const* items, std::uint64_t count,
                                std::uint32_t item_bytes) {
    if (count == 0) return;
    if (what != head_.what || item_bytes != head_.item_bytes || count > head_.items - written_)
        throw std::logic_error("store_writer: items that the section has no place for");
    put(items, count * item_bytes);
    written_ += count;
    pass_full_sections();
}

void store_writer::commit() {
    if (next_ != store_format::kinds_of(header_).size() || written_ != head_.items)
        throw std::logic_error("store_writer: a section lacks items");
    file_.commit();
}

void store_writer::put(void const* bytes, std::uint64_t count) {
    checksum_ = store_format::checksum(checksum_, bytes, count);
    file_.write({static_cast<char const*>(bytes), count});
}

} // namespace rhizome::io
