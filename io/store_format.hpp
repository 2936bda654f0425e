// SPDX-License-Identifier: Apache-2.0
// The file of a stored graph, byte for byte, as docs/formats.md describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace rhizome::io {

/// A stored graph is damaged, has another version, or is not of the expected type. what() is one line:
/// `FILE: at byte N: found X, expected Y`.
class store_error : public std::runtime_error {
public:
    /// `byte`: where in the file; `found` and `expected`: what is there, and what should be.
    store_error(std::string const& file, std::uint64_t byte, std::string const& found,
                std::string const& expected)
        : std::runtime_error(file + ": at byte " + std::to_string(byte) + ": found " + found + ", expected " +
                             expected) {}
};

/// What the vertices of a stored graph are called besides their ids.
enum class stored_names { none, numbers, text };

/// Which part of a graph a file holds, if several ranks have saved it.
struct stored_part {
    std::uint32_t parts = 0;      ///< of the graph, at least 2; 0: the file holds a whole graph
    std::uint32_t number = 0;     ///< less than `parts`
    std::uint64_t save = 0;       ///< the same number in all parts of one save, and in no other save
    std::uint64_t rows = 0;       ///< vertices whose rows are in this part, including erased ones
    std::uint64_t all_edges = 0;  ///< of all parts
    std::uint64_t all_erased = 0; ///< erased vertices of all parts

    /// Compares all members.
    friend bool operator==(stored_part const&, stored_part const&) = default;
};

/// The header of a stored graph. In a part, `vertices` counts those of the whole graph, and `edges` and
/// `erased` those of the part.
struct store_header {
    bool directed = false;         ///< edges are arcs
    bool in_arcs = false;          ///< the graph keeps its reverse adjacency; the file does not
    bool self_loops = true;        ///< false: the graph refuses them
    std::uint64_t vertices = 0;    ///< including erased ones
    std::uint64_t edges = 0;       ///< undirected ones count once, and are stored once
    std::uint64_t erased = 0;      ///< erased vertices; their ids are free
    std::uint32_t value_bytes = 0; ///< of an edge's value; 0: none
    std::string value_type = {};   ///< stored_type_name; "": none
    stored_names names = stored_names::none;
    std::uint64_t name_bytes = 0; ///< of all names, if they are text
    bool counts_from_one = false; ///< vertex v had the number v + 1 in the file that the graph comes from
    stored_part part = {};

    [[nodiscard]] bool is_part() const { return part.parts != 0; }
    /// Returns the number of rows in the file.
    [[nodiscard]] std::uint64_t rows() const { return is_part() ? part.rows : vertices; }
    /// Returns the edges of the whole graph.
    [[nodiscard]] std::uint64_t all_edges() const { return is_part() ? part.all_edges : edges; }

    /// Compares all members.
    friend bool operator==(store_header const&, store_header const&) = default;
};

/// The name that the file has for values of a type, up to 39 characters. Specialise it for a type of your
/// own; values are stored as they lie in memory.
template <class Value>
inline constexpr std::string_view stored_type_name = {};
template <>
inline constexpr std::string_view stored_type_name<float> = "float32";
template <>
inline constexpr std::string_view stored_type_name<double> = "float64";
template <>
inline constexpr std::string_view stored_type_name<std::int8_t> = "int8";
template <>
inline constexpr std::string_view stored_type_name<std::int16_t> = "int16";
template <>
inline constexpr std::string_view stored_type_name<std::int32_t> = "int32";
template <>
inline constexpr std::string_view stored_type_name<std::int64_t> = "int64";
template <>
inline constexpr std::string_view stored_type_name<std::uint8_t> = "uint8";
template <>
inline constexpr std::string_view stored_type_name<std::uint16_t> = "uint16";
template <>
inline constexpr std::string_view stored_type_name<std::uint32_t> = "uint32";
template <>
inline constexpr std::string_view stored_type_name<std::uint64_t> = "uint64";

