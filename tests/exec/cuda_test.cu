// The CUDA space keeps the contract. Skipped without a GPU; RHIZOME_REQUIRE_GPU=1 makes that a failure.
#include "contract_cases.hpp"

#include <rhizome/exec/cuda.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>

using namespace rhizome;

namespace {

class cuda_space : public ::testing::Test {
protected:
    void SetUp() override {
        std::string const reason = exec::cuda::unusable_because();
        if (reason.empty()) return;
        if (std::getenv("RHIZOME_REQUIRE_GPU") != nullptr) FAIL() << reason;
        GTEST_SKIP() << reason;
    }
};

TEST_F(cuda_space, every_item_is_visited_once) { exec_test::every_item_is_visited_once(exec::cuda()); }
TEST_F(cuda_space, tiles_share_an_item) { exec_test::tiles_share_an_item(exec::cuda()); }
TEST_F(cuda_space, regions_grow_in_place) { exec_test::regions_grow_in_place(exec::cuda(), 2u << 20); }
TEST_F(cuda_space, limits_are_kept) {
    exec_test::limits_are_kept(exec::cuda({.memory_limit_bytes = 8u << 20}));
}
TEST_F(cuda_space, places_are_filled_ahead) { exec_test::places_are_filled_ahead(exec::cuda()); }
TEST_F(cuda_space, results_come_without_a_copy) { exec_test::results_come_without_a_copy(exec::cuda()); }
TEST_F(cuda_space, kernels_go_on_beside_the_work) { exec_test::kernels_go_on_beside_the_work(exec::cuda()); }
TEST_F(cuda_space, waits_and_charges_are_counted) { exec_test::waits_and_charges_are_counted(exec::cuda()); }
TEST_F(cuda_space, primitives_agree_with_the_standard_library) {
    exec_test::primitives_agree_with_the_standard_library(exec::cuda());
}
/// What a user's own call left behind is the user's to read, and no reason to break off.
TEST_F(cuda_space, errors_of_other_calls_are_left_alone) {
    exec::cuda const space;
    void* never = nullptr;
    ASSERT_EQ(cudaMalloc(&never, std::size_t{1} << 60), cudaErrorMemoryAllocation);
    EXPECT_NO_THROW(exec_test::every_item_is_visited_once(space));
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

TEST_F(cuda_space, devices_can_be_used_in_turn_by_any_thread) {
    int devices = 0;
    ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
    if (devices < 2) GTEST_SKIP() << "one device";
    exec::cuda const first({.device = 0});
    exec::cuda const second({.device = 1});
    for (int round = 0; round < 2; ++round) {
        exec_test::every_item_is_visited_once(first);
        exec_test::every_item_is_visited_once(second);
    }
    std::thread([&] { exec_test::every_item_is_visited_once(second); }).join();
}

TEST_F(cuda_space, wide_keys_are_sorted) { exec_test::wide_keys_are_sorted(exec::cuda()); }

} // namespace
