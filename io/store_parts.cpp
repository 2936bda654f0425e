// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/store_parts.hpp>
#include <rhizome/io/store_section.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace rhizome::io {
namespace {

constexpr std::string_view mark = ".part-";
constexpr std::size_t save_digits = 16;

std::string hexadecimal(std::uint64_t number) {
    std::string digits(save_digits, '0');
    for (std::size_t i = save_digits; i-- > 0; number >>= 4)
        digits[i] = "0123456789abcdef"[number & 15];
    return digits;
}

/// A file beside the graph that has the name of a part.
struct named_part {
    std::filesystem::path file;
    std::uint32_t number;
    std::uint64_t save;
};

template <class Number>
bool read_number(std::string_view text, int base, Number& number) {
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return error == std::errc() && end == text.data() + text.size();
}

std::vector<named_part> named_parts(std::string const& path) {
    std::vector<named_part> parts;
    std::filesystem::path const whole(path);
    std::filesystem::path const folder = whole.has_parent_path() ? whole.parent_path() : ".";
    std::string const begin = whole.filename().string() + std::string(mark);
    for (auto const& entry : std::filesystem::directory_iterator(folder)) {
        std::string const name = entry.path().filename().string();
        std::string_view rest = name;
        if (!rest.starts_with(begin)) continue;
        rest.remove_prefix(begin.size());
        std::size_t const dash = rest.find('-');
        named_part part{entry.path(), 0, 0};
        if (dash == std::string_view::npos || rest.size() != dash + 1 + save_digits ||
            !read_number(rest.substr(0, dash), 10, part.number) ||
            !read_number(rest.substr(dash + 1), 16, part.save))
            continue;
        parts.push_back(std::move(part));
    }
    return parts;
}

} // namespace

std::string part_path(std::string const& path, std::uint32_t number, std::uint64_t save) {
    if (number == 0) return path;
    return path + std::string(mark) + decimal(number) + "-" + hexadecimal(save);
}

void delete_other_parts(std::string const& path, std::uint64_t save) noexcept {
    try {
        std::error_code ignored;
        for (named_part const& part : named_parts(path))
            if (part.save != save) std::filesystem::remove(part.file, ignored);
    } catch (std::exception const&) {
        return; // the folder cannot be read, or memory is short
    }
}

store_parts::store_parts(std::string const& path)
    : path_(path), header_(store_reader(path, stored_files::whole_or_part).header()) {
    if (!header_.is_part()) return;
    (void)open(0);
    expect_no_surplus();
}

void store_parts::expect_no_surplus() const {
    for (named_part const& part : named_parts(path_))
        if (part.save == header_.part.save && (part.number == 0 || part.number >= count()))
            throw file_error(part.file.string(),
                             "is not one of the " + decimal(count()) + " parts of the graph " + path_);
}

void store_parts::expect_all(part_sums const& sums) const {
    auto const text = [](std::uint64_t rows, std::uint64_t edges, std::uint64_t erased) {
        return decimal(rows) + " rows, " + decimal(edges) + " edges and " + decimal(erased) +
               " erased vertices";
    };
    std::uint64_t const erased = header_.is_part() ? header_.part.all_erased : header_.erased;
    if (sums.rows != header_.vertices || sums.edges != header_.all_edges() || sums.erased != erased)
        throw store_error(path_, sizeof(store_format::header),
                          "parts with " + text(sums.rows, sums.edges, sums.erased) + " together",
                          text(header_.vertices, header_.all_edges(), erased));
}

std::unique_ptr<store_reader> store_parts::open(std::uint32_t number) const {
    std::string const path = part_path(path_, number, header_.part.save);
    auto reader = std::make_unique<store_reader>(path, stored_files::whole_or_part);
    store_header expected = header_;
    store_header const& found = reader->header();
    expected.part.number = number;
    expected.part.rows = found.part.rows;
    expected.edges = found.edges;
    expected.erased = found.erased;
    if (found != expected)
        throw store_error(path, sizeof(store_format::header),
                          found.is_part()
                              ? "part " + decimal(found.part.number) + " of " + decimal(found.part.parts) +
                                    " of save " + hexadecimal(found.part.save)
                              : "a whole graph",
                          "part " + decimal(number) + " of " + decimal(count()) + " of save " +
                              hexadecimal(header_.part.save) + ", and the same kind of graph");
    return reader;
}

/// Reads the section that says which part the file is. The rest of the file has not been looked at.
void store_reader::read_part_record(stored_files taken) {
    std::uint64_t const begin = sizeof(store_format::header);
    section record_section(*this, store_format::head_of(header_, store_format::kind::part), begin);
    store_format::part_record record{};
    record_section.read(&record, sizeof(record));
    record_section.finish();
    if (record.parts < 2 || record.number >= record.parts)
        fail(begin, "part " + decimal(record.number) + " of " + decimal(record.parts),
             "one of at least 2 parts");
    if (taken == stored_files::whole)
        fail(begin,
             "part " + decimal(record.number) + " of a graph that " + decimal(record.parts) +
                 " ranks have saved",
             "a whole graph: io::load_stored_graph and io::parts_reader also take parts");
    if (record.rows > header_.vertices || header_.edges > record.all_edges ||
        header_.erased > record.all_erased || record.all_erased > header_.vertices)
        fail(begin, "a part with more than the whole graph", "at most as many rows, edges and vertices");
    if (header_.names != stored_names::none) fail(begin, "a part with names of vertices", "one without");
    header_.part = {.parts = record.parts,
                    .number = record.number,
                    .save = record.save,
                    .rows = record.rows,
                    .all_edges = record.all_edges,
                    .all_erased = record.all_erased};
}

void store_reader::read_row_ids() {
    section ids = section_of(store_format::kind::rows);
    std::uint64_t const begin = ids.position();
    row_ids_.resize(header_.part.rows);
    ids.read(row_ids_.data(), row_ids_.size() * sizeof(row_ids_[0]));
    ids.finish();
    for (std::size_t i = 0; i < row_ids_.size(); ++i)
        if (row_ids_[i] >= header_.vertices || (i > 0 && row_ids_[i] <= row_ids_[i - 1]))
            fail(begin + i * sizeof(row_ids_[0]), "the row of vertex " + decimal(row_ids_[i]),
                 "rows of some of " + decimal(header_.vertices) + " vertices, ascending");
}

} // namespace rhizome::io
