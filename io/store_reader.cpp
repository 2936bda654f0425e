#include <rhizome/exec/host/mapped_memory.hpp>
#include <rhizome/graph/row_order.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/store_reader.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

namespace rhizome::io {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 18; // calls cost little, and a block stays in L2

std::string number(std::uint64_t value) { return std::to_string(value); }

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

/// Reads exactly this many bytes, or fewer at the end of the file.
std::size_t read_at(std::string const& path, int descriptor, void* to, std::size_t count,
                    std::uint64_t position) {
    std::size_t got = 0;
    while (got < count) {
        ssize_t const more =
            pread(descriptor, static_cast<char*>(to) + got, count - got, static_cast<off_t>(position + got));
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) throw file_error(path, std::string("cannot read: ") + std::strerror(errno));
        if (more == 0) break;
        got += static_cast<std::size_t>(more);
    }
    return got;
}

/// An array to be filled from one end to the other. Not a vector, which would write zeros first.
template <class Item>
std::unique_ptr<Item[]> array_to_fill(std::uint64_t items) {
    auto array = std::make_unique_for_overwrite<Item[]>(items);
    exec::prefer_large_pages(array.get(), items * sizeof(Item));
    return array;
}

} // namespace

/// Reads the items of one section in order.
class store_reader::section {
public:
    section(store_reader const& file, store_format::section_head const& expected, std::uint64_t position)
        : file_(&file), head_(expected), head_position_(position),
          position_(position + sizeof(store_format::section_head)),
          left_(store_format::padded_bytes(expected)) {
        store_format::section_head head{};
        read_exactly(&head, sizeof(head), position);
        if (head.what != expected.what)
            file.fail(position, "section " + number(static_cast<std::uint32_t>(head.what)),
                      "section " + number(static_cast<std::uint32_t>(expected.what)));
        if (head.item_bytes != expected.item_bytes || head.items != expected.items)
            file.fail(position,
                      "a section of " + number(head.items) + " items of " + number(head.item_bytes) +
                          " bytes",
                      number(expected.items) + " of " + number(expected.item_bytes) + ", as the header says");
        checksum_ = store_format::checksum(0, &head, sizeof(head));
    }

    /// Precondition: at least this many bytes of data are left.
    void read(void* to, std::size_t count) {
        auto* out = static_cast<std::byte*>(to);
        while (count > 0) {
            if (at_ == end_) fill();
            std::size_t const taken = std::min(count, end_ - at_);
            std::memcpy(out, buffer_.data() + at_, taken);
            at_ += taken;
            out += taken;
            count -= taken;
        }
    }

    /// Returns the position of the next byte of data in the file.
    [[nodiscard]] std::uint64_t position() const { return position_ - (end_ - at_); }

    /// Reads the items from `begin_of(block)` to `begin_of(block + 1)` for all `blocks` on the threads of the
    /// team, each to its place in `to`, and calls is_right(first item, past the last) for them while they are
    /// in the cache. The blocks have all items, in order. Returns whether all calls returned true and the
    /// file did not end. Precondition: nothing was read before.
    template <class Begin, class IsRight>
    [[nodiscard]] bool read_all(exec::thread_team& team, void* to, std::uint64_t blocks,
                                Begin const& begin_of, IsRight const& is_right) {
        std::vector<std::uint32_t> sums(blocks);
        std::atomic<bool> right{true};
        exec::parallel_for(team, blocks, [&](std::uint64_t block) {
            std::uint64_t const begin = begin_of(block);
            std::uint64_t const end = begin_of(block + 1);
            std::uint64_t const count = (end - begin) * head_.item_bytes;
            std::uint64_t const skipped = begin * head_.item_bytes;
            auto* const place = static_cast<std::byte*>(to) + skipped;
            if (read_at(file_->path_, file_->descriptor_, place, count, position_ + skipped) == count) {
                sums[block] = store_format::checksum(0, place, count);
                if (is_right(begin, end)) return;
            }
            right.store(false, std::memory_order_relaxed); // read when all threads are done
        });
        for (std::uint64_t block = 0; block < blocks; ++block)
            checksum_ = store_format::joined_checksum(
                checksum_, sums[block], (begin_of(block + 1) - begin_of(block)) * head_.item_bytes);
        position_ += head_.items * head_.item_bytes;
        left_ -= head_.items * head_.item_bytes;
        return right.load(std::memory_order_relaxed);
    }
    /// The same in blocks of like size.
    template <class IsRight>
    [[nodiscard]] bool read_all(exec::thread_team& team, void* to, IsRight const& is_right) {
        std::uint64_t const items = std::max<std::uint64_t>(1, block_bytes / std::max(1u, head_.item_bytes));
        return read_all(
            team, to, (head_.items + items - 1) / items,
            [&](std::uint64_t block) { return std::min(block * items, head_.items); }, is_right);
    }

