// SPDX-License-Identifier: Apache-2.0
// How the arcs of a batch come to the ranks that own their rows.
#pragma once

#include <cstdint>

namespace rhizome::graph {

enum class arc_transport : std::uint8_t {
    none,    ///< no batch has had to: there is one rank, or there was none
    written, ///< kernels wrote them into the memory of the other ranks
    sent,    ///< as messages: some rank does not reach the memory of another one
};

} // namespace rhizome::graph
