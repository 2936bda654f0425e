// SPDX-License-Identifier: Apache-2.0
#pragma once
// A call as the source writes it: of a function, or of the constructor of an object.
#include <clang/AST/ExprCXX.h>

#include <tuple>

namespace rhizome::coalesce {

class call_site {
public:
    call_site() = default;
    call_site(clang::CallExpr const& call) : call_(&call) {}
    call_site(clang::CXXConstructExpr const& made) : made_(&made) {}

    [[nodiscard]] clang::Expr const& expression() const {
        return call_ != nullptr ? static_cast<clang::Expr const&>(*call_) : *made_;
    }
    /// nullptr for a constructor.
    [[nodiscard]] clang::CallExpr const* as_call() const { return call_; }
    [[nodiscard]] clang::CXXConstructExpr const* as_constructor() const { return made_; }

    /// nullptr for a call through a pointer.
    [[nodiscard]] clang::FunctionDecl const* callee() const {
        return call_ != nullptr ? call_->getDirectCallee() : made_->getConstructor();
    }
    [[nodiscard]] unsigned argument_count() const {
        return call_ != nullptr ? call_->getNumArgs() : made_->getNumArgs();
    }
    [[nodiscard]] clang::Expr const* argument(unsigned index) const {
        return call_ != nullptr ? call_->getArg(index) : made_->getArg(index);
    }
    [[nodiscard]] clang::SourceLocation begin() const { return expression().getBeginLoc(); }
    /// Where the callee begins: not where the call does in `a.b(1)(2)`.
    [[nodiscard]] clang::SourceLocation callee_begin() const {
        return call_ != nullptr ? call_->getCallee()->getBeginLoc() : begin();
    }
    /// The closing parenthesis or brace; invalid for a constructor that is called without.
    [[nodiscard]] clang::SourceLocation end() const {
        return call_ != nullptr ? call_->getRParenLoc() : made_->getParenOrBraceRange().getEnd();
    }

    /// A constructor that the program defines, called with parentheses or braces, for one object.
    [[nodiscard]] bool calls_written_constructor() const {
        return made_ != nullptr && end().isValid() && !made_->getType()->isArrayType() &&
               made_->getConstructor()->isUserProvided() &&
               !made_->getConstructor()->isInheritingConstructor();
    }

    friend bool operator<(call_site const& one, call_site const& other) {
        return std::tie(one.call_, one.made_) < std::tie(other.call_, other.made_);
    }

private:
    clang::CallExpr const* call_ = nullptr;
    clang::CXXConstructExpr const* made_ = nullptr;
};

} // namespace rhizome::coalesce
