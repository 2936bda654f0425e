// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tool needs to know of a translation unit: kernels, calls of allocators, and references to
// functions.
#include "call_site.hpp"
#include "known_calls.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>

#include <map>
#include <set>
#include <vector>

namespace rhizome::coalesce {

struct allocator_call {
    clang::CallExpr const* call;
    clang::FunctionDecl const* in; ///< the function around it; nullptr: none
    known_call kind;
};

/// Found by AST matchers, also in instances of templates, but not in templates themselves.
struct program {
    std::vector<clang::FunctionDecl const*> kernels; ///< with bodies, in the order of the source
    std::vector<allocator_call> allocations;         ///< outside system headers
    std::vector<allocator_call> releases;
    std::vector<clang::SourceLocation>
        pending; ///< allocations in templates: what they are depends on arguments
    std::map<clang::FunctionDecl const*, std::vector<call_site>> calls; ///< by canonical declaration
    std::set<clang::FunctionDecl const*> address_taken; ///< functions that are named other than to call them
    std::set<clang::FunctionDecl const*>
        one_dimensional; ///< kernels all of whose launches are seen and have y = z = 1
    std::set<clang::FunctionDecl const*> called_directly; ///< kernels of Rhizome's that other code calls
    clang::SourceLocation host_only_condition;            ///< #if that nvcc decides otherwise for device code
    std::string host_only_macro;
};

program read_program(clang::ASTContext& context);

/// Is `function` one of those, or does it lie within one (a member of a lambda or local class)?
bool in_device_code(clang::FunctionDecl const& function);

/// Does `function` run as a kernel of Rhizome's?
bool is_rhizome_kernel(clang::FunctionDecl const& function);

} // namespace rhizome::coalesce
