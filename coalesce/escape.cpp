// SPDX-License-Identifier: Apache-2.0
#include "escape.hpp"

#include "registry.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>
#include <clang/ASTMatchers/ASTMatchers.h>

namespace rhizome::coalesce {
namespace {

class pointer_trace {
public:
    pointer_trace(clang::ASTContext& context, program const& whole) : context_(context), whole_(whole) {}

    std::optional<cause> follow(clang::Expr const& value) {
        auto const parents = context_.getParents(value);
        if (parents.size() != 1) return cause{value.getExprLoc(), "it is used in a way that is not followed"};
        if (auto const* variable = parents[0].get<clang::VarDecl>()) return follow(*variable);
        auto const* parent = parents[0].get<clang::Stmt>();
        if (parent == nullptr) return cause{value.getExprLoc(), "it is used in a way that is not followed"};
        return used_by(value, *parent);
    }

private:
    std::optional<cause> used_by(clang::Expr const& value, clang::Stmt const& parent) {
        if (llvm::isa<clang::CompoundStmt>(parent) || llvm::isa<clang::IfStmt>(parent) ||
            llvm::isa<clang::ForStmt>(parent) || llvm::isa<clang::WhileStmt>(parent) ||
            llvm::isa<clang::DoStmt>(parent))
            return {};
        if (llvm::isa<clang::ParenExpr>(parent) || llvm::isa<clang::ExprWithCleanups>(parent))
            return follow(llvm::cast<clang::Expr>(parent));
        if (auto const* cast = llvm::dyn_cast<clang::CastExpr>(&parent)) {
            if (cast->getCastKind() == clang::CK_PointerToBoolean || cast->getCastKind() == clang::CK_ToVoid)
                return {};
            return cast->getType()->isPointerType()
                       ? follow(*cast)
                       : cause{value.getExprLoc(), "it is converted to another type"};
        }
        if (auto const* operation = llvm::dyn_cast<clang::BinaryOperator>(&parent))
            return used_by(value, *operation);
        if (auto const* operation = llvm::dyn_cast<clang::UnaryOperator>(&parent)) {
            if (operation->getOpcode() == clang::UO_LNot) return {};
            if (operation->getOpcode() == clang::UO_Deref) return place(*operation);
            return cause{value.getExprLoc(), "it is used in a way that is not followed"};
        }
        if (auto const* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(&parent))
            return place(*subscript);
        if (auto const* member = llvm::dyn_cast<clang::MemberExpr>(&parent))
            return llvm::isa<clang::FieldDecl>(member->getMemberDecl())
                       ? place(*member)
                       : cause{value.getExprLoc(), "a member function is called on it"};
        if (auto const* choice = llvm::dyn_cast<clang::ConditionalOperator>(&parent))
            return choice->getCond() == &value ? std::nullopt : follow(*choice);
        if (auto const* call = llvm::dyn_cast<clang::CallExpr>(&parent)) return passed(value, *call);
        if (llvm::isa<clang::ReturnStmt>(parent)) return returned(value);
        if (llvm::isa<clang::CXXDeleteExpr>(parent))
            return cause{value.getExprLoc(), "it is freed by delete"};
        return cause{value.getExprLoc(), "it is used in a way that is not followed"};
    }

    std::optional<cause> used_by(clang::Expr const& value, clang::BinaryOperator const& operation) {
        if (operation.isComparisonOp() || operation.isLogicalOp()) return {};
        if (operation.isAdditiveOp())
            return operation.getType()->isPointerType() ? follow(operation) : std::nullopt;
        if (operation.getOpcode() != clang::BO_Assign)
            return cause{value.getExprLoc(), "it is used in a way that is not followed"};
        if (operation.getRHS() != &value) return {};
        auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(operation.getLHS()->IgnoreParens());
        auto const* variable = named == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(named->getDecl());
        if (variable == nullptr || !variable->hasLocalStorage())
            return cause{value.getExprLoc(), "it is stored in memory"};
        if (auto escapes = follow(*variable)) return escapes;
        return follow_place_value(operation);
    }

