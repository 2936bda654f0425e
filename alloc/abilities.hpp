// SPDX-License-Identifier: Apache-2.0
// What an allocator may be able to do beyond what alloc/concept.hpp asks of each.
//
// An allocator has an ability if its owner or ref has the function that the concept names. Code that uses one
// asks for it by its concept (`if constexpr (restocking_owner<Allocator>)`); decorators keep all abilities of
// their base (alloc/decorators/decorator.hpp). Each concept's comment states what the syntax cannot.
#pragma once

#include <rhizome/alloc/moved_chunks.hpp>
#include <rhizome/alloc/page_run.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace rhizome::alloc {

// ---- Owners: on the host, in the order of the space ----

/// owner.requeue() -> bool: as trim(); then puts free pages back into the queues, so that requests find them
/// fast. (trim() only marks free pages in their chunks.) Returns false if the heap is too full for that.
/// Waits.
template <class Owner>
concept requeueing_owner = requires(Owner& owner) {
    { owner.requeue() } -> std::same_as<bool>;
};

/// owner.restock(requests): prepares memory for that many requests of the sizes that were requested before.
/// Runs concurrently with the work of the space. Later operations of the owner are ordered after it; the host
/// does not wait.
template <class Owner>
concept restocking_owner = requires(Owner& owner, std::uint64_t requests) {
    { owner.restock(requests) } -> std::same_as<void>;
};

/// owner.spilled_bytes() -> std::uint64_t*: a word in the memory of the space. It counts the bytes of blocks
/// that were given back but could not be queued, because the heap was too full. Requests find such blocks
/// more slowly. trim() and requeue() set it to 0.
template <class Owner>
concept spill_counting_owner = requires(Owner const& owner) {
    { owner.spilled_bytes() } -> std::same_as<std::uint64_t*>;
};

/// owner.free_chunks() -> std::uint64_t*: a word in the memory of the space that holds the number of free
/// chunks. Read it as std::int64_t: while allocations run it may be too low, even negative.
template <class Owner>
concept chunk_counting_owner = requires(Owner const& owner) {
    { owner.free_chunks() } -> std::same_as<std::uint64_t*>;
};

/// owner.withhold_sparse_chunks(least_bytes) -> std::uint64_t: takes chunks with few live blocks out of use
/// and returns their bytes. If these are fewer than least_bytes, it withholds nothing and returns 0.
/// Afterwards the caller moves the blocks for which ref().is_withheld() is true (moves_withheld_blocks), and
/// trim() frees the chunks. No other kernel may use the allocator between this call and trim(). Throws
/// exec::out_of_memory before it changes anything. Waits.
template <class Owner>
concept withholding_owner = requires(Owner& owner, std::uint64_t least_bytes) {
    { owner.withhold_sparse_chunks(least_bytes) } -> std::same_as<std::uint64_t>;
};

/// owner.withhold_sparse_chunks(least_bytes, most_moved_bytes) -> std::uint64_t: the same; the live blocks of
/// the withheld chunks have at most most_moved_bytes.
template <class Owner>
concept limited_withholding_owner = withholding_owner<Owner> &&
    requires(Owner& owner, std::uint64_t least_bytes, std::uint64_t most_moved_bytes) {
    { owner.withhold_sparse_chunks(least_bytes, most_moved_bytes) } -> std::same_as<std::uint64_t>;
};

/// owner.pack_chunks(most_moved_bytes) -> moved_chunks: moves blocks from the end of the heap into free
/// memory below, copies at most most_moved_bytes, and gives the memory at the end back. The caller then
/// replaces the address of every live block. Ends the withholding of chunks, as trim() does, also if it
/// throws exec::out_of_memory, which it does before a block moves. Free pages are then in the queues, if the
/// allocator has queues. No kernel may use the allocator meanwhile, and older refs become invalid. Waits.
/// Decorators that know the addresses of blocks do not have this ability.
template <class Owner>
concept packing_owner = requires(Owner& owner, std::uint64_t most_moved_bytes) {
    { owner.pack_chunks(most_moved_bytes) } -> std::same_as<moved_chunks<typename Owner::space_type>>;
};

