// SPDX-License-Identifier: Apache-2.0
#include <rhizome/graph/types.hpp>
#include <rhizome/io/store_format.hpp>

#include <zlib.h>

#include <limits>

namespace rhizome::io::store_format {

section_head head_of(store_header const& header, kind what) {
    switch (what) {
    case kind::erased:
        return {what, sizeof(graph::vertex_id), header.erased};
    case kind::offsets:
        return {what, sizeof(std::uint64_t), header.rows() + 1};
    case kind::targets:
        return {what, sizeof(graph::vertex_id), header.edges};
    case kind::names:
        return {what, sizeof(std::uint64_t), header.vertices};
    case kind::name_text:
        return {what, sizeof(char), header.name_bytes};
    case kind::part:
        return {what, sizeof(part_record), 1};
    case kind::rows:
        return {what, sizeof(graph::vertex_id), header.part.rows};
    case kind::values:
        break;
    }
    return {kind::values, header.value_bytes, header.value_bytes == 0 ? 0 : header.edges};
}

std::uint64_t padded_bytes(section_head const& head) { return (head.items * head.item_bytes + 7) / 8 * 8; }

std::uint64_t file_bytes(store_header const& header) {
    constexpr std::uint64_t too_many = std::numeric_limits<std::uint64_t>::max();
    constexpr std::uint64_t most = std::uint64_t{1} << 60; // eight of them do not overflow
    std::uint64_t bytes = sizeof(store_format::header);
    if (header.vertices == too_many) return too_many;
    for (kind const what : kinds_of(header)) {
        section_head const head = head_of(header, what);
        if (head.item_bytes != 0 && head.items > most / head.item_bytes) return too_many;
        bytes += section_bytes(head);
    }
    return bytes;
}

std::uint64_t position_of(store_header const& header, kind what) {
    std::uint64_t position = sizeof(store_format::header);
    for (kind const each : kinds_of(header)) {
        if (each == what) break;
        position += section_bytes(head_of(header, each));
    }
    return position;
}

std::uint32_t checksum(std::uint32_t before, void const* bytes, std::uint64_t count) {
    return static_cast<std::uint32_t>(crc32_z(before, static_cast<Bytef const*>(bytes), count));
}

std::uint32_t joined_checksum(std::uint32_t first, std::uint32_t second, std::uint64_t second_count) {
    return static_cast<std::uint32_t>(crc32_combine(first, second, static_cast<z_off_t>(second_count)));
}

} // namespace rhizome::io::store_format
