// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the text of the source allows to be rewritten.
#include "program.hpp"

#include <optional>
#include <string>

namespace rhizome::coalesce {

/// @return why the text of `call`, an allocation or a release, cannot be changed; nothing if it can
std::optional<std::string> why_not_editable(clang::ASTContext& context, clang::CallExpr const& call);

/// Can an argument be added to `call`?
bool is_editable_call(clang::ASTContext& context, clang::CallExpr const& call);

/// @return why `function` cannot take one more parameter; nothing if it can
std::optional<std::string> why_not_told(clang::ASTContext& context, program const& whole,
                                        clang::FunctionDecl const& function);

/// The function around `call`.
clang::FunctionDecl const* function_holding(clang::ASTContext& context, clang::CallExpr const& call);

} // namespace rhizome::coalesce
