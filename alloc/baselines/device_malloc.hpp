// SPDX-License-Identifier: Apache-2.0
// The allocator that CUDA offers: malloc and free, called inside kernels.
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/errors.hpp>

#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace rhizome::alloc {

/// The ref of device_malloc: calls malloc and free of the device, on the host those of the C library.
class device_malloc_ref {
public:
    struct traits {
        static constexpr std::uint64_t alignment_bytes = 16;
        static constexpr std::uint64_t smallest_bytes = 16;
        static constexpr std::uint64_t largest_bytes = std::uint64_t{1} << 48;
        static constexpr bool reuses = true;
        static constexpr bool bounded = false;
    };

    /// Returns nullptr if malloc() does: the heap is full.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const&, std::uint64_t bytes) const {
        if (bytes > traits::largest_bytes) return nullptr;
        return ::malloc(usable_bytes(bytes));
    }
    template <class Thread>
    RZ_HD void deallocate(Thread const&, void* pointer) const {
        ::free(pointer);
    }
    /// `bytes`, rounded up to a multiple of 16.
    [[nodiscard]] RZ_HD std::uint64_t usable_bytes(std::uint64_t bytes) const {
        return bytes == 0 ? 16 : (bytes + 15) / 16 * 16;
    }
};

namespace detail {
/// A space whose kernels take malloc's memory from a heap of its own: space.grow_malloc_heap(bytes) -> bool
/// makes that heap at least so large, or says that it cannot.
template <class Space>
concept has_malloc_heap = requires(Space& space) {
    { space.grow_malloc_heap(std::uint64_t{1}) } -> std::same_as<bool>;
};
} // namespace detail

/// Owns no memory. Blocks lie in the C library's heap, or in CUDA's. All users of the device share CUDA's
/// heap. Its size is fixed once a kernel has called malloc. Therefore the first owner sets it to a quarter of
/// space.memory_bytes(), or to options.heap_bytes if that is larger. Once a kernel has called malloc, an
/// owner that needs a larger heap throws out_of_memory. The space's budget does not include that heap. Blocks
/// that are not given back stay lost when the owner is destroyed.
template <class Space>
class device_malloc {
public:
    using space_type = Space;
    using ref_type = device_malloc_ref;

    /// Sets the size of CUDA's heap as described above. Throws out_of_memory on CUDA; on the host there is no
    /// limit.
    explicit device_malloc(Space space, heap_options const& options = {}) : space_(std::move(space)) {
        if constexpr (has_cuda_heap) (void)space_.grow_malloc_heap(space_.memory_bytes() / 4);
        grow_to(options.heap_bytes);
    }
    device_malloc(device_malloc const&) = delete;
    device_malloc& operator=(device_malloc const&) = delete;
    device_malloc(device_malloc&&) noexcept = default;
    device_malloc& operator=(device_malloc&&) noexcept = default;
    ~device_malloc() = default;

    [[nodiscard]] device_malloc_ref ref() const { return {}; }
    /// Makes CUDA's heap at least `bytes` large. Throws out_of_memory if CUDA refuses.
    void grow_to(std::uint64_t bytes) {
        if (bytes <= heap_bytes_) return;
        if constexpr (has_cuda_heap) {
            if (!space_.grow_malloc_heap(bytes))
                throw exec::out_of_memory("CUDA's malloc heap", bytes, space_.malloc_heap_bytes());
        }
        heap_bytes_ = bytes;
    }
    /// Does nothing.
    void trim() {}
    /// The largest number of bytes passed to the constructor or to grow_to(); not the size of CUDA's heap.
    [[nodiscard]] std::uint64_t heap_bytes() const { return heap_bytes_; }
    [[nodiscard]] std::uint64_t table_bytes() const { return 0; }
    /// Checks nothing: the heap belongs to CUDA or the C library.
    [[nodiscard]] audit_result audit() { return {}; }

private:
    static constexpr bool has_cuda_heap = detail::has_malloc_heap<Space>;

    Space space_;
    std::uint64_t heap_bytes_ = 0;
};

} // namespace rhizome::alloc
