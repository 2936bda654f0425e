// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/store_reader.hpp>
#include <rhizome/io/store_section.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

namespace rhizome::io {
namespace {

/// Describes the first bytes of a file that is not a stored graph.
std::string first_bytes_text(std::string_view found) {
    constexpr std::pair<std::string_view, char const*> packings[] = {{"\x1f\x8b", "gzip"},
                                                                     {"BZh", "bzip2"},
                                                                     {"\x28\xb5\x2f\xfd", "zstd"},
                                                                     {"\xfd"
                                                                      "7zXZ",
                                                                      "xz"}};
    for (auto const& [magic, name] : packings)
        if (found.starts_with(magic)) return std::string("a file compressed by ") + name;
    return found.empty() ? "an empty file" : quoted(found);
}

} // namespace

bool is_stored_graph(std::string const& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
    int const descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC); // NOLINT: POSIX
    if (descriptor < 0) return false;
    char head[store_format::magic.size()] = {};
    ssize_t const got = pread(descriptor, head, sizeof(head), 0);
    close(descriptor);
    return std::string_view(head, got > 0 ? static_cast<std::size_t>(got) : 0) == store_format::magic;
}

store_reader::store_reader(std::string const& path, stored_files taken) : path_(path) {
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC); // NOLINT: POSIX
    if (descriptor_ < 0) throw file_error(path, std::string("cannot open: ") + std::strerror(errno));
    try {
        read_header(descriptor_, taken);
        if (header_.is_part()) read_row_ids();
        section erased = section_of(store_format::kind::erased);
        erased_.resize(header_.erased);
        erased.read(erased_.data(), erased_.size() * sizeof(erased_[0]));
        erased.finish();
        read_erased();
        rewind();
    } catch (...) {
        close(descriptor_);
        throw;
    }
}

void store_reader::rewind() {
    auto const open = [&](store_format::kind what) { return std::make_unique<section>(section_of(what)); };
    offsets_ = open(store_format::kind::offsets);
    targets_ = open(store_format::kind::targets);
    values_ = open(store_format::kind::values);
    rows_ = row_end_ = given_ = least_ = 0;
    begun_ = ended_ = false;
}

store_reader::~store_reader() { close(descriptor_); }

void store_reader::fail(std::uint64_t byte, std::string const& found, std::string const& expected) const {
    throw store_error(path_, byte, found, expected);
}

void store_reader::read_header(int descriptor, stored_files taken) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        throw file_error(path_, "a stored graph is read from a regular file only");
    auto const size = static_cast<std::uint64_t>(status.st_size);
    store_format::header bytes{};
    std::size_t const got = read_at(path_, descriptor, &bytes, sizeof(bytes), 0);
    if (std::string_view(bytes.magic, std::min(got, sizeof(bytes.magic))) != store_format::magic)
        fail(0, first_bytes_text({bytes.magic, std::min(got, sizeof(bytes.magic))}),
             quoted(store_format::magic) + ", with which stored graphs begin");
    if (got != sizeof(bytes)) fail(got, "the end of the file", "a header of 96 bytes");
    if (bytes.byte_order != store_format::byte_order_mark)
        fail(offsetof(store_format::header, byte_order), "another byte order", "that of this machine");
    if (bytes.version == 0 || bytes.version > store_format::version_of_part)
        fail(offsetof(store_format::header, version), "version " + decimal(bytes.version),
             "one up to " + decimal(store_format::version_of_part));
    std::uint32_t const sum = store_format::checksum(0, &bytes, offsetof(store_format::header, checksum));
    if (bytes.checksum != sum)
        fail(offsetof(store_format::header, checksum), "checksum " + decimal(bytes.checksum),
             decimal(sum) + ", which the header has");
    // The checksum of the header is right. What it says may still be impossible.
    if ((bytes.flags & ~std::uint32_t{store_format::all_flags}) != 0 ||
        ((bytes.flags & store_format::in_arcs) != 0 && (bytes.flags & store_format::directed) == 0))
        fail(offsetof(store_format::header, flags), "flags " + decimal(bytes.flags), "known ones");
    constexpr std::uint32_t both_names = store_format::named_by_numbers | store_format::named_by_text;
    if ((bytes.flags & both_names) == both_names)
        fail(offsetof(store_format::header, flags), "flags " + decimal(bytes.flags),
             "names that are numbers or text, not both");
    if (bytes.id_bytes != sizeof(graph::vertex_id))
        fail(offsetof(store_format::header, id_bytes), "ids of " + decimal(bytes.id_bytes) + " bytes",
             decimal(sizeof(graph::vertex_id)));
    if (bytes.vertices > graph::no_vertex)
        fail(offsetof(store_format::header, vertices), decimal(bytes.vertices) + " vertices",
             "at most " + decimal(graph::no_vertex));
    if (bytes.erased > bytes.vertices)
        fail(offsetof(store_format::header, erased), decimal(bytes.erased) + " erased vertices",
             "at most " + decimal(bytes.vertices));
    std::string_view const name(bytes.value_type, sizeof(bytes.value_type));
    std::size_t const length = std::min(name.find('\0'), name.size());
    if (length == name.size() || name.find_first_not_of('\0', length) != std::string_view::npos ||
        (length == 0) != (bytes.value_bytes == 0))
        fail(offsetof(store_format::header, value_type), "value type " + quoted(name.substr(0, length)),
             "a name, and as many bytes as the type has");
    header_ = {.directed = (bytes.flags & store_format::directed) != 0,
               .in_arcs = (bytes.flags & store_format::in_arcs) != 0,
               .self_loops = (bytes.flags & store_format::refuses_self_loops) == 0,
               .vertices = bytes.vertices,
               .edges = bytes.edges,
               .erased = bytes.erased,
               .value_bytes = bytes.value_bytes,
               .value_type = std::string(name.substr(0, length)),
               .names = (bytes.flags & store_format::named_by_numbers) != 0 ? stored_names::numbers
                        : (bytes.flags & store_format::named_by_text) != 0  ? stored_names::text
                                                                            : stored_names::none,
               .counts_from_one = (bytes.flags & store_format::counts_from_one) != 0};
    if (bytes.version == store_format::version_of_part) read_part_record(taken);
    read_name_bytes(descriptor, size);
    std::uint64_t const expected = store_format::file_bytes(header_);
    if (size != expected)
        fail(std::min(size, expected), "a file of " + decimal(size) + " bytes",
             expected == std::numeric_limits<std::uint64_t>::max()
                 ? "a header that promises less than a file can hold"
                 : decimal(expected) + ", as the header says");
}

