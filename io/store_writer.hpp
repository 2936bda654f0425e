// Writing a stored graph, piece by piece.
#pragma once

#include <rhizome/io/output_file.hpp>
#include <rhizome/io/store_format.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace rhizome::io {

/// Takes the sections one behind the other, each in as many pieces as its writer likes, and counts: that a
/// file has all that its header promises is checked here. The file is replaced at commit() and not before.
class store_writer {
public:
    /// Throws file_error if nothing can be written there, std::invalid_argument for a header that no file can
    /// have (too many vertices, a value type without name or size, or too long a name).
    store_writer(std::string const& path, store_header const& header);

    /// More items of the section that is written now; the next one begins when it is full. Throws file_error;
    /// std::logic_error where the section has another type of items, or no room for them.
    void erased(std::span<std::uint32_t const> ids) { append(store_format::kind::erased, ids); }
    void offsets(std::span<std::uint64_t const> ends) { append(store_format::kind::offsets, ends); }
    void targets(std::span<std::uint32_t const> ids) { append(store_format::kind::targets, ids); }
    template <class Value>
    void values(std::span<Value const> values) {
        append(store_format::kind::values, values);
    }

    /// Makes what was written the file. Throws file_error; std::logic_error if something lacks.
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
    std::uint32_t next_ = 0; ///< section, of all_kinds
};

} // namespace rhizome::io
