// Pinned memory that copies from the host pass through, so that their source is free at once.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhizome::exec {

/// A ring of pieces of pinned memory. What is copied is written into the next pieces by the host and read
/// from there by the device. Takes its memory with the first copy. Calls do not overlap: the owner locks.
class pinned_ring {
public:
    pinned_ring(std::uint64_t piece_bytes, std::size_t pieces)
        : piece_bytes_(piece_bytes), copied_(pieces, nullptr) {}
    pinned_ring(pinned_ring const&) = delete;
    pinned_ring& operator=(pinned_ring const&) = delete;
    /// Waits for the copies under way.
    ~pinned_ring();

    [[nodiscard]] std::uint64_t bytes() const { return piece_bytes_ * copied_.size(); }

    /// Takes the memory where that was not done yet; false where the host has none. Precondition: the device
    /// of the streams that the ring is used for is current. Throws cuda_error.
    [[nodiscard]] bool prepare();

    /// Host -> device in the order of `stream`; `from` may be reused on return. Waits where the ring is full
    /// until the device has read the oldest piece. Precondition: prepare() has answered true.
    void copy(void* to, void const* from, std::uint64_t bytes, cudaStream_t stream);

private:
    std::uint64_t piece_bytes_;
    std::byte* memory_ = nullptr;
    std::vector<cudaEvent_t> copied_; ///< of each piece: it has been read
    std::size_t next_ = 0;
};

} // namespace rhizome::exec
