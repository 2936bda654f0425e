// SPDX-License-Identifier: Apache-2.0
// A section of a stored graph, read in order or by all threads. For store_reader's own files.
#pragma once

#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/store_reader.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace rhizome::io {

/// Calls cost little, and a block stays in L2.
inline constexpr std::size_t store_block_bytes = std::size_t{1} << 18;

/// The number as text, for messages.
inline std::string decimal(std::uint64_t value) { return std::to_string(value); }

/// Reads exactly this many bytes, or fewer at the end of the file.
inline std::size_t read_at(std::string const& path, int descriptor, void* to, std::size_t count,
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
            file.fail(position, "section " + decimal(static_cast<std::uint32_t>(head.what)),
                      "section " + decimal(static_cast<std::uint32_t>(expected.what)));
        if (head.item_bytes != expected.item_bytes || head.items != expected.items)
            file.fail(
                position,
                "a section of " + decimal(head.items) + " items of " + decimal(head.item_bytes) + " bytes",
                decimal(expected.items) + " of " + decimal(expected.item_bytes) + ", as the header says");
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
        std::uint64_t const items =
            std::max<std::uint64_t>(1, store_block_bytes / std::max(1u, head_.item_bytes));
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
            file_->fail(head_position_, "a section with checksum " + decimal(stored),
                        decimal(checksum_) + ", which its bytes have");
    }

private:
    void fill() {
        if (buffer_.empty())
            buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left_, store_block_bytes)));
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

} // namespace rhizome::io
