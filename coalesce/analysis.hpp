// SPDX-License-Identifier: Apache-2.0
#pragma once
// The uniformity analysis: which threads reach which call, with which arguments.
//
// It walks the syntax tree of a function, given how alike the threads are that enter it and its arguments. A
// variable has one uniformity in the whole function, the least of all values assigned to it, each joined with
// the control flow at the assignment. The walk is repeated until no variable changes. All memory that is not
// a local variable is unknown, as is a local variable whose address is taken. What the walk does not know
// makes a value differ in each thread.
#include "call_site.hpp"
#include "known_calls.hpp"
#include "level.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rhizome::coalesce {

/// What the user states of the program.
struct assumptions {
    bool one_dimensional_blocks = false; ///< all blocks have y = z = 1
    bool nothing_waits = false;          ///< no thread waits for another but at barriers of CUDA or Rhizome
};

/// How alike the threads are that enter a function, and its arguments.
struct entry {
    uniformity control;
    std::vector<uniformity> arguments;
    bool fields_are_uniform = false; ///< members of *this are the same in all threads: a kernel of Rhizome's
    bool one_dimensional = false;    ///< the block has y = z = 1
    bool is_told = false; ///< its allocations are static where its control flow allows: a kernel, or a call
                          ///< that passes that all threads make it
};

/// What is supposed of the plan that the analysis leads to. It holds if the plan agrees (make_plan).
struct supposed_plan {
    level finest = level::block;                        ///< block, or warp where only warps are wanted
    level coarsest = level::warp;                       ///< warp, or block where only blocks are wanted
    std::map<clang::SourceLocation, level> allocations; ///< what they became; thread: not static
    std::set<clang::SourceLocation> untold;             ///< calls that pass no argument
};

/// An allocation call as a function reaches it.
struct reached_allocation {
    clang::CallExpr const* call = nullptr;
    uniformity control;
    uniformity arguments; ///< the size, and the allocator where there is one
};

/// A call of a function with a visible body.
struct reached_call {
    call_site call;
    clang::FunctionDecl const* callee = nullptr;
    entry arrives;
};

/// What one walk over a function finds.
struct findings {
    uniformity result;
    std::vector<reached_allocation> allocations;
    std::vector<reached_call> calls;
    std::vector<reached_allocation> told; ///< calls of functions that are registered to be told
    std::optional<cause> hazard; ///< a static call anywhere in the kernel might hang or lose threads: why
    bool accesses_atomically = false;
};

/// Analyses functions, and keeps what it found.
class analysis {
public:
    analysis(clang::ASTContext& context, assumptions stated, supposed_plan supposed)
        : context_(context), stated_(stated), supposed_(std::move(supposed)) {}

    /// @return what `function`, which has a body, does when it is entered like this; valid as long as the
    /// analysis
    findings const& of(clang::FunctionDecl const& function, entry const& arrives);

    clang::ASTContext& context() { return context_; }
    assumptions const& stated() const { return stated_; }
    supposed_plan const& supposed() const { return supposed_; }

private:
    clang::ASTContext& context_;
    assumptions stated_;
    supposed_plan supposed_;
    std::map<std::string, std::unique_ptr<findings>> known_;
    std::set<clang::FunctionDecl const*> entered_;
    findings recursion_;
};

} // namespace rhizome::coalesce