namespace store_format {

inline constexpr std::string_view magic{"\x89RHZ\r\n\x1a\n",
                                        8}; ///< transfers in text mode change these bytes
inline constexpr std::uint32_t byte_order_mark = 0x0102'0304u;
inline constexpr std::uint32_t version_of_whole = 1;
inline constexpr std::uint32_t version_of_part = 2;

enum flag : std::uint32_t {
    directed = 1,
    in_arcs = 2,
    refuses_self_loops = 4,
    named_by_numbers = 8,
    named_by_text = 16,
    counts_from_one = 32,
    all_flags = 63
};

/// The header: 96 bytes, in the byte order of the machine that wrote them.
struct header {
    char magic[8];             ///< store_format::magic
    std::uint32_t byte_order;  ///< byte_order_mark
    std::uint32_t version;     ///< of the format: 1, or 2 if the file is a part
    std::uint32_t flags;       ///< of the enum flag
    std::uint32_t id_bytes;    ///< of an id: 4
    std::uint64_t vertices;    ///< including erased ones
    std::uint64_t edges;       ///< an undirected edge counts once
    std::uint64_t erased;      ///< erased vertices
    std::uint32_t value_bytes; ///< of a value; 0: none
    char value_type[40];       ///< the rest zeros
    std::uint32_t checksum;    ///< of all bytes before it
};
static_assert(sizeof(header) == 96 && offsetof(header, checksum) == 92);

/// The one item of the section `part`: stored_part, byte for byte.
struct part_record {
    std::uint64_t save;
    std::uint32_t number;
    std::uint32_t parts;
    std::uint64_t rows;
    std::uint64_t all_edges;
    std::uint64_t all_erased;
};
static_assert(sizeof(part_record) == 40);

/// The sections. `part` and `rows` are only in parts, and come first. The next four are always present;
/// `names` if vertices have names, and `name_text` if these are text. A section is its head, its data, zeros
/// up to a multiple of 8 bytes, and a checksum of all these in 8 bytes.
enum class kind : std::uint32_t {
    erased = 1,
    offsets = 2,
    targets = 3,
    values = 4,
    names = 5,
    name_text = 6,
    part = 7,
    rows = 8
};
inline constexpr kind all_kinds[] = {kind::part,    kind::rows,   kind::erased, kind::offsets,
                                     kind::targets, kind::values, kind::names,  kind::name_text};

/// Returns the sections of such a graph, in the order of the file.
[[nodiscard]] inline std::span<kind const> kinds_of(store_header const& header) {
    std::size_t const first = header.is_part() ? 0 : 2;
    std::size_t const count = header.names == stored_names::none   ? 6
                              : header.names == stored_names::text ? 8
                                                                   : 7;
    return std::span(all_kinds).first(count).subspan(first);
}
/// Returns where the section begins, in bytes from the beginning of the file.
[[nodiscard]] std::uint64_t position_of(store_header const& header, kind what);

/// The first 16 bytes of a section.
struct section_head {
    kind what;                ///< which section it is
    std::uint32_t item_bytes; ///< 0 in the section of values if edges have none
    std::uint64_t items;      ///< number of items
};
static_assert(sizeof(section_head) == 16);

[[nodiscard]] section_head head_of(store_header const& header, kind what);

/// Returns the bytes of a section's data and the zeros after it. Precondition: at most 2^60.
[[nodiscard]] std::uint64_t padded_bytes(section_head const& head);
/// Returns the bytes of the whole section.
[[nodiscard]] inline std::uint64_t section_bytes(section_head const& head) {
    return sizeof(section_head) + padded_bytes(head) + sizeof(std::uint64_t);
}

/// Returns the size of the file of such a graph in bytes, or 2^64 - 1 if a section has more than 2^60 bytes.
[[nodiscard]] std::uint64_t file_bytes(store_header const& header);

/// Returns zlib's CRC-32, continued from `before`. The CRC-32 of no bytes is 0.
[[nodiscard]] std::uint32_t checksum(std::uint32_t before, void const* bytes, std::uint64_t count);
/// Returns the checksum of two runs of bytes, one behind the other, from those of each, and the length of the
/// second. Cost: the logarithm of that length.
[[nodiscard]] std::uint32_t joined_checksum(std::uint32_t first, std::uint32_t second,
                                            std::uint64_t second_count);

} // namespace store_format

} // namespace rhizome::io
