// SPDX-License-Identifier: Apache-2.0
// Writing a stored graph, piece by piece.
#pragma once

#include <rhizome/io/output_file.hpp>
#include <rhizome/io/store_format.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace rhizome::io {

/// Writes the sections one after the other, each in any number of pieces. It checks that the file gets as
/// many items as its header says. commit() replaces the file; until then, the old file is unchanged.
class store_writer {
public:
    /// Throws file_error if the file cannot be written; std::invalid_argument for an impossible header (too
    /// many vertices, a value type without a name or size, or with a name that is too long).
    store_writer(std::string const& path, store_header const& header);

    /// Appends items to the present section. The next section begins when it is full. Throws file_error;
    /// std::logic_error if the present section has other items, or no room for them.
    /// The vertices whose rows are in the part, ascending. Whole graphs have no such section.
    void rows(std::span<std::uint32_t const> ids) { append(store_format::kind::rows, ids); }
    void erased(std::span<std::uint32_t const> ids) { append(store_format::kind::erased, ids); }
    void offsets(std::span<std::uint64_t const> ends) { append(store_format::kind::offsets, ends); }
    void targets(std::span<std::uint32_t const> ids) { append(store_format::kind::targets, ids); }
    template <class Value>
    void values(std::span<Value const> values) {
        append(store_format::kind::values, values);
    }
    /// Numbers that are names, or the ends of names in the text of all.
    void names(std::span<std::uint64_t const> items) { append(store_format::kind::names, items); }
    void name_text(std::span<char const> text) { append(store_format::kind::name_text, text); }

    /// Replaces the file. Throws file_error; std::logic_error if items are missing.
    void commit();

private:
    template <class Item>
    void append(store_format::kind what, std::span<Item const> items) {
        append_bytes(what, items.data(), items.size(), sizeof(Item));
    }
    void append_bytes(store_format::kind what, void const* items, std::uint64_t count,
                      std::uint32_t item_bytes);
    void begin_section();
    void pass_full_sections();
    void put(void const* bytes, std::uint64_t count);

    output_file file_;
    store_header header_;
    store_format::section_head head_{};
    std::uint64_t written_ = 0; ///< items of the section
    std::uint32_t checksum_ = 0;
    std::uint32_t next_ = 0; ///< section, of kinds_of(header_)
};

} // namespace rhizome::io
