// SPDX-License-Identifier: Apache-2.0
// The virtualized linked-chunk queue (VLQ) of Ouroboros, section 5.2: each segment names the next.
//
// Links lie in the side table, together with the name of the segment. A thread that follows a link to a chunk
// with another name than the link promised notices that, and starts again. The paper instead lets `t` chunks
// trail behind the front, since its links lie in the chunks themselves.
//
// Invariant, while nothing runs: head names segment `retired`; from there installed - retired links lead to
// the tail.
#pragma once

#include <rhizome/alloc/ouroboros/queue_state.hpp>
#include <rhizome/alloc/ouroboros/virtual_queue.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

template <class Table>
class segment_chain {
public:
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    RZ_HD segment_chain(queue_state& state, Table const& table, std::uint32_t ring)
        : state_(&state), table_(table), ring_(ring) {}

    template <class Thread, class Group>
    RZ_HD void append(Thread const& thread, Group const& group, std::uint64_t index, std::uint32_t chunks,
                      std::uint64_t chunk, std::uint64_t tail) const {
        for (std::uint32_t rank = 0; rank < chunks; ++rank) {
            std::uint64_t const next = rank + 1 < chunks ? group.broadcast(chunk, rank + 1) + 1 : 0;
            if (rank == group.rank())
                thread.device(table_.link(chunk))
                    .store(segment_name::of(ring_, index + rank) | next, exec::order::relaxed);
        }
        group.sync(); // names and links are written before any thread finds the first of them
        if (!group.is_leader()) return;
        // release: pairs with find
        if (index == 0) {
            thread.device(state_->head).store(1 + chunk, exec::order::release);
        } else {
            thread.device(table_.link(tail))
                .store(segment_name::of(ring_, index - 1) | (chunk + 1), exec::order::release);
        }
    }
    /// The leader follows the links; the head moves with it.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD used_up_segments used_up(Thread const& thread, Group const& group,
                                                 std::uint64_t first, std::uint32_t most,
                                                 std::uint32_t slots) const {
        used_up_segments found{0, 0};
        std::uint64_t chunk = group.is_leader() ? find(thread, first, false) : 0;
        for (; found.segments < most; ++found.segments) {
            std::uint64_t next = 0;
            if (group.is_leader()) {
                // acquire: every take happens before the segment's next use; appended segments are found
                std::uint64_t const taken = thread.device(table_.listed(chunk)).load(exec::order::acquire);
                std::uint64_t const link = thread.device(table_.link(chunk)).load(exec::order::acquire);
                next = taken == slots ? link & low : 0;
            }
            next = group.broadcast(next, 0);
            if (next == 0) break;
            std::uint64_t const here = group.broadcast(chunk, 0);
            if (group.rank() == found.segments) found.chunk = here;
            chunk = next - 1;
        }
        if (group.is_leader() && found.segments != 0) {
            // release: passes on the order of what was appended
            thread.device(state_->head)
                .store((first + found.segments) << 32 | (chunk + 1), exec::order::release);
        }
        return found;
    }

    /// The chunk of a segment; the caller has a place in it. The segment was appended before the place was
    /// given out and stays until the place is taken. So a search that starts at the head reaches it.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t find(Thread const& thread, std::uint64_t index, bool to_give) const {
        for (std::uint32_t walk = 0;; ++walk) {
            // The hint is where a thread with the same aim was recently: too far, gone, or a few steps away.
            auto const begin = thread.device(walk != 0 ? state_->head : hint(to_give));
            std::uint64_t const chunk = walk_from(thread, begin.load(exec::order::acquire), index);
            if (chunk != none) return chunk;
            if (walk != 0) thread.relax(); // another thread is about to write the missing link
        }
    }
    template <class Thread>
    RZ_HD void found(Thread const& thread, std::uint64_t index, std::uint64_t chunk, bool to_give) const {
        // release: a thread that begins here finds what this thread has found
        thread.device(hint(to_give)).store(index << 32 | (chunk + 1), exec::order::release);
    }

    [[nodiscard]] static RZ_HD constexpr std::uint64_t at_most() {
        return std::uint64_t{1} << (segment_name::index_bits - 1);
    }

    // For audits, while no other kernel runs.

    /// Whether a chunk has the name of segment `index`.
    [[nodiscard]] RZ_HD bool names(std::uint64_t index, std::uint64_t chunk) const {
        std::uint64_t const link = table_.link(chunk);
        return (link ^ segment_name::of(ring_, index)) >> 32 == 0 &&
               ((link & low) == 0) == (index + 1 == state_->installed);
    }
    /// How many segments can be reached from the head, of chunks below `chunks`.
    [[nodiscard]] RZ_HD std::uint64_t reachable(std::uint64_t chunks) const {
        std::uint64_t const present = state_->installed - state_->retired;
        if (present == 0 || state_->head >> 32 != (state_->retired & low)) return 0;
        std::uint64_t found = 0;
        for (std::uint64_t next = state_->head & low; next != 0 && next <= chunks && found < present;
             ++found) {
            if (!names(state_->retired + found, next - 1)) return found;
            next = table_.link(next - 1) & low;
        }
        return found;
    }

private:
    static constexpr std::uint64_t low = 0xffff'ffff;

    [[nodiscard]] RZ_HD std::uint64_t& hint(bool to_give) const {
        return to_give ? state_->give_hint : state_->take_hint;
    }

    /// The chunk of segment `index`; none if a link on the way has changed.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t walk_from(Thread const& thread, std::uint64_t begin,
                                                std::uint64_t index) const {
        if ((begin & low) == 0) return none;
        // The distance, in 32 bits as in the words.
        auto steps = static_cast<std::uint32_t>(index) - static_cast<std::uint32_t>(begin >> 32);
        std::uint64_t chunk = (begin & low) - 1;
        if (steps > at_most()) return none; // it lies beyond
        for (std::uint64_t at = index - steps; steps != 0; --steps, ++at) {
            std::uint64_t const link = thread.device(table_.link(chunk)).load(exec::order::acquire);
            if ((link ^ segment_name::of(ring_, at)) >> 32 != 0 || (link & low) == 0) return none;
            chunk = (link & low) - 1;
        }
        return chunk;
    }

    queue_state* state_;
    Table table_;
    std::uint32_t ring_;
};

/// The queue policy: entries lie in chunks of the heap; no other memory.
struct virtual_linked_queue {
    static constexpr char const* name = "virtual_linked";
    static constexpr bool is_virtual = true;
    static constexpr std::uint32_t small_page_words = 1;

    template <class Memory>
    [[nodiscard]] static RZ_HD virtual_queue_ref<segment_chain<decltype(Memory::table)>, Memory>
    ref(queue_state& state, ring_words const&, Memory const& memory) {
        return {state, segment_chain(state, memory.table, memory.ring), memory};
    }
    /// A shard needs no words of its own.
    [[nodiscard]] static std::uint64_t words_for(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t) {
        return 0;
    }
};

} // namespace rhizome::alloc
