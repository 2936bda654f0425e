// SPDX-License-Identifier: Apache-2.0
#include "function_walk.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>

namespace rhizome::coalesce {
namespace {

clang::Expr const* without_parentheses(clang::Expr const* place) {
    for (;;) {
        place = place->IgnoreParens();
        auto const* cast = llvm::dyn_cast<clang::CastExpr>(place);
        if (cast == nullptr || cast->getCastKind() != clang::CK_NoOp || !cast->isGLValue()) return place;
        place = cast->getSubExpr();
    }
}

// The array of `array[i]`, if the subscript is of an array and not of a pointer.
clang::Expr const* array_of(clang::ArraySubscriptExpr const& subscript) {
    auto const* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(subscript.getBase()->IgnoreParens());
    bool const decays = cast != nullptr && cast->getCastKind() == clang::CK_ArrayToPointerDecay;
    return decays ? cast->getSubExpr() : nullptr;
}

} // namespace

uniformity function_walk::load(clang::Expr const* place) {
    place = without_parentheses(place);
    clang::SourceLocation const where = place->getExprLoc();
    if (!place->isGLValue()) return value(place);
    if (place->getType().isVolatileQualified()) {
        ++atomic_accesses_;
        escape(place);
        return differs(where, "a volatile load", true);
    }
    if (std::optional<uniformity> const known = recall(place)) return *known;
    if (auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(place)) {
        auto const* variable = llvm::dyn_cast<clang::VarDecl>(named->getDecl());
        if (variable == nullptr || variable->getType()->isReferenceType()) return memory_at(where);
        if (named->refersToEnclosingVariableOrCapture()) return memory_at(where);
        if (variable->hasLocalStorage()) {
            auto const known = variables_.find(variable);
            if (known != variables_.end() && has_fields(*variable)) return load_fields(*variable);
            return known == variables_.end()
                       ? differs(where, "a variable that the analysis does not follow", true)
                       : known->second;
        }
        if (variable->hasAttr<clang::CUDAConstantAttr>()) return {};
        bool const is_cudas = context_.getSourceManager().isInSystemHeader(variable->getLocation());
        if (is_cudas && variable->getName() == "warpSize") return {};
        if (is_cudas && (variable->getName() == "blockIdx" || variable->getName() == "blockDim" ||
                         variable->getName() == "gridDim"))
            return {};
        if (is_cudas && variable->getName() == "threadIdx")
            return differs(where, "the index of the thread in its block");
        if (load_shared(*variable))
            return {level::block, true, {where, "'" + variable->getNameAsString() + "' in shared memory"}};
        return memory_at(where);
    }
    if (auto const* member = llvm::dyn_cast<clang::MemberExpr>(place)) {
        auto const* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
        clang::Expr const* base = member->getBase()->IgnoreParenImpCasts();
        if (field == nullptr || field->getType()->isReferenceType()) {
            value(member->getBase());
            return memory_at(where);
        }
        if (member->isArrow()) {
            if (llvm::isa<clang::CXXThisExpr>(base) && arrives_.fields_are_uniform && !field->isMutable())
                return {};
            value(member->getBase());
            return memory_at(where);
        }
        if (auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(base)) {
            clang::NamedDecl const& variable = *named->getDecl();
            if (variable.getDeclName().isIdentifier() && variable.getName() == "threadIdx" &&
                context_.getSourceManager().isInSystemHeader(variable.getLocation())) {
                uniformity rank = differs(where, "the index of the thread in its block");
                if (field->getName() == "x" && arrives_.one_dimensional) rank.alike = level::linear;
                return rank;
            }
        }
        if (is_field(*member)) return load_field(*member);
        return member->getBase()->isGLValue() ? load(member->getBase()) : value(member->getBase());
    }
    if (auto const* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
        uniformity const index = value(subscript->getIdx());
        if (clang::Expr const* array = array_of(*subscript)) return joined(load(array), as_control(index));
        value(subscript->getBase());
        return memory_at(where);
    }
    if (auto const* made = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(place))
        return value(made->getSubExpr());
    if (auto const* chosen = llvm::dyn_cast<clang::AbstractConditionalOperator>(place)) {
        uniformity const condition = as_control(value(chosen->getCond()));
        under const taken(*this, condition);
        uniformity loaded = joined(condition, load(chosen->getTrueExpr()));
        return loaded.join(load(chosen->getFalseExpr()));
    }
    if (auto const* assignment = llvm::dyn_cast<clang::BinaryOperator>(place);
        assignment && assignment->isAssignmentOp())
        return joined(value(assignment), load(assignment->getLHS()));
    if (auto const* step = llvm::dyn_cast<clang::UnaryOperator>(place);
        step && step->isIncrementDecrementOp())
        return joined(value(step), load(step->getSubExpr()));
    if (auto const* comma = llvm::dyn_cast<clang::BinaryOperator>(place); comma && comma->isCommaOp()) {
        drop(comma->getLHS());
        return load(comma->getRHS());
    }
    value(place);
    return memory_at(where);
}

// Do all threads of the block load the same value? They load between the same two barriers, as their control
// flow is the same. A store between these barriers, before or behind, may be seen by some of them.
bool function_walk::load_shared(clang::VarDecl const& variable) {
    if (shared_.count(&variable) == 0 || control().alike != level::block) return false;
    shared_interval::accesses& here = interval_[&variable];
    here.loaded = true;
    if (here.stored && unsettled_.insert(&variable).second) changed_ = true;
    return unsettled_.count(&variable) == 0;
}

void function_walk::store_shared(clang::VarDecl const& variable) {
    if (shared_.count(&variable) == 0) return;
    shared_interval::accesses& here = interval_[&variable];
    here.stored = true;
    if (here.loaded && unsettled_.insert(&variable).second) changed_ = true;
}

// An expression whose value is not used. To name a variable is then not to take its address.
void function_walk::drop(clang::Expr const* expression) {
    clang::Expr const* place = expression->IgnoreParens();
    bool const is_place = llvm::isa<clang::DeclRefExpr>(place) || llvm::isa<clang::MemberExpr>(place) ||
                          llvm::isa<clang::ArraySubscriptExpr>(place);
    if (is_place && place->isGLValue())
        load(place);
    else
        value(expression);
}

void function_walk::store(clang::Expr const* place, uniformity const& stored) {
    ++changes_;
    place = without_parentheses(place);
    forget_what_a_store_may_change(place);
    if (place->getType().isVolatileQualified()) {
        ++atomic_accesses_;
        forget();
    }
    if (auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(place)) {
        auto const* variable = llvm::dyn_cast<clang::VarDecl>(named->getDecl());
        if (variable != nullptr) store_shared(*variable);
        if (variable == nullptr || !variable->hasLocalStorage() || variable->getType()->isReferenceType())
            return;
        return raise(*variable, joined(stored, control()));
    }
    if (auto const* member = llvm::dyn_cast<clang::MemberExpr>(place)) {
        if (member->isArrow())
            value(member->getBase());
        else if (is_field(*member))
            store_field(*member, stored);
        else
            store(member->getBase(), stored);
        return;
    }
    if (auto const* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
        uniformity const index = value(subscript->getIdx());
        if (clang::Expr const* array = array_of(*subscript))
            return store(array, joined(stored, as_control(index)));
        value(subscript->getBase());
        return;
    }
    escape(place);
}

// Code that has the address may write there at any time: nothing is known of the variable from now on.
void function_walk::escape(clang::Expr const* place) {
    place = without_parentheses(place);
    if (auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(place)) {
        auto const* variable = llvm::dyn_cast<clang::VarDecl>(named->getDecl());
        if (variable != nullptr) note_escaped(*variable);
        if (variable != nullptr && variable->hasLocalStorage() && !variable->getType()->isReferenceType())
            raise(*variable, differs(place->getExprLoc(),
                                     "'" + variable->getNameAsString() + "', whose address is taken", true));
        return;
    }
    if (auto const* member = llvm::dyn_cast<clang::MemberExpr>(place)) {
        if (member->isArrow())
            value(member->getBase());
        else
            escape(member->getBase());
        return;
    }
    if (auto const* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
        value(subscript->getIdx());
        if (clang::Expr const* array = array_of(*subscript)) return escape(array);
        value(subscript->getBase());
        return;
    }
    if (auto const* cast = llvm::dyn_cast<clang::CastExpr>(place); cast != nullptr && cast->isGLValue())
        return escape(cast->getSubExpr());
    if (auto const* chosen = llvm::dyn_cast<clang::AbstractConditionalOperator>(place);
        chosen != nullptr && chosen->isGLValue()) {
        value(chosen->getCond());
        escape(chosen->getTrueExpr());
        return escape(chosen->getFalseExpr());
    }
    if (auto const* operation = llvm::dyn_cast<clang::BinaryOperator>(place)) {
        value(operation);
        if (operation->isAssignmentOp()) escape(operation->getLHS());
        if (operation->getOpcode() == clang::BO_Comma) escape(operation->getRHS());
        return;
    }
    if (auto const* step = llvm::dyn_cast<clang::UnaryOperator>(place);
        step && step->isIncrementDecrementOp()) {
        value(step);
        return escape(step->getSubExpr());
    }
    value(place);
}

} // namespace rhizome::coalesce
