// SPDX-License-Identifier: Apache-2.0
// Mailboxes of the device.
#pragma once

#include <rhizome/exec/cuda/space.hpp>
#include <rhizome/exec/mailbox.hpp>

#include <new>
#include <type_traits>
#include <utility>

namespace rhizome::exec {

template <class T>
class mailbox<cuda_space, T> {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    explicit mailbox(cuda_space space)
        : space_(std::move(space)), value_(new (space_.allocate_pinned(sizeof(T))) T{}) {}
    mailbox(mailbox const&) = delete;
    mailbox& operator=(mailbox const&) = delete;
    mailbox(mailbox&& other) noexcept : space_(other.space_), value_(std::exchange(other.value_, nullptr)) {}
    mailbox& operator=(mailbox&& other) noexcept {
        std::swap(space_, other.space_);
        std::swap(value_, other.value_);
        return *this;
    }
    ~mailbox() {
        if (value_ != nullptr) space_.deallocate_pinned(value_);
    }

    [[nodiscard]] T* in_space() { return value_; }
    [[nodiscard]] T const& read() {
        space_.synchronize();
        return *value_;
    }

private:
    cuda_space space_;
    T* value_;
};

} // namespace rhizome::exec
