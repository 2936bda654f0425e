// SPDX-License-Identifier: Apache-2.0
// One instance of an ouroboros: the pages of its size classes, with queues of its own kind and chunks of its
// own size (Ouroboros, section 4).
//
// Invariant: pages of class c = chunks of class c * pages per chunk = handed out + in queues of c + marked in
// chunks of c + uncut in shards of c. With queues of chunks, no page is in a queue.
#pragma once

#include <rhizome/alloc/chunk_records.hpp>
#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/alloc/ouroboros/array_queue.hpp>
#include <rhizome/alloc/ouroboros/granularity.hpp>
#include <rhizome/alloc/ouroboros/joint_claim.hpp>
#include <rhizome/alloc/ouroboros/page_release.hpp>
#include <rhizome/alloc/ouroboros/page_request.hpp>
#include <rhizome/alloc/ouroboros/page_restock.hpp>
#include <rhizome/alloc/ouroboros/page_run_request.hpp>
#include <rhizome/alloc/ouroboros/shard.hpp>
#include <rhizome/alloc/ouroboros/virtual_array_queue.hpp>
#include <rhizome/alloc/ouroboros/virtual_linked_queue.hpp>
#include <rhizome/alloc/page_run.hpp>
#include <rhizome/alloc/size_classes.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/single_lane.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rhizome::alloc {

template <class Granularity, class Queue, class Classes, std::uint32_t ChunkBytes>
struct instance {
    using granularity = Granularity;
    using queue_policy = Queue;
    using classes = Classes;
    static constexpr std::uint32_t chunk_bytes = ChunkBytes;
    static_assert(Classes::largest_bytes <= ChunkBytes, "a page lies in one chunk");

    /// Rings of the first classes are longer: they have this many parts, other rings have one.
    static constexpr std::uint32_t small_classes = Classes::smallest_bytes > tuning::small_page_bytes
                                                       ? 0
                                                       : Classes::index_of(std::min(tuning::small_page_bytes,
                                                                                    Classes::largest_bytes)) +
                                                             1;
    static constexpr std::uint32_t small_parts =
        Granularity::queues_pages && small_classes != 0 ? Queue::small_page_words : 1;
    /// The parts of all rings of one shard.
    static constexpr std::uint32_t word_parts = Classes::count + small_classes * (small_parts - 1);
};

/// The data that all instances of a heap share.
template <class Record>
struct shared_heap {
    std::byte* heap;
    chunk_store_ref store;
    Record* records;
};

/// The memory of an instance beside the heap.
struct instance_tables {
    shard_state* shards;          ///< [class][tuning::shards_at_most]
    std::uint64_t* words;         ///< of its queues
    std::uint64_t words_per_part; ///< 0 if its queues need none
    std::uint32_t shards_per_class;
    std::uint64_t kept_chunks; ///< of virtualized queues (virtual_queue.hpp)
};

/// The device side of instance number Number of a heap whose chunks are BaseBytes. IsAlone: it is the only
/// instance.
template <class Instance, std::uint32_t Number, std::uint32_t BaseBytes, class Record, bool IsAlone>
class instance_ref {
    using classes = typename Instance::classes;
    static constexpr std::uint32_t chunk_bytes = Instance::chunk_bytes;

public:
    using granularity = typename Instance::granularity;
    using queue_policy = typename Instance::queue_policy;
    static constexpr std::uint32_t span = chunk_bytes / BaseBytes; ///< chunks of the heap in one of its own
    /// Whether a request that would be refused looks for wholly free chunks (chunk_return.hpp).
    static constexpr bool returns_whole_chunks = IsAlone && !granularity::queues_pages;
    using chunk_table = chunk_table_ref<Record, span, (chunk_bytes / classes::smallest_bytes + 63) / 64>;
    static constexpr std::uint32_t class_count = classes::count;
    static_assert(chunk_bytes % BaseBytes == 0);
    static_assert(class_count < 256 && class_count * tuning::shards_at_most <= segment_name::rings_at_most);

    RZ_HD instance_ref(shared_heap<Record> const& shared, instance_tables const& tables)
        : heap_(shared.heap), store_(shared.store), table_(shared.records), tables_(tables) {}