void store_reader::read_erased() {
    std::uint64_t const begin =
        store_format::position_of(header_, store_format::kind::erased) + sizeof(store_format::section_head);
    for (std::size_t i = 0; i < erased_.size(); ++i) {
        std::uint64_t const byte = begin + i * sizeof(graph::vertex_id);
        if (erased_[i] >= header_.vertices)
            fail(byte, "erased vertex " + decimal(erased_[i]),
                 "one of " + decimal(header_.vertices) + " vertices");
        if (i > 0 && erased_[i] <= erased_[i - 1])
            fail(byte, "erased vertex " + decimal(erased_[i]), "one above " + decimal(erased_[i - 1]));
        if (header_.is_part() && !std::binary_search(row_ids_.begin(), row_ids_.end(), erased_[i]))
            fail(byte, "erased vertex " + decimal(erased_[i]), "one with a row in this part");
    }
}

void expect_stored_values(std::string const& path, store_header const& header, std::string_view type_name,
                          std::uint32_t value_bytes) {
    if (header.value_type == type_name && header.value_bytes == value_bytes) return;
    auto const text = [](std::string_view name, std::uint32_t bytes) {
        return bytes == 0 ? std::string("no values of edges")
                          : "values of type " + quoted(name) + " of " + decimal(bytes) + " bytes";
    };
    throw store_error(path, offsetof(store_format::header, value_bytes),
                      text(header.value_type, header.value_bytes), text(type_name, value_bytes));
}

void store_reader::expect_values(std::string_view type_name, std::uint32_t value_bytes) const {
    expect_stored_values(path_, header_, type_name, value_bytes);
}

void store_reader::expect_no_erased() const {
    if (header_.erased == 0) return;
    fail(offsetof(store_format::header, erased), decimal(header_.erased) + " erased vertices",
         "none: only io::load_stored_graph takes a graph with erased vertices");
}

void store_reader::read_first_offset() {
    std::uint64_t first = 0;
    offsets_->read(&first, sizeof(first));
    if (first != 0) fail(offsets_->position() - sizeof(first), "first offset " + decimal(first), "0");
}

void store_reader::enter_next_row() {
    std::uint64_t end = 0;
    offsets_->read(&end, sizeof(end));
    if (end < row_end_ || end > header_.edges)
        fail(offsets_->position() - sizeof(end), "offset " + decimal(end),
             "one from " + decimal(row_end_) + " to " + decimal(header_.edges));
    if (end != row_end_ && !erased_.empty() &&
        std::binary_search(erased_.begin(), erased_.end(), static_cast<graph::vertex_id>(vertex_of(rows_))))
        fail(offsets_->position() - sizeof(end), "edges of erased vertex " + decimal(vertex_of(rows_)),
             "none");
    row_end_ = end;
    least_ = header_.directed ? 0 : vertex_of(rows_);
    ++rows_;
}

