// ouroboros, the device side: a request goes to its size class, there to a shard, there to a queue, to chunks
// with marked pages, and at last to fresh chunks (papers/ouroboros, sections 3 and 4; what was changed:
// README.md).
//
// Invariant: pages of class c = chunks of class c * pages a chunk = handed out + in queues of c + marked in
// chunks of c + uncut in shards of c. With queues of chunks, no page is in a queue.
#pragma once

#include <rhizome/alloc/chunk_records.hpp>
#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/alloc/ouroboros/granularity.hpp>
#include <rhizome/alloc/ouroboros/page_release.hpp>
#include <rhizome/alloc/ouroboros/page_request.hpp>
#include <rhizome/alloc/ouroboros/shard.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/config.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::alloc {

template <class Granularity, class Classes, std::uint32_t ChunkBytes>
class ouroboros_ref {
public:
    using granularity = Granularity;
    static constexpr std::uint32_t pages_at_most = ChunkBytes / Classes::smallest_bytes;
    static constexpr std::uint64_t unit_bytes = std::uint64_t{ChunkBytes} * tuning::chunks_per_unit;
    using record = chunk_record<pages_at_most>;
    static_assert(Classes::largest_bytes <= ChunkBytes);

    struct traits {
        static constexpr std::uint64_t alignment_bytes = 16;
        static constexpr std::uint64_t smallest_bytes = Classes::smallest_bytes;
        static constexpr std::uint64_t largest_bytes = unit_bytes << 28; // what a header can say
        static constexpr bool reuses = true;
        static constexpr bool bounded = true;
    };

    ouroboros_ref(std::byte* heap, chunk_store_ref store, record* records, shard_state* shards,
                  std::uint64_t* slots, std::uint64_t ring_capacity)
        : heap_(heap), store_(store), records_(records), shards_(shards), slots_(slots),
          ring_capacity_(ring_capacity) {}

    /// Cost: three atomics for all lanes of a warp that ask for the same class, in the steady state.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        if (bytes > Classes::largest_bytes) return allocate_extent(thread, bytes);
        std::uint32_t const size_class = Classes::index_of(bytes);
        auto group = thread.coalesced().match(size_class);
        page_request<ouroboros_ref, Thread, decltype(group)> request(*this, thread, group, size_class);
        std::uint64_t const page = request.run();
        return page == no_page ? nullptr : address_of(size_class, page);
    }

    /// Cost: three atomics for all lanes of a warp that free the same class.
    template <class Thread>
    RZ_HD void deallocate(Thread const& thread, void* pointer) const {
        if (pointer == nullptr) return;
        auto const offset = static_cast<std::uint64_t>(static_cast<std::byte*>(pointer) - heap_);
        std::uint64_t const chunk = offset / ChunkBytes;
        // relaxed: whoever handed the pointer over ordered the header's write before it
        std::uint32_t const header = thread.device(records_[chunk].header).load(exec::order::relaxed);
        if (kind_of(header) == chunk_kind::extent) {
            thread.device(records_[chunk].header).store(0u, exec::order::relaxed);
            store_.put_extent(thread, chunk / tuning::chunks_per_unit, detail_of(header));
            return;
        }
        std::uint32_t const size_class = detail_of(header);
        std::uint64_t const page =
            chunk * pages_of(size_class) + offset % ChunkBytes / Classes::bytes_of(size_class);
        auto group = thread.coalesced().match(size_class);
        page_release<ouroboros_ref, Thread, decltype(group)>(*this, thread, group, size_class).run(page);
    }

    [[nodiscard]] RZ_HD std::uint64_t usable_bytes(std::uint64_t bytes) const {
        if (bytes <= Classes::largest_bytes) return Classes::bytes_of(Classes::index_of(bytes));
        return (bytes + unit_bytes - 1) / unit_bytes * unit_bytes;
    }

    // What requests, releases and the owner's maintenance kernels need.

    [[nodiscard]] static RZ_HD constexpr std::uint32_t pages_of(std::uint32_t size_class) {
        return ChunkBytes / Classes::bytes_of(size_class);
    }
    [[nodiscard]] static RZ_HD constexpr std::uint32_t class_bytes(std::uint32_t size_class) {
        return Classes::bytes_of(size_class);
    }
    [[nodiscard]] RZ_HD shard_state& shard(std::uint32_t size_class, std::uint32_t number) const {
        return shards_[size_class * tuning::shards + number];
    }
    [[nodiscard]] RZ_HD array_queue_ref queue(std::uint32_t size_class, std::uint32_t number) const {
        return {shard(size_class, number).queue, slots_, ring_capacity_, size_class * tuning::shards + number,
                Classes::count * tuning::shards};
    }
    [[nodiscard]] RZ_HD chunk_store_ref const& store() const { return store_; }
    [[nodiscard]] RZ_HD record& record_of(std::uint64_t chunk) const { return records_[chunk]; }

    /// The pages of a class that the shard's ring has no room for.
    [[nodiscard]] RZ_HD spilled_pages_ref<record> spilled(std::uint32_t size_class,
                                                          std::uint32_t number) const {
        return {shard(size_class, number).spilled, records_};
    }

    /// The rest of a fresh chunk of a class, in a shard.
    [[nodiscard]] RZ_HD uncut_chunk_ref uncut(std::uint32_t size_class, std::uint32_t number) const {
        return {shard(size_class, number).uncut, pages_of(size_class)};
    }
    static constexpr std::uint64_t no_page = ~std::uint64_t{0};

private:
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate_extent(Thread const& thread, std::uint64_t bytes) const {
        if (bytes > traits::largest_bytes) return nullptr;
        std::uint64_t const units = (bytes + unit_bytes - 1) / unit_bytes;
        std::uint64_t const first = store_.take_extent(thread, units);
        if (first == chunk_store_ref::none) return nullptr;
        std::uint64_t const chunk = first * tuning::chunks_per_unit;
        thread.device(records_[chunk].header)
            .store(make_header(chunk_kind::extent, units), exec::order::relaxed);
        return heap_ + chunk * ChunkBytes;
    }

    [[nodiscard]] RZ_HD void* address_of(std::uint32_t size_class, std::uint64_t page) const {
        std::uint32_t const pages = pages_of(size_class);
        return heap_ + page / pages * ChunkBytes + page % pages * Classes::bytes_of(size_class);
    }

    std::byte* heap_;
    chunk_store_ref store_;
    record* records_;
    shard_state* shards_; ///< [class][shard]
    std::uint64_t* slots_;
    std::uint64_t ring_capacity_;
};

} // namespace rhizome::alloc
