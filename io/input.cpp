// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/input.hpp>
#include <rhizome/io/parse_error.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace rhizome::io {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20; // so large that calls cost little; fits in L2

} // namespace

input::input(std::string const& path) : input(path == "-" ? "<stdin>" : path, open_source(path)) {}

input::input(std::string name, std::unique_ptr<byte_source> source)
    : name_(std::move(name)), source_(std::move(source)), buffer_(block_bytes) {}

bool input::fill() {
    if (at_end_) return false;
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2); // a line longer than the buffer
    std::size_t got = 0;
    try {
        got = source_->read(buffer_.data() + end_, buffer_.size() - end_);
    } catch (file_error const&) {
        throw;
    } catch (std::exception const& error) {
        throw parse_error(name_, line_number_ + 1, error.what(), "an intact compressed file");
    }
    end_ += got;
    received_ += got;
    at_end_ = got == 0;
    return !at_end_;
}

bool input::next_line(std::string_view& line) {
    std::size_t searched = 0;
    for (;;) {
        char const* const from = buffer_.data() + begin_;
        std::size_t const available = end_ - begin_;
        auto const* const newline =
            available > searched
                ? static_cast<char const*>(std::memchr(from + searched, '\n', available - searched))
                : nullptr;
        if (newline != nullptr) {
            line = {from, static_cast<std::size_t>(newline - from)};
            begin_ += line.size() + 1;
            ended_with_newline_ = true;
            break;
        }
        searched = available;
        if (fill()) continue;
        if (available == 0) return false;
        line = {buffer_.data() + begin_, available};
        begin_ = end_;
        ended_with_newline_ = false;
        break;
    }
    ++line_number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
}

bool input::next_block(line_block& block) {
    std::size_t searched = 0;
    for (;;) {
        std::string_view const unread(buffer_.data() + begin_, end_ - begin_);
        std::size_t const last = unread.substr(searched).rfind('\n');
        if (last != std::string_view::npos) {
            block.text = unread.substr(0, searched + last + 1);
            ended_with_newline_ = true;
            break;
        }
        searched = unread.size();
        if (fill()) continue;
        if (unread.empty()) return false;
        block.text = {buffer_.data() + begin_, unread.size()};
        ended_with_newline_ = false;
        break;
    }
    begin_ += block.text.size();
    block.first_line = line_number_ + 1;
    line_number_ += static_cast<std::uint64_t>(std::count(block.text.begin(), block.text.end(), '\n')) +
                    (ended_with_newline_ ? 0 : 1);
    return true;
}

std::string_view input::head(std::size_t size) {
    while (end_ - begin_ < size && fill()) {
    }
    return {buffer_.data() + begin_, std::min(size, end_ - begin_)};
}

std::string_view input::arrived_head(std::size_t size) {
    if (fraction_read() >= 0) return head(size); // a regular file: all of it has arrived
    if (begin_ == end_) (void)fill();
    return {buffer_.data() + begin_, std::min(size, end_ - begin_)};
}

std::optional<std::string_view> input::find_line(std::function<bool(std::string_view)> const& wanted) {
    for (std::size_t at = 0, searched = 0;;) { // in what is not read yet
        std::string_view const unread(buffer_.data() + begin_, end_ - begin_);
        std::size_t const newline = unread.find('\n', std::max(at, searched));
        searched = unread.size();
        if (newline == std::string_view::npos && fill()) continue;
        std::string_view line = unread.substr(at, newline == std::string_view::npos ? newline : newline - at);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (wanted(line)) return line;
        if (newline == std::string_view::npos) return std::nullopt;
        at = searched = newline + 1;
    }
}

void input::skip_byte_order_mark() {
    constexpr std::string_view utf_8 = "\xef\xbb\xbf";
    std::string_view const first = head(utf_8.size());
    if (first.starts_with("\xff\xfe") || first.starts_with("\xfe\xff"))
        throw parse_error(name_, 1, 1, "the byte order mark of UTF-16", "text in ASCII or UTF-8");
    if (first == utf_8) begin_ += utf_8.size();
}

std::uint64_t input::file_bytes() const {
    struct stat status {};
    if (fstat(descriptor(), &status) != 0)
        throw file_error(name_, std::string("cannot read: ") + std::strerror(errno));
    return static_cast<std::uint64_t>(status.st_size);
}

} // namespace rhizome::io