/// Gives out and checks targets of the present row. The loop has no branch per target: it only notes whether
/// any target is wrong. If one is, explain_row() searches for it.
void store_reader::give_row(std::span<graph::vertex_id const> targets, std::uint64_t position,
                            graph::edge* to) {
    auto const source = static_cast<graph::vertex_id>(vertex_of(rows_ - 1));
    std::uint64_t least = least_;
    bool right = true;
    bool loop = false;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        graph::vertex_id const target = targets[i];
        right &= target >= least;
        loop |= target == source;
        least = target + std::uint64_t{1};
        to[i] = {source, target};
    }
    if (!right || least > header_.vertices || (loop && !header_.self_loops) || !erased_.empty())
        explain_row(targets, position);
    least_ = least;
}

void store_reader::explain_row(std::span<graph::vertex_id const> targets, std::uint64_t position) const {
    std::uint64_t const source = vertex_of(rows_ - 1);
    std::uint64_t least = least_;
    for (graph::vertex_id const target : targets) {
        auto const refuse = [&](std::string const& expected) {
            fail(position, "edge " + decimal(source) + " -> " + decimal(target), expected);
        };
        if (target >= header_.vertices) refuse("a target among " + decimal(header_.vertices) + " vertices");
        if (!header_.directed && target < source) refuse("an undirected edge with its smaller end first");
        if (target < least) refuse("a target above " + decimal(least - 1));
        if (!header_.self_loops && target == source) refuse("no self-loop, as the header says");
        if (std::binary_search(erased_.begin(), erased_.end(), target)) refuse("a target that is not erased");
        least = target + std::uint64_t{1};
        position += sizeof(target);
    }
}

void store_reader::check_end() {
    while (rows_ < header_.rows())
        enter_next_row();
    offsets_->finish();
    targets_->finish();
    values_->finish();
    check_names();
}

std::size_t store_reader::next_edges(std::span<graph::edge> edges, void* values) {
    constexpr std::size_t block = store_block_bytes / sizeof(graph::vertex_id);
    if (!std::exchange(begun_, true)) read_first_offset();
    auto const count =
        static_cast<std::size_t>(std::min<std::uint64_t>(edges.size(), header_.edges - given_));
    auto* value_to = static_cast<std::byte*>(values);
    for (std::size_t done = 0; done < count;) {
        std::size_t const piece = std::min(block, count - done);
        ids_.resize(piece);
        std::uint64_t const position = targets_->position();
        targets_->read(ids_.data(), piece * sizeof(ids_[0]));
        for (std::size_t i = 0; i < piece;) {
            while (given_ == row_end_) {
                if (rows_ == header_.rows())
                    fail(offsets_->position() - sizeof(row_end_), "last offset " + decimal(row_end_),
                         decimal(header_.edges) + ", as there are edges");
                enter_next_row();
            }
            auto const row = static_cast<std::size_t>(std::min<std::uint64_t>(piece - i, row_end_ - given_));
            give_row(std::span(ids_).subspan(i, row), position + i * sizeof(ids_[0]),
                     edges.data() + done + i);
            given_ += row;
            i += row;
        }
        std::size_t const bytes = piece * header_.value_bytes;
        if (value_to != nullptr) {
            values_->read(value_to, bytes);
            value_to += bytes;
        } else if (bytes != 0) {
            // Values may be large, so they are skipped block by block.
            unwanted_.resize(std::min(bytes, store_block_bytes));
            for (std::size_t left = bytes; left > 0;) {
                std::size_t const taken = std::min(left, unwanted_.size());
                values_->read(unwanted_.data(), taken);
                left -= taken;
            }
        }
        done += piece;
    }
    if (count == 0 && !edges.empty() && !std::exchange(ended_, true)) check_end();
    return count;
}

/// Reads edge by edge up to the damage, and throws.
void store_reader::find_damage() {
    rewind();
    std::vector<graph::edge> edges(store_block_bytes / sizeof(graph::edge));
    while (next_edges(edges, nullptr) != 0)
        continue;
    throw file_error(path_, "changed while it was read");
}

double store_reader::fraction_read() const {
    return header_.edges == 0 ? 1.0 : static_cast<double>(given_) / static_cast<double>(header_.edges);
}

} // namespace rhizome::io
