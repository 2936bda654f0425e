// SPDX-License-Identifier: Apache-2.0
// A queue whose slots lie in chunks of the heap itself. Chunks are added at the back and removed at the front
// as entries come and go. This is the common part of the two virtualized queues of Ouroboros, section 5. They
// differ in how a thread finds the segment of a place (virtual_array_queue.hpp, virtual_linked_queue.hpp).
//
// Glossary. Segment: one chunk of slots; segment k holds places [k * slots, (k + 1) * slots). Keeper: the
// thread that adds and removes segments of a shard; there is one at a time.
//
// Room is counted only for segments that exist. So a thread that has a place finds its segment, and no thread
// waits for memory: where no chunk can be had, entries are spilled into marks of their chunks.
//
// Invariants, while nothing runs (beside queue_state.hpp):
//   retired * slots <= front;  back <= installed * slots
//   installed - retired = chunks of kind `queue` of this shard
//   listed(segment) = its places before front
// The last segment stays, so that the next can be linked to it. Segments whose entries are all taken are
// removed.
#pragma once

#include <rhizome/alloc/chunk_records.hpp>
#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/alloc/ouroboros/queue_state.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::alloc {

/// The name of a segment: ring of its instance, and index modulo 2^20. Stored in the high half of its link.
struct segment_name {
    static constexpr std::uint32_t index_bits = 20;
    static constexpr std::uint32_t rings_at_most = 1u << (32 - index_bits);

    [[nodiscard]] static RZ_HD constexpr std::uint64_t of(std::uint32_t ring, std::uint64_t index) {
        std::uint64_t const low = index & ((1u << index_bits) - 1);
        return (std::uint64_t{ring} << index_bits | low) << 32;
    }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t ring(std::uint64_t link) {
        return static_cast<std::uint32_t>(link >> 32 >> index_bits);
    }
    /// The index of a segment; `installed - 1` is the index of the last one.
    [[nodiscard]] static RZ_HD constexpr std::uint64_t index(std::uint64_t link, std::uint64_t installed) {
        std::uint64_t const behind = (installed - 1 - (link >> 32)) & ((1u << index_bits) - 1);
        return installed - 1 - behind;
    }
};

/// The chunks that an instance uses as segments.
template <class Table, std::uint32_t ChunkBytes, std::uint32_t Span>
struct segment_memory {
    static constexpr std::uint32_t slots = ChunkBytes / sizeof(std::uint64_t);
    static_assert(slots >= 64, "a group's places lie in two segments at most");

    std::byte* heap;
    chunk_store_ref store;
    Table table;
    std::uint32_t header;      ///< of the class's queue chunks
    std::uint32_t ring;        ///< class and shard
    std::uint64_t kept_chunks; ///< empty segments are kept while all queues together have no more than this

    [[nodiscard]] RZ_HD std::uint64_t* slots_of(std::uint64_t chunk) const {
        return reinterpret_cast<std::uint64_t*>(heap + chunk * ChunkBytes);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD bool has_plenty(Thread const& thread) const {
        return store.count(thread) > static_cast<std::int64_t>(store.chunks() / tuning::queue_reserve_share);
    }
    /// Segments of one extension: no more than its lanes can clear quickly, since other threads wait for it.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t segments_to_take(Thread const& thread, std::uint32_t lanes) const {
        auto const plenty = static_cast<std::uint64_t>(store.count(thread)) / Span / tuning::segment_share;
        std::uint32_t most = (lanes + 1) / 2;
        most = tuning::segments_at_once < most ? tuning::segments_at_once : most;
        most = plenty < most ? static_cast<std::uint32_t>(plenty) : most;
        return most == 0 ? 1 : most;
    }
    /// The number of segments beyond those that are kept.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t surplus(Thread const& thread) const {
        std::uint64_t const all = thread.device(store.state()->segments).load(exec::order::relaxed);
        return all > kept_chunks ? (all - kept_chunks + Span - 1) / Span : 0;
    }
    template <class Thread>
    RZ_HD void count_segments(Thread const& thread, std::int64_t more) const {
        if (more != 0)
            thread.device(store.state()->segments)
                .fetch_add(static_cast<std::uint64_t>(more * Span), exec::order::relaxed);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD chunk_claim take(Thread const& thread, std::uint32_t segments) const {
        return store.template take<Span>(thread, segments);
    }
    template <class Thread>
    RZ_HD void put(Thread const& thread, std::uint64_t chunk) const {
        thread.device(table.link(chunk)).store(0, exec::order::relaxed);
        table.set_header(thread, chunk, 0);
        store.template put<Span>(thread, chunk);
    }
};

