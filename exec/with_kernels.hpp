// SPDX-License-Identifier: Apache-2.0
// A space whose kernels are loaded.
#pragma once

namespace rhizome::exec {

/// Returns `space` after space.load_kernels(): for initialisers of members that take memory later.
template <class Space>
[[nodiscard]] Space with_kernels(Space space) {
    space.load_kernels();
    return space;
}

} // namespace rhizome::exec
