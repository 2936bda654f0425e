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

} // namespace
} // namespace rhizome::tests