// ---- Refs: inside kernels ----

namespace detail {
// Stand for any thread and any group: the functions of a ref are templates over both.
struct any_thread {};
struct any_group {};
} // namespace detail

/// ref.allocate_together(thread, group, bytes) -> void*: one block for all lanes of `group`. All lanes call
/// it together and share the search. They may use the block only after the next group.sync(). Callers go
/// through alloc::allocate_together() (alloc/together.hpp), which serves every allocator.
template <class Ref, class Thread = detail::any_thread, class Group = detail::any_group>
concept allocates_together = requires(Ref const& ref, Thread const& thread, Group const& group,
                                      std::uint64_t bytes) {
    { ref.allocate_together(thread, group, bytes) } -> std::same_as<void*>;
};

/// ref.allocate_in_warp(thread, bytes) -> void* and ref.allocate_in_block(thread, bytes) -> void*: a block
/// for each lane of the warp, or each thread of the thread block. All of them call it together, in uniform
/// control flow, with the same `bytes`. Each block is given back by itself. alloc/coalescing/ has both.
template <class Ref, class Thread = detail::any_thread>
concept allocates_uniform = requires(Ref const& ref, Thread const& thread, std::uint64_t bytes) {
    { ref.allocate_in_warp(thread, bytes) } -> std::same_as<void*>;
    { ref.allocate_in_block(thread, bytes) } -> std::same_as<void*>;
};

/// ref.bytes_of(thread, pointer) -> std::uint64_t: the size of the live block at `pointer`: usable_bytes() of
/// its request. For other pointers: 0 if the allocator can tell (the decorator `checked` can), else any
/// value.
template <class Ref>
concept knows_block_bytes = requires(Ref const& ref, detail::any_thread const& thread, void const* pointer) {
    { ref.bytes_of(thread, pointer) } -> std::same_as<std::uint64_t>;
};

/// ref.allocate_run(thread, group, bytes, count) -> page_run: `count` blocks of `bytes` bytes, next to each
/// other. Returns an empty run (first == nullptr) if no such run is free, if `bytes` exceeds the largest size
/// class, or if count is 0. Single requests may still be served then. All lanes of `group` call it together.
/// Each block is given back by itself. Such a ref also models knows_block_bytes.
template <class Ref>
concept gives_runs = knows_block_bytes<Ref> &&
    requires(Ref const& ref, detail::any_thread const& thread, detail::any_group const& group,
             std::uint64_t bytes, std::uint32_t count) {
    { ref.allocate_run(thread, group, bytes, count) } -> std::same_as<page_run>;
};

/// The ref of a withholding_owner:
///   ref.is_withheld(thread, pointer) -> bool   whether the live block at `pointer` lies in a withheld chunk
///   ref.leave_withheld(thread, pointer)        gives back such a block, which the caller has copied
template <class Ref>
concept moves_withheld_blocks = requires(Ref const& ref, detail::any_thread const& thread, void* pointer) {
    { ref.is_withheld(thread, pointer) } -> std::same_as<bool>;
    { ref.leave_withheld(thread, pointer) } -> std::same_as<void>;
};

/// Ref::block_storage: memory that the ref shares among the threads of a thread block. A kernel declares it
/// in its shared memory and passes it to the ref (alloc/block_storage.hpp). A ref without storage serves
/// requests too.
///
/// ref.use_block_storage(thread, storage) changes this copy of the ref: its requests use `storage` from now
/// on. All threads of the thread block call it together, once; it may synchronise them. `storage` need not be
/// initialised.
template <class Ref>
concept uses_block_storage = std::is_trivially_default_constructible_v<typename Ref::block_storage> &&
    requires(Ref& ref, detail::any_thread const& thread, typename Ref::block_storage& storage) {
    { ref.use_block_storage(thread, storage) } -> std::same_as<void>;
};

} // namespace rhizome::alloc
