// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace rhizome::coalesce {

/// A unified diff.
std::string unified_diff(std::string const& name, std::string const& before, std::string const& after);

} // namespace rhizome::coalesce