/// A lane's segment among those whose entries are all taken.
struct used_up_segments {
    std::uint32_t segments; ///< of all lanes: the first lanes have one each
    std::uint64_t chunk;
};

/// Finder: what differs between the two queues.
///   find(thread, index, to_give)                       the chunk of a segment; the caller has a place in it
///   found(thread, index, chunk, to_give)               publishes it to other threads
///   used_up(thread, group, first, most, slots)         how many of `most` segments from `first` on are used
///   up
///   append(thread, group, index, chunks, chunk, tail)  adds a segment from each of the first `chunks` lanes
///   at_most()                                          the most segments at a time
template <class Finder, class Memory>
class virtual_queue_ref : public queue_counters {
public:
    static constexpr std::uint32_t segment_slots = Memory::slots;

    /// The one or two segments that hold a group's places.
    struct window {
        std::uint64_t boundary; ///< first place of the second
        std::uint64_t first_chunk;
        std::uint64_t second_chunk;
    };

    RZ_HD virtual_queue_ref(queue_state& state, Finder const& finder, Memory const& memory)
        : queue_counters(state), finder_(finder), memory_(memory) {}

    [[nodiscard]] static RZ_HD constexpr bool wants_room(std::int64_t left) { return left < segment_slots; }
    /// Whether the queue cannot grow because the heap's last chunks are not for queues.
    template <class Thread>
    [[nodiscard]] RZ_HD bool lacks_chunks(Thread const& thread) const {
        return !memory_.has_plenty(thread);
    }

