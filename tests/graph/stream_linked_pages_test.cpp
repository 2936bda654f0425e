// SPDX-License-Identifier: Apache-2.0
// Streams over the rows of the covering set in this layout.
#include "stream_suite.hpp"

namespace rhizome::tests {

INSTANTIATE_TYPED_TEST_SUITE_P(linked_pages, update_streams, covering_cases<small_pages>, named_types);

} // namespace rhizome::tests
