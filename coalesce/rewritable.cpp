// SPDX-License-Identifier: Apache-2.0
#include "rewritable.hpp"

#include "emitted_text.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace rhizome::coalesce {
namespace {

bool is_plain_text(clang::SourceManager const& sources, clang::SourceLocation where) {
    return where.isValid() && !where.isMacroID() && sources.isInMainFile(where);
}

// Not (void), in any declaration.
bool has_empty_parentheses(clang::ASTContext& context, clang::FunctionDecl const& function) {
    clang::SourceManager const& sources = context.getSourceManager();
    for (clang::FunctionDecl const* declared : function.redecls()) {
        clang::FunctionTypeLoc const type = declared->getFunctionTypeLoc();
        if (!type || type.getLParenLoc().isMacroID() || type.getRParenLoc().isMacroID()) return false;
        char const* const from = sources.getCharacterData(type.getLParenLoc()) + 1;
        char const* const to = sources.getCharacterData(type.getRParenLoc());
        for (char const* at = from; at < to; ++at)
            if (*at != ' ') return false;
    }
    return true;
}

// Declarations of one function that name its sides in different ways are several functions to Clang, and one
// to nvcc.
bool is_declared_for_other_sides(clang::FunctionDecl const& function) {
    for (clang::NamedDecl const* other :
         function.getDeclContext()->getRedeclContext()->lookup(function.getDeclName())) {
        auto const* declared = llvm::dyn_cast<clang::FunctionDecl>(other);
        if (declared != nullptr && declared->getCanonicalDecl() != function.getCanonicalDecl() &&
            declared->getType().getCanonicalType() == function.getType().getCanonicalType())
            return true;
    }
    return false;
}

// `thread` itself, and not alone(thread), say.
bool is_rhizome_thread_parameter(clang::Expr const& argument) {
    auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(argument.IgnoreParenImpCasts());
    return named != nullptr && llvm::isa<clang::ParmVarDecl>(named->getDecl()) &&
           is_rhizome_thread(named->getDecl()->getType());
}

// Does the program write out a member of an instance of a class template?
bool is_specialised_member(clang::CXXMethodDecl const& method,
                           clang::ClassTemplateSpecializationDecl const& in) {
    clang::FunctionDecl const* pattern = method.getInstantiatedFromMemberFunction();
    if (pattern == nullptr || !in.getInstantiatedFrom().is<clang::ClassTemplateDecl*>()) return true;
    for (clang::ClassTemplateSpecializationDecl const* instance :
         in.getSpecializedTemplate()->specializations())
        for (clang::CXXMethodDecl const* other : instance->methods())
            if (other->getInstantiatedFromMemberFunction() == pattern &&
                other->getTemplateSpecializationKind() != clang::TSK_ImplicitInstantiation &&
                other->getTemplateSpecializationKind() != clang::TSK_Undeclared)
                return true;
    return false;
}

bool copies_or_moves(clang::FunctionDecl const& function) {
    auto const* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function);
    return constructor != nullptr && constructor->isCopyOrMoveConstructor();
}

// Such a guide chooses the type by the number of arguments.
bool has_deduction_guides(clang::ASTContext& context, clang::ClassTemplateDecl& of) {
    clang::DeclarationName const name =
        context.DeclarationNames.getCXXDeductionGuideName(of.getCanonicalDecl());
    for (clang::NamedDecl const* found : of.getDeclContext()->getRedeclContext()->lookup(name))
        if (!found->isImplicit()) return true;
    return false;
}

// In an instance of a template: an object of a class that other instances may replace by another type.
bool has_another_type_elsewhere(clang::CXXConstructExpr const& made) {
    if (made.getType()->getAs<clang::SubstTemplateTypeParmType>() != nullptr) return true;
    auto const* in =
        llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(made.getConstructor()->getParent());
    if (in == nullptr) return false;
    llvm::SmallVector<clang::ClassTemplatePartialSpecializationDecl*, 4> parts;
    in->getSpecializedTemplate()->getPartialSpecializations(parts);
    if (!parts.empty()) return true;
    for (clang::ClassTemplateSpecializationDecl const* other :
         in->getSpecializedTemplate()->specializations())
        if (other->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization) return true;
    return false;
}

// A member that is called like a function: its class is whole in this file.
std::optional<std::string> why_no_plain_member(clang::FunctionDecl const& function) {
    auto const* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    if (method == nullptr) return {};
    if (method->isVirtual()) return "it is a virtual function";
    if (llvm::isa<clang::CXXDestructorDecl>(method)) return "it is a destructor";
    if (copies_or_moves(*method)) return "it is a constructor that copies or moves";
    if (method->getParent()->isLambda()) return "it is a lambda";
    if (auto const* in = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(method->getParent());
        in != nullptr && is_specialised_member(*method, *in))
        return "it is a member of a template that has specialisations";
    if (!method->isInlined() && !method->isTemplateInstantiation() && method->isExternallyVisible())
        return "it is a member that other files may call";
    return {};
}

