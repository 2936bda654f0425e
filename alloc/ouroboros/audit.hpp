// SPDX-License-Identifier: Apache-2.0
// Counts an ouroboros while no other kernel runs: the terms of the equations that are its invariants.
#pragma once

#include <rhizome/alloc/chunk_records.hpp>
#include <rhizome/alloc/free_runs.hpp>
#include <rhizome/alloc/motion.hpp>
#include <rhizome/alloc/ouroboros/queue_state.hpp>
#include <rhizome/alloc/ouroboros/shard.hpp>
#include <rhizome/alloc/ouroboros/virtual_queue.hpp>
#include <rhizome/alloc/ouroboros/withheld_chunks.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::alloc::maintenance {

/// The counts of an audit. Chunks are those of the heap.
struct audit_counts {
    std::uint64_t free_bits;        ///< set bits of the mask
    std::uint64_t free_with_header; ///< free chunks that have a header
    std::uint64_t lost_runs;        ///< runs of free chunks that the tree over the mask does not know
    std::uint64_t page_chunks;      ///< chunks cut into pages
    std::uint64_t queue_chunks;     ///< chunks that are segments of queues
    std::uint64_t extent_chunks;    ///< chunks of extents
    std::uint64_t torn_chunks;      ///< parts of an instance's chunk with another header
    std::uint64_t page_bytes;       ///< bytes of pages in page chunks
    std::uint64_t queued_bytes;     ///< bytes of pages found in queues
    std::uint64_t foreign_entries;  ///< entries that name no page or chunk of their class
    std::uint64_t doubled_entries;  ///< entries whose page is also marked as spilled
    std::uint64_t spilled_bytes;    ///< bytes of marked pages
    std::uint64_t uncut_bytes;      ///< bytes of pages that have never been handed out
    std::uint64_t foreign_marks;    ///< chunks with marks beyond their pages
    std::uint64_t unlisted_marks;   ///< chunks with marks that are not flagged as listed
    std::uint64_t miscounted_marks; ///< chunks that count other than their marks
    std::uint64_t flagged_chunks;   ///< instances' chunks that are flagged as listed
    std::uint64_t listed_chunks;    ///< instances' chunks found in lists and queues
    std::uint64_t foreign_listed;   ///< of those: without flag, of another class, or in an endless list
    std::uint64_t expected_chunks;  ///< chunks that the classes count as listed
    std::uint64_t broken_counters;  ///< queues whose counters do not add up
    std::uint64_t broken_slots;     ///< slots that are empty and should not be, or the reverse
    std::uint64_t counted_segments; ///< segments according to the queues' counters
    std::uint64_t broken_segments;  ///< segments that no queue has, finds, or counts correctly
};

/// Adds to the counts, and checks entries of one instance.
template <class Thread, class Instance>
class audit_of {
public:
    RZ_HD audit_of(Thread const& thread, Instance const& instance, std::uint64_t chunks, audit_counts* counts)
        : thread_(thread), instance_(instance), chunks_(chunks / Instance::span), counts_(counts) {}

