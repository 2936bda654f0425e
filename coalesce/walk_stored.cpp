// SPDX-License-Identifier: Apache-2.0
// What a thread has just stored to memory. A statement `place = value` is followed by loads of the same
// place; without a barrier, an atomic access or a call between them, another thread's store there would be a
// data race.
#include "function_walk.hpp"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/FoldingSet.h>

namespace rhizome::coalesce {
namespace {

bool names(clang::Stmt const* statement, clang::VarDecl const& variable) {
    if (statement == nullptr) return false;
    if (auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(statement))
        return named->getDecl() == &variable;
    for (clang::Stmt const* inner : statement->children())
        if (names(inner, variable)) return true;
    return false;
}

// The variable of `variable.member...`.
clang::VarDecl const* root_of(clang::Expr const* place) {
    for (;;) {
        place = place->IgnoreParens();
        auto const* member = llvm::dyn_cast<clang::MemberExpr>(place);
        if (member == nullptr || member->isArrow() || !llvm::isa<clang::FieldDecl>(member->getMemberDecl()))
            break;
        place = member->getBase();
    }
    auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(place);
    return named == nullptr || named->refersToEnclosingVariableOrCapture()
               ? nullptr
               : llvm::dyn_cast<clang::VarDecl>(named->getDecl());
}

bool are_same(clang::ASTContext const& context, clang::Expr const* one, clang::Expr const* other) {
    llvm::FoldingSetNodeID left, right;
    one->IgnoreParens()->Profile(left, context, true);
    other->IgnoreParens()->Profile(right, context, true);
    return left == right;
}

// Two members of one object.
bool are_apart(clang::ASTContext const& context, clang::Expr const* one, clang::Expr const* other) {
    auto const* left = llvm::dyn_cast<clang::MemberExpr>(one->IgnoreParens());
    auto const* right = llvm::dyn_cast<clang::MemberExpr>(other->IgnoreParens());
    if (left == nullptr || right == nullptr || left->isArrow() != right->isArrow()) return false;
    auto const* field = llvm::dyn_cast<clang::FieldDecl>(left->getMemberDecl());
    auto const* other_field = llvm::dyn_cast<clang::FieldDecl>(right->getMemberDecl());
    return field != nullptr && other_field != nullptr && field != other_field &&
           field->getParent() == other_field->getParent() && // no union: is_steady_place()
           are_same(context, left->getBase(), right->getBase());
}

} // namespace

// A variable of this thread alone that no pointer leads to.
bool function_walk::is_own_variable(clang::Expr const* place) const {
    clang::VarDecl const* variable = root_of(place);
    return variable != nullptr && variable->hasLocalStorage() && !variable->getType()->isReferenceType() &&
           !variable->getType().isVolatileQualified() && escaped_.count(variable) == 0;
}

// Is this value the same whenever it is computed, as long as the variables that it names keep theirs?
bool function_walk::is_steady_value(clang::Expr const* expression) const {
    expression = expression->IgnoreParens();
    if (is_constant(expression) || llvm::isa<clang::CXXThisExpr>(expression)) return true;
    if (auto const* cast = llvm::dyn_cast<clang::CastExpr>(expression)) {
        clang::Expr const* inner = cast->getSubExpr();
        if (cast->getCastKind() == clang::CK_ArrayToPointerDecay) return is_steady_place(inner);
        if (cast->getCastKind() != clang::CK_LValueToRValue)
            return !inner->isGLValue() && is_steady_value(inner);
        clang::VarDecl const* variable = root_of(inner);
        bool const is_index = variable != nullptr && variable->getDeclName().isIdentifier() &&
                              (variable->getName() == "threadIdx" || variable->getName() == "blockIdx" ||
                               variable->getName() == "blockDim" || variable->getName() == "gridDim") &&
                              context_.getSourceManager().isInSystemHeader(variable->getLocation());
        return is_index || is_own_variable(inner);
    }
    if (auto const* operation = llvm::dyn_cast<clang::BinaryOperator>(expression))
        return (operation->isMultiplicativeOp() || operation->isAdditiveOp() || operation->isShiftOp() ||
                operation->isBitwiseOp()) &&
               is_steady_value(operation->getLHS()) && is_steady_value(operation->getRHS());
    auto const* operation = llvm::dyn_cast<clang::UnaryOperator>(expression);
    return operation != nullptr && operation->isArithmeticOp() && is_steady_value(operation->getSubExpr());
}

// Is this the same place whenever it is named?
bool function_walk::is_steady_place(clang::Expr const* place) const {
    place = place->IgnoreParens();
    if (place->getType().isVolatileQualified()) return false;
    if (auto const* member = llvm::dyn_cast<clang::MemberExpr>(place)) {
        auto const* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
        if (field == nullptr || field->isBitField() || field->getType()->isReferenceType() ||
            field->getParent()->isUnion())
            return false;
        return member->isArrow() ? is_steady_value(member->getBase()) : is_steady_place(member->getBase());
    }
    if (auto const* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(place))
        return is_steady_value(subscript->getBase()) && is_steady_value(subscript->getIdx());
    if (auto const* operation = llvm::dyn_cast<clang::UnaryOperator>(place))
        return operation->getOpcode() == clang::UO_Deref && is_steady_value(operation->getSubExpr());
    clang::VarDecl const* variable = root_of(place); // an array, or an object, wherever it lies
    return variable != nullptr && !variable->getType()->isReferenceType();
}

/// `assignment` is a statement of its own, and has been walked.
void function_walk::remember(clang::BinaryOperator const& assignment, uniformity const& stored) {
    clang::Expr const* place = assignment.getLHS();
    if (!place->getType()->isScalarType() || root_of(place) != nullptr || !is_steady_place(place)) return;
    stored_.push_back({place, stored});
}

/// A constructor has stored to a member, which its code names without `this`.
void function_walk::remember(clang::CXXCtorInitializer const& member, uniformity const& stored) {
    clang::FieldDecl* const field = member.getMember();
    if (field == nullptr || !field->getType()->isScalarType()) return;
    auto const& constructor = llvm::cast<clang::CXXConstructorDecl>(function_);
    auto* const object =
        new (context_) clang::CXXThisExpr(member.getSourceLocation(), constructor.getThisType(), true);
    auto const* const place = clang::MemberExpr::CreateImplicit(
        context_, object, true, field, field->getType(), clang::VK_LValue, clang::OK_Ordinary);
    if (is_steady_place(place)) stored_.push_back({place, stored});
}

std::optional<uniformity> function_walk::recall(clang::Expr const* place) const {
    for (auto one = stored_.rbegin(); one != stored_.rend(); ++one)
        if (are_same(context_, one->place, place)) return joined(one->value, control());
    return {};
}

/// Before a store to `place`.
void function_walk::forget_what_a_store_may_change(clang::Expr const* place) {
    clang::VarDecl const* const variable = is_own_variable(place) ? root_of(place) : nullptr;
    std::erase_if(stored_, [&](stored_value const& one) {
        return variable != nullptr ? names(one.place, *variable) : !are_apart(context_, one.place, place);
    });
}

/// A pointer or a reference to the variable exists.
void function_walk::note_escaped(clang::VarDecl const& variable) {
    if (escaped_.insert(&variable).second) changed_ = true;
    std::erase_if(stored_, [&](stored_value const& one) { return names(one.place, variable); });
}

} // namespace rhizome::coalesce
