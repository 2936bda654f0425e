// SPDX-License-Identifier: Apache-2.0
#include "function_walk.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>

namespace rhizome::coalesce {

function_walk::function_walk(analysis& whole, clang::FunctionDecl const& function, entry const& arrives)
    : whole_(whole), context_(whole.context()), function_(function), arrives_(arrives),
      shared_(plain_shared_variables(function)) {
    for (unsigned i = 0; i < function.getNumParams(); ++i)
        variables_[function.getParamDecl(i)] = i < arrives.arguments.size()
                                                   ? arrives.arguments[i]
                                                   : differs(function.getLocation(), "an argument");
}

findings function_walk::run() {
    do {
        changed_ = false;
        found_ = {};
        branches_ = returned_ = broken_ = continued_ = {};
        atomic_accesses_ = 0;
        stored_.clear();
        interval_ = entered_;
        left_ = {};
        if (auto const* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function_))
            for (clang::CXXCtorInitializer const* member : constructor->inits())
                remember(*member, value(member->getInit()));
        walk(function_.getBody());
        found_.accesses_atomically = atomic_accesses_ > 0;
        // What a call leaves, the next call of the function finds. A kernel is called once.
        shared_interval after = entered_;
        after.join(interval_);
        after.join(left_);
        if (!function_.hasAttr<clang::CUDAGlobalAttr>() && !(after == entered_)) {
            entered_ = after;
            changed_ = true;
        }
    } while (changed_);
    return std::move(found_);
}

uniformity function_walk::control() const {
    uniformity all = as_control(arrives_.control);
    return all.join(branches_).join(returned_).join(broken_).join(continued_);
}

void function_walk::hazard(clang::SourceLocation where, std::string text) {
    if (!found_.hazard) found_.hazard = cause{where, std::move(text)};
}

bool function_walk::raise(uniformity& known, uniformity const& to) {
    bool const is_more =
        to.alike > known.alike || to.truth() > known.truth() || (to.from_memory && !known.from_memory);
    if (is_more) known.join(to);
    return is_more;
}

void function_walk::raise(clang::VarDecl const& variable, uniformity const& to) {
    changed_ = raise(variables_[&variable], to) || changed_;
}

void function_walk::leave(uniformity& by) {
    by.join(control());
    left_.join(interval_);
}

void function_walk::walk(clang::Stmt const* statement) {
    if (statement == nullptr) return;
    if (auto const* expression = llvm::dyn_cast<clang::Expr>(statement)) {
        auto const* assignment = llvm::dyn_cast<clang::BinaryOperator>(expression->IgnoreParens());
        if (assignment == nullptr || assignment->getOpcode() != clang::BO_Assign) return drop(expression);
        uniformity const stored = value(assignment);
        return remember(*assignment, stored);
    }
    switch (statement->getStmtClass()) {
    case clang::Stmt::NullStmtClass:
        return;
    case clang::Stmt::CompoundStmtClass:
        for (clang::Stmt const* inner : llvm::cast<clang::CompoundStmt>(statement)->body())
            walk(inner);
        return;
    case clang::Stmt::AttributedStmtClass:
        return walk(llvm::cast<clang::AttributedStmt>(statement)->getSubStmt());
    case clang::Stmt::DeclStmtClass:
        for (clang::Decl const* declared : llvm::cast<clang::DeclStmt>(statement)->decls())
            if (auto const* variable = llvm::dyn_cast<clang::VarDecl>(declared)) walk_declaration(*variable);
        return;
    case clang::Stmt::IfStmtClass:
        return walk_if(*llvm::cast<clang::IfStmt>(statement));
    case clang::Stmt::SwitchStmtClass:
        return walk_switch(*llvm::cast<clang::SwitchStmt>(statement));
    case clang::Stmt::CaseStmtClass:
    case clang::Stmt::DefaultStmtClass:
        interval_.join(chosen_);
        forget();
        return walk(llvm::cast<clang::SwitchCase>(statement)->getSubStmt());
    case clang::Stmt::WhileStmtClass: {
        auto const& loop = *llvm::cast<clang::WhileStmt>(statement);
        if (loop.getConditionVariable() != nullptr)
            return hazard(statement->getBeginLoc(), "a loop whose condition declares a variable");
        return walk_loop(loop, nullptr, loop.getCond(), nullptr, loop.getBody());
    }
    case clang::Stmt::DoStmtClass: {
        auto const& loop = *llvm::cast<clang::DoStmt>(statement);
        return walk_loop(loop, nullptr, loop.getCond(), nullptr, loop.getBody());
    }
    case clang::Stmt::ForStmtClass: {
        auto const& loop = *llvm::cast<clang::ForStmt>(statement);
        if (loop.getConditionVariable() != nullptr)
            return hazard(statement->getBeginLoc(), "a loop whose condition declares a variable");
        return walk_loop(loop, loop.getInit(), loop.getCond(), loop.getInc(), loop.getBody());
    }
    case clang::Stmt::CXXForRangeStmtClass: {
        auto const& loop = *llvm::cast<clang::CXXForRangeStmt>(statement);
        walk(loop.getInit());
        walk(loop.getRangeStmt());
        walk(loop.getBeginStmt());
        walk(loop.getEndStmt());
        under const range(
            *this, differs(loop.getBeginLoc(), "a range-based for loop, whose length is not followed", true));
        walk(loop.getLoopVarStmt());
        return walk_loop(loop, nullptr, loop.getCond(), loop.getInc(), loop.getBody());
    }
    case clang::Stmt::ReturnStmtClass: {
        clang::Expr const* returned = llvm::cast<clang::ReturnStmt>(statement)->getRetValue();
        if (returned != nullptr)
            found_.result.join(function_.getReturnType()->isReferenceType() ? load(returned)
                                                                            : value(returned));
        found_.result.join(control());
        return leave(returned_);
    }
    case clang::Stmt::BreakStmtClass:
        return leave(broken_);
    case clang::Stmt::ContinueStmtClass:
        return leave(continued_);
    case clang::Stmt::GotoStmtClass:
    case clang::Stmt::IndirectGotoStmtClass:
    case clang::Stmt::LabelStmtClass:
        return hazard(statement->getBeginLoc(), "goto");
    case clang::Stmt::GCCAsmStmtClass:
    case clang::Stmt::MSAsmStmtClass:
        return hazard(statement->getBeginLoc(), "inline assembly");
    case clang::Stmt::CXXTryStmtClass:
        return hazard(statement->getBeginLoc(), "exceptions");
    default:
        return hazard(statement->getBeginLoc(), "a statement that the analysis does not follow");
    }
}

