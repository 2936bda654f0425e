// SPDX-License-Identifier: Apache-2.0
// Streams over the rows of the covering set in this layout.
#include "stream_suite.hpp"

namespace rhizome::tests {

INSTANTIATE_TYPED_TEST_SUITE_P(contiguous, update_streams, covering_cases<graph::contiguous>, named_types);

} // namespace rhizome::tests