    /// Reads the rest of the section and compares the checksum.
    void finish() {
        while (left_ > 0)
            fill();
        std::uint64_t stored = 0;
        read_exactly(&stored, sizeof(stored), position_);
        if (stored != checksum_)
            file_->fail(head_position_, "a section with checksum " + number(stored),
                        number(checksum_) + ", which its bytes have");
    }

private:
    void fill() {
        if (buffer_.empty())
            buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left_, block_bytes)));
        end_ = static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer_.size()));
        at_ = 0;
        read_exactly(buffer_.data(), end_, position_);
        checksum_ = store_format::checksum(checksum_, buffer_.data(), end_);
        position_ += end_;
        left_ -= end_;
    }
    void read_exactly(void* to, std::size_t count, std::uint64_t position) const {
        std::size_t const got = read_at(file_->path_, file_->descriptor_, to, count, position);
        if (got != count) // the file had the right size when it was opened
            file_->fail(position + got, "the end of the file", "more of the section");
    }

    store_reader const* file_;
    store_format::section_head head_;
    std::uint64_t head_position_;
    std::uint64_t position_; ///< after the bytes in the buffer
    std::uint64_t left_;     ///< bytes from there to the end of data and zeros
    std::uint32_t checksum_ = 0;
    std::vector<std::byte> buffer_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
};

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

store_reader::store_reader(std::string const& path) : path_(path) {
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC); // NOLINT: POSIX
    if (descriptor_ < 0) throw file_error(path, std::string("cannot open: ") + std::strerror(errno));
    try {
        read_header(descriptor_);
        auto const head = store_format::head_of(header_, store_format::kind::erased);
        section erased(*this, head, sizeof(store_format::header));
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
    std::uint64_t position =
        sizeof(store_format::header) +
        store_format::section_bytes(store_format::head_of(header_, store_format::kind::erased));
    auto const next = [&](store_format::kind what) {
        auto const head = store_format::head_of(header_, what);
        auto opened = std::make_unique<section>(*this, head, position);
        position += store_format::section_bytes(head);
        return opened;
    };
    offsets_ = next(store_format::kind::offsets);
    targets_ = next(store_format::kind::targets);
    values_ = next(store_format::kind::values);
    rows_ = row_end_ = given_ = least_ = 0;
    begun_ = ended_ = false;
}

store_reader::~store_reader() { close(descriptor_); }

void store_reader::fail(std::uint64_t byte, std::string const& found, std::string const& expected) const {
    throw store_error(path_, byte, found, expected);
}

void store_reader::read_header(int descriptor) {
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
    if (bytes.version == 0 || bytes.version > store_format::version)
        fail(offsetof(store_format::header, version), "version " + number(bytes.version),
             "one up to " + number(store_format::version));
    std::uint32_t const sum = store_format::checksum(0, &bytes, offsetof(store_format::header, checksum));
    if (bytes.checksum != sum)
        fail(offsetof(store_format::header, checksum), "checksum " + number(bytes.checksum),
             number(sum) + ", which the header has");
    // The checksum of the header is right. What it says may still be impossible.
    if ((bytes.flags & ~std::uint32_t{store_format::all_flags}) != 0 ||
        ((bytes.flags & store_format::in_arcs) != 0 && (bytes.flags & store_format::directed) == 0))
        fail(offsetof(store_format::header, flags), "flags " + number(bytes.flags), "known ones");
    constexpr std::uint32_t both_names = store_format::named_by_numbers | store_format::named_by_text;
    if ((bytes.flags & both_names) == both_names)
        fail(offsetof(store_format::header, flags), "flags " + number(bytes.flags),
             "names that are numbers or text, not both");
    if (bytes.id_bytes != sizeof(graph::vertex_id))
        fail(offsetof(store_format::header, id_bytes), "ids of " + number(bytes.id_bytes) + " bytes",
             number(sizeof(graph::vertex_id)));
    if (bytes.vertices > graph::no_vertex)
        fail(offsetof(store_format::header, vertices), number(bytes.vertices) + " vertices",
             "at most " + number(graph::no_vertex));
    if (bytes.erased > bytes.vertices)
        fail(offsetof(store_format::header, erased), number(bytes.erased) + " erased vertices",
             "at most " + number(bytes.vertices));
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
    read_name_bytes(descriptor, size);
    std::uint64_t const expected = store_format::file_bytes(header_);
    if (size != expected)
        fail(std::min(size, expected), "a file of " + number(size) + " bytes",
             expected == std::numeric_limits<std::uint64_t>::max()
                 ? "a header that promises less than a file can hold"
                 : number(expected) + ", as the header says");
}

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
                fail(byte, "end of a name " + number(end),
                     "one from " + number(name_begin) + " to " + number(text.size()));
            (void)names.find_or_add(std::string_view(text).substr(name_begin, end - name_begin));
            name_begin = end;
        } else {
            (void)names.find_or_add(numbers[v]);
        }
        if (names.size() != v + 1) fail(byte, "the name of another vertex", "a name of its own");
    }
    return names;
}

