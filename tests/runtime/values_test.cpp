// SPDX-License-Identifier: Apache-2.0
// Values whose type is known at run time.
#include <rhizome/runtime/algorithm.hpp>
#include <rhizome/runtime/values.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace rhizome::tests {
namespace {

using namespace runtime;

TEST(values, types_have_names_and_stand_for_those_of_c_plus_plus) {
    for (value_type const type : value_types)
        EXPECT_FALSE(name_of(type).empty());
    EXPECT_EQ(name_of(value_type::float64), "double");
    EXPECT_EQ(value_type_for<std::int64_t>(), value_type::int64);
    EXPECT_EQ(value_type_for<void>(), value_type::none);
}
TEST(values, views_give_back_what_they_were_made_of) {
    std::vector<float> const numbers{1, 2, 3};
    values_view const view = numbers;
    EXPECT_EQ(view.type(), value_type::float32);
    EXPECT_EQ(view.size(), 3u);
    EXPECT_EQ(view.as<float>().data(), numbers.data());
    EXPECT_THROW((void)view.as<double>(), std::invalid_argument);
    EXPECT_EQ(view.subspan(1, 2).as<float>()[0], 2);
    EXPECT_EQ(view.subspan(3, 0).size(), 0u);
    EXPECT_THROW((void)view.subspan(2, 2), std::out_of_range);
    EXPECT_TRUE(values_view().as<double>().empty()) << "no values are of any type";
}
TEST(values, owners_know_their_type) {
    values held = std::vector<std::int64_t>{5, 6};
    EXPECT_EQ(held.type(), value_type::int64);
    EXPECT_EQ(held.view().as<std::int64_t>()[1], 6);
    EXPECT_EQ(std::move(held).take<std::int64_t>(), (std::vector<std::int64_t>{5, 6}));
    EXPECT_EQ(values().type(), value_type::none);
    EXPECT_EQ(values().size(), 0u);
    EXPECT_THROW((void)values().take<float>(), std::bad_variant_access);
}

TEST(algorithm_arguments, refuse_names_and_types_that_they_do_not_have) {
    algorithm_arguments const given{{"damping", 0.5}};
    EXPECT_EQ(std::get<double>(given["damping"]), 0.5);
    EXPECT_EQ(given.real("damping"), 0.5);
    EXPECT_THROW((void)given["tolerance"], std::out_of_range);
    EXPECT_THROW((void)given.real("tolerance"), std::out_of_range);
    EXPECT_THROW((void)given.count("damping"), std::bad_variant_access);
}

} // namespace
} // namespace rhizome::tests
