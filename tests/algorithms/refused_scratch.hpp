// SPDX-License-Identifier: Apache-2.0
// Algorithms whose scratch comes from a memory resource that refuses the n-th request, for every n.
#pragma once

#include <rhizome/exec/errors.hpp>

#include <counting_resource.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace rhizome::tests {

/// check(algorithm) runs an Algorithm, which is constructed with a space and a resource, and looks at the
/// result. The algorithm makes at least `least_requests`. A refusal must come out as out_of_memory and lose
/// nothing: the same object then works, and all is given back.
template <class Algorithm, class Space, class Check>
void expect_result_or_refusal(Space& space, std::uint64_t least_requests, Check const& check) {
    std::uint64_t const charged = space.budget().held_bytes();
    for (std::uint64_t from = 1;; ++from) {
        SCOPED_TRACE(from);
        counting_resource resource;
        resource.refuse_from(from, refusal::out_of_memory);
        {
            std::optional<Algorithm> tested;
            try {
                tested.emplace(space, &resource);
                check(*tested);
            } catch (exec::out_of_memory const& error) {
                EXPECT_GT(error.needed_bytes(), error.available_bytes());
                EXPECT_GT(resource.refused(), 0u);
            }
            EXPECT_EQ(space.budget().held_bytes(), charged + resource.held_bytes());
            if (resource.refused() == 0) {
                EXPECT_GT(from, least_requests);
                std::uint64_t const calls = resource.calls();
                check(*tested);
                EXPECT_EQ(resource.calls(), calls) << "a second run allocates nothing";
                return;
            }
            resource.refuse_no_more();
            if (tested) check(*tested);
        }
        EXPECT_EQ(resource.held_bytes(), 0u);
    }
}

} // namespace rhizome::tests