    /// Adds segments, no more than `clearing` lanes can clear quickly, or waits a bounded time for the keeper
    /// that does so. Returns whether there may be room now, or another thread may add some. If room is not
    /// `needed` at once, no thread waits. Called by all lanes of the group.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD bool make_room(Thread const& thread, Group const& group, std::uint32_t clearing,
                                       bool needed) const {
        std::uint32_t found = 0; // 1: the caller is the keeper; 2: another thread is
        if (group.is_leader() && memory_.has_plenty(thread)) found = try_to_keep(thread) ? 1 : 2;
        found = group.broadcast(found, 0);
        if (found == 1) return add_segments(thread, group, clearing);
        return found == 2 && needed && await_room(thread, group);
    }

    template <class Thread, class Group>
    [[nodiscard]] RZ_HD window open_to_give(Thread const& thread, Group const& group, std::uint64_t place,
                                            std::uint32_t places) const {
        return open(thread, group, place, places, true);
    }
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD window open_to_take(Thread const& thread, Group const& group, std::uint64_t place,
                                            std::uint32_t places) const {
        return open(thread, group, place, places, false);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t take(Thread const& thread, window const& from,
                                           std::uint64_t place) const {
        return take_from(thread, slot(from, place));
    }
    template <class Thread>
    RZ_HD void give(Thread const& thread, window const& to, std::uint64_t place, std::uint64_t entry) const {
        give_to(thread, slot(to, place), entry);
    }
    /// Called after the takes: the group that took the last entry of a segment removes it.
    template <class Thread, class Group>
    RZ_HD void close(Thread const& thread, Group const& group, window const& from, std::uint64_t place,
                     std::uint32_t places) const {
        group.sync(); // every lane's take happens before they are counted
        bool keeper = false;
        if (group.is_leader()) {
            std::uint64_t const end = place + places;
            std::uint64_t const middle = end < from.boundary ? end : from.boundary;
            bool used_up = count_taken(thread, from.first_chunk, middle - place);
            if (end > middle) used_up = count_taken(thread, from.second_chunk, end - middle) || used_up;
            // acq_rel: the keeper that reads this, and checks once more, finds the count
            keeper = used_up && thread.device(state_->kept).fetch_add(1, exec::order::acq_rel) == 0;
        }
        if (group.any(keeper)) keep(thread, group);
    }

    [[nodiscard]] RZ_HD Finder const& finder() const { return finder_; }
    [[nodiscard]] RZ_HD Memory const& memory() const { return memory_; }

private:
    struct alignas(16) slot_pair {
        std::uint64_t slots[2];
    };

    template <class Thread, class Group>
    [[nodiscard]] RZ_HD window open(Thread const& thread, Group const& group, std::uint64_t place,
                                    std::uint32_t places, bool to_give) const {
        std::uint64_t const index = place / segment_slots;
        window found{(index + 1) * segment_slots, 0, 0};
        bool const crosses = place + places > found.boundary;
        if (group.is_leader()) {
            found.first_chunk = finder_.find(thread, index, to_give);
            if (crosses) found.second_chunk = finder_.find(thread, index + 1, to_give);
            // Of all groups that use a segment, one publishes where it is.
            if (crosses) finder_.found(thread, index + 1, found.second_chunk, to_give);
            if (place % segment_slots == 0) finder_.found(thread, index, found.first_chunk, to_give);
        }
        found.first_chunk = group.broadcast(found.first_chunk, 0);
        if (crosses) found.second_chunk = group.broadcast(found.second_chunk, 0);
        group.sync(); // the slots were cleared before the leader found the segments
        return found;
    }
    [[nodiscard]] RZ_HD std::uint64_t& slot(window const& in, std::uint64_t place) const {
        std::uint64_t const chunk = place < in.boundary ? in.first_chunk : in.second_chunk;
        return memory_.slots_of(chunk)[place % segment_slots];
    }

    /// Whether these were the last entries of the segment. release: the takes happen before its removal.
    template <class Thread>
    [[nodiscard]] RZ_HD bool count_taken(Thread const& thread, std::uint64_t chunk,
                                         std::uint64_t taken) const {
        return thread.device(memory_.table.listed(chunk)).fetch_add(taken, exec::order::release) + taken ==
               segment_slots;
    }

    /// Tries to become the keeper; whether the caller did. Leaves no message for the present keeper. acquire:
    /// pairs with keep(), so that the caller finds segments as the last keeper left them.
    template <class Thread>
    [[nodiscard]] RZ_HD bool try_to_keep(Thread const& thread) const {
        auto const kept = thread.device(state_->kept);
        if (kept.load(exec::order::relaxed) != 0) return false;
        std::uint64_t expected = 0;
        return kept.compare_exchange(expected, 1, exec::order::acquire);
    }
    /// Removes used-up segments, and stops being the keeper once no thread has left a message meanwhile.
    template <class Thread, class Group>
    RZ_HD void keep(Thread const& thread, Group const& group) const {
        auto const kept = thread.device(state_->kept);
        std::uint64_t asked = group.is_leader() ? kept.load(exec::order::relaxed) : 0;
        bool done = false;
        do {
            remove_used_up(thread, group);
            // acq_rel: every message is read, and the next keeper finds what this one did
            done = group.is_leader() && kept.compare_exchange(asked, 0, exec::order::acq_rel);
        } while (!group.any(done));
    }

    /// Removes used-up segments, up to one per lane at a time. Empty segments are appended behind the last
    /// one, as long as all queues together have no more than is kept; otherwise they go back to the store. A
    /// queue that was long once is likely to be long again.
    template <class Thread, class Group>
    RZ_HD void remove_used_up(Thread const& thread, Group const& group) const {
        std::uint64_t first = 0;
        std::uint32_t most = 0;
        std::uint32_t surplus = 0;
        if (group.is_leader()) {
            first = thread.device(state_->retired).load(exec::order::relaxed);
            std::uint64_t const all = thread.device(state_->installed).load(exec::order::relaxed);
            most = all - first > group.size() ? group.size() : static_cast<std::uint32_t>(all - first);
            if (most != 0 && all - first == most) --most; // the last one stays
            std::uint64_t const beyond = memory_.has_plenty(thread) ? memory_.surplus(thread) : most;
            surplus = beyond < most ? static_cast<std::uint32_t>(beyond) : most;
        }
        first = group.broadcast(first, 0);
        most = group.broadcast(most, 0);
        surplus = group.broadcast(surplus, 0);
        if (most == 0) return;

        auto const found = finder_.used_up(thread, group, first, most, segment_slots);
        if (found.segments == 0) return;
        group.sync(); // what any lane acquired with its segment happens before its next use
        std::uint32_t const kept = surplus < found.segments ? found.segments - surplus : 0;
        if (group.rank() < found.segments)
            thread.device(memory_.table.listed(found.chunk)).store(0, exec::order::relaxed);
        if (group.rank() >= kept && group.rank() < found.segments) memory_.put(thread, found.chunk);
        if (group.is_leader()) {
            thread.device(state_->retired).store(first + found.segments, exec::order::relaxed);
            memory_.count_segments(thread, std::int64_t{kept} - found.segments);
        }
        append(thread, group, kept, found.chunk);
    }

    /// Adds the chunks of the first `chunks` lanes behind the last segment, and their room. The slots are
    /// empty, and no entry is counted as taken.
    template <class Thread, class Group>
    RZ_HD void append(Thread const& thread, Group const& group, std::uint32_t chunks,
                      std::uint64_t chunk) const {
        if (chunks == 0) return;
        group.sync(); // the slots are empty before any thread finds them
        std::uint64_t index = 0;
        std::uint64_t tail = 0;
        if (group.is_leader()) {
            index = thread.device(state_->installed).load(exec::order::relaxed);
            tail = thread.device(state_->tail).load(exec::order::relaxed);
        }
        index = group.broadcast(index, 0);
        finder_.append(thread, group, index, chunks, chunk, tail);
        tail = group.broadcast(chunk, chunks - 1);
        if (group.is_leader()) {
            thread.device(state_->tail).store(tail, exec::order::relaxed);
            thread.device(state_->installed).store(index + chunks, exec::order::relaxed);
            thread.device(state_->room)
                .fetch_add(static_cast<std::int64_t>(chunks) * segment_slots, exec::order::relaxed);
        }
    }

    template <class Thread, class Group>
    [[nodiscard]] RZ_HD bool add_segments(Thread const& thread, Group const& group,
                                          std::uint32_t clearing) const {
        chunk_claim claim{0, 0};
        if (group.is_leader()) {
            std::uint64_t const present = thread.device(state_->installed).load(exec::order::relaxed) -
                                          thread.device(state_->retired).load(exec::order::relaxed);
            std::uint32_t const wanted = memory_.segments_to_take(thread, clearing);
            if (present + wanted <= finder_.at_most()) claim = memory_.take(thread, wanted);
        }
        claim.bits = group.broadcast(claim.bits, 0);
        claim.first_chunk = group.broadcast(claim.first_chunk, 0);
        group.sync(); // what the leader acquired with the chunks holds for every lane
        std::uint32_t const chunks = exec::popcount(claim.bits);
        if (group.is_leader()) memory_.count_segments(thread, chunks);
        auto const chunk_of = [&](std::uint32_t i) {
            return claim.first_chunk + exec::nth_bit(claim.bits, i);
        };
        for (std::uint32_t i = 0; i < chunks; ++i) {
            // Plain stores, two slots each: no other thread knows the chunk yet, and often one lane does all
            // of it.
            auto* const slots = reinterpret_cast<slot_pair*>(memory_.slots_of(chunk_of(i)));
            for (std::uint32_t place = group.rank(); place < segment_slots / 2; place += group.size())
                slots[place] = {{empty, empty}};
        }
        for (std::uint32_t done = 0; done < chunks; done += group.size()) {
            std::uint32_t const here = chunks - done < group.size() ? chunks - done : group.size();
            std::uint64_t const chunk = group.rank() < here ? chunk_of(done + group.rank()) : 0;
            if (group.rank() < here) {
                thread.device(memory_.table.listed(chunk)).store(0, exec::order::relaxed);
                memory_.table.set_header(thread, chunk, memory_.header);
            }
            append(thread, group, here, chunk);
        }
        keep(thread, group);
        return chunks != 0;
    }

    /// Waits a bounded time; whether there is room now, or no keeper.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD bool await_room(Thread const& thread, Group const& group) const {
        for (std::uint32_t look = 0; look < tuning::room_patience; ++look) {
            bool changed = false;
            if (group.is_leader())
                changed = thread.device(state_->kept).load(exec::order::relaxed) == 0 ||
                          thread.device(state_->room).load(exec::order::relaxed) > 0;
            if (group.any(changed)) return true;
            thread.pause();
        }
        return false;
    }

    Finder finder_;
    Memory memory_;
};

} // namespace rhizome::alloc
