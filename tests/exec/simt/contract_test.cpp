// SPDX-License-Identifier: Apache-2.0
// The contract of every space, in the emulator.
#include "../collectives_cases.hpp"
#include "../contract_cases.hpp"
#include "../event_cases.hpp"
#include "../sorting_cases.hpp"

#include <rhizome/exec/simt.hpp>

#include <gtest/gtest.h>

namespace rhizome {
namespace {

TEST(simt_space, every_item_is_visited_once) { exec_test::every_item_is_visited_once(exec::simt_space()); }
TEST(simt_space, tiles_share_an_item) { exec_test::tiles_share_an_item(exec::simt_space()); }
TEST(simt_space, regions_grow_in_place) { exec_test::regions_grow_in_place(exec::simt_space(), 64u << 10); }
TEST(simt_space, regions_shrink_in_place) { exec_test::regions_shrink_in_place(exec::simt_space()); }
TEST(simt_space, sizes_beyond_all_memory_are_refused) {
    exec_test::sizes_beyond_all_memory_are_refused(exec::simt_space());
}
TEST(simt_space, limits_are_kept) {
    exec_test::limits_are_kept(exec::simt_space({.memory_limit_bytes = 8u << 20}));
}
TEST(simt_space, places_are_filled_ahead) { exec_test::places_are_filled_ahead(exec::simt_space()); }
TEST(simt_space, numbers_come_early) { exec_test::numbers_come_early(exec::simt_space()); }
TEST(simt_space, results_come_without_a_copy) { exec_test::results_come_without_a_copy(exec::simt_space()); }
TEST(simt_space, kernels_go_on_beside_the_work) {
    exec_test::kernels_go_on_beside_the_work(exec::simt_space());
}
TEST(simt_space, waits_and_charges_are_counted) {
    exec_test::waits_and_charges_are_counted(exec::simt_space());
}
TEST(simt_space, primitives_agree_with_the_standard_library) {
    exec_test::primitives_agree_with_the_standard_library(exec::simt_space());
}
TEST(simt_space, wide_keys_are_sorted) { exec_test::wide_keys_are_sorted(exec::simt_space()); }
TEST(simt_space, events_order_two_spaces) {
    exec_test::events_order_two_spaces(exec::simt_space(), exec::simt_space());
}
TEST(simt_space, sorting_ignores_higher_bits) {
    exec_test::sorting_ignores_higher_bits<std::uint64_t>(exec::simt_space());
    exec_test::sorting_ignores_higher_bits<exec::uint128>(exec::simt_space());
}
TEST(simt_space, sorting_into_another_array_leaves_the_keys) {
    exec_test::sorting_into_another_array_leaves_the_keys<std::uint64_t>(exec::simt_space());
    exec_test::sorting_into_another_array_leaves_the_keys<exec::uint128>(exec::simt_space());
}
TEST(simt_space, scratch_of_sorting_is_charged) {
    exec_test::scratch_of_sorting_is_charged<std::uint64_t>(
        exec::simt_space({.memory_limit_bytes = 4u << 20}));
    exec_test::scratch_of_sorting_is_charged<exec::uint128>(
        exec::simt_space({.memory_limit_bytes = 4u << 20}));
}

} // namespace
} // namespace rhizome
