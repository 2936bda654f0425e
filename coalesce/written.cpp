// SPDX-License-Identifier: Apache-2.0
#include "written.hpp"

#include "emitted_text.hpp"
#include "header_cache.hpp"
#include "registry.hpp"
#include "toolkit.hpp"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Tooling/Tooling.h>

#include <filesystem>

namespace rhizome::coalesce {
namespace {

bool is_reached_type(clang::QualType type) {
    auto const* of = type.getNonReferenceType()->getAs<clang::EnumType>();
    return of != nullptr && of->getDecl()->getQualifiedNameAsString() == text::cuda_parameter_type;
}

class argument_check : public clang::RecursiveASTVisitor<argument_check> {
public:
    bool shouldVisitTemplateInstantiations() const { return true; }

    bool VisitCallExpr(clang::CallExpr* call) { return look_at(*call); }
    bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) { return look_at(*made); }

    bool is_right = true;

private:
    bool look_at(call_site const& call) {
        clang::FunctionDecl const* callee = call.callee();
        if (auto const* constructor = llvm::dyn_cast_or_null<clang::CXXConstructorDecl>(callee);
            constructor != nullptr && constructor->isInheritingConstructor())
            return true; // its parameters, which have no names, are those of the base
        for (unsigned i = 0; callee != nullptr && i < call.argument_count(); ++i) {
            clang::Expr const* argument = call.argument(i)->IgnoreParenImpCasts();
            if (!is_reached_type(argument->getType()) || call.argument(i)->isTypeDependent()) continue;
            bool const is_own =
                llvm::StringRef(callee->getQualifiedNameAsString()).startswith("rhizome::coalesced::");
            bool const is_for_it =
                i < callee->getNumParams() && callee->getParamDecl(i)->getName() == text::parameter;
            bool const is_registered = find_registered(callee->getQualifiedNameAsString()) != nullptr;
            is_right = is_right && (is_own || is_for_it || is_registered);
        }
        return true;
    }
};

class check_consumer : public clang::ASTConsumer {
public:
    explicit check_consumer(bool& is_right) : is_right_(is_right) {}
    void HandleTranslationUnit(clang::ASTContext& context) override {
        leave_out_cached_headers(context);
        argument_check check;
        check.TraverseDecl(context.getTranslationUnitDecl());
        is_right_ = check.is_right;
    }
    bool shouldSkipFunctionBody(clang::Decl* function) override { return is_host_body_of_library(*function); }

private:
    bool& is_right_;
};

class check_action : public clang::ASTFrontendAction {
public:
    check_action(prepare_compiler const& prepare, bool& is_right) : prepare_(prepare), is_right_(is_right) {}

    bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
        prepare_(compiler);
        return true;
    }
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&,
                                                          llvm::StringRef) override {
        return std::make_unique<check_consumer>(is_right_);
    }

private:
    prepare_compiler const& prepare_;
    bool& is_right_;
};

class check_factory : public clang::tooling::FrontendActionFactory {
public:
    check_factory(prepare_compiler const& prepare, bool& is_right) : prepare_(prepare), is_right_(is_right) {}
    std::unique_ptr<clang::FrontendAction> create() override {
        return std::make_unique<check_action>(prepare_, is_right_);
    }

private:
    prepare_compiler const& prepare_;
    bool& is_right_;
};

} // namespace

bool check_written(clang::tooling::CompilationDatabase const& compilation, std::string const& path,
                   std::string const& text, prepare_compiler const& prepare) {
    clang::tooling::ClangTool tool(compilation, {path});
    tool.clearArgumentsAdjusters();
    std::string const absolute = std::filesystem::absolute(path).string();
    tool.mapVirtualFile(absolute, text);
    bool is_right = true;
    check_factory factory(prepare, is_right);
    return tool.run(&factory) == 0 && is_right;
}

} // namespace rhizome::coalesce
