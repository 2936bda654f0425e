// A thread that goes for itself where others go as groups.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/single_lane.hpp>

namespace rhizome::exec {

/// `Thread`, except that its coalesced group is itself alone. Code that serves the lanes of a warp in groups
/// takes one group after the other; lanes that are few and want different things wait less when each goes
/// alone, at the price of an atomic each.
template <class Thread>
class alone : public Thread {
public:
    RZ_HD explicit alone(Thread const& thread) : Thread(thread) {}
    [[nodiscard]] RZ_HD single_lane coalesced() const { return {this->rank(), this->size()}; }
};

} // namespace rhizome::exec
