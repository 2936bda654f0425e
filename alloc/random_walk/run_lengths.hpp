// SPDX-License-Identifier: Apache-2.0
// How long the blocks of random_walk_malloc are.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// How many pages each block has: a byte for each page, that of the block's first page, and for long blocks a
/// word for each 64 pages. At most one long block begins among these. So neighbouring long blocks have their
/// lengths side by side, and the memory system writes and reads few lines.
class run_lengths_ref {
public:
    static constexpr std::uint32_t long_pages = 64; ///< from here on a block is long

    /// long_lengths: zeros where no long block begins.
    RZ_HD run_lengths_ref(std::uint8_t* bytes, std::uint32_t* long_lengths)
        : bytes_(bytes), long_(long_lengths) {}

    /// Only the thread that holds the block writes its length. relaxed: threads with short blocks that begin
    /// among the same 64 pages may read the word meanwhile; they find that it is about another page.
    template <class Thread>
    RZ_HD void set(Thread const& thread, std::uint64_t first, std::uint64_t pages) const {
        if (pages < long_pages) {
            bytes_[first] = static_cast<std::uint8_t>(pages);
            return;
        }
        bool const is_wide = pages >= beyond;
        auto const length = static_cast<std::uint32_t>(is_wide ? beyond : pages);
        write(thread, first / long_pages, length * long_pages + place_of(first));
        if (!is_wide) return;
        write(thread, first / long_pages + 1, static_cast<std::uint32_t>(pages));
        write(thread, first / long_pages + 2, static_cast<std::uint32_t>(pages >> 32));
    }
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t of(Thread const& thread, std::uint64_t first) const {
        std::uint32_t const word = read(thread, first / long_pages);
        if (word == 0 || word % long_pages != place_of(first)) return bytes_[first];
        if (word / long_pages != beyond) return word / long_pages;
        return read(thread, first / long_pages + 1) | std::uint64_t{read(thread, first / long_pages + 2)}
                                                          << 32;
    }
    /// The same, before the block is given back: blocks that begin there later may be short.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t remove(Thread const& thread, std::uint64_t first) const {
        std::uint64_t const pages = of(thread, first);
        if (pages >= long_pages)
            for (std::uint64_t i = 0; i < (pages < beyond ? 1 : 3); ++i)
                write(thread, first / long_pages + i, 0);
        return pages;
    }

private:
    /// This length and longer ones are in the two further words.
    static constexpr std::uint32_t beyond = 0xffff'ffffu / long_pages;

    [[nodiscard]] static RZ_HD std::uint32_t place_of(std::uint64_t first) {
        return static_cast<std::uint32_t>(first % long_pages);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t read(Thread const& thread, std::uint64_t index) const {
        return thread.device(long_[index]).load(exec::order::relaxed);
    }
    template <class Thread>
    RZ_HD void write(Thread const& thread, std::uint64_t index, std::uint32_t word) const {
        thread.device(long_[index]).store(word, exec::order::relaxed);
    }

    std::uint8_t* bytes_;
    std::uint32_t* long_;
};

} // namespace rhizome::alloc
