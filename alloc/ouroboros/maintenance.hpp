// SPDX-License-Identifier: Apache-2.0
// Kernels of the owner of an ouroboros, while nothing else runs: add chunks, drain queues, sort out chunks.
#pragma once

#include <rhizome/alloc/chunk_records.hpp>
#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/alloc/ouroboros/queue_state.hpp>
#include <rhizome/alloc/ouroboros/requeue.hpp>
#include <rhizome/alloc/ouroboros/shard.hpp>
#include <rhizome/alloc/ouroboros/withheld_chunks.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::alloc::maintenance {

/// Gives new chunks to the store.
template <class Ref>
struct add_chunks {
    Ref ref;
    std::uint64_t first_chunk;
    std::uint64_t chunks;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const first_word = first_chunk / 64;
        std::uint64_t const end = first_chunk + chunks;
        exec::for_each_item(thread, (end + 63) / 64 - first_word, [&](std::uint64_t i) {
            std::uint64_t const begin = (first_word + i) * 64;
            auto const from = static_cast<std::uint32_t>(first_chunk > begin ? first_chunk - begin : 0);
            auto const to = static_cast<std::uint32_t>(end - begin < 64 ? end - begin : 64);
            ref.store().add(thread, first_word + i, exec::bit_range(from, to));
        });
        if (thread.rank() == 0) {
            ref.store().count_new(thread, chunks);
            thread.device(ref.store().state()->chunk_cursor).store(first_chunk, exec::order::relaxed);
            thread.device(ref.store().state()->extent_cursor).store(0, exec::order::relaxed);
        }
    }
};

/// Brings pages, and room for them, ahead of requests. Runs beside other kernels, unlike the rest of this
/// file.
template <class Ref>
struct restock {
    Ref ref;
    std::uint64_t requests;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, ref.restock_groups(), [&](std::uint64_t number) {
            ref.restock(thread, warp, static_cast<std::uint32_t>(number), requests);
        });
    }
};

/// Marks in their chunks all uncut pages and all pages in queues.
template <class Ref>
struct drain_queues {
    Ref ref;
    std::uint64_t chunks; ///< of the heap

    /// Threads that share the slots of one segment.
    static constexpr std::uint64_t parts = 8;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        ref.for_each_instance([&](auto const& instance) {
            constexpr bool is_virtual = std::decay_t<decltype(instance)>::queue_policy::is_virtual;
            exec::for_each_item(thread, instance.rings(), [&](std::uint64_t ring) {
                mark_uncut(thread, instance, static_cast<std::uint32_t>(ring) / instance.shards(),
                           static_cast<std::uint32_t>(ring) % instance.shards());
            });
            if constexpr (is_virtual)
                drain_segments(thread, instance);
            else
                drain_rings(thread, instance);
        });
    }

private:
    template <class Thread, class Instance>
    static RZ_HD void drain_rings(Thread const& thread, Instance const& instance) {
        for (std::uint32_t ring = 0; ring < instance.rings(); ++ring) {
            std::uint32_t const size_class = ring / instance.shards();
            auto const slots = instance.words(size_class, ring % instance.shards());
            exec::for_each_item(thread, slots.count(), [&](std::uint64_t place) {
                empty_slot(thread, instance, size_class, slots.at(place));
            });
        }
    }
    template <class Thread, class Instance>
    RZ_HD void drain_segments(Thread const& thread, Instance const& instance) const {
        constexpr std::uint64_t slots_per_part = Instance::memory::slots / parts;
        exec::for_each_item(thread, chunks / Instance::span * parts, [&](std::uint64_t item) {
            std::uint32_t const header = instance.table().header(thread, item / parts);
            if (!Instance::owns(header) || kind_of(header) != chunk_kind::queue) return;
            std::uint32_t const size_class = detail_of(header) & 0xff;
            std::uint64_t* const slots =
                instance.segments(size_class, 0).slots_of(item / parts) + item % parts * slots_per_part;
            for (std::uint64_t i = 0; i < slots_per_part; ++i)
                empty_slot(thread, instance, size_class, slots[i]);
        });
    }
    template <class Thread, class Instance>
    static RZ_HD void mark_uncut(Thread const& thread, Instance const& instance, std::uint32_t size_class,
                                 std::uint32_t number) {
        std::uint32_t const pages = instance.pages_of(size_class);
        auto const rest = instance.uncut(size_class, number).read(thread);
        for (std::uint32_t page = rest.next; page < rest.pages;) {
            std::uint32_t const end = (page / pages + 1) * pages;
            instance.spilled(size_class, 0)
                .mark_from(thread, rest.first_page / pages + page / pages, page % pages, pages);
            page = end;
        }
    }
    template <class Thread, class Instance>
    static RZ_HD void empty_slot(Thread const& thread, Instance const& instance, std::uint32_t size_class,
                                 std::uint64_t& slot) {
        std::uint64_t const page = thread.device(slot).exchange(queue_counters::empty, exec::order::relaxed);
        if (page == queue_counters::empty || !Instance::granularity::queues_pages) return;
        std::uint64_t const place = page % instance.pages_of(size_class);
        instance.spilled(size_class, 0)
            .mark(thread, page / instance.pages_of(size_class), static_cast<std::uint32_t>(place / 64),
                  std::uint64_t{1} << (place % 64));
    }
};

