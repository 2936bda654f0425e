// SPDX-License-Identifier: Apache-2.0
// The interfaces of allocators: the device side (ref), the host side (owner), and their options. The terms
// (chunk, page, size class, extent) are those of alloc/README.md.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::alloc {

/// Constants of an allocator, as Ref::traits.
///   alignment_bytes  every pointer is a multiple of it (at least 16)
///   smallest_bytes   a smaller request takes this many bytes
///   largest_bytes    larger requests always return nullptr
///   reuses           memory that was given back is handed out again
///   bounded          the allocator has a heap of its own, and refuses requests once that is used up
template <class T>
concept allocator_traits = requires {
    { T::alignment_bytes } -> std::convertible_to<std::uint64_t>;
    { T::smallest_bytes } -> std::convertible_to<std::uint64_t>;
    { T::largest_bytes } -> std::convertible_to<std::uint64_t>;
    { T::reuses } -> std::convertible_to<bool>;
    { T::bounded } -> std::convertible_to<bool>;
};

/// The device side: trivially copyable, passed to kernels by value, valid until its owner grows or tries to
/// (its tables may move). What some refs can do beyond this: alloc/abilities.hpp.
///
/// - ref.allocate(thread, bytes) -> void*: returns a block that overlaps no other live block, or nullptr if
///   the heap cannot serve the request. It never traps and never hangs. bytes >= 1.
/// - ref.deallocate(thread, pointer): frees a block. Call it once per block, from any thread; nullptr is
///   ignored. Needs no memory and cannot fail. All accesses by this thread to the block happen before all
///   accesses by the thread that gets the memory next.
/// - ref.usable_bytes(bytes): the size of the block that a request of `bytes` gets.
///
/// The lanes of a warp may call these functions together, in any combination, or one at a time.
template <class Ref, class Thread>
concept device_allocator = std::is_trivially_copyable_v<Ref> && allocator_traits<typename Ref::traits> &&
    requires(Ref const ref, Thread const& thread, void* pointer, std::uint64_t bytes) {
    { ref.allocate(thread, bytes) } -> std::same_as<void*>;
    { ref.deallocate(thread, pointer) } -> std::same_as<void>;
    { ref.usable_bytes(bytes) } -> std::same_as<std::uint64_t>;
};

/// What an owner finds when it checks its data structures while no kernel runs.
struct audit_result {
    std::vector<std::string> violations; ///< one line per broken invariant; empty: sound
    std::uint64_t live_bytes = 0;        ///< usable bytes of the blocks that are handed out
    /// Free bytes of the heap. Not every request can use all of them: they may be pages of other size
    /// classes, or chunks that form no run.
    std::uint64_t free_bytes = 0;
    /// Part of free_bytes: free pages that are in no queue, only in the bit mask of their chunk. Requests
    /// find them more slowly (ouroboros).
    std::uint64_t marked_bytes = 0;
    /// Bytes of the heap that the allocator uses for itself; trim() frees them.
    std::uint64_t overhead_bytes = 0;
};

/// The host side: move-only, holds the memory. What some owners can do beyond this: alloc/abilities.hpp.
///
/// - Owner::space_type: the space in whose memory the heap lies.
/// - Owner::ref_type: what ref() returns, a device_allocator of the space's threads.
/// - Owner(space, heap_options): commits options.heap_bytes; throws exec::out_of_memory.
/// - owner.ref(): a ref for kernels. After grow_to(), also one that throws, older refs are invalid.
/// - owner.grow_to(bytes): makes the heap at least `bytes` large, in place. Throws exec::out_of_memory;
///   heap_bytes() and contents are then unchanged, and tables may have grown.
/// - owner.trim(): makes chunks without live blocks usable for every size again. No kernel may use the
///   allocator meanwhile.
/// - owner.heap_bytes(): size of the heap in bytes, in the memory of the space.
/// - owner.table_bytes(): committed bytes outside the heap, in the memory of the space.
/// - owner.audit(): checks the invariants and reports violations. No kernel may use the allocator meanwhile.
///
/// All calls act in the order of the space. The host waits in audit(); in other calls only if the comment of
/// that allocator's function says so.
template <class Owner>
concept allocator_owner = std::move_constructible<Owner> && !std::copy_constructible<Owner> &&
                          requires(Owner owner, Owner const constant, std::uint64_t bytes) {
    typename Owner::space_type;
    { constant.ref() } -> std::same_as<typename Owner::ref_type>;
    { owner.grow_to(bytes) } -> std::same_as<void>;
    { owner.trim() } -> std::same_as<void>;
    { constant.heap_bytes() } -> std::same_as<std::uint64_t>;
    { constant.table_bytes() } -> std::same_as<std::uint64_t>;
    { owner.audit() } -> std::same_as<audit_result>;
};

/// The initial and the largest size of a heap, and options of its queues.
struct heap_options {
    /// Bytes committed at the start.
    std::uint64_t heap_bytes = 2u << 20;
    /// Address space to reserve: the largest possible heap, in bytes. 0: space.memory_bytes(). At least
    /// heap_bytes is reserved.
    std::uint64_t reserve_bytes = 0;
    /// The queues of free pages get 1/queue_share of the heap's size; 0: 1/32. Only ouroboros reads it.
    std::uint64_t queue_share = 0;
    /// Number of parallel queues per size class, at most 32, rounded down to a power of two; 0: chosen by the
    /// heap's size. Only ouroboros reads it.
    std::uint32_t shards = 0;
};

} // namespace rhizome::alloc
