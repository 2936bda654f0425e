// SPDX-License-Identifier: Apache-2.0
// Members of local variables of plain class types: each has a uniformity of its own, beside that of the whole
// variable. And variables that are declared without a value and assigned before anything else.
#include "function_walk.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ParentMapContext.h>

namespace rhizome::coalesce {
namespace {

bool is_plain_class(clang::QualType type) {
    clang::CXXRecordDecl const* record = type->getAsCXXRecordDecl();
    return record != nullptr && record->hasDefinition() && !record->isUnion() && record->getNumBases() == 0 &&
           record->hasTrivialDefaultConstructor() && record->isTriviallyCopyable() &&
           !record->hasInClassInitializer();
}

// `variable.field` itself.
clang::VarDecl const* holder_of(clang::MemberExpr const& member) {
    if (member.isArrow() || !llvm::isa<clang::FieldDecl>(member.getMemberDecl())) return nullptr;
    auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(member.getBase()->IgnoreParens());
    if (named == nullptr || named->refersToEnclosingVariableOrCapture()) return nullptr;
    return llvm::dyn_cast<clang::VarDecl>(named->getDecl());
}

bool names(clang::Stmt const* statement, clang::VarDecl const& variable, clang::FieldDecl const* field) {
    if (statement == nullptr) return false;
    if (auto const* member = llvm::dyn_cast<clang::MemberExpr>(statement);
        member != nullptr && field != nullptr && holder_of(*member) == &variable)
        return member->getMemberDecl() == field;
    if (auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(statement))
        return named->getDecl() == &variable;
    if (auto const* lambda = llvm::dyn_cast<clang::LambdaExpr>(statement))
        for (clang::LambdaCapture const& capture : lambda->captures())
            if (capture.capturesVariable() && capture.getCapturedVar() == &variable) return true;
    for (clang::Stmt const* inner : statement->children())
        if (names(inner, variable, field)) return true;
    return false;
}

bool has_case(clang::Stmt const* statement) {
    if (statement == nullptr) return false;
    if (llvm::isa<clang::SwitchCase>(statement)) return true;
    for (clang::Stmt const* inner : statement->children())
        if (has_case(inner)) return true;
    return false;
}

// `variable = value;` or `variable.field = value;`
bool assigns(clang::Stmt const* statement, clang::VarDecl const& variable, clang::FieldDecl const* field) {
    if (auto const* whole = llvm::dyn_cast_or_null<clang::ExprWithCleanups>(statement))
        statement = whole->getSubExpr();
    if (auto const* call = llvm::dyn_cast_or_null<clang::CXXOperatorCallExpr>(statement)) {
        auto const* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
        auto const* to = llvm::dyn_cast<clang::DeclRefExpr>(call->getArg(0)->IgnoreParens());
        return method != nullptr && method->isTrivial() && call->getOperator() == clang::OO_Equal &&
               to != nullptr && to->getDecl() == &variable && !names(call->getArg(1), variable, nullptr);
    }
    auto const* assignment = llvm::dyn_cast_or_null<clang::BinaryOperator>(statement);
    if (assignment == nullptr || assignment->getOpcode() != clang::BO_Assign) return false;
    clang::Expr const* place = assignment->getLHS()->IgnoreParens();
    if (names(assignment->getRHS(), variable, field)) return false;
    if (field == nullptr) {
        auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(place);
        return named != nullptr && named->getDecl() == &variable;
    }
    auto const* member = llvm::dyn_cast<clang::MemberExpr>(place);
    return member != nullptr && holder_of(*member) == &variable && member->getMemberDecl() == field;
}

} // namespace

bool function_walk::has_fields(clang::VarDecl const& variable) const {
    return variable.hasLocalStorage() && is_plain_class(variable.getType());
}

bool function_walk::is_field(clang::MemberExpr const& member) const {
    clang::VarDecl const* variable = holder_of(member);
    return variable != nullptr && has_fields(*variable) && variables_.count(variable) != 0;
}

uniformity function_walk::load_field(clang::MemberExpr const& member) {
    clang::VarDecl const* variable = holder_of(member);
    uniformity loaded = variables_.at(variable);
    return loaded.join(fields_[{variable, llvm::cast<clang::FieldDecl>(member.getMemberDecl())}]);
}

uniformity function_walk::load_fields(clang::VarDecl const& variable) {
    uniformity all = variables_.at(&variable);
    for (auto const& [field, known] : fields_)
        if (field.first == &variable) all.join(known);
    return all;
}

void function_walk::store_field(clang::MemberExpr const& member, uniformity const& stored) {
    raise_field(*holder_of(member), *llvm::cast<clang::FieldDecl>(member.getMemberDecl()),
                joined(stored, control()));
}

void function_walk::raise_field(clang::VarDecl const& variable, clang::FieldDecl const& field,
                                uniformity const& to) {
    uniformity& known = fields_[{&variable, &field}];
    changed_ = raise(known, to) || changed_;
}

// What a variable begins with.
void function_walk::declare_fields(clang::VarDecl const& variable) {
    variables_.try_emplace(&variable);
    clang::Expr const* initial = variable.getInit();
    auto const* made = llvm::dyn_cast_or_null<clang::CXXConstructExpr>(initial);
    bool const has_value = initial != nullptr &&
                           (made == nullptr || made->getNumArgs() > 0 || made->requiresZeroInitialization());
    if (!has_value) {
        for (clang::FieldDecl const* field : variable.getType()->getAsCXXRecordDecl()->fields())
            if (!is_assigned_first(variable, field))
                raise_field(variable, *field,
                            differs(variable.getLocation(), "'" + variable.getNameAsString() +
                                                                "', which is declared without a value"));
        return;
    }
    auto const* list = llvm::dyn_cast<clang::InitListExpr>(initial->IgnoreImplicit());
    if (list != nullptr && list->isSemanticForm() && !list->isTransparent()) {
        auto field = variable.getType()->getAsCXXRecordDecl()->field_begin();
        for (clang::Expr const* one : list->inits()) {
            while (field->isUnnamedBitfield())
                ++field;
            raise_field(variable, **field++, joined(value(one), control()));
        }
        return;
    }
    auto const* copied = made == nullptr || made->getNumArgs() != 1 || !made->getConstructor()->isTrivial()
                             ? nullptr
                             : llvm::dyn_cast<clang::DeclRefExpr>(made->getArg(0)->IgnoreParenImpCasts());
    auto const* from = copied == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(copied->getDecl());
    if (from != nullptr && !copied->refersToEnclosingVariableOrCapture() && copy_fields(variable, *from))
        return;
    raise(variable, joined(value(initial), control()));
}

/// @return whether both are variables whose fields are known
bool function_walk::copy_fields(clang::VarDecl const& to, clang::VarDecl const& from) {
    bool const is_same = context_.hasSameUnqualifiedType(to.getType(), from.getType());
    bool const is_followed = has_fields(to) && has_fields(from) && is_same && variables_.count(&from) != 0 &&
                             !to.getType().isVolatileQualified() && !from.getType().isVolatileQualified();
    if (!is_followed) return false;
    raise(to, joined(variables_.at(&from), control()));
    for (clang::FieldDecl const* field : to.getType()->getAsCXXRecordDecl()->fields())
        raise_field(to, *field, joined(fields_[{&from, field}], control()));
    return true;
}

/// `to = from`, by an operator that the compiler made.
bool function_walk::assign_object(clang::CallExpr const& called) {
    ++changes_;
    clang::Expr const* place = called.getArg(0)->IgnoreParens();
    auto const* to = llvm::dyn_cast<clang::DeclRefExpr>(place);
    auto const* from = llvm::dyn_cast<clang::DeclRefExpr>(called.getArg(1)->IgnoreParenImpCasts());
    auto const* variable = to == nullptr || to->refersToEnclosingVariableOrCapture()
                               ? nullptr
                               : llvm::dyn_cast<clang::VarDecl>(to->getDecl());
    auto const* other = from == nullptr || from->refersToEnclosingVariableOrCapture()
                            ? nullptr
                            : llvm::dyn_cast<clang::VarDecl>(from->getDecl());
    return variable != nullptr && other != nullptr && copy_fields(*variable, *other);
}

// Behind the declaration, in the same compound statement, the first statement that names the variable assigns
// to it.
bool function_walk::is_assigned_first(clang::VarDecl const& variable, clang::FieldDecl const* field) const {
    auto const declarations = context_.getParents(variable);
    auto const* declaration = declarations.size() == 1 ? declarations[0].get<clang::DeclStmt>() : nullptr;
    if (declaration == nullptr || !declaration->isSingleDecl()) return false;
    auto const blocks = context_.getParents(*declaration);
    auto const* block = blocks.size() == 1 ? blocks[0].get<clang::CompoundStmt>() : nullptr;
    if (block == nullptr || has_case(block)) return false;
    bool is_behind = false;
    for (clang::Stmt const* statement : block->body()) {
        if (is_behind && assigns(statement, variable, field)) return true;
        auto const* loop = llvm::dyn_cast<clang::ForStmt>(statement);
        if (is_behind && loop != nullptr && assigns(loop->getInit(), variable, field)) return true;
        if (is_behind && names(statement, variable, field)) return false;
        is_behind = is_behind || statement == declaration;
    }
    return true; // nothing reads it
}

} // namespace rhizome::coalesce
