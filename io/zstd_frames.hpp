// SPDX-License-Identifier: Apache-2.0
// Whether a file compressed by zstd is whole: the filter of Boost does not notice where one is cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rhizome::io {

/// Follows the frames of a zstd file through its bytes, without unpacking them (RFC 8878, section 3.1).
class zstd_frames {
public:
    /// Takes the next bytes of the file.
    void take(std::string_view bytes) {
        while (!bytes.empty()) {
            if (skipped_ > 0) {
                std::size_t const count = std::min<std::uint64_t>(skipped_, bytes.size());
                skipped_ -= count;
                bytes.remove_prefix(count);
                continue;
            }
            field_ |= std::uint64_t{static_cast<unsigned char>(bytes.front())} << (8 * field_bytes_);
            bytes.remove_prefix(1);
            if (++field_bytes_ == wanted_bytes()) end_field();
        }
    }

    /// Returns whether the file may end here: behind a whole frame, or before the first.
    [[nodiscard]] bool is_whole() const {
        return next_ == field::magic && field_bytes_ == 0 && skipped_ == 0;
    }

private:
    enum class field { magic, skippable_size, descriptor, block };

    [[nodiscard]] unsigned wanted_bytes() const {
        switch (next_) {
        case field::magic:
        case field::skippable_size:
            return 4;
        case field::descriptor:
            return 1;
        case field::block:
            return 3;
        }
        return 1;
    }

    void end_field() {
        std::uint64_t const value = field_;
        field_ = 0;
        field_bytes_ = 0;
        switch (next_) {
        case field::magic: // a wrong one is left to the filter
            next_ = (value & ~std::uint64_t{15}) == 0x184d2a50 ? field::skippable_size : field::descriptor;
            break;
        case field::skippable_size:
            skipped_ = value;
            next_ = field::magic;
            break;
        case field::descriptor:
            begin_blocks(static_cast<unsigned>(value));
            break;
        case field::block:
            begin_block(value);
            break;
        }
    }

    /// Skips the rest of the header of the frame.
    void begin_blocks(unsigned descriptor) {
        constexpr unsigned dictionary_bytes[] = {0, 1, 2, 4};
        constexpr unsigned content_bytes[] = {0, 2, 4, 8};
        bool const single_segment = (descriptor & 0x20) != 0;
        unsigned const content = content_bytes[descriptor >> 6];
        skipped_ = dictionary_bytes[descriptor & 3] + (single_segment ? std::max(content, 1u) : content + 1);
        checksum_bytes_ = (descriptor & 4) != 0 ? 4 : 0;
        next_ = field::block;
    }

    void begin_block(std::uint64_t header) {
        constexpr std::uint64_t one_repeated_byte = 1;
        bool const is_last = (header & 1) != 0;
        skipped_ = ((header >> 1) & 3) == one_repeated_byte ? 1 : header >> 3;
        if (!is_last) return;
        skipped_ += checksum_bytes_;
        next_ = field::magic;
    }

    field next_ = field::magic;   ///< what stands behind the skipped bytes
    std::uint64_t field_ = 0;     ///< the bytes of it that were taken
    unsigned field_bytes_ = 0;    ///< how many
    std::uint64_t skipped_ = 0;   ///< bytes up to the next field
    unsigned checksum_bytes_ = 0; ///< behind the last block of the frame
};

} // namespace rhizome::io