// Text of the template is that of all its instances, also of those that the program writes out.
bool is_specialised(clang::FunctionDecl const& function) {
    clang::FunctionTemplateDecl const* pattern = function.getPrimaryTemplate();
    if (pattern == nullptr)
        return function.getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization;
    for (clang::FunctionDecl const* instance : pattern->getCanonicalDecl()->specializations())
        for (clang::FunctionDecl const* declared : instance->redecls()) {
            auto const kind = declared->getTemplateSpecializationKind();
            if (kind == clang::TSK_ExplicitSpecialization ||
                kind == clang::TSK_ExplicitInstantiationDefinition ||
                kind == clang::TSK_ExplicitInstantiationDeclaration)
                return true;
        }
    return false;
}

// One more argument may choose another function of the same name. It cannot choose a constructor that copies
// or moves, which takes one argument.
bool is_overloaded(clang::FunctionDecl const& written) {
    clang::NamedDecl const* self = written.getDescribedFunctionTemplate();
    if (self == nullptr) self = &written;
    for (clang::NamedDecl const* found :
         written.getDeclContext()->getRedeclContext()->lookup(written.getDeclName()))
        if (found->getUnderlyingDecl()->getCanonicalDecl() != self->getCanonicalDecl() &&
            !(llvm::isa<clang::CXXConstructorDecl>(found) &&
              copies_or_moves(*llvm::cast<clang::FunctionDecl>(found))))
            return true;
    return false;
}

// A default argument, or what a member of a class begins with: several functions may evaluate it.
bool is_default(clang::ASTContext& context, clang::Expr const& call) {
    clang::DynTypedNode node = clang::DynTypedNode::create(static_cast<clang::Stmt const&>(call));
    for (;;) {
        auto const parents = context.getParents(node);
        if (parents.empty() || node.get<clang::FunctionDecl>() != nullptr) return false;
        node = parents[0];
        if (node.get<clang::FieldDecl>() != nullptr || node.get<clang::ParmVarDecl>() != nullptr) return true;
    }
}

} // namespace

bool other_files_may_call(clang::FunctionDecl const& function) {
    return function.isExternallyVisible() && !function.isInlined() && !function.isTemplated() &&
           !function.isTemplateInstantiation() && !llvm::isa<clang::CXXMethodDecl>(function);
}

clang::FunctionDecl const* function_holding(clang::ASTContext& context, clang::Expr const& call) {
    clang::DynTypedNode node = clang::DynTypedNode::create(static_cast<clang::Stmt const&>(call));
    for (;;) {
        auto const parents = context.getParents(node);
        if (parents.empty()) return nullptr;
        node = parents[0];
        if (auto const* function = node.get<clang::FunctionDecl>()) return function;
        if (auto const* lambda = node.get<clang::LambdaExpr>()) return lambda->getCallOperator();
    }
}

std::optional<std::string> why_not_editable(clang::ASTContext& context, clang::CallExpr const& call) {
    clang::SourceManager const& sources = context.getSourceManager();
    clang::Expr const* callee = call.getCallee()->IgnoreImplicit();
    if (callee->getBeginLoc().isMacroID() || callee->getEndLoc().isMacroID() ||
        call.getRParenLoc().isMacroID())
        return "it is inside a macro";
    if (!is_plain_text(sources, callee->getBeginLoc()) || !is_plain_text(sources, call.getRParenLoc()))
        return "it is in another file, which other programs may include";
    if (!llvm::isa<clang::DeclRefExpr>(callee) && !llvm::isa<clang::MemberExpr>(callee))
        return "it is not called by its name alone";
    clang::FunctionDecl const* in = function_holding(context, call);
    auto const* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(in);
    llvm::StringRef const name = call.getDirectCallee()->getName();
    bool const allocates = name == "malloc" || name == "allocate";
    if (allocates && method != nullptr && method->getParent()->isLambda()) return "it is inside a lambda";
    if (auto const* member = llvm::dyn_cast<clang::MemberExpr>(callee); member != nullptr) {
        clang::CXXRecordDecl const* allocator =
            llvm::cast<clang::CXXMethodDecl>(call.getDirectCallee())->getParent();
        bool const has_static =
            !allocator->lookup(&context.Idents.get(text::rhizome_member(scope::block))).empty();
        if (allocates && !has_static) return "its allocator has no static calls";
        if (allocates && call.getNumArgs() != 2)
            return "it names an alignment, which static calls do not take";
        if (allocates && !is_rhizome_thread_parameter(*call.getArg(0)))
            return "its thread may stand for another one";
    }
    return {};
}

