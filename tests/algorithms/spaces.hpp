// Which spaces the typed tests of this folder run on: nvcc compiles the same files for the GPU.
#pragma once

#include <spaces.hpp>

#include <cstdint>

namespace rhizome::test {

using spaces = tests::detail::as_types<tests::space_list>::type;
using tests::space_names;

/// A space for one case; the seed matters where schedules are drawn from it.
template <class Space>
Space make_space(std::uint64_t seed = 1) {
    return tests::make_space<Space>({.seed = seed});
}

/// The emulator is a thousand times slower: it gets the small graphs.
template <class Space>
inline constexpr bool emulated = tests::is_emulated<Space>;

/// Skips, or fails where RHIZOME_REQUIRE_GPU is 1, on machines without a GPU.
template <class Space>
class on_space : public tests::space_test {};

} // namespace rhizome::test
