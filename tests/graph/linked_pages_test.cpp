// SPDX-License-Identifier: Apache-2.0
// What every graph promises, of those with this layout.
#include "cases.hpp"

namespace rhizome::tests {
using tested_layout = small_pages;
} // namespace rhizome::tests

#include "behaviour_suite.hpp"
#include "loading_suite.hpp"
#include "memory_suite.hpp"
#include "queries_suite.hpp"
#include "values_suite.hpp"
