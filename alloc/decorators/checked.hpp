// SPDX-License-Identifier: Apache-2.0
// An allocator that detects misuse: blocks freed twice, pointers that were never handed out, writes past the
// ends of a block.
//
// A canary is a known pattern of 16 bytes, before and behind the user's bytes of a block. A table outside the
// heap (live_blocks.hpp) stores which blocks are live, so nothing is read that is not known to be a live
// block.
//
// Certain: a pointer that is no live block is reported, and never reaches the allocator underneath; a canary
// that does not hold its pattern was overwritten.
// Not certain:
// - A double free is reported as such until the block's memory is handed out again. After that it looks like
//   a correct free by the new owner of the memory.
// - Over an unbounded heap a double free may be reported as a foreign pointer, once its table entry has been
//   reused.
// - A write that skips the canaries, or writes their pattern, is not found.
#pragma once

#include <rhizome/alloc/abilities.hpp>
#include <rhizome/alloc/concept.hpp>
#include <rhizome/alloc/decorators/decorator.hpp>
#include <rhizome/alloc/decorators/live_blocks.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace rhizome::alloc {

/// How often a kind of misuse was found, and where first.
struct finding {
    std::uint64_t count;
    std::uint64_t first_address; ///< 0: none

    /// Counts one finding and keeps the address of the first. Called in kernels, by any thread.
    template <class Thread>
    RZ_HD void record(Thread const& thread, void const* address) {
        // relaxed: read while no kernel runs
        thread.device(count).fetch_add(1, exec::order::relaxed);
        std::uint64_t none = 0;
        thread.device(first_address)
            .compare_exchange(none, reinterpret_cast<std::uintptr_t>(address), exec::order::relaxed);
    }
};

/// What checked_ref has found, in the memory of the space.
struct checked_findings {
    finding freed_twice;
    finding foreign;           ///< freed, though never handed out
    finding written_before;    ///< canary in front of the block
    finding written_past;      ///< canary behind it
    std::uint64_t untracked;   ///< requests refused for lack of a table slot; 0 if the allocator has a heap
    std::uint64_t live_blocks; ///< at an audit
};

namespace detail {
/// The two canaries of a block.
struct canaries {
    static constexpr std::uint64_t bytes = 16; ///< each: keeps the alignment

    /// The pattern of the word at an address; differs from address to address.
    [[nodiscard]] static RZ_HD std::uint64_t pattern(std::uint64_t const* word) {
        return (reinterpret_cast<std::uintptr_t>(word) ^ 0xc0de'fade'0ddb'a115ull) * 0x9e37'79b9'7f4a'7c15ull;
    }
    static RZ_HD void write(void* place) {
        auto* const words = static_cast<std::uint64_t*>(place);
        for (std::uint64_t i = 0; i < bytes / 8; ++i)
            words[i] = pattern(words + i);
    }
    [[nodiscard]] static RZ_HD bool intact(void const* place) {
        auto const* const words = static_cast<std::uint64_t const*>(place);
        for (std::uint64_t i = 0; i < bytes / 8; ++i)
            if (words[i] != pattern(words + i)) return false;
        return true;
    }
    /// Checks both canaries of a block of `usable` bytes.
    template <class Thread>
    static RZ_HD void check(Thread const& thread, void const* block, std::uint64_t usable,
                            checked_findings& findings) {
        auto const* const start = static_cast<std::byte const*>(block);
        if (!intact(start - bytes)) findings.written_before.record(thread, block);
        if (!intact(start + usable)) findings.written_past.record(thread, block);
    }
};

template <class Table>
struct check_live_blocks {
    Table table;
    checked_findings* findings;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t blocks = 0;
        table.for_each_live(thread, [&](void* block, std::uint64_t bytes) {
            canaries::check(thread, block, bytes, *findings);
            ++blocks;
        });
        if (blocks != 0) // relaxed: a count alone
            thread.device(findings->live_blocks).fetch_add(blocks, exec::order::relaxed);
    }
};
} // namespace detail

/// The ref of checked<Owner>. Its largest size and its usable bytes are 32 less than those of the base.
template <class Ref, class Table>
class checked_ref : public ref_decorator<Ref> {
    using ref_decorator<Ref>::base_;
    static constexpr std::uint64_t canary_bytes = detail::canaries::bytes;
    static constexpr std::uint64_t overhead_bytes = 2 * canary_bytes;

public:
    struct traits {
        static constexpr std::uint64_t alignment_bytes = 16;
        static constexpr std::uint64_t smallest_bytes =
            Ref::traits::smallest_bytes > overhead_bytes ? Ref::traits::smallest_bytes - overhead_bytes : 16;
        static constexpr std::uint64_t largest_bytes = Ref::traits::largest_bytes - overhead_bytes;
        static constexpr bool reuses = Ref::traits::reuses;
        static constexpr bool bounded = Ref::traits::bounded;
    };
    static_assert(Ref::traits::largest_bytes > overhead_bytes);