/// Resets queues and spill lists to empty, for a number of slots and shards that may have changed.
template <class Ref>
struct reset_shards {
    Ref ref;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() == 0) {
            thread.device(ref.store().state()->segments).store(0, exec::order::relaxed);
            thread.device(ref.store().state()->spilled_bytes).store(0, exec::order::relaxed);
            ref.store().whole_chunks().reset(thread);
        }
        ref.for_each_instance([&](auto const& instance) {
            std::uint32_t const shards = tuning::shards_at_most;
            exec::for_each_item(
                thread, std::uint64_t{instance.class_count} * shards, [&](std::uint64_t item) {
                    auto const size_class = static_cast<std::uint32_t>(item / shards);
                    auto const number = static_cast<std::uint32_t>(item % shards);
                    shard_state& shard = instance.shard(size_class, number);
                    shard = {};
                    if (number < instance.shards() &&
                        !std::decay_t<decltype(instance)>::queue_policy::is_virtual)
                        shard.queue.room =
                            static_cast<std::int64_t>(instance.words(size_class, number).count());
                });
        });
    }
};

/// Gives chunks whose pages are all free, and drained segments, back to the store. Other chunks with marked
/// pages are then in no queue and no list: queue_marked_pages has to follow.
template <class Ref>
struct sort_out_chunks {
    Ref ref;
    std::uint64_t chunks;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        ref.for_each_instance([&](auto const& instance) {
            exec::for_each_item(thread, chunks / instance.span,
                                [&](std::uint64_t chunk) { sort_out(thread, instance, chunk); });
        });
        if (thread.rank() == 0) {
            thread.device(ref.store().state()->chunk_cursor).store(0, exec::order::relaxed);
            thread.device(ref.store().state()->extent_cursor).store(0, exec::order::relaxed);
        }
    }

private:
    template <class Thread, class Instance>
    static RZ_HD void sort_out(Thread const& thread, Instance const& instance, std::uint64_t chunk) {
        std::uint32_t const header = instance.table().header(thread, chunk);
        if (!Instance::owns(header)) return;
        std::uint32_t const size_class = detail_of(header) & 0xff;
        std::uint32_t const words = (instance.pages_of(size_class) + 63) / 64;
        std::uint32_t marked = 0;
        for (std::uint32_t word = 0; word < words; ++word)
            marked +=
                exec::popcount(thread.device(instance.table().marks(chunk, word)).load(exec::order::relaxed));
        thread.device(instance.table().listed(chunk)).store(0, exec::order::relaxed);
        if (kind_of(header) == chunk_kind::queue || marked == instance.pages_of(size_class)) {
            for (std::uint32_t word = 0; word < words; ++word)
                thread.device(instance.table().marks(chunk, word)).store(0, exec::order::relaxed);
            instance.segments(size_class, 0).put(thread, chunk);
        }
    }
};

/// Makes free pages known again: in queues while more than `plenty` chunks are free, otherwise in lists.
template <class Ref>
struct queue_marked_pages {
    Ref ref;
    std::uint64_t chunks;
    std::int64_t plenty; ///< free chunks

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        ref.for_each_instance([&](auto const& instance) {
            using instance_type = std::decay_t<decltype(instance)>;
            using requeue_type = requeue<instance_type, Thread, std::decay_t<decltype(warp)>>;
            exec::for_each_group_item(warp, chunks / instance.span, [&](std::uint64_t chunk) {
                // Other threads turn free chunks into segments meanwhile: both kinds are skipped here.
                std::uint32_t const header = instance.table().header(thread, chunk);
                if (!instance_type::owns(header) || kind_of(header) != chunk_kind::pages) return;
                if (thread.device(instance.table().listed(chunk)).load(exec::order::relaxed) == withheld)
                    return;
                bool const has_plenty = warp.is_leader() && instance.store().count(thread) > plenty;
                requeue_type(instance, thread, warp, detail_of(header) & 0xff)
                    .run(chunk, warp.any(has_plenty));
            });
        });
    }
};

} // namespace rhizome::alloc::maintenance
