// SPDX-License-Identifier: Apache-2.0
#pragma once
// CUDA's headers as Clang has read them, kept in files: precompiled headers.
#include "written.hpp"

#include <clang/AST/ASTContext.h>

#include <string>
#include <vector>

namespace rhizome::coalesce {

/// @param folder of the cache
/// @param command_folder in which the source is read
/// @param arguments with which a source is read; they include the header of CUDA's headers
/// @return the same with that header replaced by its precompiled form, which is made if the cache does not
/// have it for these arguments. The arguments as they are, if it cannot be made or the user includes headers
/// by options: then the source is read without it
std::vector<std::string> with_cached_headers(std::string const& folder, std::string const& command_folder,
                                             std::vector<std::string> arguments,
                                             prepare_compiler const& prepare);

/// Visitors of the tree skip what comes from a precompiled header: CUDA's headers have no kernels.
void leave_out_cached_headers(clang::ASTContext& context);

} // namespace rhizome::coalesce
