// SPDX-License-Identifier: Apache-2.0
// Addresses of arrays of other ranks.
#pragma once

#include <rhizome/comm/communicator.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace rhizome::comm {

/// Addresses that communicator::share_memory() has given, which are forgotten when this goes. Move-only.
template <class Space>
class shown_memory {
public:
    shown_memory(communicator<Space>& self, std::size_t count) : self_(&self), addresses_(count) {}
    shown_memory(shown_memory&&) noexcept = default;
    shown_memory& operator=(shown_memory&& other) noexcept {
        std::swap(self_, other.self_);
        std::swap(addresses_, other.addresses_);
        return *this;
    }
    ~shown_memory() { forget(); }

    [[nodiscard]] std::span<void*> all() { return addresses_; }
    void forget() noexcept {
        if (!addresses_.empty()) self_->forget_memory(addresses_);
    }

private:
    communicator<Space>* self_;
    std::vector<void*> addresses_; ///< none once moved from
};

} // namespace rhizome::comm
