// SPDX-License-Identifier: Apache-2.0
#include "rewrite.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>
#include <clang/Rewrite/Core/Rewriter.h>

#include <set>

namespace rhizome::coalesce {
namespace {

class editor {
public:
    editor(clang::ASTContext& context, text::bookkeeping kept, bool names_bookkeeping)
        : context_(context), edits_(context.getSourceManager(), context.getLangOpts()), kept_(kept),
          names_bookkeeping_(names_bookkeeping), is_cuda_(context.getLangOpts().CUDA) {}

    void make_static(decision const& one) {
        if (one.kind == known_call::rhizome_allocate) return make_static_member(one);
        replace_callee(*one.call, text::cuda_malloc(one.covers, kept_));
        if (one.by_argument) append(one.call->getRParenLoc(), one.call->getNumArgs() > 0, text::parameter);
    }

    void release(clang::CallExpr const& call) {
        if (done_.insert(call.getBeginLoc()).second) replace_callee(call, text::cuda_free);
    }

    // The default argument belongs to the first declaration.
    void add_parameter(clang::FunctionDecl const& function) {
        clang::FunctionDecl const* written = function.getTemplateInstantiationPattern();
        if (written == nullptr) written = &function;
        std::string const type = is_cuda_ ? text::cuda_parameter_type : text::rhizome_parameter_type;
        std::string const by_some = is_cuda_ ? text::cuda_by_some : text::rhizome_by_some;
        for (clang::FunctionDecl const* declared : written->redecls()) {
            clang::SourceLocation const end = declared->getFunctionTypeLoc().getRParenLoc();
            if (!done_.insert(end).second) continue;
            bool const is_first = declared->getPreviousDecl() == nullptr;
            append(end, declared->getNumParams() > 0,
                   type + " " + text::parameter + (is_first ? " = " + by_some : std::string()));
        }
    }

    void tell(clang::CallExpr const& call, bool from_told) {
        std::string const by_all = is_cuda_ ? text::cuda_by_all : text::rhizome_by_all;
        if (done_.insert(call.getRParenLoc()).second)
            append(call.getRParenLoc(), call.getNumArgs() > 0,
                   from_told ? std::string(text::parameter) : by_all);
    }

    std::string text_of_main_file(bool needs_include) {
        clang::FileID const file = context_.getSourceManager().getMainFileID();
        std::string whole;
        if (clang::RewriteBuffer const* buffer = edits_.getRewriteBufferFor(file))
            whole.assign(buffer->begin(), buffer->end());
        else
            whole = context_.getSourceManager().getBufferData(file).str();
        return needs_include ? text::cuda_include + whole : whole;
    }

private:
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
            if (names_bookkeeping_) append(one.call->getRParenLoc(), true, text::rhizome_policy(kept_));
            return;
        }
        clang::SourceManager const& sources = context_.getSourceManager();
        auto const range = clang::CharSourceRange::getTokenRange(one.call->getSourceRange());
        std::string const plain = clang::Lexer::getSourceText(range, sources, context_.getLangOpts()).str();
        std::size_t const at =
            sources.getFileOffset(member.getMemberLoc()) - sources.getFileOffset(one.call->getBeginLoc());
        std::string together = plain;
        if (names_bookkeeping_)
            together.insert(together.size() - 1, std::string(", ") + text::rhizome_policy(kept_));
        together.replace(at, std::string("allocate").size(), name);
        edits_.ReplaceText(one.call->getSourceRange(),
                           std::string("(") + text::parameter + " ? " + together + " : " + plain + ")");
    }

    clang::ASTContext& context_;
    clang::Rewriter edits_;
    text::bookkeeping kept_;
    bool names_bookkeeping_;
    bool is_cuda_;
    std::set<clang::SourceLocation> done_;
};

} // namespace

std::string rewritten(clang::ASTContext& context, plan const& made, text::bookkeeping kept,
                      bool names_bookkeeping) {
    editor edit(context, kept, names_bookkeeping);
    bool any = false;
    for (decision const& one : made.decisions)
        if (one.rewritten) {
            edit.make_static(one);
            any = true;
        }
    for (clang::FunctionDecl const* function : made.told)
        edit.add_parameter(*function);
    for (clang::CallExpr const* call : made.telling)
        edit.tell(*call, made.telling_in.count(call) != 0);
    for (clang::CallExpr const* call : made.releases)
        edit.release(*call);
    return edit.text_of_main_file(any && context.getLangOpts().CUDA);
}

} // namespace rhizome::coalesce
