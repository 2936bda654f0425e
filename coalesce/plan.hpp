// SPDX-License-Identifier: Apache-2.0
#pragma once
// Decides which calls become static calls, and which functions are told whether all threads called them.
#include "analysis.hpp"
#include "program.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace rhizome::coalesce {

enum class scope_choice : std::uint8_t { automatic, block, warp };
enum class scope : std::uint8_t { block, warp };

struct plan_options {
    scope_choice wanted = scope_choice::automatic;
    bool whole_program = false; ///< this file holds all device code that frees its pointers
    bool dynamic = false;       ///< calls that are left alone go to alloc::coalescing, in all files
    bool several_files = false; ///< the program has other files, which the tool rewrites too
    assumptions stated;
};

/// What becomes of one allocation call of the source.
struct decision {
    clang::SourceLocation where;
    clang::CallExpr const* call = nullptr;
    known_call kind = known_call::allocation;
    bool rewritten = false;
    bool is_dynamic = false;  ///< not rewritten; goes to alloc::coalescing
    bool by_argument = false; ///< static where the caller of the function says so
    scope covers = scope::block;
    std::string reason;            ///< without places
    clang::SourceLocation because; ///< the place that the reason names, or invalid
};

/// The allocation calls that a kernel reaches, by their places.
struct kernel_summary {
    clang::FunctionDecl const* kernel;
    std::set<clang::SourceLocation> calls;
};

struct plan {
    std::vector<decision> decisions;                            ///< in the order of the source
    std::vector<clang::FunctionDecl const*> told;               ///< functions that get an argument
    std::vector<call_site> telling;                             ///< calls that pass it
    std::map<call_site, clang::FunctionDecl const*> telling_in; ///< function around it, if itself told
    std::vector<clang::CallExpr const*> telling_registered;     ///< the same, of functions of the registry
    std::vector<clang::CallExpr const*> releases;               ///< free calls to rewrite
    std::vector<kernel_summary> kernels;                        ///< in the order of the source
    bool uses_dynamic = false;        ///< new and delete go to alloc::coalescing, and so do calls that say so
    bool has_foreign_release = false; ///< a free of device code cannot be rewritten
};

plan make_plan(clang::ASTContext& context, program const& whole, plan_options const& options);

} // namespace rhizome::coalesce
