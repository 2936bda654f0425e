// Scratch memory kept between calls.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>

#include <algorithm>
#include <cstddef>

namespace rhizome::exec {

/// A piece of scratch memory that only grows: in the steady state `at_least` allocates nothing. Growing
/// discards the contents. Throws out_of_memory when the space cannot serve the size; the old piece is freed
/// then.
template <class Space>
class workspace {
public:
    explicit workspace(Space space) : storage_(std::move(space)) {}

    /// At least `bytes` of scratch, aligned to 256 bytes. Grows by at least a half, so that growth is rare.
    [[nodiscard]] void* at_least(std::uint64_t bytes) {
        if (bytes > storage_.size()) {
            std::uint64_t const old_bytes = storage_.size();
            try {
                storage_.discard_and_resize(std::max(bytes, old_bytes + old_bytes / 2));
            } catch (out_of_memory const&) {
                storage_.discard_and_resize(bytes); // a tight budget may allow only what is needed
            }
        }
        return storage_.data();
    }

    template <class T>
    [[nodiscard]] T* at_least_of(std::uint64_t count) {
        return static_cast<T*>(at_least(count * sizeof(T)));
    }

    /// Frees the piece; at_least() takes a new one.
    void give_back() { storage_.discard_and_resize(0); }

    [[nodiscard]] std::uint64_t held_bytes() const { return storage_.size_bytes(); }

private:
    buffer<Space, std::byte> storage_;
};

} // namespace rhizome::exec
