// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the pointer of an allocation goes: a plain CUDA program may free it only where the tool has rewritten
// `free`.
#include "level.hpp"
#include "program.hpp"

#include <optional>

namespace rhizome::coalesce {

/// @return nothing if only functions of this translation unit can come by the pointer that `allocation`
/// returns; else where it leaves them, and how
std::optional<cause> escape_of(clang::ASTContext& context, program const& whole,
                               clang::CallExpr const& allocation);

} // namespace rhizome::coalesce
