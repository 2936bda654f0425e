// SPDX-License-Identifier: Apache-2.0
// The rest of fresh chunks: pages that have never been handed out, taken in order by one atomic.
//
// Invariant: of the neighbouring chunks that the word names, pages [next, all) are free, and neither in a
// queue nor marked. Word: first chunk + 1 from bit 31 up, number of chunks in bits 24 to 30, next page in
// bits 0 to 23.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

class uncut_chunk_ref {
public:
    static constexpr std::uint32_t chunks_at_most = 64;

    /// The contents of the word.
    struct rest {
        std::uint64_t first_page = 0; ///< page 0 of the first chunk
        std::uint32_t next = 0;       ///< counted from first_page
        std::uint32_t pages = 0;      ///< of all its chunks; 0: there are none

        [[nodiscard]] RZ_HD constexpr std::uint32_t left() const { return next < pages ? pages - next : 0; }
    };

    RZ_HD uncut_chunk_ref(std::uint64_t& word, std::uint32_t pages) : word_(&word), pages_(pages) {}

    template <class Thread, class Order = exec::order::relaxed_t>
    [[nodiscard]] RZ_HD rest read(Thread const& thread, Order order = {}) const {
        return parse(thread.device(*word_).load(order));
    }

    /// Takes up to `wanted` pages in a row, from first_page + next on: the smaller of left() and `wanted`.
    /// Cost: a load and one atomic. acquire: pairs with offer(), so that what the former holders of the chunk
    /// did happens before.
    template <class Thread>
    [[nodiscard]] RZ_HD rest take(Thread const& thread, std::uint32_t wanted) const {
        // Bounds `next`: once nothing is left, only threads that have passed this load add to it.
        if (read(thread).left() == 0) return {};
        return parse(thread.device(*word_).fetch_add(wanted, exec::order::acquire));
    }
    /// Takes all remaining pages, for a caller that puts them elsewhere: the first of them, and how many.
    /// release: a thread that reads with acquire that they are gone sees them in motion.
    template <class Thread>
    [[nodiscard]] RZ_HD rest take_all(Thread const& thread) const {
        std::uint32_t const left = read(thread).left();
        if (left == 0) return {};
        rest taken = parse(thread.device(*word_).fetch_add(left, exec::order::acq_rel));
        if (taken.left() > left) taken.pages = taken.next + left; // other threads have offered more meanwhile
        return taken;
    }

    /// Offers the pages of `chunks` neighbouring chunks from `next` on; false where pages are on offer
    /// already. release: pairs with take().
    template <class Thread>
    [[nodiscard]] RZ_HD bool offer(Thread const& thread, std::uint64_t first_chunk, std::uint32_t chunks,
                                   std::uint32_t next) const {
        auto const word = thread.device(*word_);
        std::uint64_t held = word.load(exec::order::relaxed);
        std::uint64_t const offered = (first_chunk + 1) << 31 | std::uint64_t{chunks} << 24 | next;
        while (parse(held).left() == 0)
            if (word.compare_exchange(held, offered, exec::order::release)) return true;
        return false;
    }

private:
    [[nodiscard]] RZ_HD rest parse(std::uint64_t word) const {
        if (word >> 31 == 0) return {};
        return {((word >> 31) - 1) * pages_, static_cast<std::uint32_t>(word & 0xff'ffff),
                static_cast<std::uint32_t>(word >> 24 & 0x7f) * pages_};
    }

    std::uint64_t* word_;
    std::uint32_t pages_; ///< per chunk
};

} // namespace rhizome::alloc
