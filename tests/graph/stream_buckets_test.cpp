// SPDX-License-Identifier: Apache-2.0
// Streams over the rows of the covering set in this layout.
#include "stream_suite.hpp"

namespace rhizome::tests {

INSTANTIATE_TYPED_TEST_SUITE_P(buckets, update_streams, covering_cases<small_buckets>, named_types);

} // namespace rhizome::tests