    RZ_HD void add(std::uint64_t audit_counts::*count, std::uint64_t more) const {
        if (more != 0) thread_.device(counts_->*count).fetch_add(more, exec::order::relaxed);
    }
    RZ_HD void violated_if(bool violated, std::uint64_t audit_counts::*count) const {
        if (violated) add(count, 1);
    }
    /// The slot of place number `place` of the queue.
    RZ_HD void slot(std::uint32_t size_class, queue_state const& queue, std::uint64_t place,
                    std::uint64_t entry) const {
        bool const filled = place - queue.front < queue.back - queue.front;
        violated_if((entry != queue_counters::empty) != filled, &audit_counts::broken_slots);
        if (entry == queue_counters::empty) return;
        constexpr bool pages_queued = Instance::granularity::queues_pages;
        std::uint32_t const pages = instance_.pages_of(size_class);
        std::uint64_t const chunk = pages_queued ? entry / pages : entry;
        if (!is_of_class(chunk, size_class)) {
            add(&audit_counts::foreign_entries, 1);
            return;
        }
        if constexpr (pages_queued) {
            add(&audit_counts::queued_bytes, instance_.class_bytes(size_class));
            auto const page = static_cast<std::uint32_t>(entry % pages);
            violated_if((instance_.table().marks(chunk, page / 64) >> (page % 64) & 1) != 0,
                        &audit_counts::doubled_entries);
        } else {
            add(&audit_counts::listed_chunks, 1);
            violated_if(!known_chunk::is_flagged(instance_.table().listed(chunk)),
                        &audit_counts::foreign_listed);
        }
    }
    [[nodiscard]] RZ_HD bool is_of_class(std::uint64_t chunk, std::uint32_t size_class) const {
        return chunk < chunks_ && instance_.table().header(chunk) == instance_.page_header(size_class);
    }
    [[nodiscard]] RZ_HD std::uint64_t chunks() const { return chunks_; }

private:
    Thread const& thread_;
    Instance const& instance_;
    std::uint64_t chunks_; ///< of the instance
    audit_counts* counts_;
};

/// Checks the chunks: header, marks, and the slots of segments.
template <class Ref>
struct audit_chunks {
    Ref ref;
    std::uint64_t chunks;
    audit_counts* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const any = ref.template at<0>();
        exec::for_each_item(thread, chunks, [&](std::uint64_t chunk) {
            auto const& record = ref.record_of(chunk);
            bool const free = (ref.store().mask()[chunk / 64] >> (chunk % 64) & 1) != 0;
            audit_of const count(thread, any, chunks, counts);
            if (chunk % 64 == 0)
                count.violated_if(loses_run(ref.store().runs(), chunk / 64), &audit_counts::lost_runs);
            if (free) {
                count.add(&audit_counts::free_bits, 1);
                count.violated_if(record.header != 0, &audit_counts::free_with_header);
            } else if (kind_of(record.header) == chunk_kind::extent) {
                count.add(&audit_counts::extent_chunks, detail_of(record.header));
            }
        });
        ref.for_each_instance([&](auto const& instance) {
            exec::for_each_item(thread, chunks / instance.span, [&](std::uint64_t chunk) {
                std::uint32_t const header = instance.table().header(chunk);
                using instance_type = std::decay_t<decltype(instance)>;
                if (!instance_type::owns(header)) return;
                constexpr std::uint32_t span = instance_type::span;
                if ((ref.store().mask()[chunk * span / 64] >> (chunk * span % 64) & 1) != 0) return;
                audit_of const count(thread, instance, chunks, counts);
                for (std::uint32_t part = 1; part < span; ++part)
                    count.violated_if(ref.record_of(chunk * span + part).header != header,
                                      &audit_counts::torn_chunks);
                std::uint32_t const size_class = detail_of(header) & 0xff;
                if (kind_of(header) == chunk_kind::queue) {
                    segment(count, instance, size_class, chunk);
                } else {
                    marks(count, instance, size_class, chunk);
                }
            });
        });
    }

