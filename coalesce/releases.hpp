// SPDX-License-Identifier: Apache-2.0
#pragma once
// What gives memory back in device code other than by a call of `free`: `delete`, deallocation functions, and
// `free` where its text cannot be reached. A coalesced pointer must not get there.
#include "program.hpp"

#include <string>
#include <vector>

namespace rhizome::coalesce {

/// One place that gives memory back and stays as it is.
struct foreign_release {
    clang::SourceLocation where;
    std::string text; ///< "a delete", ...
};

/// @return all such places in code that may run on the device: in functions that are declared so outside
/// system headers, in kernels, and in every function with a body that these name, system headers included.
/// A `delete` of a local variable that only `new` fills is none.
/// @param replaced the global operators new and delete of device code are the tool's, so that they know all
/// pointers, unless the program has its own
std::vector<foreign_release> foreign_releases(clang::ASTContext& context, program const& whole,
                                              bool replaced);

} // namespace rhizome::coalesce