    checked_ref(Ref base, Table table, checked_findings* findings)
        : ref_decorator<Ref>(base), table_(table), findings_(findings) {}

    /// Cost: that of the base for 32 bytes more, 4 words written, an entry in the table.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        if (bytes > traits::largest_bytes) return nullptr;
        return watched(thread, base_.allocate(thread, bytes + overhead_bytes), bytes);
    }
    /// One block for all lanes of the group: the first lane writes its canaries and its entry.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD void*
    allocate_together(Thread const& thread, Group const& group,
                      std::uint64_t bytes) const requires allocates_together<Ref, Thread, Group> {
        if (bytes > traits::largest_bytes) return nullptr;
        void* const start = base_.allocate_together(thread, group, bytes + overhead_bytes);
        group
            .sync(); // the lanes may use the block only after they have synchronised: here the first one does
        std::uint64_t address = 0;
        if (group.rank() == 0) address = reinterpret_cast<std::uint64_t>(watched(thread, start, bytes));
        return reinterpret_cast<void*>(group.broadcast(address, 0));
    }
    /// The block of each lane has canaries of its own. A request that is too large goes to the base all the
    /// same, which refuses it: all lanes must make the call.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate_in_warp(Thread const& thread,
                                               std::uint64_t bytes) const requires allocates_uniform<Ref> {
        return watched(thread, base_.allocate_in_warp(thread, with_canaries(bytes)), bytes);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate_in_block(Thread const& thread,
                                                std::uint64_t bytes) const requires allocates_uniform<Ref> {
        return watched(thread, base_.allocate_in_block(thread, with_canaries(bytes)), bytes);
    }

    /// Each page of a run is a block with canaries of its own: the lanes of the group write them.
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD page_run allocate_run(Thread const& thread, Group const& group, std::uint64_t bytes,
                                              std::uint32_t count) const requires gives_runs<Ref> {
        static_assert(traits::bounded, "the table has a place for each page");
        if (bytes > traits::largest_bytes) return {};
        page_run run = base_.allocate_run(thread, group, bytes + overhead_bytes, count);
        if (run.first == nullptr) return run;
        group.sync(); // as in allocate_together
        for (std::uint32_t i = group.rank(); i < count; i += group.size())
            static_cast<void>(watched(thread, run.page(i), bytes));
        group.sync(); // any lane may use any page
        run.first += canary_bytes;
        run.usable_bytes -= static_cast<std::uint32_t>(overhead_bytes);
        return run;
    }

    /// Checks the canaries and gives the block back to the base. A pointer that is not a live block is
    /// recorded and not passed on; nullptr is ignored.
    template <class Thread>
    RZ_HD void deallocate(Thread const& thread, void* pointer) const {
        give_back(thread, pointer, [&](void* start) { base_.deallocate(thread, start); });
    }
    /// Whether the block lies in a withheld chunk; false if `pointer` is not a live block.
    template <class Thread>
    [[nodiscard]] RZ_HD bool is_withheld(Thread const& thread,
                                         void const* pointer) const requires moves_withheld_blocks<Ref> {
        return table_.bytes_of(thread, pointer) != 0 &&
               base_.is_withheld(thread, static_cast<std::byte const*>(pointer) - canary_bytes);
    }
    /// As deallocate(), for a block in a withheld chunk.
    template <class Thread>
    RZ_HD void leave_withheld(Thread const& thread, void* pointer) const requires moves_withheld_blocks<Ref> {
        give_back(thread, pointer, [&](void* start) { base_.leave_withheld(thread, start); });
    }

    /// The bytes between the canaries that a request of `bytes` gets.
    [[nodiscard]] RZ_HD std::uint64_t usable_bytes(std::uint64_t bytes) const {
        return base_.usable_bytes(bytes + overhead_bytes) - overhead_bytes;
    }
    /// The usable bytes of the block; 0 if `pointer` is not a live block.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t bytes_of(Thread const& thread, void const* pointer) const {
        return table_.bytes_of(thread, pointer);
    }

