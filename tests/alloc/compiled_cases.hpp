// The heaps of the conformance tests, numbered. nvcc compiles the kernels of each in a file of its own, and
// once for all tests.
#pragma once

#include "blocks.hpp"

#include <cstddef>
#include <tuple>

namespace rhizome::tests {
namespace detail {
template <class... Cases>
auto tuple_of(::testing::Types<Cases...>) -> std::tuple<Cases...>;
}
using compiled_heaps = decltype(detail::tuple_of(conformance_cases{}));
template <std::size_t I>
using compiled_heap = std::tuple_element_t<I, compiled_heaps>;
} // namespace rhizome::tests

/// Declares heap number I (Prefix: extern), or compiles it (Prefix empty).
#define RZ_COMPILED_CASE(Prefix, I)                                                                          \
    Prefix template class rhizome::tests::heap<rhizome::tests::compiled_heap<I>>;
