// SPDX-License-Identifier: Apache-2.0
// Which lines of a store are full. With it a sweep skips used parts of a large store, and a refusal is proved
// by a look at one bit per line. A line: neighbouring words of the store, 16 of bits or 32 of flags.
//
// A word stands for 16 lines. Bits 0 to 15, full: a thread saw that all pages of the line were used. Bits 16
// to 31, doubt: that thread looks once more. Bits 32 to 63: how often lines of the word were marked full
// (modulo 2^32). A word of zeros knows nothing.
//
// Invariant: if a page is free, and the call that gave it back has returned, then its line is not full, or it
// is in doubt.
//
// A line that is full and not marked only costs time. A line that is marked has no such page, for this
// reason. A thread that gives a page back frees it in the word and then reads the mark. A thread that marks a
// line sets full and doubt, and then reads each word of the line once more. All these accesses to a word of
// the store are read-modify-writes, which have one order. If the marking thread is the later one, it finds
// the page, and removes the mark before the doubt. If it is the earlier one, the other thread acquires what
// it released, so it finds the mark, and removes it. One thread at a time marks a line, since another one
// finds the doubt.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

class full_lines_ref {
public:
    using word = std::uint64_t;
    static constexpr std::uint32_t lines_per_word = 16;

    RZ_HD explicit full_lines_ref(word* words) : words_(words) {}

    /// Bit i: line i of the word may have free pages.
    [[nodiscard]] static RZ_HD constexpr std::uint32_t open_lines(word bits) {
        return static_cast<std::uint32_t>(~bits | bits >> lines_per_word) & all_lines;
    }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t times_marked(word bits) {
        return static_cast<std::uint32_t>(bits >> 32);
    }
    /// relaxed: for a line with free pages that is at rest, every value says so; a proof reads newest().
    template <class Thread>
    [[nodiscard]] RZ_HD word load(Thread const& thread, std::uint64_t index) const {
        return thread.device(words_[index]).load(exec::order::relaxed);
    }
    /// Reads the newest value: an atomic that changes nothing reads it, a load may read an older one. The
    /// caller chooses the memory order, and says why.
    template <class Thread, class Order>
    [[nodiscard]] RZ_HD word newest(Thread const& thread, std::uint64_t index, Order order) const {
        return thread.device(words_[index]).fetch_or(0, order);
    }

    /// Marks a line in which the caller has seen no free page; keeps the mark only if has_free() is false,
    /// which reads all words of the line by read-modify-writes that release. Does nothing if another thread
    /// marks it.
    template <class Thread, class HasFree>
    RZ_HD void mark(Thread const& thread, std::uint64_t line, HasFree&& has_free) const {
        auto const at = thread.device(words_[line / lines_per_word]);
        word const full = full_bit(line);
        word const doubt = full << lines_per_word;
        word seen = at.load(exec::order::relaxed); // the exchange checks it
        do {
            if ((seen & (full | doubt)) != 0) return;
            // relaxed: has_free() releases it
        } while (!at.compare_exchange(seen, seen + one_marked + full + doubt, exec::order::relaxed));
        word const removed = has_free() ? full | doubt : doubt;
        at.fetch_and(~removed, exec::order::release); // release: has_free() comes before
    }
    /// Called after a page of the line was freed by a read-modify-write that acquired and released. relaxed:
    /// that one comes before.
    template <class Thread>
    RZ_HD void reopen(Thread const& thread, std::uint64_t line) const {
        auto const at = thread.device(words_[line / lines_per_word]);
        if ((at.load(exec::order::relaxed) & full_bit(line)) != 0)
            at.fetch_and(~full_bit(line), exec::order::relaxed);
    }

    /// At rest, for audits.
    [[nodiscard]] RZ_HD bool is_full_at_rest(std::uint64_t line) const {
        return (words_[line / lines_per_word] & full_bit(line)) != 0;
    }
    [[nodiscard]] RZ_HD bool is_in_doubt_at_rest(std::uint64_t line) const {
        return (words_[line / lines_per_word] & full_bit(line) << lines_per_word) != 0;
    }

private:
    static constexpr std::uint32_t all_lines = 0xffff;
    static constexpr word one_marked = word{1} << 32;

    [[nodiscard]] static RZ_HD constexpr word full_bit(std::uint64_t line) {
        return word{1} << line % lines_per_word;
    }

    word* words_;
};

} // namespace rhizome::alloc
