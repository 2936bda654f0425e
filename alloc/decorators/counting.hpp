// SPDX-License-Identifier: Apache-2.0
// An allocator that counts: live blocks and bytes, their peak, and the requests served and refused.
#pragma once

#include <rhizome/alloc/abilities.hpp>
#include <rhizome/alloc/concept.hpp>
#include <rhizome/alloc/decorators/decorator.hpp>
#include <rhizome/alloc/decorators/live_blocks.hpp>
#include <rhizome/alloc/page_run.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace rhizome::alloc {

/// Counts since the owner was made. Invariants while no kernel runs: served = returned + live_requests();
/// live_bytes = sum of the usable bytes of live blocks, without untracked ones; live_bytes <= peak_bytes.
struct allocation_counts {
    std::uint64_t served;     ///< requests that got memory
    std::uint64_t returned;   ///< blocks given back, without nullptr
    std::uint64_t refused;    ///< requests that got nullptr
    std::uint64_t live_bytes; ///< usable bytes of live blocks
    std::uint64_t peak_bytes; ///< the largest value of live_bytes so far
    /// Served blocks that found no free slot in the table; not included in the bytes.
    std::uint64_t untracked;

    /// Blocks handed out and not given back.
    [[nodiscard]] std::uint64_t live_requests() const { return served - returned; }
};

/// The ref of counting<Owner>. `Table`: from pointer to size; used only if the base has no bytes_of().
template <class Ref, class Table>
class counting_ref : public ref_decorator<Ref> {
    using ref_decorator<Ref>::base_;

public:
    counting_ref(Ref base, Table table, allocation_counts* counts)
        : ref_decorator<Ref>(base), table_(table), counts_(counts) {}

    /// Cost: two or three atomics for the lanes that arrive together, all on one cache line. Over an
    /// allocator without bytes_of, also an entry in the table per request.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        return counted(thread, base_.allocate(thread, bytes), bytes);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate_in_warp(Thread const& thread,
                                               std::uint64_t bytes) const requires allocates_uniform<Ref> {
        return counted(thread, base_.allocate_in_warp(thread, bytes), bytes);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate_in_block(Thread const& thread,
                                                std::uint64_t bytes) const requires allocates_uniform<Ref> {
        return counted(thread, base_.allocate_in_block(thread, bytes), bytes);
    }

    /// Counts as one request.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD void*
    allocate_together(Thread const& thread, Group const& group,
                      std::uint64_t bytes) const requires allocates_together<Ref, Thread, Group> {
        void* const block = base_.allocate_together(thread, group, bytes);
        if (group.rank() != 0) return block;
        if (block == nullptr) {
            add(thread, counts_->refused, 1);
            return block;
        }
        std::uint64_t has = base_.usable_bytes(bytes);
        if constexpr (!knows_block_bytes<Ref>) {
            if (!table_.insert(thread, block, has)) {
                has = 0;
                add(thread, counts_->untracked, 1);
            }
        }
        add(thread, counts_->served, 1);
        if (has != 0) count_live(thread, has);
        return block;
    }

    /// Each page of a run counts as a request. A refused run is not counted: the caller then requests the
    /// pages one by one, and those requests are counted.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD page_run allocate_run(Thread const& thread, Group const& group, std::uint64_t bytes,
                                              std::uint32_t count) const requires gives_runs<Ref> {
        page_run const run = base_.allocate_run(thread, group, bytes, count);
        if (run.first != nullptr && group.is_leader()) {
            add(thread, counts_->served, count);
            count_live(thread, count * base_.usable_bytes(bytes));
        }
        return run;
    }

    /// Counts the block as returned, then gives it back to the base.
    template <class Thread>
    RZ_HD void deallocate(Thread const& thread, void* pointer) const {
        count_returned(thread, pointer);
        base_.deallocate(thread, pointer);
    }
    /// Counts the block as returned, then gives it back to the base.
    template <class Thread>
    RZ_HD void leave_withheld(Thread const& thread, void* pointer) const requires moves_withheld_blocks<Ref> {
        count_returned(thread, pointer);
        base_.leave_withheld(thread, pointer);
    }

    /// The usable bytes of a live block: from the base if it knows them, else from the table (0 if it has no
    /// such block).
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t bytes_of(Thread const& thread, void const* pointer) const {
        if constexpr (knows_block_bytes<Ref>) {
            return base_.bytes_of(thread, pointer);
        } else {
            return table_.bytes_of(thread, pointer);
        }
    }

