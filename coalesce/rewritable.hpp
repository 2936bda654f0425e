// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the text of the source allows to be rewritten.
#include "program.hpp"

#include <optional>
#include <string>

namespace rhizome::coalesce {

/// @return why the text of `call`, an allocation or a release, cannot be changed; nothing if it can
std::optional<std::string> why_not_editable(clang::ASTContext& context, clang::CallExpr const& call);

/// @return the text of the arguments that `call` leaves to their defaults; nothing if one is not a literal
std::optional<std::string> omitted_arguments(clang::ASTContext& context, call_site const& call);

/// Do the name and the parentheses of `call` stand in the source itself?
bool is_plain_call(clang::ASTContext& context, call_site const& call);

/// Can an argument be added to `call`, behind all others?
bool is_editable_call(clang::ASTContext& context, call_site const& call);

/// @return why `function` cannot take one more parameter; nothing if it can
std::optional<std::string> why_not_told(clang::ASTContext& context, program const& whole,
                                        clang::FunctionDecl const& function);

/// Can a device function of another file, or host code of another file, call `function` by a declaration of
/// its own? Then its signature must stay.
bool other_files_may_call(clang::FunctionDecl const& function);

/// The function around `call`.
clang::FunctionDecl const* function_holding(clang::ASTContext& context, clang::Expr const& call);

} // namespace rhizome::coalesce
