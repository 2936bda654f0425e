// SPDX-License-Identifier: Apache-2.0
// Scratch memory kept between calls.
#pragma once

#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/sizes.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace rhizome::exec {

/// One block of scratch memory that is kept between calls. at_least() allocates only if the block is too
/// small, and then discards its contents. If the source of the memory (the resource, or else the space)
/// cannot serve the size, at_least() throws out_of_memory; the old block is then freed too. Move-only.
/// Assignment swaps the blocks.
template <class Space>
class workspace {
public:
    /// `resource`: source of the memory; nullptr: the space. The resource must outlive the workspace.
    explicit workspace(Space space, memory_resource* resource = nullptr)
        : space_(std::move(space)), resource_(resource) {}
    workspace(workspace&& other) noexcept
        : space_(other.space_), resource_(other.resource_), data_(std::exchange(other.data_, nullptr)),
          bytes_(std::exchange(other.bytes_, 0)) {}
    workspace& operator=(workspace&& other) noexcept {
        std::swap(space_, other.space_);
        std::swap(resource_, other.resource_);
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~workspace() { give_back(); }

    /// Returns a block of at least `bytes`, aligned to 256 bytes. A new block is at least an eighth larger
    /// than the old one if there is memory for that, so that growth is rare.
    [[nodiscard]] void* at_least(std::uint64_t bytes) {
        if (bytes > bytes_) {
            std::uint64_t const old_bytes = bytes_;
            give_back(); // the old block and the new one never exist together
            try {
                take(std::max(bytes, old_bytes + old_bytes / 8));
            } catch (out_of_memory const&) {
                take(bytes); // a tight budget may hold just what is needed
            }
        }
        return data_;
    }

    template <class T>
    [[nodiscard]] T* at_least_of(std::uint64_t count) {
        return static_cast<T*>(at_least(bytes_of<T>(count)));
    }

    /// Frees the block; the next at_least() allocates one.
    void give_back() {
        if (data_ != nullptr) detail::deallocate_to(space_, resource_, data_, bytes_);
        data_ = nullptr;
        bytes_ = 0;
    }

    /// The size of the block; 0 if there is none.
    [[nodiscard]] std::uint64_t held_bytes() const { return bytes_; }

private:
    void take(std::uint64_t bytes) {
        data_ = detail::allocate_from(space_, resource_, bytes);
        bytes_ = bytes;
    }

    Space space_;
    memory_resource* resource_;
    void* data_ = nullptr;
    std::uint64_t bytes_ = 0;
};

} // namespace rhizome::exec
