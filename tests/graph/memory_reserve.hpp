// SPDX-License-Identifier: Apache-2.0
// Memory that a limited space keeps for checks.
#pragma once

#include <rhizome/exec/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace rhizome::tests {

/// Holds part of what a space may take, so that nothing that is tested gets it.
template <class Space>
class memory_reserve {
public:
    memory_reserve(Space const& space, std::uint64_t bytes) : space_(space) { hold(bytes); }

    /// Calls check() while the reserve is free. What check() leaves behind, such as scratch that is kept,
    /// comes out of the reserve: as much is available afterwards as was before.
    template <class Check>
    void lend(Check const& check) {
        std::uint64_t const available = space_.budget().available_bytes();
        held_.reset();
        check();
        std::uint64_t const left = space_.budget().available_bytes();
        hold(left > available ? left - available : 0);
    }

private:
    void hold(std::uint64_t bytes) {
        if (bytes != 0) held_ = std::make_unique<exec::buffer<Space, std::byte>>(space_, bytes);
    }

    Space space_;
    std::unique_ptr<exec::buffer<Space, std::byte>> held_;
};

} // namespace rhizome::tests
