// Memory that the caller lends for scratch: an interface for pools and for RMM.
#pragma once

#include <rhizome/exec/errors.hpp>

#include <cstdint>
#include <new>

namespace rhizome::exec {

/// Gives memory of one space, in the order of its work. What an implementation is given as `stream` is the
/// space's cudaStream_t on CUDA, and nullptr on other spaces.
///
///   allocate    `bytes` > 0, at a multiple of 256 bytes. The memory is used by work that the space is given
///   after
///               the call returns, so an allocation that is ordered on the stream is early enough. Throws
///               std::bad_alloc (as rmm::out_of_memory is) or out_of_memory, or returns nullptr, where it has
///               none.
///   deallocate  what allocate() returned, with the same bytes. Work that the space was given before may
///   still use
///               it: memory is free once the stream has come so far. The space does not wait for that.
///
/// Called by the threads that use the space, one call at a time for each workspace.
class memory_resource {
public:
    virtual ~memory_resource() = default;
    [[nodiscard]] virtual void* allocate(std::uint64_t bytes, void* stream) = 0;
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
