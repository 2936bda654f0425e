// What a device-side allocator is.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::alloc {

/// Constants of an allocator, as Ref::traits.
///   alignment_bytes  every pointer is a multiple of it (at least 16)
///   smallest_bytes   smaller requests take this much
///   largest_bytes    larger requests always return nullptr
///   reuses           memory that was given back is handed out again
///   bounded          requests are refused once the allocator's heap is used up (false: it has no heap of its
///   own)
template <class T>
concept allocator_traits = requires {
    { T::alignment_bytes } -> std::convertible_to<std::uint64_t>;
    { T::smallest_bytes } -> std::convertible_to<std::uint64_t>;
    { T::largest_bytes } -> std::convertible_to<std::uint64_t>;
    { T::reuses } -> std::convertible_to<bool>;
    { T::bounded } -> std::convertible_to<bool>;
};

/// The device side: trivially copyable, passed to kernels by value, good until its owner grows. What some
/// refs can do beyond this: alloc/abilities.hpp.
///
///   ref.allocate(thread, bytes) -> void*    bytes >= 1. Memory that no other thread has until it is given
///   back;
///                                           nullptr when the heap cannot serve it: never a trap, never a
///                                           hang
///   ref.deallocate(thread, pointer)         gives back what allocate returned, once; nullptr is ignored. It
///                                           needs no memory and cannot fail. What this thread did to the
///                                           memory happens before what its next holder does
///   ref.usable_bytes(bytes)                 how many bytes a request of `bytes` really gets
/// A thread may call them alone or together with other lanes of its warp, in any divergence.
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
    std::uint64_t live_bytes = 0;        ///< handed out and not given back, in bytes of pages
    std::uint64_t free_bytes = 0;        ///< heap that can still be handed out, for some size
    std::uint64_t marked_bytes = 0;      ///< of free_bytes: pages marked in their chunk, in no queue of pages
    std::uint64_t overhead_bytes = 0;    ///< heap that the allocator holds for itself; trim() frees it
};

/// The host side: move-only, holds the memory. What some owners can do beyond this: alloc/abilities.hpp.
///
///   Owner::space_type            where it lives
///   Owner(space, heap_options)   commits options.heap_bytes; throws exec::out_of_memory
///   owner.ref()                  a new ref; after grow_to() older ones are invalid
///   owner.grow_to(bytes)         makes the heap at least that large, in place; throws exec::out_of_memory
///   and
///                                leaves the heap as it was (it may have grown in part)
///   owner.trim()                 makes memory that is free as a whole usable for every size again
///   owner.heap_bytes()           committed heap
///   owner.table_bytes()          committed memory outside the heap
///   owner.audit()                executes the invariants
/// All of it in the order of the space; audit() waits.
template <class Owner>
concept allocator_owner = std::move_constructible<Owner> && !std::copy_constructible<Owner> &&
                          requires(Owner owner, Owner const constant, std::uint64_t bytes) {
    {constant.ref()};
    { owner.grow_to(bytes) } -> std::same_as<void>;
    { owner.trim() } -> std::same_as<void>;
    { constant.heap_bytes() } -> std::same_as<std::uint64_t>;
    { constant.table_bytes() } -> std::same_as<std::uint64_t>;
    { owner.audit() } -> std::same_as<audit_result>;
};

/// How large a heap is, now and at most.
struct heap_options {
    std::uint64_t heap_bytes = 2u << 20; ///< committed at the start
    std::uint64_t reserve_bytes = 0;     ///< address space: the most it can grow to; 0: the space's memory
    std::uint64_t queue_share = 0;       ///< 1/share of the heap for queues of free pages; 0: the default
    std::uint32_t shards = 0;            ///< of a size class, a power of two up to 32; 0: by the heap's size
};

} // namespace rhizome::alloc
