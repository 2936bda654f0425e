// SPDX-License-Identifier: Apache-2.0
// A small value that kernels write and the host reads, without a copy.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace rhizome::exec {

/// A T that kernels write and the host reads. Move-only. This version is for spaces whose memory is the
/// host's; `cuda/mailbox.hpp` has one in pinned memory, so that a small result needs no copy.
template <class Space, class T>
class mailbox {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    /// Throws out_of_memory where the host has no memory for it.
    explicit mailbox(Space space) : space_(std::move(space)), value_(std::make_unique<T>()) {}

    /// The address for kernels.
    [[nodiscard]] T* in_space() { return value_.get(); }
    /// The value that kernels have written. Waits for the work given to the space so far.
    [[nodiscard]] T const& read() {
        space_.synchronize();
        return *value_;
    }

private:
    Space space_;
    std::unique_ptr<T> value_;
};

} // namespace rhizome::exec
