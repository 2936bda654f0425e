// SPDX-License-Identifier: Apache-2.0
// CUB and Thrust on the elements of growable arrays.
#include <rhizome/container/region_array.hpp>
#include <rhizome/container/static_array.hpp>
#include <rhizome/exec/cuda.hpp>
#include <rhizome/exec/cuda/check.hpp>

#include <cub/device/device_reduce.cuh>
#include <gtest/gtest.h>
#include <spaces.hpp>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace rhizome::tests {
namespace {

constexpr std::uint64_t count = 100'000;
constexpr std::uint64_t sum = count * (count - 1) / 2;

class arrays_in_libraries : public space_test {};

TEST_F(arrays_in_libraries, thrust_writes_and_reads_elements) {
    exec::cuda_space space;
    container::region_array<exec::cuda_space, std::uint64_t> array(space, {.capacity = count});
    auto const on_stream = thrust::cuda::par.on(space.stream());
    thrust::sequence(on_stream, array.begin(), array.begin() + count);
    array.set_size(count);
    EXPECT_EQ(thrust::reduce(on_stream, array.begin(), array.end(), std::uint64_t{0}), sum);
    EXPECT_EQ(array.to_host().back(), count - 1);
}

TEST_F(arrays_in_libraries, cub_reads_elements) {
    exec::cuda_space space;
    container::static_array<exec::cuda_space, std::uint64_t> array(space, count);
    thrust::sequence(thrust::cuda::par.on(space.stream()), array.begin(), array.begin() + count);
    array.set_size(count);
    exec::buffer<exec::cuda_space, std::uint64_t> total(space, 1);
    std::size_t bytes = 0;
    exec::check_cuda(
        cub::DeviceReduce::Sum(nullptr, bytes, array.begin(), total.data(), count, space.stream()),
        "cub::DeviceReduce::Sum");
    exec::buffer<exec::cuda_space, std::byte> scratch(space, bytes);
    exec::check_cuda(
        cub::DeviceReduce::Sum(scratch.data(), bytes, array.begin(), total.data(), count, space.stream()),
        "cub::DeviceReduce::Sum");
    EXPECT_EQ(total.to_host()[0], sum);
}

TEST(beyond_32_bits_in_libraries, thrust_reads_every_byte) {
    std::string const reason = exec::cuda_space::unusable_because();
    if (!reason.empty()) return end_without(gpus_are_required(), "no GPU can be used: " + reason);
    constexpr std::uint64_t bytes = (std::uint64_t{1} << 32) + 12'345;
    exec::cuda_space space;
    if (space.memory_bytes() < 2 * bytes)
        return end_without(gpu_memory_is_required(), "needs 8 GiB of GPU memory");
    container::region_array<exec::cuda_space, std::uint8_t> array(space, {.capacity = bytes});
    space.fill(array.data(), 3, bytes);
    array.set_size(bytes);
    EXPECT_EQ(
        thrust::reduce(thrust::cuda::par.on(space.stream()), array.begin(), array.end(), std::uint64_t{0}),
        3 * bytes);
}

} // namespace
} // namespace rhizome::tests
