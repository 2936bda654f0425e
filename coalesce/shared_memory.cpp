// SPDX-License-Identifier: Apache-2.0
#include "shared_memory.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace rhizome::coalesce {
namespace {

clang::VarDecl const* shared_variable(clang::Expr const* place) {
    for (;;) {
        place = place->IgnoreParens();
        if (auto const* member = llvm::dyn_cast<clang::MemberExpr>(place); member && !member->isArrow()) {
            if (!llvm::isa<clang::FieldDecl>(member->getMemberDecl())) return nullptr;
            place = member->getBase();
            continue;
        }
        if (auto const* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
            auto const* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(subscript->getBase()->IgnoreParens());
            if (cast == nullptr || cast->getCastKind() != clang::CK_ArrayToPointerDecay) return nullptr;
            place = cast->getSubExpr();
            continue;
        }
        auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(place);
        auto const* variable = named == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(named->getDecl());
        bool const is_shared = variable != nullptr && variable->hasAttr<clang::CUDASharedAttr>() &&
                               variable->isStaticLocal() && !variable->hasExternalStorage();
        return is_shared ? variable : nullptr;
    }
}

// Counts how often each variable is named, and how often in a way that is followed.
class use_counter : public clang::RecursiveASTVisitor<use_counter> {
public:
    bool VisitDeclRefExpr(clang::DeclRefExpr* named) {
        if (clang::VarDecl const* variable = shared_variable(named)) ++named_[variable];
        return true;
    }
    bool VisitCastExpr(clang::CastExpr* cast) {
        if (cast->getCastKind() == clang::CK_LValueToRValue) follow(cast->getSubExpr());
        return true;
    }
    bool VisitBinaryOperator(clang::BinaryOperator* operation) {
        if (operation->isAssignmentOp() && !is_used(operation)) follow(operation->getLHS());
        return true;
    }
    bool VisitUnaryOperator(clang::UnaryOperator* operation) {
        if (operation->isPostfix() && operation->isIncrementDecrementOp()) follow(operation->getSubExpr());
        return true;
    }
    // A body that runs when it is called, not where it stands.
    bool TraverseLambdaExpr(clang::LambdaExpr* lambda) {
        bool const outer = std::exchange(in_lambda_, true);
        bool const goes_on = RecursiveASTVisitor::TraverseLambdaExpr(lambda);
        in_lambda_ = outer;
        return goes_on;
    }

    std::set<clang::VarDecl const*> plain() const {
        std::set<clang::VarDecl const*> all;
        for (auto const& [variable, count] : named_) {
            auto const followed = followed_.find(variable);
            if (followed != followed_.end() && followed->second == count &&
                !variable->getType().isVolatileQualified())
                all.insert(variable);
        }
        return all;
    }

    void note_statement(clang::Stmt const* statement) { statements_.insert(statement); }

private:
    // The place that an assignment returns may be used once more; only those whose value is dropped are
    // followed.
    bool is_used(clang::BinaryOperator const* operation) const { return statements_.count(operation) == 0; }

    void follow(clang::Expr const* place) {
        if (in_lambda_) return;
        if (clang::VarDecl const* variable = shared_variable(place);
            variable != nullptr && !place->getType().isVolatileQualified())
            ++followed_[variable];
    }

    std::map<clang::VarDecl const*, int> named_, followed_;
    std::set<clang::Stmt const*> statements_;
    bool in_lambda_ = false;
};

// Assignments that are statements.
class statement_finder : public clang::RecursiveASTVisitor<statement_finder> {
public:
    explicit statement_finder(use_counter& uses) : uses_(uses) {}
    bool VisitCompoundStmt(clang::CompoundStmt* compound) {
        for (clang::Stmt const* inner : compound->body())
            note(inner);
        return true;
    }
    bool VisitIfStmt(clang::IfStmt* branch) {
        note(branch->getThen());
        note(branch->getElse());
        return true;
    }
    bool VisitForStmt(clang::ForStmt* loop) {
        note(loop->getBody());
        note(loop->getInit());
        note(loop->getInc());
        return true;
    }

private:
    void note(clang::Stmt const* statement) {
        if (auto const* whole = llvm::dyn_cast_or_null<clang::ExprWithCleanups>(statement))
            statement = whole->getSubExpr();
        uses_.note_statement(statement);
    }
    use_counter& uses_;
};

} // namespace

std::set<clang::VarDecl const*> plain_shared_variables(clang::FunctionDecl const& function) {
    if (!function.hasBody()) return {};
    use_counter uses;
    statement_finder(uses).TraverseStmt(function.getBody());
    uses.TraverseStmt(function.getBody());
    return uses.plain();
}

} // namespace rhizome::coalesce
