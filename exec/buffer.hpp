// SPDX-License-Identifier: Apache-2.0
// A fixed array in the memory of a space.
#pragma once

#include <rhizome/exec/sizes.hpp>

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::exec {

/// Owns `size()` elements of T in the memory of a space; move-only. Elements start uninitialised.
/// Constructors and discard_and_resize() throw out_of_memory if the space or its budget cannot serve the
/// size.
template <class Space, class T>
class buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    /// An empty buffer; allocates nothing.
    explicit buffer(Space space) : space_(std::move(space)) {}
    /// A buffer of `size` uninitialised elements.
    buffer(Space space, std::uint64_t size) : buffer(std::move(space)) { discard_and_resize(size); }
    /// A buffer of the elements of `values`, an array in host memory, which is copied: the caller may reuse
    /// it on return.
    buffer(Space space, std::span<T const> values) : buffer(std::move(space), values.size()) {
        space_.copy_in(data_, values.data(), values.size_bytes());
    }
    buffer(buffer const&) = delete;
    buffer& operator=(buffer const&) = delete;
    buffer(buffer&& other) noexcept
        : space_(other.space_), data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    /// Swaps the buffers: the old memory is freed with `other`.
    buffer& operator=(buffer&& other) noexcept {
        std::swap(space_, other.space_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    /// Frees the memory; on CUDA the host waits for the stream.
    ~buffer() { release(); }

    /// The address in the memory of the space (on CUDA the host cannot read it); nullptr if empty.
    [[nodiscard]] T* data() { return data_; }
    [[nodiscard]] T const* data() const { return data_; }
    /// The number of elements.
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// The size in bytes.
    [[nodiscard]] std::uint64_t size_bytes() const { return size_ * sizeof(T); }

    /// Gives the buffer `size` uninitialised elements; the old ones are lost. Frees the old memory first, so
    /// that old and new memory never exist together (on CUDA the host waits). If it throws out_of_memory, the
    /// buffer is empty.
    void discard_and_resize(std::uint64_t size) {
        release();
        if (size != 0) data_ = static_cast<T*>(space_.allocate(bytes_of<T>(size)));
        size_ = size;
    }

    /// Sets every byte to `byte`, in the order of the space.
    void fill_bytes(std::uint8_t byte) {
        if (size_ != 0) space_.fill(data_, byte, size_bytes());
    }

    /// Copies the elements to the host. Waits for all earlier work of the space.
    [[nodiscard]] std::vector<T> to_host() const {
        std::vector<T> values(size_);
        if (size_ != 0) space_.copy_out(values.data(), data_, size_bytes());
        return values;
    }

    /// The same memory as elements of another type of the same size and alignment. This buffer is then empty.
    template <class Other>
    [[nodiscard]] buffer<Space, Other> as() && {
        static_assert(sizeof(Other) == sizeof(T) && alignof(Other) == alignof(T));
        buffer<Space, Other> same(space_);
        same.data_ = reinterpret_cast<Other*>(std::exchange(data_, nullptr));
        same.size_ = std::exchange(size_, 0);
        return same;
    }

private:
    template <class, class>
    friend class buffer;

    void release() {
        if (data_ != nullptr) space_.deallocate(data_, size_bytes());
        data_ = nullptr;
        size_ = 0;
    }

    mutable Space space_;
    T* data_ = nullptr;
    std::uint64_t size_ = 0;
};

} // namespace rhizome::exec
