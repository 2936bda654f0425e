// SPDX-License-Identifier: Apache-2.0
#include "rewrite.hpp"

#include "rewritable.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>
#include <clang/Rewrite/Core/Rewriter.h>

#include <set>

namespace rhizome::coalesce {
namespace {

class editor {
public:
    editor(clang::ASTContext& context, std::optional<text::bookkeeping> kept)
        : context_(context), edits_(context.getSourceManager(), context.getLangOpts()), kept_(kept),
          is_cuda_(context.getLangOpts().CUDA) {}

    void make_static(decision const& one) {
        if (one.kind == known_call::rhizome_allocate) return make_static_member(one);
        replace_callee(*one.call, text::cuda_malloc(one.covers));
        if (one.by_argument) append(one.call->getRParenLoc(), one.call->getNumArgs() > 0, text::parameter);
    }

    void make_dynamic(decision const& one) { replace_callee(*one.call, text::dynamic_malloc); }

    void release(clang::CallExpr const& call) {
        if (done_.insert(call.getBeginLoc()).second) replace_callee(call, text::cuda_free);
    }

    void add_parameter(clang::FunctionDecl const& function) {
        clang::FunctionDecl const* written = function.getTemplateInstantiationPattern();
        if (written == nullptr) written = &function;
        for (clang::FunctionDecl const* declared : written->redecls()) {
            clang::SourceLocation const end = declared->getFunctionTypeLoc().getRParenLoc();
            if (!done_.insert(end).second) continue;
            if (other_files_may_call(*written))
                add_overload(*declared);
            else
                append(end, declared->getNumParams() > 0,
                       parameter_type() + " " + text::parameter + default_of(*declared));
        }
    }

    // Arguments that the call leaves to their defaults are literals (is_editable_call), and are written out.
    void tell(call_site const& call, bool from_told) {
        if (!done_.insert(call.end()).second) return;
        std::string arguments = omitted_arguments(context_, call).value_or("");
        bool const has_written =
            call.argument_count() > 0 && !llvm::isa<clang::CXXDefaultArgExpr>(call.argument(0));
        arguments += (arguments.empty() ? "" : ", ") + (from_told ? std::string(text::parameter) : by_all());
        append(call.end(), has_written, arguments);
    }

    void tell_registered(clang::CallExpr const& call) {
        bool const has_others = call.getNumArgs() > 1 && !llvm::isa<clang::CXXDefaultArgExpr>(call.getArg(0));
        if (done_.insert(call.getRParenLoc()).second)
            append(call.getRParenLoc(), has_others, text::cuda_by_all);
    }

    std::string text_of_main_file(std::string include) {
        clang::FileID const file = context_.getSourceManager().getMainFileID();
        std::string whole;
        if (clang::RewriteBuffer const* buffer = edits_.getRewriteBufferFor(file))
            whole.assign(buffer->begin(), buffer->end());
        else
            whole = context_.getSourceManager().getBufferData(file).str();
        bool const has_it = whole.rfind(include, 0) == 0 || whole.find("\n" + include) != std::string::npos;
        if (include.empty() || has_it) return whole;
        std::size_t const at = llvm::StringRef(whole).startswith("\xEF\xBB\xBF") ? 3 : 0;
        std::size_t const line = whole.find('\n');
        if (line != std::string::npos && line > 0 && whole[line - 1] == '\r')
            include.insert(include.size() - 1, "\r");
        return whole.insert(at, include);
    }

private:
    std::string parameter_type() const {
        return is_cuda_ ? text::cuda_parameter_type : text::rhizome_parameter_type;
    }
    std::string by_some() const { return is_cuda_ ? text::cuda_by_some : text::rhizome_by_some; }
    std::string by_all() const { return is_cuda_ ? text::cuda_by_all : text::rhizome_by_all; }

    // The default argument belongs to the first declaration.
    std::string default_of(clang::FunctionDecl const& declared) const {
        return declared.getPreviousDecl() == nullptr ? " = " + by_some() : std::string();
    }

    // Other files may declare the function: its signature stays, as that of a function that calls the new
    // one.
    void add_overload(clang::FunctionDecl const& declared) {
        bool const has_others = declared.getNumParams() > 0;
        std::string const parameter = parameter_type() + " " + text::parameter;
        if (!declared.isThisDeclarationADefinition()) {
            clang::SourceLocation const begin =
                context_.getSourceManager().getExpansionLoc(declared.getBeginLoc());
            edits_.InsertTextBefore(begin, std::string(text::added_begin) + " " +
                                               signature(declared, parameter) + "; " + text::added_end + " ");
            return;
        }
        append(declared.getFunctionTypeLoc().getRParenLoc(), has_others, parameter);
        std::string call = declared.getNameAsString() + "(";
        for (unsigned i = 0; i < declared.getNumParams(); ++i)
            call += argument(*declared.getParamDecl(i), i) + ", ";
        call += by_some() + ")";
        std::string const result = declared.getReturnType()->isVoidType() ? "" : "return ";
        edits_.InsertTextAfterToken(declared.getBodyRBrace(), std::string(" ") + text::added_begin + " " +
                                                                  signature(declared, "") + " { " + result +
                                                                  call + "; } " + text::added_end);
    }

