// Which spaces the typed tests of this folder run on: nvcc compiles the same files for the GPU.
#pragma once

#if defined(__CUDACC__)
#include <rhizome/exec/cuda.hpp>
#else
#include <rhizome/exec/host.hpp>
#include <rhizome/exec/simt.hpp>
#endif

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>

namespace rhizome::test {

#if defined(__CUDACC__)
using spaces = ::testing::Types<exec::cuda>;
#else
using spaces = ::testing::Types<exec::host, exec::simt>;
#endif

struct space_names {
    template <class Space>
    static std::string GetName(int) {
        return std::string(Space::name);
    }
};

/// A space for one case; the seed matters where schedules are drawn from it.
template <class Space>
Space make_space([[maybe_unused]] std::uint64_t seed = 1) {
#if defined(__CUDACC__)
    return Space();
#else
    if constexpr (std::is_same_v<Space, exec::simt>) {
        return Space({.seed = seed});
    } else {
        return Space({.threads = 4});
    }
#endif
}

/// The emulator is a thousand times slower: it gets the small graphs.
template <class Space>
inline constexpr bool emulated = std::string_view(Space::name) == "simt";

/// Skips, or fails where RHIZOME_REQUIRE_GPU is 1, on machines without a GPU.
template <class Space>
class on_space : public ::testing::Test {
protected:
    void SetUp() override {
#if defined(__CUDACC__)
        std::string const reason = exec::cuda::unusable_because();
        if (reason.empty()) return;
        char const* const required = std::getenv("RHIZOME_REQUIRE_GPU");
        if (required != nullptr && std::string_view(required) == "1")
            FAIL() << "RHIZOME_REQUIRE_GPU is 1, but: " << reason;
        GTEST_SKIP() << reason;
#endif
    }
};

} // namespace rhizome::test
