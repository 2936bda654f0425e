// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <clang/Tooling/CompilationDatabase.h>

#include <string>

namespace rhizome::coalesce {

/// Parses what the tool has written. @return whether it parses, and each argument that says whether all
/// threads make a call arrives in the parameter for it, whatever else has the function's name
bool check_written(clang::tooling::CompilationDatabase const& compilation, std::string const& path,
                   std::string const& text);

} // namespace rhizome::coalesce
