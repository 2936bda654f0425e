// SPDX-License-Identifier: Apache-2.0
// The interface that all growable arrays share: the device side (ref), and the host side (owner).
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace rhizome::container {

/// Where the elements lie that a thread inserted: `count` places from `place` on, in vector `vector`. Arrays
/// that are contiguous have one vector, number 0, in which the place is the index. These three numbers stay
/// valid while the array grows.
///
/// A call takes at most Insertion::most_per_thread of the elements that the thread offers. Of these, `count`
/// are inserted and `refused` are not, so count + refused is the smaller of most_per_thread and the number
/// offered. The thread can offer the rest with its next call.
struct placement {
    std::uint64_t place = 0;
    std::uint32_t vector = 0;
    std::uint32_t count = 0;   ///< elements inserted: the first ones that the thread offered
    std::uint32_t refused = 0; ///< elements behind these for which there was no memory
};

/// Elements of an array that lie side by side in memory.
template <class T>
struct array_run {
    T* data;             ///< in the memory of the space; aligned to T
    std::uint64_t index; ///< of the first element, in the array
    std::uint64_t count; ///< elements, at least 1
};

/// The device side: trivially copyable, passed to kernels by value, valid until its owner grows.
///
/// Insertion, in a kernel that does not access elements by index:
/// - ref.template insert<Insertion>(thread, storage, count, element_of) -> placement: inserts the elements
///   element_of(0) to element_of(count - 1) of the calling thread. `Insertion` is a policy of
///   container/insertion.hpp; `storage` is of the type Insertion::storage, in the storage of the block. Where
///   the policy is for whole blocks, the block consists of whole warps. A thread may offer any number of
///   elements; the first Insertion::most_per_thread of them are inserted. Refusal for lack of memory is a
///   value: placement::refused is not 0 then, and only then.
///
/// Reading and changing elements, in later kernels, after the owner's settle():
/// - ref.size(): the number of elements.
/// - ref[index]: the element of that index; index < size().
/// - ref.at(vector, place): the element that insert() put there; also in the kernel that inserts, by a thread
///   that the inserting thread is ordered before.
/// - ref.for_each_run(thread, function): cuts the array into one share per block, all of about the same size,
///   and calls function(array_run<T>) for the runs of the share of this block. Called by all threads of the
///   block; all get the same runs.
/// - ref.for_each(thread, function): calls function(element, index) once for each element, in some thread of
///   the grid; `function` may change the element. Called by all threads of the block. Elements move in
///   accesses of 16 bytes.
/// - ref.read_each(thread, function): the same for functions that change nothing.
template <class Ref>
concept array_ref = std::is_trivially_copyable_v<Ref> &&
    requires(Ref const ref, std::uint64_t index, std::uint32_t vector) {
    typename Ref::value_type;
    { ref.size() } -> std::same_as<std::uint64_t>;
    { ref[index] } -> std::same_as<typename Ref::value_type&>;
    { ref.at(vector, index) } -> std::same_as<typename Ref::value_type&>;
};

/// The host side: move-only. All calls act in the order of the space. A gg_array settles first where the
/// list says so; the contiguous arrays have nothing to settle there.
///
/// - array.settle(): ends a phase of insertions, so that later kernels can read and insert. The host does not
///   wait.
/// - array.size(): settles; the number of elements. Waits.
/// - array.capacity(): settles; the elements for which the array has memory. A gg_array waits for it.
/// - array.reserve(n): settles; then makes room for n elements (gg_array: for n / vectors() in each vector).
///   Throws exec::out_of_memory; elements, their addresses and the capacity are then as before.
/// - array.shrink_to(n): settles; keeps the elements with an index below n, and frees what memory it can.
/// - array.flatten(out): settles; copies all elements to `out`, memory of the space with room for size()
///   elements, in the order of their indices. The host does not wait.
/// - array.to_host(): the elements, copied to the host. Waits.
template <class Array>
concept growable_array = std::move_constructible<Array> && !std::copy_constructible<Array> &&
                         array_ref<typename Array::ref_type> &&
                         requires(Array array, std::uint64_t count, typename Array::value_type* out) {
    typename Array::space_type;
    { array.ref() } -> std::same_as<typename Array::ref_type>;
    { array.settle() } -> std::same_as<void>;
    { array.size() } -> std::same_as<std::uint64_t>;
    { array.capacity() } -> std::same_as<std::uint64_t>;
    { array.reserve(count) } -> std::same_as<void>;
    { array.shrink_to(count) } -> std::same_as<void>;
    { array.flatten(out) } -> std::same_as<void>;
    { array.to_host() } -> std::same_as<std::vector<typename Array::value_type>>;
};

/// An array whose elements all lie side by side:
/// - array.data(): the address of element 0, in the memory of the space; the same for the array's lifetime.
/// - array.span(): settles; all elements, as a std::span over memory of the space. Waits.
/// - array.begin(), array.end(): the addresses of the first element and behind the last one. end() waits.
/// CUB and Thrust take data(), begin() and end(), which are pointers. (The iterators of a std::span are not.)
template <class Array>
concept contiguous_growable_array = growable_array<Array> && requires(Array array) {
    { array.data() } -> std::same_as<typename Array::value_type*>;
    { array.begin() } -> std::same_as<typename Array::value_type*>;
    { array.end() } -> std::same_as<typename Array::value_type*>;
    {array.span()};
};

/// What an array can hold: T is trivially copyable, has a default constructor, and is aligned to at most 16
/// bytes. Not bool, of which std::vector holds bits.
template <class T>
concept array_element = std::is_trivially_copyable_v<T> && std::default_initializable<T> &&
                            alignof(T) <= 16 &&
                        !std::is_same_v<T, bool>;

} // namespace rhizome::container
