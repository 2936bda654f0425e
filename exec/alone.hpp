// SPDX-License-Identifier: Apache-2.0
// A thread that acts by itself in code that otherwise acts by groups.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/single_lane.hpp>

namespace rhizome::exec {

/// A `Thread` whose coalesced group is the thread alone. Code that serves the lanes of a warp in groups
/// serves one group after another. Few lanes that want different things wait less when each acts alone, at
/// the price of one atomic each.
template <class Thread>
class alone : public Thread {
public:
    RZ_HD explicit alone(Thread const& thread) : Thread(thread) {}
    [[nodiscard]] RZ_HD single_lane coalesced() const { return {this->rank(), this->size()}; }
};

} // namespace rhizome::exec