private:
    /// Whether the tree does not know a run that begins in a word, or does not know this word though it is
    /// wholly free; or has a doubt bit that no thread will clear.
    [[nodiscard]] static RZ_HD bool loses_run(free_runs_ref const& runs, std::uint64_t word) {
        constexpr std::uint64_t enough = 192; // chunks, among them a whole word
        if (runs.doubts_at_rest(word)) return true;
        if (~runs.mask()[word] == 0 && (runs.known_at_rest(word) & free_runs_ref::class_bit(64)) == 0)
            return true;
        for (std::uint64_t chunk = word * 64; chunk < (word + 1) * 64; ++chunk) {
            if (!is_free(runs, chunk) || (chunk != 0 && is_free(runs, chunk - 1))) continue;
            std::uint64_t known = 0;
            std::uint64_t end = chunk;
            for (; end - chunk < enough && is_free(runs, end); ++end)
                if (end == chunk || end % 64 == 0) known |= runs.known_at_rest(end / 64);
            if ((known & free_runs_ref::class_bit(end - chunk)) == 0) return true;
        }
        return false;
    }
    [[nodiscard]] static RZ_HD bool is_free(free_runs_ref const& runs, std::uint64_t chunk) {
        return chunk / 64 < runs.words() && (runs.mask()[chunk / 64] >> (chunk % 64) & 1) != 0;
    }

    template <class Count, class Instance>
    static RZ_HD void marks(Count const& count, Instance const& instance, std::uint32_t size_class,
                            std::uint64_t chunk) {
        std::uint32_t const pages = instance.pages_of(size_class);
        std::uint32_t marks = 0;
        bool beyond = false;
        for (std::uint32_t word = 0; word < Instance::chunk_table::words_at_most; ++word) {
            std::uint64_t const bits = instance.table().marks(chunk, word);
            marks += exec::popcount(bits);
            std::uint32_t const here = pages <= word * 64 ? 0 : pages - word * 64;
            beyond = beyond || (here < 64 && bits >> here != 0);
        }
        count.add(&audit_counts::page_chunks, Instance::span);
        count.add(&audit_counts::page_bytes, std::uint64_t{pages} * instance.class_bytes(size_class));
        count.add(&audit_counts::spilled_bytes, std::uint64_t{marks} * instance.class_bytes(size_class));
        count.violated_if(beyond, &audit_counts::foreign_marks);
        std::uint64_t const listed = instance.table().listed(chunk);
        count.violated_if(marks != 0 && !known_chunk::is_flagged(listed), &audit_counts::unlisted_marks);
        count.violated_if(listed != withheld && known_chunk::marks(listed) != marks,
                          &audit_counts::miscounted_marks);
        count.add(&audit_counts::flagged_chunks, known_chunk::is_flagged(listed) ? 1 : 0);
    }

    template <class Count, class Instance>
    static RZ_HD void segment(Count const& count, Instance const& instance, std::uint32_t size_class,
                              std::uint64_t chunk) {
        count.add(&audit_counts::queue_chunks, Instance::span);
        if constexpr (!Instance::queue_policy::is_virtual) {
            count.add(&audit_counts::broken_segments, 1);
        } else {
            std::uint64_t const link = instance.table().link(chunk);
            std::uint32_t const ring = segment_name::ring(link);
            std::uint32_t const number = ring % tuning::shards_at_most;
            bool const known = ring / tuning::shards_at_most == size_class && number < instance.shards();
            count.violated_if(!known, &audit_counts::broken_segments);
            if (!known) return;
            queue_state const& queue = instance.shard(size_class, number).queue;
            std::uint64_t const index = segment_name::index(link, queue.installed);
            bool const present = index - queue.retired < queue.installed - queue.retired;
            count.violated_if(!present || !instance.queue(size_class, number).finder().names(index, chunk),
                              &audit_counts::broken_segments);
            if (!present) return;
            constexpr std::uint64_t slots = Instance::memory::slots;
            std::uint64_t const first = index * slots;
            std::uint64_t const taken = queue.front <= first          ? 0
                                        : queue.front - first < slots ? queue.front - first
                                                                      : slots;
            count.violated_if(instance.table().listed(chunk) != taken, &audit_counts::broken_segments);
            std::uint64_t const* const words = instance.segments(size_class, number).slots_of(chunk);
            for (std::uint64_t i = 0; i < slots; ++i)
                count.slot(size_class, queue, first + i, words[i]);
        }
    }
};

