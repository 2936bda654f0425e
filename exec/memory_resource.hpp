// SPDX-License-Identifier: Apache-2.0
// Interface by which a program supplies scratch memory, for example from a pool or from RMM (RAPIDS Memory
// Manager).
#pragma once

#include <rhizome/exec/errors.hpp>

#include <cstdint>
#include <new>

namespace rhizome::exec {

/// An implementation allocates memory that kernels of one space can access. `stream`: the space's
/// cudaStream_t on CUDA, nullptr on other spaces. Different workspaces may call it concurrently from
/// different threads, so the implementation must be thread-safe.
class memory_resource {
public:
    virtual ~memory_resource() = default;
    /// Returns memory aligned to 256 bytes; bytes > 0. Only work that the space is given after the call uses
    /// the memory, so stream-ordered allocation (cudaMallocAsync) is allowed. If there is no memory, it
    /// throws std::bad_alloc (as rmm::out_of_memory is) or out_of_memory, or returns nullptr.
    [[nodiscard]] virtual void* allocate(std::uint64_t bytes, void* stream) = 0;
    /// Takes back what allocate() returned, with the same bytes. Work that was given to the stream before the
    /// call may still use the memory: it may be reused once that work is done. The space does not wait for
    /// it.
    virtual void deallocate(void* pointer, std::uint64_t bytes, void* stream) noexcept = 0;
};

namespace detail {

template <class Space>
[[nodiscard]] void* stream_of(Space& space) {
    if constexpr (requires { space.stream(); })
        return space.stream();
    else
        return nullptr;
}

/// Memory of the resource, or of the space where there is none. All of it is charged to the budget of the
/// space. Throws out_of_memory; an exception of the resource's own passes through, and nothing is charged.
template <class Space>
[[nodiscard]] void* allocate_from(Space& space, memory_resource* resource, std::uint64_t bytes) {
    if (resource == nullptr) return space.allocate(bytes);
    space.budget().charge(bytes, "scratch");
    void* pointer = nullptr;
    try {
        pointer = resource->allocate(bytes, stream_of(space));
    } catch (std::bad_alloc const&) {
        // told below
    } catch (...) {
        space.budget().refund(bytes);
        throw;
    }
    if (pointer != nullptr) return pointer;
    space.budget().refund(bytes);
    throw out_of_memory("scratch of the memory resource", bytes, 0);
}
template <class Space>
void deallocate_to(Space& space, memory_resource* resource, void* pointer, std::uint64_t bytes) {
    if (resource == nullptr) return space.deallocate(pointer, bytes);
    resource->deallocate(pointer, bytes, stream_of(space));
    space.budget().refund(bytes);
}

} // namespace detail

} // namespace rhizome::exec
