// SPDX-License-Identifier: Apache-2.0
// Kernels with one mistake each, and the same kernels without it.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>

#include <cstdint>

namespace rhizome::exec::planted {

/// Every thread adds one. Mistake: a load and a store are two operations.
template <bool Right>
struct count_up {
    std::uint32_t* counter;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const word = thread.device(*counter);
        if constexpr (Right) {
            word.fetch_add(1, order::relaxed);
        } else {
            word.store(word.load(order::relaxed) + 1, order::relaxed);
        }
    }
};

/// Every thread reads what its neighbour wrote. Mistake: no barrier between.
template <bool Right>
struct read_neighbour {
    struct shared {
        std::uint32_t values[64];
    };
    std::uint32_t* out;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const block = thread.block();
        auto& values = block.storage().values;
        thread.shared(values[block.rank()]).store(block.rank(), order::relaxed);
        if constexpr (Right) block.sync();
        std::uint32_t const next = (block.rank() + 1) % block.size();
        out[thread.rank()] = thread.shared(values[next]).load(order::relaxed);
    }
};

/// One thread writes a payload and raises a flag, another waits for the flag and reads the payload.
/// Mistakes: a relaxed store (missing release), a relaxed load (missing acquire).
template <class StoreOrder, class LoadOrder>
struct pass_message {
    std::uint32_t* payload;
    std::uint32_t* flag;
    std::uint32_t* received;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() == 0) {
            thread.device(*payload).store(42, order::relaxed);
            thread.device(*flag).store(1, StoreOrder{});
        } else if (thread.rank() == 1) {
            while (thread.device(*flag).load(LoadOrder{}) == 0)
                thread.relax();
            *received = thread.device(*payload).load(order::relaxed);
        }
    }
};

/// Every thread of every block adds one. Mistake: block scope on a word that several blocks share.
template <bool Right>
struct count_over_blocks {
    std::uint32_t* counter;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if constexpr (Right) {
            thread.device(*counter).fetch_add(1, order::relaxed);
        } else {
            thread.block_scoped(*counter).fetch_add(1, order::relaxed);
        }
    }
};

/// A stack of free items; each thread takes two and gives them back. Mistake: the head has no tag, so that a
/// head that went and came back (ABA) passes for one that stayed.
template <bool Right>
struct recycle_items {
    static constexpr std::uint32_t nothing = 0xffff'ffffu;

    std::uint64_t* head; ///< low half: first item; high half: tag
    std::uint32_t* next;
    std::uint32_t* owners; ///< how many threads hold the item
    std::uint32_t* wrong;
    std::uint32_t rounds;

    template <class Thread>
    RZ_HD std::uint32_t take(Thread const& thread) const {
        std::uint64_t seen = thread.device(*head).load(order::acquire);
        for (;;) {
            std::uint32_t const item = static_cast<std::uint32_t>(seen);
            if (item == nothing) return nothing;
            std::uint64_t const after = thread.device(next[item]).load(order::relaxed);
            if (thread.device(*head).compare_exchange(seen, after | next_tag(seen), order::acquire)) break;
        }
        std::uint32_t const item = static_cast<std::uint32_t>(seen);
        if (thread.device(owners[item]).fetch_add(1, order::relaxed) != 0)
            thread.device(*wrong).store(1, order::relaxed);
        return item;
    }
    template <class Thread>
    RZ_HD void give(Thread const& thread, std::uint32_t item) const {
        if (item == nothing) return;
        thread.device(owners[item]).fetch_sub(1, order::relaxed);
        std::uint64_t seen = thread.device(*head).load(order::relaxed);
        do {
            thread.device(next[item]).store(static_cast<std::uint32_t>(seen), order::relaxed);
        } while (!thread.device(*head).compare_exchange(seen, item | next_tag(seen), order::release));
    }
    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for (std::uint32_t round = 0; round < rounds; ++round) {
            std::uint32_t const one = take(thread);
            std::uint32_t const other = take(thread);
            give(thread, one);
            give(thread, other);
        }
    }

private:
    RZ_HD static std::uint64_t next_tag(std::uint64_t seen) { return Right ? ((seen >> 32) + 1) << 32 : 0; }
};

/// Two lanes of one warp take the same two locks. Mistake: in opposite order.
template <bool Right>
struct take_two_locks {
    std::uint32_t* locks;
    std::uint32_t* counter;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() > 1) return;
        std::uint32_t const first = Right ? 0 : static_cast<std::uint32_t>(thread.rank());
        take(thread, locks[first]);
        take(thread, locks[1 - first]);
        ++*counter;
        thread.device(locks[1 - first]).store(0, order::release);
        thread.device(locks[first]).store(0, order::release);
    }

private:
    template <class Thread>
    RZ_HD static void take(Thread const& thread, std::uint32_t& lock) {
        while (thread.device(lock).exchange(1, order::acquire) != 0)
            thread.relax();
    }
};

/// A lane holds a lock and waits for its warp, of which another lane waits for the lock.
template <bool Right>
struct meet_under_lock {
    std::uint32_t* lock;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        while (thread.device(*lock).exchange(1, order::acquire) != 0)
            thread.relax();
        if constexpr (!Right) thread.warp().sync();
        thread.device(*lock).store(0, order::release);
        if constexpr (Right) thread.warp().sync();
    }
};

} // namespace rhizome::exec::planted