void function_walk::walk_declaration(clang::VarDecl const& variable) {
    if (!variable.hasLocalStorage()) {
        // A static or shared variable is memory; it has no initialiser that a thread runs, except for static
        // variables.
        if (variable.hasInit()) value(variable.getInit());
        return;
    }
    destroy(variable.getType(), variable.getLocation());
    if (llvm::isa<clang::DecompositionDecl>(variable)) {
        if (variable.hasInit()) value(variable.getInit());
        return;
    }
    if (variable.getType()->isVariablyModifiedType())
        return hazard(variable.getLocation(), "an array of variable length");
    if (has_fields(variable) && !variable.getType().isVolatileQualified()) return declare_fields(variable);
    if (!variable.hasInit()) {
        if (variable.getType()->isScalarType() && is_assigned_first(variable, nullptr))
            variables_.try_emplace(&variable);
        else if (!variable.getType()->isReferenceType())
            raise(variable, differs(variable.getLocation(), "'" + variable.getNameAsString() +
                                                                "', which is declared without a value"));
        return;
    }
    uniformity const initial = value(variable.getInit());
    if (variable.getType().isVolatileQualified()) {
        ++atomic_accesses_;
        return raise(variable, differs(variable.getLocation(), "a volatile variable", true));
    }
    raise(variable, joined(initial, control()));
}

void function_walk::walk_if(clang::IfStmt const& branch) {
    walk(branch.getInit());
    if (branch.isConstexpr() && function_.isTemplateInstantiation() && !context_.getLangOpts().CUDA)
        hazard(branch.getBeginLoc(), "if constexpr in a template, which may choose otherwise on the GPU");
    if (branch.isConsteval()) return hazard(branch.getBeginLoc(), "if consteval");
    if (branch.getConditionVariable() != nullptr) walk_declaration(*branch.getConditionVariable());
    uniformity const condition = value(branch.getCond());
    under const taken(*this, condition);
    maybe const either(*this);
    std::vector<stored_value> const stored = stored_;
    shared_interval const before = interval_;
    walk(branch.getThen());
    shared_interval const after = std::exchange(interval_, before);
    stored_ = stored;
    walk(branch.getElse());
    interval_.join(after);
}

void function_walk::walk_switch(clang::SwitchStmt const& choice) {
    walk(choice.getInit());
    if (choice.getConditionVariable() != nullptr) walk_declaration(*choice.getConditionVariable());
    uniformity const chosen = value(choice.getCond());
    under const outside(*this, broken_);
    under const inside(*this, chosen);
    uniformity const outer = std::exchange(broken_, {});
    shared_interval const outer_chosen = std::exchange(chosen_, interval_);
    forget();
    walk(choice.getBody());
    forget();
    interval_.join(chosen_);
    interval_.join(left_);
    chosen_ = outer_chosen;
    broken_ = outer;
}

void function_walk::walk_loop(clang::Stmt const& loop, clang::Stmt const* start, clang::Expr const* condition,
                              clang::Expr const* step, clang::Stmt const* body) {
    walk(start);
    under const outside(*this, joined(broken_, continued_));
    uniformity const outer_broken = std::exchange(broken_, {});
    uniformity const outer_continued = std::exchange(continued_, {});
    int const accesses_before = atomic_accesses_;
    int const changes_before = changes_;
    uniformity ends; // how alike the threads are in the number of rounds
    std::size_t const allocations = found_.allocations.size();
    std::size_t const calls = found_.calls.size();
    std::size_t const told = found_.told.size();
    for (bool again = true; again;) {
        found_.allocations.resize(allocations); // what a walk with too little knowledge has found
        found_.calls.resize(calls);
        found_.told.resize(told);
        uniformity const before = ends;
        shared_interval const entered = interval_;
        interval_.join(left_);
        under const rounds(*this, ends);
        shared_interval tested = interval_;
        forget();
        if (condition != nullptr) ends.join(as_control(value(condition)));
        interval_.join(tested); // a do loop begins with its body
        tested = interval_;
        under const round(*this, ends);
        forget();
        walk(body);
        forget();
        continued_ = {};
        interval_.join(left_);
        if (step != nullptr) value(step);
        forget();
        ends.join(broken_).join(returned_);
        interval_.join(tested); // no further round
        interval_.join(entered);
        bool const is_settled = shared_.empty() || interval_ == entered;
        again = !is_settled || ends.alike != before.alike || ends.from_memory != before.from_memory;
    }
    broken_ = outer_broken;
    continued_ = outer_continued;
    bool const only_looks = changes_ == changes_before; // then only another thread can end the loop
    if (ends.from_memory && (atomic_accesses_ > accesses_before || only_looks))
        if (!whole_.stated().nothing_waits)
            hazard(loop.getBeginLoc(), "a loop that may wait for other threads");
}

} // namespace rhizome::coalesce