void store_reader::read_erased() {
    std::uint64_t const begin = sizeof(store_format::header) + sizeof(store_format::section_head);
    for (std::size_t i = 0; i < erased_.size(); ++i) {
        std::uint64_t const byte = begin + i * sizeof(graph::vertex_id);
        if (erased_[i] >= header_.vertices)
            fail(byte, "erased vertex " + number(erased_[i]),
                 "one of " + number(header_.vertices) + " vertices");
        if (i > 0 && erased_[i] <= erased_[i - 1])
            fail(byte, "erased vertex " + number(erased_[i]), "one above " + number(erased_[i - 1]));
    }
}

void store_reader::expect_values(std::string_view type_name, std::uint32_t value_bytes) const {
    if (header_.value_type == type_name && header_.value_bytes == value_bytes) return;
    auto const text = [](std::string_view name, std::uint32_t bytes) {
        return bytes == 0 ? std::string("no values of edges")
                          : "values of type " + quoted(name) + " of " + number(bytes) + " bytes";
    };
    fail(offsetof(store_format::header, value_bytes), text(header_.value_type, header_.value_bytes),
         text(type_name, value_bytes));
}

void store_reader::expect_no_erased() const {
    if (header_.erased == 0) return;
    fail(offsetof(store_format::header, erased), number(header_.erased) + " erased vertices",
         "none: only io::load_graph takes a graph with erased vertices");
}

void store_reader::read_first_offset() {
    std::uint64_t first = 0;
    offsets_->read(&first, sizeof(first));
    if (first != 0) fail(offsets_->position() - sizeof(first), "first offset " + number(first), "0");
}

void store_reader::enter_next_row() {
    std::uint64_t end = 0;
    offsets_->read(&end, sizeof(end));
    if (end < row_end_ || end > header_.edges)
        fail(offsets_->position() - sizeof(end), "offset " + number(end),
             "one from " + number(row_end_) + " to " + number(header_.edges));
    if (end != row_end_ && !erased_.empty() &&
        std::binary_search(erased_.begin(), erased_.end(), static_cast<graph::vertex_id>(rows_)))
        fail(offsets_->position() - sizeof(end), "edges of erased vertex " + number(rows_), "none");
    row_end_ = end;
    least_ = header_.directed ? 0 : rows_;
    ++rows_;
}

/// Gives out and checks targets of the present row. The loop has no branch per target: it only notes whether
/// any target is wrong. If one is, explain_row() searches for it.
void store_reader::give_row(std::span<graph::vertex_id const> targets, std::uint64_t position,
                            graph::edge* to) {
    auto const source = static_cast<graph::vertex_id>(rows_ - 1);
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
    std::uint64_t const source = rows_ - 1;
    std::uint64_t least = least_;
    for (graph::vertex_id const target : targets) {
        auto const refuse = [&](std::string const& expected) {
            fail(position, "edge " + number(source) + " -> " + number(target), expected);
        };
        if (target >= header_.vertices) refuse("a target among " + number(header_.vertices) + " vertices");
        if (!header_.directed && target < source) refuse("an undirected edge with its smaller end first");
        if (target < least) refuse("a target above " + number(least - 1));
        if (!header_.self_loops && target == source) refuse("no self-loop, as the header says");
        if (std::binary_search(erased_.begin(), erased_.end(), target)) refuse("a target that is not erased");
        least = target + std::uint64_t{1};
        position += sizeof(target);
    }
}

void store_reader::check_end() {
    while (rows_ < header_.vertices)
        enter_next_row();
    offsets_->finish();
    targets_->finish();
    values_->finish();
    check_names();
}