std::optional<std::string> omitted_arguments(clang::ASTContext& context, call_site const& call) {
    std::string all;
    for (unsigned i = 0; i < call.argument_count(); ++i) {
        auto const* omitted = llvm::dyn_cast<clang::CXXDefaultArgExpr>(call.argument(i));
        if (omitted == nullptr) continue;
        clang::Expr const* value = omitted->getExpr()->IgnoreParenImpCasts();
        if (auto const* sign = llvm::dyn_cast<clang::UnaryOperator>(value);
            sign != nullptr && sign->getOpcode() == clang::UO_Minus)
            value = sign->getSubExpr()->IgnoreParenImpCasts();
        bool const is_literal =
            llvm::isa<clang::IntegerLiteral>(value) || llvm::isa<clang::FloatingLiteral>(value) ||
            llvm::isa<clang::CXXBoolLiteralExpr>(value) || llvm::isa<clang::CXXNullPtrLiteralExpr>(value);
        clang::SourceRange const range = omitted->getExpr()->getSourceRange();
        if (!is_literal || range.getBegin().isMacroID() || range.getEnd().isMacroID()) return {};
        all += (all.empty() ? "" : ", ") +
               clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(range),
                                           context.getSourceManager(), context.getLangOpts())
                   .str();
    }
    return all;
}

bool is_plain_call(clang::ASTContext& context, call_site const& call) {
    clang::SourceManager const& sources = context.getSourceManager();
    return is_plain_text(sources, call.end()) && is_plain_text(sources, call.begin());
}

bool is_editable_call(clang::ASTContext& context, call_site const& call) {
    if (is_default(context, call.expression())) return false;
    if (clang::CXXConstructExpr const* made = call.as_constructor(); made != nullptr) {
        if (made->isStdInitListInitialization()) return false; // it would become an element
        clang::FunctionDecl const* around = function_holding(context, *made);
        bool const is_instance = around != nullptr && around->getTemplateInstantiationPattern() != nullptr;
        if (is_instance && has_another_type_elsewhere(*made)) return false;
    }
    return is_plain_call(context, call) && omitted_arguments(context, call);
}

std::optional<std::string> why_not_told(clang::ASTContext& context, program const& whole,
                                        clang::FunctionDecl const& function) {
    clang::SourceManager const& sources = context.getSourceManager();
    clang::FunctionDecl const* written = function.getTemplateInstantiationPattern();
    if (written == nullptr) written = &function;
    if (function.hasAttr<clang::CUDAGlobalAttr>()) return "it is a kernel";
    if (auto why = why_no_plain_member(function)) return why;
    bool const is_constructor = llvm::isa<clang::CXXConstructorDecl>(function);
    if (!is_constructor && !function.getDeclName().isIdentifier()) return "it is an operator";
    if (is_constructor)
        if (auto const* in = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(function.getParent());
            in != nullptr && has_deduction_guides(context, *in->getSpecializedTemplate()))
            return "its class template has deduction guides";
    if (function.isVariadic()) return "it takes any number of arguments";
    if (is_specialised(function)) return "it is a specialisation of a template, or the template has some";
    if (is_overloaded(*written)) return "it is overloaded";
    if (whole.address_taken.count(function.getCanonicalDecl()) != 0) return "its address is taken";
    if (function.isExternC()) return "it has C linkage";
    if (is_declared_for_other_sides(*written)) return "its declarations name other sides than it does";
    for (clang::ParmVarDecl const* parameter : written->parameters()) {
        if (parameter->isParameterPack()) return "it takes any number of arguments";
        if (parameter->hasDefaultArg() && other_files_may_call(function))
            return "it has default arguments, and other files may call it";
    }
    if (written->hasWrittenPrototype() && written->getNumParams() == 0 &&
        !has_empty_parentheses(context, *written))
        return "its parameters are not written plainly";
    for (clang::FunctionDecl const* declared : written->redecls()) {
        clang::FunctionTypeLoc const type = declared->getFunctionTypeLoc();
        if (!type || !is_plain_text(sources, type.getRParenLoc()))
            return "it is declared in another file or in a macro";
        if (declared->getFriendObjectKind() != clang::Decl::FOK_None) return "it is a friend";
        if (declared->getLexicalDeclContext()->isFunctionOrMethod())
            return "it is declared inside a function";
        if (!is_plain_text(sources, declared->getLocation()) ||
            !sources.isInMainFile(sources.getExpansionLoc(declared->getBeginLoc())))
            return "it is declared in another file or in a macro";
        if (!other_files_may_call(*written)) continue;
        if (declared->getQualifier() != nullptr)
            return "it is defined outside of its namespace, and other files may call it";
        if (declared->isThisDeclarationADefinition() && !is_plain_text(sources, declared->getBodyRBrace()))
            return "its body ends in a macro";
    }
    return {};
}

} // namespace rhizome::coalesce