/// Checks the shards: counters, rings, uncut chunks and lists.
template <class Ref>
struct audit_shards {
    Ref ref;
    std::uint64_t chunks;
    audit_counts* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        ref.for_each_instance([&](auto const& instance) {
            using instance_type = std::decay_t<decltype(instance)>;
            audit_of const count(thread, instance, chunks, counts);
            for (std::uint32_t ring = 0; ring < instance.rings(); ++ring) {
                std::uint32_t const size_class = ring / instance.shards();
                std::uint32_t const number = ring % instance.shards();
                if (thread.rank() == ring % thread.size()) {
                    counters(count, instance, size_class, number);
                    uncut(thread, count, instance, size_class, number);
                    list(count, instance, size_class, instance.shard(size_class, number).spilled);
                }
                if constexpr (!instance_type::queue_policy::is_virtual) {
                    auto const slots = instance.words(size_class, number);
                    queue_state const& queue = instance.shard(size_class, number).queue;
                    exec::for_each_item(thread, slots.count(), [&](std::uint64_t i) {
                        count.slot(size_class, queue, queue.front + i, slots.at(queue.front + i));
                    });
                }
            }
        });
    }

private:
    template <class Count, class Instance>
    static RZ_HD void counters(Count const& count, Instance const& instance, std::uint32_t size_class,
                               std::uint32_t number) {
        queue_state const& queue = instance.shard(size_class, number).queue;
        std::uint64_t const held = queue.back - queue.front;
        std::uint64_t const slots = Instance::queue_policy::is_virtual
                                        ? queue.installed * Instance::memory::slots - queue.front
                                        : instance.words(size_class, number).count();
        count.violated_if(held != static_cast<std::uint64_t>(queue.semaphore.count) ||
                              static_cast<std::uint64_t>(queue.room) + held != slots || queue.kept != 0 ||
                              motion_ref::movers(queue.semaphore.refills) != 0,
                          &audit_counts::broken_counters);
        count.add(&audit_counts::counted_segments, (queue.installed - queue.retired) * Instance::span);
        if constexpr (Instance::queue_policy::is_virtual)
            count.violated_if(instance.queue(size_class, number).finder().reachable(count.chunks()) !=
                                  queue.installed - queue.retired,
                              &audit_counts::broken_segments);
    }

    template <class Thread, class Count, class Instance>
    static RZ_HD void uncut(Thread const& thread, Count const& count, Instance const& instance,
                            std::uint32_t size_class, std::uint32_t number) {
        auto const rest = instance.uncut(size_class, number).read(thread);
        if (rest.left() == 0) return;
        count.add(&audit_counts::uncut_bytes, std::uint64_t{rest.left()} * instance.class_bytes(size_class));
        std::uint32_t const pages = instance.pages_of(size_class);
        // Chunks of the rest that were used up may have gone to other classes.
        for (std::uint64_t chunk = (rest.first_page + rest.next) / pages;
             chunk < (rest.first_page + rest.pages) / pages; ++chunk)
            count.violated_if(!count.is_of_class(chunk, size_class), &audit_counts::foreign_entries);
    }

    /// Checks a list of spilled chunks.
    template <class Count, class Instance>
    static RZ_HD void list(Count const& count, Instance const& instance, std::uint32_t size_class,
                           spilled_pages_state const& spilled) {
        count.add(&audit_counts::expected_chunks, motion_ref::movers(spilled.expected));
        auto next = static_cast<std::uint32_t>(spilled.list);
        std::uint64_t steps = 0;
        for (; next != 0 && next <= count.chunks() && steps <= count.chunks(); ++steps) {
            count.violated_if(!count.is_of_class(next - 1, size_class) ||
                                  !known_chunk::is_flagged(instance.table().listed(next - 1)),
                              &audit_counts::foreign_listed);
            next = instance.table().next(next - 1);
        }
        count.add(&audit_counts::listed_chunks, steps);
        count.violated_if(next != 0, &audit_counts::foreign_listed);
    }
};

} // namespace rhizome::alloc::maintenance