    // `*pointer`, `pointer[i]`, `pointer->member`: loads and stores of what it points to are fine, its
    // address is not.
    std::optional<cause> place(clang::Expr const& lvalue) {
        auto const parents = context_.getParents(lvalue);
        if (parents.size() != 1)
            return cause{lvalue.getExprLoc(), "it is used in a way that is not followed"};
        auto const* parent = parents[0].get<clang::Stmt>();
        if (parent == nullptr) return cause{lvalue.getExprLoc(), "a reference is bound to what it points to"};
        if (auto const* cast = llvm::dyn_cast<clang::CastExpr>(parent)) {
            if (cast->getCastKind() == clang::CK_LValueToRValue || cast->getCastKind() == clang::CK_ToVoid)
                return {};
            if (cast->getCastKind() == clang::CK_ArrayToPointerDecay) return follow(*cast);
        }
        if (llvm::isa<clang::ParenExpr>(parent)) return place(llvm::cast<clang::Expr>(*parent));
        if (auto const* member = llvm::dyn_cast<clang::MemberExpr>(parent);
            member != nullptr && llvm::isa<clang::FieldDecl>(member->getMemberDecl()))
            return place(*member);
        if (auto const* operation = llvm::dyn_cast<clang::BinaryOperator>(parent);
            operation != nullptr && operation->isAssignmentOp())
            return operation->getLHS() == &lvalue
                       ? std::nullopt
                       : std::optional(cause{lvalue.getExprLoc(), "it is copied as an object"});
        if (auto const* operation = llvm::dyn_cast<clang::UnaryOperator>(parent)) {
            if (operation->isIncrementDecrementOp()) return {};
            if (operation->getOpcode() == clang::UO_AddrOf) return follow(*operation);
        }
        if (auto const* call = llvm::dyn_cast<clang::CallExpr>(parent)) return passed(lvalue, *call);
        return cause{lvalue.getExprLoc(), "it is used in a way that is not followed"};
    }

    // The value of an assignment, which is mostly dropped.
    std::optional<cause> follow_place_value(clang::Expr const& assignment) {
        if (!assignment.isGLValue()) return follow(assignment);
        auto const parents = context_.getParents(assignment);
        auto const* parent = parents.size() == 1 ? parents[0].get<clang::Stmt>() : nullptr;
        if (parent == nullptr)
            return cause{assignment.getExprLoc(), "it is used in a way that is not followed"};
        if (auto const* cast = llvm::dyn_cast<clang::CastExpr>(parent);
            cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue)
            return follow(*cast);
        if (llvm::isa<clang::ParenExpr>(parent)) return follow_place_value(llvm::cast<clang::Expr>(*parent));
        if (llvm::isa<clang::Expr>(parent) && !llvm::isa<clang::ExprWithCleanups>(parent))
            return cause{assignment.getExprLoc(), "it is used in a way that is not followed"};
        return {};
    }

    std::optional<cause> follow(clang::VarDecl const& variable) {
        if (!variable.hasLocalStorage() || !variable.getType()->isPointerType())
            return cause{variable.getLocation(), "it is kept in '" + variable.getNameAsString() + "'"};
        if (!seen_.insert(&variable).second) return {};
        using namespace clang::ast_matchers;
        for (BoundNodes const& match : clang::ast_matchers::match(
                 traverse(
                     clang::TK_AsIs,
                     declRefExpr(to(equalsNode(static_cast<clang::Decl const*>(&variable)))).bind("use")),
                 context_)) {
            auto const& use = *match.getNodeAs<clang::DeclRefExpr>("use");
            if (auto escapes = use_of(use)) return escapes;
        }
        return {};
    }

