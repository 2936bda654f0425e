// SPDX-License-Identifier: Apache-2.0
// Algorithms over one kind of view. Their kernels do not depend on the allocator, so each is compiled once
// for all graphs of a layout: a generated file instantiates this class, and the graphs only call it.
#pragma once

#include <rhizome/runtime/algorithm.hpp>

#include <cstddef>
#include <memory>

namespace rhizome::runtime::detail {

/// What the algorithms keep between their runs.
template <class Space>
struct algorithm_scratch;

/// In the file of the space's CSR views.
template <class Space>
struct make_scratch {
    [[nodiscard]] static std::shared_ptr<algorithm_scratch<Space>> on(Space const& space);
};

template <class Space, class View>
struct view_algorithms {
    /// Runs algorithm `number` of algorithms(). `given` is complete.
    [[nodiscard]] static algorithm_result run(algorithm_scratch<Space>& scratch, View const& view,
                                              std::size_t number, algorithm_arguments const& given);
};

} // namespace rhizome::runtime::detail
