// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "emitted_text.hpp"
#include "plan.hpp"

#include <string>

namespace rhizome::coalesce {

/// @param kept written into calls of Rhizome's allocators; nothing: they have their own
/// @param shares_registry other files free pointers of this one
/// @return the main file with the decisions of `made` carried out
std::string rewritten(clang::ASTContext& context, plan const& made, std::optional<text::bookkeeping> kept,
                      bool shares_registry);

} // namespace rhizome::coalesce
