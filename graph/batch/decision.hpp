// SPDX-License-Identifier: Apache-2.0
// A decision of the caller between the steps reserve and apply.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/arrays.hpp>

#include <functional>

namespace rhizome::graph::batch {

/// Thrown if the caller decided against a batch. The graph is unchanged.
struct called_off {};

/// Stops a batch that has reserved its pages. One thread.
struct call_off {
    progress* now;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() == 0) now->called_off = 1;
    }
};

/// Asks the caller whether a batch that has reserved its pages shall be applied, and stops the batch if not.
/// Returns false then. A batch that was stopped is tried again or refused, so the caller is not asked. Costs
/// one more wait; nothing without a caller to ask.
template <class Space, class Run>
bool decide(Space& space, Run const& work) {
    if (work.decide == nullptr) return true;
    progress* const now = &work.context.a.all->now;
    progress found;
    space.copy_out(&found, now, sizeof(found));
    if (found.stopped() || (*work.decide)()) return true;
    launch(space, one_warp(space), call_off{now});
    return false;
}

} // namespace rhizome::graph::batch
