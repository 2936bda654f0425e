// SPDX-License-Identifier: Apache-2.0
// What all decorators share: they pass on every function of the allocator underneath that they do not change.
//
// A decorator is an owner that derives from decorator<Owner>, and a ref that derives from ref_decorator<Ref>.
// Both have each ability of alloc/abilities.hpp exactly where their base has it. A decorator changes a
// function of the base by a function of the same name and the same constraint. A decorator that changes
// blocks, or must see every block, redefines all functions that hand out or take back blocks: allocate,
// allocate_together, allocate_in_warp, allocate_in_block, allocate_run; deallocate, leave_withheld. If its
// blocks differ from the base's, it also redefines is_withheld, bytes_of and usable_bytes. A decorator that
// knows the addresses of blocks deletes pack_chunks, which is passed on only where the base
// knows_block_bytes: over another base, decorators keep the addresses of blocks with their sizes.
#pragma once

#include <rhizome/alloc/abilities.hpp>
#include <rhizome/alloc/concept.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::alloc {

/// Base of decorators: owns the decorated allocator. A derived class defines ref_type and ref().
template <class Owner>
class decorator {
public:
    using space_type = typename Owner::space_type;

    /// The allocator underneath.
    [[nodiscard]] Owner& base() { return base_; }
    [[nodiscard]] Owner const& base() const { return base_; }

    // Each calls the function of the same name of the base.
    void grow_to(std::uint64_t bytes) { base_.grow_to(bytes); }
    void trim() { base_.trim(); }
    [[nodiscard]] std::uint64_t heap_bytes() const { return base_.heap_bytes(); }
    [[nodiscard]] std::uint64_t table_bytes() const { return base_.table_bytes(); }
    [[nodiscard]] audit_result audit() { return base_.audit(); }

    [[nodiscard]] bool requeue() requires requeueing_owner<Owner> { return base_.requeue(); }
    void restock(std::uint64_t requests) requires restocking_owner<Owner> { base_.restock(requests); }
    [[nodiscard]] std::uint64_t* spilled_bytes() const requires spill_counting_owner<Owner> {
        return base_.spilled_bytes();
    }
    [[nodiscard]] std::uint64_t* free_chunks() const requires chunk_counting_owner<Owner> {
        return base_.free_chunks();
    }
    [[nodiscard]] std::uint64_t
    withhold_sparse_chunks(std::uint64_t least_bytes) requires withholding_owner<Owner> {
        return base_.withhold_sparse_chunks(least_bytes);
    }
    [[nodiscard]] std::uint64_t
    withhold_sparse_chunks(std::uint64_t least_bytes,
                           std::uint64_t most_moved_bytes) requires limited_withholding_owner<Owner> {
        return base_.withhold_sparse_chunks(least_bytes, most_moved_bytes);
    }
    /// Only over a base that knows the bytes of blocks: over others, decorators keep their addresses.
    [[nodiscard]] moved_chunks<space_type> pack_chunks(std::uint64_t most_moved_bytes) requires(
        packing_owner<Owner>&& knows_block_bytes<typename Owner::ref_type>) {
        return base_.pack_chunks(most_moved_bytes);
    }

protected:
    /// more: what the base's constructor takes besides.
    template <class... More>
    decorator(space_type space, heap_options const& options, More const&... more)
        : space_(std::move(space)), base_(space_, options, more...) {}

    space_type space_;
    Owner base_;
};

namespace detail {
template <class Ref>
struct with_block_storage {};
template <uses_block_storage Ref>
struct with_block_storage<Ref> {
    using block_storage = typename Ref::block_storage;
};
} // namespace detail

/// Base of the refs of decorators: holds the ref of the decorated allocator. Each function calls the one of
/// the same name of the base.
template <class Ref>
class ref_decorator : public detail::with_block_storage<Ref> {
public:
    using traits = typename Ref::traits;

    explicit ref_decorator(Ref base) : base_(base) {}

    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        return base_.allocate(thread, bytes);
    }
    template <class Thread>
    RZ_HD void deallocate(Thread const& thread, void* pointer) const {
        base_.deallocate(thread, pointer);
    }
    [[nodiscard]] RZ_HD std::uint64_t usable_bytes(std::uint64_t bytes) const {
        return base_.usable_bytes(bytes);
    }

    template <class Thread, class Group>
    [[nodiscard]] RZ_HD void*
    allocate_together(Thread const& thread, Group const& group,
                      std::uint64_t bytes) const requires allocates_together<Ref, Thread, Group> {
        return base_.allocate_together(thread, group, bytes);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate_in_warp(Thread const& thread,
                                               std::uint64_t bytes) const requires allocates_uniform<Ref> {
        return base_.allocate_in_warp(thread, bytes);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate_in_block(Thread const& thread,
                                                std::uint64_t bytes) const requires allocates_uniform<Ref> {
        return base_.allocate_in_block(thread, bytes);
    }
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD page_run allocate_run(Thread const& thread, Group const& group, std::uint64_t bytes,
                                              std::uint32_t count) const requires gives_runs<Ref> {
        return base_.allocate_run(thread, group, bytes, count);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t bytes_of(Thread const& thread,
                                               void const* pointer) const requires knows_block_bytes<Ref> {
        return base_.bytes_of(thread, pointer);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD bool is_withheld(Thread const& thread,
                                         void const* pointer) const requires moves_withheld_blocks<Ref> {
        return base_.is_withheld(thread, pointer);
    }
    template <class Thread>
    RZ_HD void leave_withheld(Thread const& thread, void* pointer) const requires moves_withheld_blocks<Ref> {
        base_.leave_withheld(thread, pointer);
    }
    template <class Thread, class Storage>
    RZ_HD void use_block_storage(Thread const& thread, Storage& storage) requires uses_block_storage<Ref> {
        base_.use_block_storage(thread, storage);
    }

protected:
    Ref base_;
};

} // namespace rhizome::alloc
