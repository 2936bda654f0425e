// SPDX-License-Identifier: Apache-2.0
// The device side of an ouroboros. A request goes to the instance that serves its size, or to the extents. A
// block that comes back goes to the instance that its chunk belongs to (Ouroboros, Algorithm 7; changes:
// README.md).
#pragma once

#include <rhizome/alloc/chunk_records.hpp>
#include <rhizome/alloc/chunk_store.hpp>
#include <rhizome/alloc/ouroboros/chunk_return.hpp>
#include <rhizome/alloc/ouroboros/instance.hpp>
#include <rhizome/alloc/ouroboros/withheld_chunks.hpp>
#include <rhizome/alloc/together.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/alone.hpp>
#include <rhizome/exec/config.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace rhizome::alloc {

/// Instances, in the order of their sizes: a request goes to the first one whose largest class holds it.
template <class... Instances>
class ouroboros_ref {
    static constexpr std::uint32_t instance_count = sizeof...(Instances);
    template <std::uint32_t Number>
    static constexpr std::uint32_t largest =
        std::tuple_element_t<Number, std::tuple<Instances...>>::classes::largest_bytes;
    static constexpr bool ascending() {
        std::uint32_t before = 0;
        return (
            (std::exchange(before, Instances::classes::largest_bytes) < Instances::classes::largest_bytes) &&
            ...);
    }
    static_assert(ascending(), "list the instances by their largest classes, smallest first");
    /// Whether wholly free chunks may lie in queues.
    static constexpr bool queues_chunks = (!Instances::granularity::queues_pages || ...);

public:
    static constexpr std::uint32_t base_bytes = std::min({Instances::chunk_bytes...});
    static constexpr std::uint32_t largest_page_bytes = largest<instance_count - 1>;
    static constexpr std::uint32_t most_span = std::max({Instances::chunk_bytes...}) / base_bytes;
    using record = chunk_record<base_bytes / std::min({Instances::classes::smallest_bytes...})>;
    template <std::uint32_t Number>
    using instance_at = instance_ref<std::tuple_element_t<Number, std::tuple<Instances...>>, Number,
                                     base_bytes, record, instance_count == 1>;

    struct traits {
        static constexpr std::uint64_t alignment_bytes = 16;
        static constexpr std::uint64_t smallest_bytes =
            std::tuple_element_t<0, std::tuple<Instances...>>::classes::smallest_bytes;
        static constexpr std::uint64_t largest_bytes = std::uint64_t{base_bytes}
                                                       << 27; // what fits in a header
        static constexpr std::uint64_t largest_page_bytes = largest<instance_count - 1>;
        static constexpr bool reuses = true;
        static constexpr bool bounded = true;
    };

