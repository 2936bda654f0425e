// SPDX-License-Identifier: Apache-2.0
#include "function_walk.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/SourceManager.h>

namespace rhizome::coalesce {

bool function_walk::is_constant(clang::Expr const* expression) const {
    if (expression->isValueDependent() || expression->getType()->isVoidType()) return false;
    if (!expression->getType()->isArithmeticType() && !expression->getType()->isEnumeralType()) return false;
    clang::Expr::EvalResult result;
    return expression->EvaluateAsRValue(result, context_) && !result.HasSideEffects;
}

uniformity function_walk::each_operand(clang::Stmt const& expression) {
    uniformity all;
    for (clang::Stmt const* operand : expression.children()) {
        if (operand == nullptr) continue;
        if (auto const* inner = llvm::dyn_cast<clang::Expr>(operand))
            all.join(value(inner));
        else
            walk(operand);
    }
    return all;
}

uniformity function_walk::value(clang::Expr const* expression) {
    if (is_constant(expression)) return {};
    clang::SourceLocation const where = expression->getExprLoc();
    switch (expression->getStmtClass()) {
    case clang::Stmt::IntegerLiteralClass:
    case clang::Stmt::FloatingLiteralClass:
    case clang::Stmt::CharacterLiteralClass:
    case clang::Stmt::StringLiteralClass:
    case clang::Stmt::CXXBoolLiteralExprClass:
    case clang::Stmt::CXXNullPtrLiteralExprClass:
    case clang::Stmt::GNUNullExprClass:
    case clang::Stmt::ImplicitValueInitExprClass:
    case clang::Stmt::CXXScalarValueInitExprClass:
        return {};
    case clang::Stmt::ParenExprClass:
    case clang::Stmt::ConstantExprClass:
    case clang::Stmt::ExprWithCleanupsClass:
    case clang::Stmt::MaterializeTemporaryExprClass:
    case clang::Stmt::SubstNonTypeTemplateParmExprClass:
    case clang::Stmt::InitListExprClass:
        return each_operand(*expression);
    case clang::Stmt::CXXBindTemporaryExprClass:
        destroy(expression->getType(), where);
        return each_operand(*expression);
    case clang::Stmt::CXXDefaultArgExprClass:
        return value(llvm::cast<clang::CXXDefaultArgExpr>(expression)->getExpr());
    case clang::Stmt::CXXDefaultInitExprClass:
        return value(llvm::cast<clang::CXXDefaultInitExpr>(expression)->getExpr());
    case clang::Stmt::UnaryExprOrTypeTraitExprClass:
        return differs(where, "a size that is not a constant"); // a constant one returned above
    case clang::Stmt::CXXThisExprClass:
        return arrives_.fields_are_uniform ? uniformity{} : differs(where, "the address of an object");
    case clang::Stmt::DeclRefExprClass: {
        auto const& named = *llvm::cast<clang::DeclRefExpr>(expression)->getDecl();
        if (llvm::isa<clang::FunctionDecl>(named) || llvm::isa<clang::EnumConstantDecl>(named)) return {};
        if (!expression->isGLValue()) return load(expression);
        escape(expression); // its address is taken, or a reference is bound to it
        return differs(where, "an address", true);
    }
    case clang::Stmt::ArraySubscriptExprClass:
    case clang::Stmt::MemberExprClass:
        if (!expression->isGLValue()) return load(expression);
        escape(expression);
        return differs(where, "an address", true);
    case clang::Stmt::ImplicitCastExprClass:
    case clang::Stmt::CStyleCastExprClass:
    case clang::Stmt::CXXFunctionalCastExprClass:
    case clang::Stmt::CXXStaticCastExprClass:
    case clang::Stmt::CXXReinterpretCastExprClass:
    case clang::Stmt::CXXConstCastExprClass:
        return conversion(*llvm::cast<clang::CastExpr>(expression));
    case clang::Stmt::UnaryOperatorClass: {
        auto const& operation = *llvm::cast<clang::UnaryOperator>(expression);
        if (operation.isIncrementDecrementOp()) {
            uniformity stepped = load(operation.getSubExpr());
            stepped.null_alike = {};
            if (stepped.alike == level::linear)
                stepped = differs(where, "the index of the thread in its block");
            store(operation.getSubExpr(), stepped);
            return stepped;
        }
        if (operation.getOpcode() == clang::UO_AddrOf) {
            escape(operation.getSubExpr());
            return differs(where, "an address", true);
        }
        if (operation.getOpcode() == clang::UO_Deref) {
            value(operation.getSubExpr());
            return memory_at(where);
        }
        return operation.getOpcode() == clang::UO_Plus ? value(operation.getSubExpr())
                                                       : as_control(value(operation.getSubExpr()));
    }
    case clang::Stmt::BinaryOperatorClass:
    case clang::Stmt::CompoundAssignOperatorClass:
        return operation(*llvm::cast<clang::BinaryOperator>(expression));
    case clang::Stmt::ConditionalOperatorClass:
    case clang::Stmt::BinaryConditionalOperatorClass:
        return conditional(*llvm::cast<clang::AbstractConditionalOperator>(expression));
    case clang::Stmt::OpaqueValueExprClass: {
        clang::Expr const* source = llvm::cast<clang::OpaqueValueExpr>(expression)->getSourceExpr();
        return source == nullptr ? differs(where, "a value that the analysis does not follow")
                                 : value(source);
    }
    case clang::Stmt::CXXConstructExprClass:
    case clang::Stmt::CXXTemporaryObjectExprClass:
        return construction(*llvm::cast<clang::CXXConstructExpr>(expression));
    case clang::Stmt::CallExprClass:
    case clang::Stmt::CXXMemberCallExprClass:
    case clang::Stmt::CXXOperatorCallExprClass:
        return call(*llvm::cast<clang::CallExpr>(expression));
    case clang::Stmt::LambdaExprClass:
        return lambda(*llvm::cast<clang::LambdaExpr>(expression));
    case clang::Stmt::CXXThrowExprClass:
        hazard(where, "exceptions");
        return differs(where, "a thrown exception");
    case clang::Stmt::StmtExprClass:
        hazard(where, "a statement inside an expression");
        return differs(where, "a statement inside an expression");
    case clang::Stmt::CXXNewExprClass:
        return creation(*llvm::cast<clang::CXXNewExpr>(expression));
    case clang::Stmt::CXXDeleteExprClass:
        return deletion(*llvm::cast<clang::CXXDeleteExpr>(expression));
    case clang::Stmt::CUDAKernelCallExprClass:
    case clang::Stmt::UserDefinedLiteralClass:
        each_operand(*expression);
        hazard(where, "an expression that calls functions in a way that the analysis does not follow");
        return differs(where, "an expression that the analysis does not follow", true);
    default:
        forget();
        ++atomic_accesses_; // __atomic_load_n, for one
        each_operand(*expression);
        return differs(where, "an expression that the analysis does not follow", true);
    }
}

bool function_walk::divides_into_warps(clang::BinaryOperator const& operation) const {
    bool const divides = operation.getOpcode() == clang::BO_Div;
    if (!divides && operation.getOpcode() != clang::BO_Shr) return false;
    clang::Expr const* by = operation.getRHS()->IgnoreParenImpCasts();
    if (auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(by); named != nullptr && divides)
        if (named->getDecl()->getDeclName().isIdentifier() && named->getDecl()->getName() == "warpSize" &&
            context_.getSourceManager().isInSystemHeader(named->getDecl()->getLocation()))
            return true;
    clang::Expr::EvalResult result;
    if (by->isValueDependent() || !by->getType()->isIntegerType() || !by->EvaluateAsInt(result, context_))
        return false;
    std::int64_t const number = result.Val.getInt().getExtValue();
    return divides ? number > 0 && number % 32 == 0 : number >= 5 && number < 32;
}

bool function_walk::is_null(clang::Expr const* pointer) const {
    return pointer->getType()->isPointerType() && !pointer->isValueDependent() &&
           pointer->IgnoreParenImpCasts()->isNullPointerConstant(
               context_, clang::Expr::NPC_ValueDependentIsNotNull) != clang::Expr::NPCK_NotNull;
}

uniformity function_walk::operation(clang::BinaryOperator const& operation) {
    if (operation.getOpcode() == clang::BO_Assign) {
        uniformity const stored = value(operation.getRHS());
        store(operation.getLHS(), stored);
        return joined(stored, control());
    }
    if (operation.isCompoundAssignmentOp()) {
        uniformity const stored =
            joined(as_control(value(operation.getRHS())), as_control(load(operation.getLHS())));
        store(operation.getLHS(), stored);
        return joined(stored, control());
    }
    if (operation.isLogicalOp()) {
        uniformity const first = as_control(value(operation.getLHS()));
        under const decided(*this, first);
        maybe const runs(*this);
        shared_interval const before = interval_;
        uniformity const second = as_control(value(operation.getRHS()));
        interval_.join(before);
        return joined(first, second);
    }
    if (operation.isCommaOp()) drop(operation.getLHS());
    uniformity first = operation.isCommaOp() ? uniformity{} : value(operation.getLHS());
    uniformity const second = value(operation.getRHS());
    if (operation.getOpcode() == clang::BO_Comma) return second;
    if (operation.isEqualityOp()) {
        if (is_null(operation.getRHS())) return as_control(truth_of(first));
        if (is_null(operation.getLHS())) return as_control(truth_of(second));
    }
    if (operation.isPtrMemOp()) return memory_at(operation.getExprLoc());
    if (first.alike == level::linear && divides_into_warps(operation)) first.alike = level::warp;
    return joined(as_control(first), as_control(second));
}

uniformity function_walk::conditional(clang::AbstractConditionalOperator const& choice) {
    uniformity const condition = as_control(value(choice.getCond()));
    under const taken(*this, condition);
    maybe const either(*this);
    if (choice.isGLValue()) {
        escape(choice.getTrueExpr());
        escape(choice.getFalseExpr());
        return differs(choice.getExprLoc(), "an address", true);
    }
    uniformity chosen = condition;
    shared_interval const before = interval_;
    chosen.join(value(choice.getTrueExpr()));
    shared_interval const after = std::exchange(interval_, before);
    chosen.join(value(choice.getFalseExpr()));
    interval_.join(after);
    return chosen;
}

uniformity function_walk::conversion(clang::CastExpr const& cast) {
    clang::Expr const* inner = cast.getSubExpr();
    switch (cast.getCastKind()) {
    case clang::CK_LValueToRValue:
        return load(inner);
    case clang::CK_NoOp:
        return value(inner);
    case clang::CK_IntegralCast: {
        uniformity converted = value(inner);
        converted.null_alike = {};
        return context_.getTypeSize(cast.getType()) < 16 ? as_control(converted) : converted;
    }
    case clang::CK_ArrayToPointerDecay:
        if (llvm::isa<clang::StringLiteral>(inner->IgnoreParens())) return {};
        escape(inner);
        return differs(cast.getExprLoc(), "an address", true);
    case clang::CK_IntegralToBoolean:
    case clang::CK_IntegralToFloating:
    case clang::CK_FloatingToIntegral:
    case clang::CK_FloatingToBoolean:
    case clang::CK_FloatingCast:
    case clang::CK_BooleanToSignedIntegral:
    case clang::CK_PointerToIntegral:
    case clang::CK_IntegralToPointer:
    case clang::CK_NullToPointer:
        return as_control(value(inner));
    case clang::CK_PointerToBoolean:
        return as_control(truth_of(value(inner)));
    case clang::CK_BitCast: {
        uniformity const pointer = value(inner);
        uniformity converted = as_control(pointer);
        if (inner->getType()->isPointerType() && cast.getType()->isPointerType())
            converted.null_alike = pointer.null_alike;
        return converted;
    }
    case clang::CK_ToVoid:
        drop(inner);
        return {};
    case clang::CK_FunctionToPointerDecay:
    case clang::CK_BuiltinFnToFnPtr:
        return {};
    case clang::CK_ConstructorConversion:
        return value(inner);
    default:
        ++atomic_accesses_;
        value(inner);
        return differs(cast.getExprLoc(), "a conversion that the analysis does not follow", true);
    }
}

uniformity function_walk::construction(clang::CXXConstructExpr const& made) {
    clang::CXXConstructorDecl const& constructor = *made.getConstructor();
    if (constructor.isCopyOrMoveConstructor() && constructor.isTrivial() && made.getNumArgs() == 1)
        return load(made.getArg(0));
    entry arriving;
    for (clang::Expr const* argument : made.arguments())
        arriving.arguments.push_back(value(argument));
    if (constructor.isTrivial() && made.getNumArgs() == 0 && made.requiresZeroInitialization()) return {};
    if (!may_be_skipped_ && call_site(made).calls_written_constructor() && constructor.hasBody()) {
        ++changes_;
        forget();
        body_of(made, constructor, std::move(arriving));
    } else if (!constructor.isTrivial()) {
        implicit_body(&constructor, made.getExprLoc());
    }
    return differs(made.getExprLoc(), "a constructed object");
}

} // namespace rhizome::coalesce