    /// Whether lanes take whole chunks together (joint_claim.hpp). One lane alone looks at other shards
    /// first.
    template <class Group>
    static constexpr bool claims_jointly =
        granularity::queues_pages&& span == 1 && !std::is_same_v<Group, exec::single_lane>;

    /// Cost in the steady state: three atomics for all lanes of a warp that ask for the same class.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        std::uint32_t const size_class = classes::index_of(bytes);
        std::uint64_t page = no_page;
        if constexpr (claims_jointly<decltype(thread.coalesced())>) {
            auto const together = of_this_instance(thread.coalesced());
            auto const group = together.match(size_class);
            if (together.any(group.size() != together.size()))
                page = claim_page(*this, thread.without_storage(), together, group, size_class);
        }
        if (page == no_page) {
            auto const group =
                thread.coalesced().match(page_header(size_class)); // of one class of one instance
            page = request_page(*this, thread.without_storage(), group, size_class);
        }
        if (page == no_page) return nullptr;
        std::uint32_t const pages = pages_of(size_class);
        return heap_ + page / pages * chunk_bytes + page % pages * class_bytes(size_class);
    }

    /// `count` pages next to each other, or none. Called by all lanes of `group`. Instances whose chunks are
    /// larger than the heap's give no runs.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD page_run allocate_run(Thread const& thread, Group const& group, std::uint64_t bytes,
                                              std::uint32_t count) const {
        std::uint32_t const size_class = classes::index_of(bytes);
        std::uint32_t const page_bytes = class_bytes(size_class);
        page_run run{nullptr, chunk_bytes, pages_of(size_class), page_bytes, page_bytes};
        if constexpr (span == 1) {
            using request = page_run_request<instance_ref, Thread, Group>;
            std::uint64_t const chunk = request(*this, thread, group, size_class).run(count);
            if (chunk != request::no_chunk) run.first = heap_ + chunk * chunk_bytes;
        }
        return run;
    }

    /// See ouroboros_ref: two groups per ring, since each takes long.
    [[nodiscard]] RZ_HD std::uint32_t restock_groups() const {
        return granularity::queues_pages ? 2 * rings() : 0;
    }
    template <class Thread, class Group>
    RZ_HD void restock(Thread const& thread, Group const& group, std::uint32_t number,
                       std::uint64_t requests) const {
        if constexpr (granularity::queues_pages) {
            std::uint32_t const ring = number % rings();
            std::uint32_t const size_class = ring / shards();
            std::uint64_t const even = requests / (std::uint64_t{tuning::restock_share} * shards());
            std::uint64_t const most = tuning::restock_bytes / class_bytes(size_class);
            auto const pages = static_cast<std::uint32_t>(even < most ? even : most);
            page_restock<instance_ref, Thread, Group> work(*this, thread, group, size_class);
            if (number < rings())
                work.bring_pages(ring % shards(), pages);
            else
                work.make_room(ring % shards(), pages);
        }
    }

    /// Gives back the page at heap + offset. Cost: three atomics for all lanes of a warp that free the same
    /// class.
    template <class Thread>
    RZ_HD void deallocate(Thread const& thread, std::uint64_t offset, std::uint32_t size_class) const {
        std::uint64_t const page =
            offset / chunk_bytes * pages_of(size_class) + offset % chunk_bytes / class_bytes(size_class);
        auto group = thread.coalesced().match(page_header(size_class)); // of one class of one instance
        release_page(*this, thread.without_storage(), group, size_class, page);
    }

    [[nodiscard]] static RZ_HD constexpr std::uint64_t usable_bytes(std::uint64_t bytes) {
        return class_bytes(classes::index_of(bytes));
    }

    // For requests, releases and the owner's maintenance kernels.

    static constexpr std::uint64_t no_page = ~std::uint64_t{0};
    [[nodiscard]] static RZ_HD constexpr std::uint32_t pages_of(std::uint32_t size_class) {
        return chunk_bytes / class_bytes(size_class);
    }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t class_bytes(std::uint32_t size_class) {
        return classes::bytes_of(size_class);
    }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t page_header(std::uint32_t size_class) {
        return make_header(chunk_kind::pages, Number << 8 | size_class);
    }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t queue_header(std::uint32_t size_class) {
        return make_header(chunk_kind::queue, Number << 8 | size_class);
    }
    /// Whether a header belongs to this instance; the low byte of its detail is then the class.
    [[nodiscard]] static RZ_HD constexpr bool owns(std::uint32_t header) {
        return detail_of(header) >> 8 == Number &&
               (kind_of(header) == chunk_kind::pages || kind_of(header) == chunk_kind::queue);
    }

    /// As ouroboros_ref has it.
    template <class Function>
    RZ_HD void for_each_instance(Function&& function) const {
        function(*this);
    }
    [[nodiscard]] RZ_HD std::uint32_t shards() const { return tables_.shards_per_class; }
    [[nodiscard]] RZ_HD std::uint32_t rings() const { return class_count * shards(); }
    [[nodiscard]] RZ_HD shard_state& shard(std::uint32_t size_class, std::uint32_t number) const {
        return tables_.shards[size_class * tuning::shards_at_most + number];
    }
    [[nodiscard]] RZ_HD auto queue(std::uint32_t size_class, std::uint32_t number) const {
        return queue_policy::ref(shard(size_class, number).queue, words(size_class, number),
                                 segments(size_class, number));
    }
    /// The part of the queues' own words that belongs to a ring.
    [[nodiscard]] RZ_HD ring_words words(std::uint32_t size_class, std::uint32_t number) const {
        std::uint64_t parts = 1;
        std::uint64_t before = size_class;
        if constexpr (Instance::small_parts != 1) {
            constexpr std::uint32_t few = Instance::small_classes;
            constexpr std::uint64_t more = Instance::small_parts;
            parts = size_class < few ? more : 1;
            before = size_class < few ? size_class * more : few * more + (size_class - few);
        }
        return {tables_.words + (before * shards() + number * parts) * tables_.words_per_part,
                parts * tables_.words_per_part};
    }
    using memory = segment_memory<chunk_table, chunk_bytes, span>;
    [[nodiscard]] RZ_HD memory segments(std::uint32_t size_class, std::uint32_t number) const {
        return {heap_,
                store_,
                table_,
                queue_header(size_class),
                size_class * tuning::shards_at_most + number,
                tables_.kept_chunks};
    }
    [[nodiscard]] RZ_HD chunk_store_ref const& store() const { return store_; }
    [[nodiscard]] RZ_HD chunk_table const& table() const { return table_; }

    /// The pages of a class for which the shard's queue had no room.
    [[nodiscard]] RZ_HD spilled_pages_ref<chunk_table> spilled(std::uint32_t size_class,
                                                               std::uint32_t number) const {
        return {shard(size_class, number).spilled, table_, shards()};
    }
    /// The rest of fresh chunks of a class, in a shard.
    [[nodiscard]] RZ_HD uncut_chunk_ref uncut(std::uint32_t size_class, std::uint32_t number) const {
        return {shard(size_class, number).uncut, pages_of(size_class)};
    }