    static std::string name_of(unsigned index) { return "rhizome_" + std::to_string(index); }

    static std::string argument(clang::ParmVarDecl const& parameter, unsigned index) {
        clang::QualType const type = parameter.getType();
        std::string const name = name_of(index);
        return type->isRecordType() || type->isRValueReferenceType()
                   ? "static_cast<decltype(" + name + ")&&>(" + name + ")"
                   : name;
    }

    // With `last` as one more parameter.
    std::string signature(clang::FunctionDecl const& declared, std::string const& last) const {
        clang::PrintingPolicy const policy(context_.getLangOpts());
        std::string declarator = declared.getNameAsString() + "(";
        for (unsigned i = 0; i < declared.getNumParams(); ++i) {
            std::string parameter = name_of(i);
            declared.getParamDecl(i)->getType().getAsStringInternal(parameter, policy);
            declarator += (i > 0 ? ", " : "") + parameter;
        }
        declarator += (declared.getNumParams() > 0 && !last.empty() ? ", " : "") + last + ")";
        declared.getReturnType().getAsStringInternal(declarator, policy);
        auto const* type = declared.getType()->getAs<clang::FunctionProtoType>();
        if (type != nullptr && type->isNothrow()) declarator += " noexcept";
        if (!is_cuda_) return declarator;
        std::string const host = declared.hasAttr<clang::CUDAHostAttr>() ? "__host__ " : "";
        return host + "__device__ " + declarator;
    }

    void replace_callee(clang::CallExpr const& call, std::string const& name) {
        clang::Expr const* callee = call.getCallee()->IgnoreImplicit();
        edits_.ReplaceText(clang::SourceRange(callee->getBeginLoc(), callee->getEndLoc()), name);
    }

    void append(clang::SourceLocation end, bool has_others, std::string const& argument) {
        edits_.InsertTextBefore(end, (has_others ? ", " : "") + argument);
    }

    void make_static_member(decision const& one) {
        auto const& member = *llvm::cast<clang::MemberExpr>(one.call->getCallee()->IgnoreImplicit());
        std::string const name = text::rhizome_member(one.covers);
        if (!one.by_argument) {
            edits_.ReplaceText(member.getMemberLoc(), static_cast<unsigned>(std::string("allocate").size()),
                               name);
            if (kept_) append(one.call->getRParenLoc(), true, text::rhizome_policy(*kept_));
            return;
        }
        clang::SourceManager const& sources = context_.getSourceManager();
        auto const range = clang::CharSourceRange::getTokenRange(one.call->getSourceRange());
        std::string const plain = clang::Lexer::getSourceText(range, sources, context_.getLangOpts()).str();
        std::size_t const at =
            sources.getFileOffset(member.getMemberLoc()) - sources.getFileOffset(one.call->getBeginLoc());
        std::string together = plain;
        if (kept_) together.insert(together.size() - 1, std::string(", ") + text::rhizome_policy(*kept_));
        together.replace(at, std::string("allocate").size(), name);
        edits_.ReplaceText(one.call->getSourceRange(),
                           std::string("(") + text::parameter + " ? " + together + " : " + plain + ")");
    }

    clang::ASTContext& context_;
    clang::Rewriter edits_;
    std::optional<text::bookkeeping> kept_;
    bool is_cuda_;
    std::set<clang::SourceLocation> done_;
};

} // namespace

std::string rewritten(clang::ASTContext& context, plan const& made, std::optional<text::bookkeeping> kept,
                      bool shares_registry) {
    editor edit(context, kept);
    bool any = !made.releases.empty(); // in a whole program also without an allocation in this file
    for (decision const& one : made.decisions) {
        if (one.rewritten) edit.make_static(one);
        if (one.is_dynamic) edit.make_dynamic(one);
        any = any || one.rewritten;
    }
    for (clang::FunctionDecl const* function : made.told)
        edit.add_parameter(*function);
    for (call_site const& call : made.telling)
        edit.tell(call, made.telling_in.count(call) != 0);
    for (clang::CallExpr const* call : made.telling_registered)
        edit.tell_registered(*call);
    for (clang::CallExpr const* call : made.releases)
        edit.release(*call);
    std::string includes = made.uses_dynamic                   ? text::dynamic_include
                           : any && context.getLangOpts().CUDA ? text::cuda_include
                                                               : "";
    if (shares_registry && !includes.empty()) includes.insert(0, text::program_include);
    return edit.text_of_main_file(includes);
}

} // namespace rhizome::coalesce
