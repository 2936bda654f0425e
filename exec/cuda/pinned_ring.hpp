// SPDX-License-Identifier: Apache-2.0
// Pinned memory that copies from the host pass through, so that the caller may reuse the source at once.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace rhizome::exec {

/// A ring of pieces of pinned memory. The host writes data into the next pieces, and the device reads it from
/// there. Takes its memory with the first copy. Calls must not overlap: the owner locks.
class pinned_ring {
public:
    pinned_ring(std::uint64_t piece_bytes, std::size_t pieces)
        : piece_bytes_(piece_bytes), copied_(pieces, nullptr) {}
    pinned_ring(pinned_ring const&) = delete;
    pinned_ring& operator=(pinned_ring const&) = delete;
    /// Waits for the copies in progress.
    ~pinned_ring();

    [[nodiscard]] std::uint64_t bytes() const { return piece_bytes_ * copied_.size(); }

    /// Takes the memory if that has not been done yet; false if the host has none. Precondition: the device
    /// of the streams that use the ring is current. Throws cuda_error.
    [[nodiscard]] bool prepare();

    /// Host -> device in the order of `stream`; the caller may reuse `from` on return. If the ring is full,
    /// waits until the device has read the oldest piece. Precondition: prepare() has returned true.
    void copy(void* to, void const* from, std::uint64_t bytes, cudaStream_t stream);
    /// The same for data that `write` makes: write(piece, first, count) writes the bytes `first` to
    /// first + count - 1 to `piece`.
    void copy_written(void* to, std::uint64_t bytes, cudaStream_t stream,
                      std::function<void(std::byte*, std::uint64_t, std::uint64_t)> const& write);

private:
    template <class Write>
    void copy_pieces(void* to, std::uint64_t bytes, cudaStream_t stream, Write const& write);

    std::uint64_t piece_bytes_;
    std::byte* memory_ = nullptr;
    std::vector<cudaEvent_t> copied_; ///< for each piece: the device has read it
    std::size_t next_ = 0;
};

} // namespace rhizome::exec