private:
    /// Those lanes of a group that are at this instance: others may be at the same place of the code.
    template <class Group>
    [[nodiscard]] static RZ_HD Group of_this_instance(Group const& group) {
        if constexpr (IsAlone)
            return group;
        else
            return group.match(Number);
    }
    template <class Thread, class Group>
    [[nodiscard]] RZ_NOINLINE static RZ_HD std::uint64_t
    claim_page(instance_ref ref, Thread thread, Group together, Group group, std::uint32_t size_class) {
        return joint_claim<instance_ref, Thread, Group>(ref, thread, together, group, size_class).run();
    }
    template <class Thread, class Group>
    [[nodiscard]] RZ_NOINLINE static RZ_HD std::uint64_t request_page(instance_ref ref, Thread thread,
                                                                      Group group, std::uint32_t size_class) {
        return page_request<instance_ref, Thread, Group>(ref, thread, group, size_class).run();
    }
    template <class Thread, class Group>
    RZ_NOINLINE static RZ_HD void release_page(instance_ref ref, Thread thread, Group group,
                                               std::uint32_t size_class, std::uint64_t page) {
        page_release<instance_ref, Thread, Group>(ref, thread, group, size_class).run(page);
    }

    std::byte* heap_;
    chunk_store_ref store_;
    chunk_table table_;
    instance_tables tables_;
};

} // namespace rhizome::alloc
