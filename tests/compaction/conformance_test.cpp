// Every compactor in every space: counts as well as contents, against a sequential oracle.
#include "compaction_check.hpp"
#include "compactors.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace rhizome::tests {
namespace {

template <class Case>
class compaction_conformance : public space_test {
protected:
    using space_type = typename Case::space;
    space_type space = make_space<space_type>();
    typename Case::type compactor{space};
};
using all_cases = cross_types<compactor_case, space_list, compactor_list>;
TYPED_TEST_SUITE(compaction_conformance, all_cases, named_types);

TYPED_TEST(compaction_conformance, counts_and_contents_are_the_oracles_for_all_masks_and_tails) {
    for (std::uint64_t const items : {0u, 1u, 31u, 32u, 33u, 127u, 1000u, 4095u, 4096u, 4097u, 20'011u}) {
        for (named_mask const& each : masks_of(items)) {
            SCOPED_TRACE(std::to_string(items) + " items, " + each.name);
            check_select<std::uint32_t>(this->space, this->compactor, each.mask);
            if (this->HasFatalFailure()) return;
        }
    }
}

TYPED_TEST(compaction_conformance, elements_may_have_any_width) {
    for (std::uint64_t const items : {1u, 100u, 9001u}) {
        for (double const share : {0.01, 0.4, 1.0}) {
            SCOPED_TRACE(std::to_string(items) + " items, share " + std::to_string(share));
            plain_mask const mask = uniform_mask(items, share);
            check_select<std::uint8_t>(this->space, this->compactor, mask);
            check_select<std::uint16_t>(this->space, this->compactor, mask);
            check_select<bytes_of<3>>(this->space, this->compactor, mask);
            check_select<float>(this->space, this->compactor, mask);
            check_select<double>(this->space, this->compactor, mask);
            check_select<three_floats>(this->space, this->compactor, mask);
            check_select<two_words>(this->space, this->compactor, mask);
        }
    }
}

TYPED_TEST(compaction_conformance, arrays_may_begin_anywhere) {
    plain_mask const mask = uniform_mask(10'007, 0.35);
    for (std::uint64_t by = 1; by <= 5; ++by) {
        SCOPED_TRACE("displaced by " + std::to_string(by));
        check_select<std::uint8_t>(this->space, this->compactor, mask, {by, by, by + 1});
        check_select<std::uint16_t>(this->space, this->compactor, mask, {by, by, by});
        check_select<two_words>(this->space, this->compactor, mask, {by, by, by + 1});
    }
}

TYPED_TEST(compaction_conformance, many_units_are_put_together_in_order) {
    for (named_mask const& each : masks_of(work<typename TestFixture::space_type>(3'000'017, 150'001))) {
        SCOPED_TRACE(each.name);
        check_select<std::uint32_t>(this->space, this->compactor, each.mask);
        if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(compaction_conformance, a_compactor_serves_masks_of_all_sizes_one_after_another) {
    for (std::uint64_t const items : {50'000u, 10u, 120'000u, 0u, 4096u, 70'001u})
        check_select<std::uint32_t>(this->space, this->compactor, uniform_mask(items, 0.5, items));
}

} // namespace
} // namespace rhizome::tests