private:
    /// What the base is asked for; without overflow.
    [[nodiscard]] static RZ_HD std::uint64_t with_canaries(std::uint64_t bytes) {
        return bytes > traits::largest_bytes ? ~std::uint64_t{0} : bytes + overhead_bytes;
    }
    /// If `pointer` is a live block: checks its canaries and calls function(start of the base's block).
    /// Otherwise records the misuse.
    template <class Thread, class Function>
    RZ_HD void give_back(Thread const& thread, void* pointer, Function&& function) const {
        if (pointer == nullptr) return;
        found_block const found = table_.remove(thread, pointer);
        if (found.state == block_state::live) {
            detail::canaries::check(thread, pointer, found.bytes, *findings_);
            function(static_cast<std::byte*>(pointer) - canary_bytes);
        } else if (found.state == block_state::freed) {
            findings_->freed_twice.record(thread, pointer);
        } else {
            findings_->foreign.record(thread, pointer);
        }
    }
    /// The block inside the memory of the base; nullptr if that is nullptr or the table has no free slot.
    template <class Thread>
    [[nodiscard]] RZ_HD void* watched(Thread const& thread, void* start, std::uint64_t bytes) const {
        if (start == nullptr) return nullptr;
        std::byte* const block = static_cast<std::byte*>(start) + canary_bytes;
        std::uint64_t const usable = usable_bytes(bytes);
        if (!table_.insert(thread, block, usable)) {
            thread.device(findings_->untracked).fetch_add(1, exec::order::relaxed); // a count alone
            base_.deallocate(thread, start);
            return nullptr;
        }
        detail::canaries::write(start);
        detail::canaries::write(block + usable);
        return block;
    }

    Table table_;
    checked_findings* findings_;
};

/// Owner whose audit() also reports misuse, one line per kind, with its number and its first address. audit()
/// checks the canaries of all live blocks; no kernel may use the allocator meanwhile. Misuse that was found
/// when blocks were freed is never forgotten: each later audit() reports it again.
///
/// Memory: 32 bytes per block, and a table of 16 bytes for each address at which a block can start in the
/// heap, up to twice that. A request that finds no free slot in the table is refused (only over allocators
/// without a heap of their own; untracked()).
template <class Owner>
class checked : public decorator<Owner> {
    using base_ref = typename Owner::ref_type;

public:
    using typename decorator<Owner>::space_type;

private:
    using table = live_blocks<space_type, typename base_ref::traits>;

public:
    using ref_type = checked_ref<base_ref, typename table::ref_type>;

    /// Throws what Owner throws, and out_of_memory if there is no memory for the table.
    explicit checked(space_type space, heap_options const& options = {})
        : decorator<Owner>(std::move(space), options), table_(this->space_, this->base_.heap_bytes()),
          findings_(this->space_, 1), live_findings_(this->space_, 1) {
        findings_.fill_bytes(0);
    }

    /// A ref for kernels. Valid until the next grow_to().
    [[nodiscard]] ref_type ref() const {
        return {this->base_.ref(), table_.ref(), const_cast<checked_findings*>(findings_.data())};
    }
    /// Grows the table first, then the base. Throws out_of_memory; the heap is then unchanged. On CUDA the
    /// host waits when the old table is freed.
    void grow_to(std::uint64_t bytes) {
        table_.grow_to(bytes);
        this->base_.grow_to(bytes);
    }
    /// The table knows the addresses of blocks, so they must not change.
    void pack_chunks(std::uint64_t) = delete;
    /// Bytes outside the heap: those of the base, the table and the findings.
    [[nodiscard]] std::uint64_t table_bytes() const {
        return this->base_.table_bytes() + table_.size_bytes() + findings_.size_bytes() +
               live_findings_.size_bytes();
    }
    /// live_bytes is the base's, without the canaries of live blocks; the other numbers are the base's.
    [[nodiscard]] audit_result audit() {
        audit_result result = this->base_.audit();
        live_findings_.fill_bytes(0);
        launch(this->space_, cover_threads(this->space_, table_.size_bytes() / sizeof(live_block)),
               detail::check_live_blocks<typename table::ref_type>{table_.ref(), live_findings_.data()});
        checked_findings const past = findings_.to_host()[0];
        checked_findings const live = live_findings_.to_host()[0];
        std::uint64_t const canary_bytes = 2 * detail::canaries::bytes * live.live_blocks;
        if (ref_type::traits::bounded) result.live_bytes -= std::min(result.live_bytes, canary_bytes);
        report(result, past.freed_twice, "blocks freed twice");
        report(result, past.foreign, "pointers freed that were never handed out");
        report(result, past.written_before, "freed blocks that were written before their start");
        report(result, past.written_past, "freed blocks that were written past their end");
        report(result, live.written_before, "live blocks that were written before their start");
        report(result, live.written_past, "live blocks that were written past their end");
        return result;
    }
    /// Requests that were refused because the table had no free slot. Waits.
    [[nodiscard]] std::uint64_t untracked() const { return findings_.to_host()[0].untracked; }

private:
    static void report(audit_result& result, finding const& found, char const* what) {
        if (found.count == 0) return;
        constexpr char const* digits = "0123456789abcdef";
        std::string address;
        for (int shift = 60; shift >= 0; shift -= 4)
            address += digits[found.first_address >> shift & 15];
        result.violations.push_back("checked: " + std::to_string(found.count) + " " + what + ", first 0x" +
                                    address);
    }

    table table_;
    exec::buffer<space_type, checked_findings> findings_;
    exec::buffer<space_type, checked_findings> live_findings_; ///< of the last audit
};

} // namespace rhizome::alloc
