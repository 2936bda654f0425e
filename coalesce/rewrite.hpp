// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "emitted_text.hpp"
#include "plan.hpp"

#include <string>

namespace rhizome::coalesce {

/// @param names_bookkeeping write `kept` also into calls of Rhizome's allocators, which have their own
/// @return the main file with the decisions of `made` carried out
std::string rewritten(clang::ASTContext& context, plan const& made, text::bookkeeping kept,
                      bool names_bookkeeping);

} // namespace rhizome::coalesce