    std::optional<cause> use_of(clang::Expr const& use) {
        auto const parents = context_.getParents(use);
        auto const* parent = parents.size() == 1 ? parents[0].get<clang::Stmt>() : nullptr;
        if (parent != nullptr) {
            if (llvm::isa<clang::ParenExpr>(parent)) return use_of(llvm::cast<clang::Expr>(*parent));
            if (auto const* cast = llvm::dyn_cast<clang::CastExpr>(parent);
                cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue)
                return follow(*cast);
            if (auto const* operation = llvm::dyn_cast<clang::BinaryOperator>(parent);
                operation != nullptr && operation->isAssignmentOp() && operation->getLHS() == &use)
                return follow_place_value(*operation);
            if (auto const* operation = llvm::dyn_cast<clang::UnaryOperator>(parent);
                operation != nullptr && operation->isIncrementDecrementOp())
                return operation->isPostfix() ? follow(*operation) : follow_place_value(*operation);
        }
        return cause{use.getExprLoc(), "the address of the variable that holds it is taken"};
    }

    std::optional<cause> passed(clang::Expr const& value, clang::CallExpr const& call) {
        clang::FunctionDecl const* callee = call.getDirectCallee();
        if (callee == nullptr)
            return cause{value.getExprLoc(), "it is passed through a pointer to a function"};
        if (registered_function const* one = find_registered(callee->getQualifiedNameAsString())) {
            if (one->keeps)
                return cause{value.getExprLoc(),
                             "it is passed to '" + callee->getNameAsString() + "', which keeps it"};
            return call.getType()->isPointerType() ? follow(call) : std::nullopt;
        }
        known_call const kind = classify(*callee, {}, context_.getSourceManager());
        if (kind == known_call::release || kind == known_call::thread_value) return {};
        if (kind == known_call::atomic)
            return call.getNumArgs() > 0 && call.getArg(0) == &value
                       ? std::nullopt
                       : std::optional(cause{value.getExprLoc(), "it is stored in memory"});
        if (kind == known_call::memory || kind == known_call::read_only_load)
            return call.getType()->isPointerType() ? follow(call) : std::nullopt;
        clang::FunctionDecl const* body = nullptr;
        if (!callee->hasBody(body) || llvm::isa<clang::CXXMethodDecl>(callee))
            return cause{value.getExprLoc(), "it is passed to '" + callee->getNameAsString() + "'"};
        for (unsigned i = 0; i < call.getNumArgs() && i < body->getNumParams(); ++i)
            if (call.getArg(i) == &value) return follow(*body->getParamDecl(i));
        return cause{value.getExprLoc(), "it is passed to '" + callee->getNameAsString() + "'"};
    }

    std::optional<cause> returned(clang::Expr const& value) {
        clang::DynTypedNode node = clang::DynTypedNode::create(value);
        clang::FunctionDecl const* function = nullptr;
        while (function == nullptr) {
            auto const parents = context_.getParents(node);
            if (parents.empty() || parents[0].get<clang::LambdaExpr>() != nullptr) break;
            node = parents[0];
            function = node.get<clang::FunctionDecl>();
        }
        if (function == nullptr || llvm::isa<clang::CXXMethodDecl>(function) ||
            whole_.address_taken.count(function->getCanonicalDecl()) != 0)
            return cause{value.getExprLoc(), "it is returned to callers that are not seen"};
        if (!function->getReturnType()->isPointerType())
            return cause{value.getExprLoc(), "it is converted to another type"};
        if (!returning_.insert(function).second) return {};
        auto const callers = whole_.calls.find(function->getCanonicalDecl());
        if (callers == whole_.calls.end()) return {};
        for (call_site const& call : callers->second)
            if (auto escapes = follow(call.expression())) return escapes;
        return {};
    }

    clang::ASTContext& context_;
    program const& whole_;
    std::set<clang::VarDecl const*> seen_;
    std::set<clang::FunctionDecl const*> returning_;
};

} // namespace

std::optional<cause> escape_of(clang::ASTContext& context, program const& whole,
                               clang::CallExpr const& allocation) {
    return pointer_trace(context, whole).follow(allocation);
}

} // namespace rhizome::coalesce
