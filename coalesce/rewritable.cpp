// SPDX-License-Identifier: Apache-2.0
#include "rewritable.hpp"

#include "emitted_text.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/Basic/SourceManager.h>

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

// `thread` itself, and not alone(thread), say.
bool is_rhizome_thread_parameter(clang::Expr const& argument) {
    auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(argument.IgnoreParenImpCasts());
    return named != nullptr && llvm::isa<clang::ParmVarDecl>(named->getDecl()) &&
           is_rhizome_thread(named->getDecl()->getType());
}

} // namespace

clang::FunctionDecl const* function_holding(clang::ASTContext& context, clang::CallExpr const& call) {
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
    if (in != nullptr && context.getLangOpts().CUDA && in->hasAttr<clang::CUDAHostAttr>() &&
        in->hasAttr<clang::CUDADeviceAttr>() && name == "malloc")
        return "its function also runs on the host";
    return {};
}

bool is_editable_call(clang::ASTContext& context, clang::CallExpr const& call) {
    clang::SourceManager const& sources = context.getSourceManager();
    return is_plain_text(sources, call.getRParenLoc()) && is_plain_text(sources, call.getBeginLoc());
}

std::optional<std::string> why_not_told(clang::ASTContext& context, program const& whole,
                                        clang::FunctionDecl const& function) {
    clang::SourceManager const& sources = context.getSourceManager();
    clang::FunctionDecl const* written = function.getTemplateInstantiationPattern();
    if (written == nullptr) written = &function;
    if (function.hasAttr<clang::CUDAGlobalAttr>()) return "it is a kernel";
    if (llvm::isa<clang::CXXMethodDecl>(function)) return "it is a member function";
    if (!function.getDeclName().isIdentifier()) return "it is an operator";
    if (function.isVariadic()) return "it takes any number of arguments";
    if (context.getLangOpts().CUDA && function.hasAttr<clang::CUDAHostAttr>())
        return "it also runs on the host";
    if (function.getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization ||
        function.getTemplateSpecializationKind() == clang::TSK_ExplicitInstantiationDefinition ||
        function.getTemplateSpecializationKind() == clang::TSK_ExplicitInstantiationDeclaration)
        return "it is a specialisation of a template";
    if (whole.address_taken.count(function.getCanonicalDecl()) != 0) return "its address is taken";
    if (function.isExternC()) return "it has C linkage";
    for (clang::ParmVarDecl const* parameter : written->parameters()) {
        if (parameter->isParameterPack())
            return "it takes any number of arguments";
        else if (parameter->hasDefaultArg())
            return "it has default arguments";
    }
    if (written->hasWrittenPrototype() && written->getNumParams() == 0 &&
        !has_empty_parentheses(context, *written))
        return "its parameters are not written plainly";
    for (clang::FunctionDecl const* declared : written->redecls()) {
        clang::FunctionTypeLoc const type = declared->getFunctionTypeLoc();
        if (!type || !is_plain_text(sources, type.getRParenLoc()))
            return "it is declared in another file or in a macro";
        if (declared->getFriendObjectKind() != clang::Decl::FOK_None) return "it is a friend";
        if (!is_plain_text(sources, declared->getLocation()))
            return "it is declared in another file or in a macro";
    }
    return {};
}

} // namespace rhizome::coalesce
