// SPDX-License-Identifier: Apache-2.0
// Memory shared by a block for the refs that want some: how a kernel declares it and hands it over.
//
//     template <class Ref>
//     struct my_kernel {
//         Ref ref;
//         using shared = alloc::block_storage_of<Ref>;      // or a member of the kernel's own struct shared
//
//         template <class Thread>
//         RZ_HD void operator()(Thread const& thread) const {
//             auto const& allocator = alloc::in_block(ref, thread, thread.block().storage());
//             void* const block = allocator.allocate(thread, 64);
//             ...
//
// A ref without block storage costs nothing: block_storage_of is exec::no_shared, and in_block gives the ref
// itself. The storage travels in the ref, not in the thread: functions that are compiled once for all kernels
// (thread.without_storage()) find it as well.
#pragma once

#include <rhizome/alloc/abilities.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/shape.hpp>

namespace rhizome::alloc {

namespace detail {
template <class Ref>
struct find_block_storage {
    using type = exec::no_shared;
};
template <uses_block_storage Ref>
struct find_block_storage<Ref> {
    using type = typename Ref::block_storage;
};
} // namespace detail

/// What a kernel that calls the ref declares in its shared storage.
template <class Ref>
using block_storage_of = typename detail::find_block_storage<Ref>::type;

/// The ref for the threads of this block: a copy that uses `storage`, for as long as the block runs. Called
/// by all threads of the block together, once, before any of them uses the copy.
template <uses_block_storage Ref, class Thread>
[[nodiscard]] RZ_HD Ref in_block(Ref ref, Thread const& thread, typename Ref::block_storage& storage) {
    ref.use_block_storage(thread, storage);
    return ref;
}
/// The same for a ref that wants none: the ref itself.
template <class Ref, class Thread>
[[nodiscard]] RZ_HD Ref const& in_block(Ref const& ref, Thread const&, exec::no_shared const&) {
    return ref;
}

} // namespace rhizome::alloc
