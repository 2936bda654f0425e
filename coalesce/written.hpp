// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Tooling/CompilationDatabase.h>

#include <functional>
#include <string>

namespace rhizome::coalesce {

/// Gets the compiler before it reads a source.
using prepare_compiler = std::function<void(clang::CompilerInstance&)>;

/// Parses what the tool has written. @return whether it parses, and each argument that says whether all
/// threads make a call arrives in the parameter for it, whatever else has the function's name
bool check_written(clang::tooling::CompilationDatabase const& compilation, std::string const& path,
                   std::string const& text, prepare_compiler const& prepare);

} // namespace rhizome::coalesce
