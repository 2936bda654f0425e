// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/packed_check.hpp>
#include <rhizome/io/input.hpp>
#include <rhizome/io/parse_error.hpp>

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string_view>
#include <vector>

namespace rhizome::cli {
namespace {

struct packed_name {
    std::string_view ending;
    std::string_view first_bytes;
    std::string_view packing;
};

constexpr std::array<packed_name, 2> packed_names{{{".gz", "\x1f\x8b", "gzip"}, {".bz2", "BZh", "bzip2"}}};

packed_name const* packing_of(std::string const& name) {
    for (packed_name const& each : packed_names)
        if (name.ends_with(each.ending)) return &each;
    return nullptr;
}

/// The first bytes of the file, to recognise it and to show them.
std::string head_of(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw io::file_error(path, "cannot be read");
    std::string bytes(64, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
}

} // namespace

bool has_own_checksum(std::string const& name) { return packing_of(name) != nullptr; }

std::string flaw_of_download(std::string const& path, std::string const& name,
                             std::function<void(double)> const& tick) {
    std::string const head = head_of(path);
    if (head.empty()) return "found no bytes";
    packed_name const* const packed = packing_of(name);
    if (packed == nullptr) return "";
    if (!head.starts_with(packed->first_bytes))
        return fmt::format("found {}, expected a {} stream", io::quoted(head), packed->packing);
    auto const source = io::open_source(path);
    std::vector<char> block(1 << 18);
    try {
        while (source->read(block.data(), block.size()) != 0)
            if (tick) tick(source->fraction_read());
    } catch (io::file_error const&) {
        throw;
    } catch (std::exception const& error) {
        return fmt::format("found {}", error.what());
    }
    return "";
}

} // namespace rhizome::cli
