// SPDX-License-Identifier: Apache-2.0
// Where blocks lie after their allocator has moved chunks of its heap.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace rhizome::alloc {

/// Trivially copyable, for kernels. Valid while the moved_chunks that made it lives.
struct moved_chunks_ref {
    static constexpr std::uint32_t stayed = ~std::uint32_t{0};

    std::byte* heap;
    std::uint64_t chunk_bytes;
    std::uint32_t const* to; ///< for each chunk before the move: where it is now, or `stayed`

    /// The present address of the block that was at `block` before the move: the same if it has not moved.
    template <class T>
    [[nodiscard]] RZ_HD T* now(T* block) const {
        auto const offset = static_cast<std::uint64_t>(reinterpret_cast<std::byte const*>(block) - heap);
        std::uint32_t const chunk = to[offset / chunk_bytes];
        if (chunk == stayed) return block;
        return reinterpret_cast<T*>(heap + chunk * chunk_bytes + offset % chunk_bytes);
    }
};

/// The result of packing a heap (packing_owner in abilities.hpp). Move-only.
template <class Space>
class moved_chunks {
public:
    /// Nothing has moved.
    explicit moved_chunks(Space space) : to_(std::move(space)) {}
    moved_chunks(std::byte* heap, std::uint64_t chunk_bytes, exec::buffer<Space, std::uint32_t> to,
                 std::uint64_t chunks)
        : heap_(heap), chunk_bytes_(chunk_bytes), to_(std::move(to)), chunks_(chunks) {}

    /// The bytes of the chunks that have moved; 0: all blocks are where they were.
    [[nodiscard]] std::uint64_t bytes() const { return chunks_ * chunk_bytes_; }
    /// Precondition: bytes() != 0.
    [[nodiscard]] moved_chunks_ref ref() const { return {heap_, chunk_bytes_, to_.data()}; }

private:
    std::byte* heap_ = nullptr;
    std::uint64_t chunk_bytes_ = 0;
    exec::buffer<Space, std::uint32_t> to_;
    std::uint64_t chunks_ = 0;
};

} // namespace rhizome::alloc
