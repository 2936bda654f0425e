// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions whose effect the analysis knows without a body: CUDA's, the C library's, and Rhizome's.
#include <clang/AST/Decl.h>

#include <cstdint>
#include <string>

namespace rhizome::coalesce {

enum class known_call : std::uint8_t {
    none,           ///< not known: only its body can tell
    pure,           ///< its result depends on its arguments alone
    grid_value,     ///< equal in all threads of a block: the size of a block, its index
    linear_rank,    ///< the rank of the thread in its block
    warp_value,     ///< equal in all lanes of a warp
    thread_value,   ///< differs among threads, waits for none
    memory,         ///< reads or writes memory, waits for no thread
    read_only_load, ///< loads memory that the program declares constant during a launch (__ldg)
    atomic,         ///< atomic access, fence, back-off: what a loop that waits consists of
    block_barrier,  ///< all threads of the block call it; no result
    warp_barrier,   ///< lanes of the warp call it together; a result may differ among them
    block_vote,     ///< all threads of the block call it and get one result
    warp_vote,   ///< lanes of the warp call it; they get one result if the first argument names all of them
    ends_kernel, ///< no thread goes on behind it
    allocation,  ///< malloc of device code
    release,     ///< free of device code
    rhizome_allocate, ///< ref.allocate(thread, bytes)
    rhizome_release,  ///< ref.deallocate(thread, pointer)
    rhizome_in_block, ///< alloc::in_block(ref, thread, storage): the ref, for block-wide calls
    hidden,           ///< only a body for the host was read
    run_by_thread,    ///< calls a function object, any number of times
    waits,            ///< may wait for other threads (registry.hpp)
    told,             ///< takes whether all threads make the call (registry.hpp)
};

/// @param object the type that a member function is called on
/// @return what is known of `callee`. A function of the program itself that has the name of a known one is
/// not known.
known_call classify(clang::FunctionDecl const& callee, clang::QualType object,
                    clang::SourceManager const& sources);

/// Is `type` a thread of Rhizome's spaces?
bool is_rhizome_thread(clang::QualType type);

} // namespace rhizome::coalesce