std::size_t store_reader::next_edges(std::span<graph::edge> edges, void* values) {
    constexpr std::size_t block = block_bytes / sizeof(graph::vertex_id);
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
                if (rows_ == header_.vertices)
                    fail(offsets_->position() - sizeof(row_end_), "last offset " + number(row_end_),
                         number(header_.edges) + ", as there are edges");
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
            unwanted_.resize(std::min(bytes, block_bytes));
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

std::uint64_t store_reader::rows_bytes(bool with_values) const {
    return (header_.vertices + 1) * sizeof(std::uint64_t) +
           header_.edges * (sizeof(graph::vertex_id) + (with_values ? header_.value_bytes : 0));
}

stored_arrays store_reader::read_rows(exec::thread_team& team, bool with_values) {
    if (begun_) throw std::logic_error("store_reader: rows are read before any edges");
    begun_ = true;
    stored_arrays rows{array_to_fill<std::uint64_t>(header_.vertices + 1),
                       array_to_fill<graph::vertex_id>(header_.edges), nullptr};
    if (with_values) rows.values = array_to_fill<std::byte>(header_.edges * header_.value_bytes);
    if (!read_right_rows(team, rows)) find_damage();
    offsets_->finish();
    targets_->finish();
    values_->finish();
    check_names();
    given_ = header_.edges;
    ended_ = true;
    return rows;
}

/// Returns whether the offsets and targets are right. The checksums are not compared yet.
bool store_reader::read_right_rows(exec::thread_team& team, stored_arrays const& rows) {
    std::uint64_t const* const offsets = rows.offsets.get();
    std::uint64_t const vertices = header_.vertices;
    auto const ascend = [&](std::uint64_t first, std::uint64_t last) {
        return std::is_sorted(offsets + first, offsets + last);
    };
    if (!offsets_->read_all(team, rows.offsets.get(), ascend)) return false;
    constexpr std::uint64_t block = block_bytes / sizeof(std::uint64_t);
    for (std::uint64_t first = block; first <= vertices; first += block)
        if (offsets[first - 1] > offsets[first]) return false;
    if (offsets[0] != 0 || offsets[vertices] != header_.edges) return false;
    for (graph::vertex_id const v : erased_)
        if (offsets[v] != offsets[v + std::uint64_t{1}]) return false;
    if (!erased_.empty() && is_erased_.empty()) {
        is_erased_.resize(vertices);
        for (graph::vertex_id const v : erased_)
            is_erased_[v] = true;
    }

    // Blocks of whole rows, so that a thread can check them.
    constexpr std::uint64_t block_targets = block_bytes / sizeof(graph::vertex_id);
    std::uint64_t const blocks = (header_.edges + block_targets - 1) / block_targets;
    auto const first_row = [&](std::uint64_t target) {
        return static_cast<std::uint64_t>(std::lower_bound(offsets, offsets + vertices, target) - offsets);
    };
    bool const right = targets_->read_all(
        team, rows.targets.get(), blocks,
        [&](std::uint64_t number) {
            return number == blocks ? header_.edges : offsets[first_row(number * block_targets)];
        },
        [&](std::uint64_t first, std::uint64_t last) {
            return rows_are_right(rows, first_row(first), first_row(last));
        });
    return right &&
           (rows.values == nullptr ||
            values_->read_all(team, rows.values.get(), [](std::uint64_t, std::uint64_t) { return true; }));
}

/// Whether the targets of the rows `first` to `last` - 1 are right.
bool store_reader::rows_are_right(stored_arrays const& rows, std::uint64_t first, std::uint64_t last) const {
    std::uint64_t const* const offsets = rows.offsets.get();
    graph::vertex_id const* const targets = rows.targets.get();
    if (offsets[first] == offsets[last]) return true;
    auto const found = graph::look_at_order(offsets, targets, first, last);
    if (!found.ascends || found.most >= header_.vertices) return false;
    if (!header_.directed && found.begin_below != 0) return false;
    if (!header_.self_loops &&
        (header_.directed ? graph::has_self_loop(offsets, targets, first, last) : found.begin_with_loop != 0))
        return false;
    return is_erased_.empty() || std::none_of(targets + offsets[first], targets + offsets[last],
                                              [&](graph::vertex_id target) { return is_erased_[target]; });
}

/// Reads edge by edge up to the damage, and throws.
void store_reader::find_damage() {
    rewind();
    std::vector<graph::edge> edges(block_bytes / sizeof(graph::edge));
    while (next_edges(edges, nullptr) != 0)
        continue;
    throw file_error(path_, "changed while it was read");
}

double store_reader::fraction_read() const {
    return header_.edges == 0 ? 1.0 : static_cast<double>(given_) / static_cast<double>(header_.edges);
}

} // namespace rhizome::io