private:
    /// Counts a request that got `block`.
    template <class Thread>
    [[nodiscard]] RZ_HD void* counted(Thread const& thread, void* block, std::uint64_t bytes) const {
        std::uint64_t has = block == nullptr ? 0 : base_.usable_bytes(bytes);
        bool tracked = true;
        if constexpr (!knows_block_bytes<Ref>) {
            if (block != nullptr) tracked = table_.insert(thread, block, has);
            if (!tracked) has = 0;
        }
        auto const group = thread.coalesced();
        std::uint32_t const served = exec::popcount(group.ballot(block != nullptr));
        std::uint32_t const untracked = exec::popcount(group.ballot(!tracked));
        std::uint64_t const total = group.sum(has);
        if (group.is_leader()) {
            add(thread, counts_->served, served);
            add(thread, counts_->refused, group.size() - served);
            add(thread, counts_->untracked, untracked);
            if (total != 0) count_live(thread, total);
        }
        return block;
    }

    // All relaxed: counts order no other memory.
    template <class Thread>
    static RZ_HD void add(Thread const& thread, std::uint64_t& count, std::uint64_t more) {
        if (more != 0) thread.device(count).fetch_add(more, exec::order::relaxed);
    }
    template <class Thread>
    RZ_HD void count_live(Thread const& thread, std::uint64_t bytes) const {
        std::uint64_t const live =
            thread.device(counts_->live_bytes).fetch_add(bytes, exec::order::relaxed) + bytes;
        auto const peak = thread.device(counts_->peak_bytes);
        if (live > peak.load(exec::order::relaxed)) peak.fetch_max(live, exec::order::relaxed);
    }
    /// Called before the memory goes back, so that live bytes never exceed the bytes handed out.
    template <class Thread>
    RZ_HD void count_returned(Thread const& thread, void* pointer) const {
        std::uint64_t had = 0;
        bool returned = pointer != nullptr;
        if (returned) {
            if constexpr (knows_block_bytes<Ref>) {
                had = base_.bytes_of(thread, pointer);
                returned = had != 0; // the base reports pointers that are no live block
            } else {
                had = table_.remove(thread, pointer).bytes;
            }
        }
        auto const group = thread.coalesced();
        std::uint32_t const blocks = exec::popcount(group.ballot(returned));
        std::uint64_t const total = group.sum(had);
        if (group.is_leader()) {
            add(thread, counts_->returned, blocks);
            if (total != 0) thread.device(counts_->live_bytes).fetch_sub(total, exec::order::relaxed);
        }
        group.sync();
    }

    Table table_;
    allocation_counts* counts_;
};

namespace detail {
/// Stands for the table where none is needed.
struct no_table {
    using ref_type = no_table;
};
} // namespace detail

/// Owner whose ref counts. Read counts() while no kernel runs: without leaks live_requests() is 0. A pointer
/// that is not a live block also counts as given back, unless the base can tell (`checked`). Memory: over an
/// allocator without bytes_of, a table of 16 bytes for each address at which a block can start in the heap,
/// up to twice that.
template <class Owner>
class counting : public decorator<Owner> {
    using base_ref = typename Owner::ref_type;

public:
    using typename decorator<Owner>::space_type;

private:
    static constexpr bool has_table = !knows_block_bytes<base_ref>;
    using table =
        std::conditional_t<has_table, live_blocks<space_type, typename base_ref::traits>, detail::no_table>;

public:
    using ref_type = counting_ref<base_ref, typename table::ref_type>;

    /// Throws what Owner throws, and out_of_memory if there is no memory for the table.
    explicit counting(space_type space, heap_options const& options = {})
        : decorator<Owner>(std::move(space), options), counts_(this->space_, 1), table_(make_table()) {
        counts_.fill_bytes(0);
    }

    /// A ref for kernels. Valid until the next grow_to().
    [[nodiscard]] ref_type ref() const {
        auto* const counts = const_cast<allocation_counts*>(counts_.data());
        if constexpr (has_table) {
            return {this->base_.ref(), table_.ref(), counts};
        } else {
            return {this->base_.ref(), {}, counts};
        }
    }
    /// Grows the table, if there is one, then the base. Throws out_of_memory; the heap is then unchanged. On
    /// CUDA the host waits when an old table is freed.
    void grow_to(std::uint64_t bytes) {
        if constexpr (has_table) table_.grow_to(bytes);
        this->base_.grow_to(bytes);
    }
    /// Bytes outside the heap: those of the base, the counts and the table.
    [[nodiscard]] std::uint64_t table_bytes() const {
        std::uint64_t const own = counts_.size_bytes();
        if constexpr (has_table) {
            return this->base_.table_bytes() + own + table_.size_bytes();
        } else {
            return this->base_.table_bytes() + own;
        }
    }

    /// The counts so far. Waits.
    [[nodiscard]] allocation_counts counts() const { return counts_.to_host()[0]; }

private:
    [[nodiscard]] table make_table() {
        if constexpr (has_table) {
            return {this->space_, this->base_.heap_bytes()};
        } else {
            return {};
        }
    }

    exec::buffer<space_type, allocation_counts> counts_;
    table table_;
};

} // namespace rhizome::alloc