    struct tables {
        instance_tables of[instance_count];
    };
    ouroboros_ref(shared_heap<record> const& shared, tables const& instances)
        : shared_(shared), tables_(instances) {}

    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        if (bytes > largest_page_bytes)
            return allocate_extent(thread, exec::alone(thread).coalesced(), bytes);
        return allocate_page<0>(thread, bytes);
    }
    /// One block for all lanes of `group`, which call this together and search for it together.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD void* allocate_together(Thread const& thread, Group const& group,
                                                std::uint64_t bytes) const {
        if (bytes > largest_page_bytes) return allocate_extent(thread, group, bytes);
        return allocate_by_leader(*this, thread, group, bytes);
    }

    /// `count` blocks of `bytes`, next to each other in chunks that were free; or no run, if there is none,
    /// if `bytes` is no page, or if `count` is 0. In these cases single requests may still be served. Each
    /// block is given back by itself. Called by all lanes of `group`.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD page_run allocate_run(Thread const& thread, Group const& group, std::uint64_t bytes,
                                              std::uint32_t count) const {
        if (bytes > largest_page_bytes || count == 0) return {};
        return allocate_page_run<0>(thread, group, bytes, count);
    }

    /// The number of groups of lanes that run the owner's restock(), each with a number of its own.
    [[nodiscard]] RZ_HD std::uint32_t restock_groups() const { return restock_groups_of<instance_count>(); }
    template <class Thread, class Group>
    RZ_HD void restock(Thread const& thread, Group const& group, std::uint32_t number,
                       std::uint64_t requests) const {
        restock_instance<0>(thread, group, number, requests);
    }

    template <class Thread>
    RZ_HD void deallocate(Thread const& thread, void* pointer) const {
        if (pointer == nullptr) return;
        auto const offset = static_cast<std::uint64_t>(static_cast<std::byte*>(pointer) - shared_.heap);
        std::uint64_t const chunk = offset / base_bytes;
        // relaxed: the thread that passed the pointer on ordered the write of the header before
        std::uint32_t const header = thread.device(shared_.records[chunk].header).load(exec::order::relaxed);
        if (kind_of(header) == chunk_kind::extent) {
            thread.device(shared_.records[chunk].header).store(0u, exec::order::relaxed);
            shared_.store.put_extent(thread, chunk, detail_of(header));
            return;
        }
        deallocate_page<0>(thread, offset, detail_of(header));
    }

    /// While the owner withholds chunks: whether this live block lies in a withheld chunk, so that the caller
    /// should move it.
    template <class Thread>
    [[nodiscard]] RZ_HD bool is_withheld(Thread const& thread, void const* pointer) const {
        bool found = false;
        visit_chunk(thread, pointer, [&](auto const& instance, std::uint64_t chunk, std::uint64_t) {
            found = thread.device(instance.table().listed(chunk)).load(exec::order::relaxed) == withheld;
        });
        return found;
    }
    /// Gives back a block of a withheld chunk.
    template <class Thread>
    RZ_HD void leave_withheld(Thread const& thread, void const* pointer) const {
        visit_chunk(thread, pointer, [&](auto const& instance, std::uint64_t chunk, std::uint64_t page) {
            auto const word = static_cast<std::uint32_t>(page / 64);
            instance.spilled(0, 0).mark(thread, chunk, word, std::uint64_t{1} << (page % 64));
        });
    }

    [[nodiscard]] RZ_HD std::uint64_t usable_bytes(std::uint64_t bytes) const {
        if (bytes <= largest_page_bytes) return usable_page_bytes<0>(bytes);
        return extent_chunks(bytes) * base_bytes;
    }

    /// The size of the live block at `pointer`.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t bytes_of(Thread const& thread, void const* pointer) const {
        auto const offset = static_cast<std::uint64_t>(static_cast<std::byte const*>(pointer) - shared_.heap);
        // relaxed: as in deallocate
        std::uint32_t const header =
            thread.device(shared_.records[offset / base_bytes].header).load(exec::order::relaxed);
        if (kind_of(header) == chunk_kind::extent) return std::uint64_t{detail_of(header)} * base_bytes;
        return page_bytes<0>(detail_of(header));
    }

    template <std::uint32_t Number>
    [[nodiscard]] RZ_HD instance_at<Number> at() const {
        return {shared_, tables_.of[Number]};
    }
    /// Calls function(instance) for each instance.
    template <class Function>
    RZ_HD void for_each_instance(Function&& function) const {
        visit<0>(function);
    }
    [[nodiscard]] RZ_HD chunk_store_ref const& store() const { return shared_.store; }
    [[nodiscard]] RZ_HD record& record_of(std::uint64_t chunk) const { return shared_.records[chunk]; }

