// The CUDA space keeps the contract. Skipped without a GPU; RHIZOME_REQUIRE_GPU=1 makes that a failure.
#include "contract_cases.hpp"

#include <rhizome/exec/cuda.hpp>

#include <cstdlib>

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
TEST_F(cuda_space, waits_and_charges_are_counted) { exec_test::waits_and_charges_are_counted(exec::cuda()); }
TEST_F(cuda_space, primitives_agree_with_the_standard_library) {
    exec_test::primitives_agree_with_the_standard_library(exec::cuda());
}
TEST_F(cuda_space, wide_keys_are_sorted) { exec_test::wide_keys_are_sorted(exec::cuda()); }

} // namespace