private:
    /// Calls function(instance, chunk, number of the page in it) for a block, unless it is an extent.
    template <class Thread, class Function>
    RZ_HD void visit_chunk(Thread const& thread, void const* pointer, Function&& function) const {
        auto const offset = static_cast<std::uint64_t>(static_cast<std::byte const*>(pointer) - shared_.heap);
        // relaxed: as in deallocate
        std::uint32_t const header =
            thread.device(shared_.records[offset / base_bytes].header).load(exec::order::relaxed);
        if (kind_of(header) != chunk_kind::pages) return;
        for_each_instance([&](auto const& instance) {
            if (!instance.owns(header)) return;
            std::uint64_t const bytes = std::uint64_t{instance.span} * base_bytes;
            function(instance, offset / bytes,
                     offset % bytes / instance.class_bytes(detail_of(header) & 0xff));
        });
    }
    template <std::uint32_t Number, class Thread>
    [[nodiscard]] RZ_HD void* allocate_page(Thread const& thread, std::uint64_t bytes) const {
        if constexpr (Number + 1 < instance_count)
            if (bytes > largest<Number>) return allocate_page<Number + 1>(thread, bytes);
        auto const instance = at<Number>();
        void* page = instance.allocate(thread, bytes);
        if constexpr (queues_chunks && instance_count != 1) {
            // An instance does not know the queues of the others.
            bool const needs_neighbours = instance_at<Number>::span != 1;
            bool again = true;
            for (std::uint32_t looks = 0; page == nullptr && again && looks < tuning::refusal_looks;
                 ++looks) {
                again = return_whole_chunks(*this, thread.without_storage(), exec::alone(thread).coalesced(),
                                            needs_neighbours);
                page = instance.allocate(thread, bytes);
            }
        }
        return page;
    }
    template <std::uint32_t Number, class Thread, class Group>
    [[nodiscard]] RZ_HD page_run allocate_page_run(Thread const& thread, Group const& group,
                                                   std::uint64_t bytes, std::uint32_t count) const {
        if constexpr (Number + 1 < instance_count)
            if (bytes > largest<Number>) return allocate_page_run<Number + 1>(thread, group, bytes, count);
        return at<Number>().allocate_run(thread, group, bytes, count);
    }
    /// The number for the first `Count` instances.
    template <std::uint32_t Count>
    [[nodiscard]] RZ_HD std::uint32_t restock_groups_of() const {
        if constexpr (Count == 0)
            return 0;
        else
            return restock_groups_of<Count - 1>() + at<Count - 1>().restock_groups();
    }
    template <std::uint32_t Number, class Thread, class Group>
    RZ_HD void restock_instance(Thread const& thread, Group const& group, std::uint32_t number,
                                std::uint64_t requests) const {
        std::uint32_t const own = at<Number>().restock_groups();
        if (number < own) return at<Number>().restock(thread, group, number, requests);
        if constexpr (Number + 1 < instance_count)
            restock_instance<Number + 1>(thread, group, number - own, requests);
    }
    template <std::uint32_t Number, class Thread>
    RZ_HD void deallocate_page(Thread const& thread, std::uint64_t offset, std::uint32_t detail) const {
        if constexpr (Number + 1 < instance_count)
            if (detail >> 8 != Number) return deallocate_page<Number + 1>(thread, offset, detail);
        at<Number>().deallocate(thread, offset, detail & 0xff);
    }
    template <std::uint32_t Number>
    [[nodiscard]] static RZ_HD constexpr std::uint64_t usable_page_bytes(std::uint64_t bytes) {
        if constexpr (Number + 1 < instance_count)
            if (bytes > largest<Number>) return usable_page_bytes<Number + 1>(bytes);
        return instance_at<Number>::usable_bytes(bytes);
    }
    template <std::uint32_t Number>
    [[nodiscard]] static RZ_HD constexpr std::uint64_t page_bytes(std::uint32_t detail) {
        if constexpr (Number + 1 < instance_count)
            if (detail >> 8 != Number) return page_bytes<Number + 1>(detail);
        return instance_at<Number>::class_bytes(detail & 0xff);
    }
    template <std::uint32_t Number, class Function>
    RZ_HD void visit(Function& function) const {
        function(at<Number>());
        if constexpr (Number + 1 < instance_count) visit<Number + 1>(function);
    }

    /// At most an eighth more than is asked for, so that a block that grows step by step need not move each
    /// time.
    [[nodiscard]] static RZ_HD constexpr std::uint64_t extent_chunks(std::uint64_t bytes) {
        std::uint64_t const chunks = (bytes + base_bytes - 1) / base_bytes;
        std::uint64_t const step =
            chunks < 16 ? 1 : std::uint64_t{1} << (exec::bit_width(chunks) - 1 - tuning::extent_shift);
        return (chunks + step - 1) / step * step;
    }
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD void* allocate_extent(Thread const& thread, Group const& group,
                                              std::uint64_t bytes) const {
        if (bytes > traits::largest_bytes) return nullptr;
        std::uint64_t const chunks = extent_chunks(bytes);
        std::uint64_t chunk = shared_.store.take_extent(thread, group, chunks);
        if constexpr (queues_chunks) {
            bool again = true;
            for (std::uint32_t looks = 0;
                 chunk == chunk_store_ref::none && again && looks < tuning::refusal_looks; ++looks) {
                again = return_whole_chunks(*this, thread.without_storage(), group, true);
                chunk = shared_.store.take_extent(thread, group, chunks);
            }
        }
        if (chunk == chunk_store_ref::none) return nullptr;
        if (group.is_leader())
            thread.device(shared_.records[chunk].header)
                .store(make_header(chunk_kind::extent, chunks), exec::order::relaxed);
        return shared_.heap + chunk * base_bytes;
    }

    shared_heap<record> shared_;
    tables tables_;
};

} // namespace rhizome::alloc
