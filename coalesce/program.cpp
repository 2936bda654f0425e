// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>
#include <clang/ASTMatchers/ASTMatchers.h>

#include <tuple>

namespace rhizome::coalesce {
namespace {

using namespace clang::ast_matchers;

clang::QualType object_type(clang::CallExpr const& call) {
    auto const* on_object = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call);
    if (on_object == nullptr) return {};
    clang::QualType const type = on_object->getImplicitObjectArgument()->IgnoreParenImpCasts()->getType();
    return type->isPointerType() ? type->getPointeeType() : type;
}

clang::FunctionDecl const* function_around(clang::ASTContext& context, clang::Stmt const& statement) {
    clang::DynTypedNode node = clang::DynTypedNode::create(statement);
    for (;;) {
        auto const parents = context.getParents(node);
        if (parents.empty()) return nullptr;
        node = parents[0];
        if (auto const* function = node.get<clang::FunctionDecl>()) return function;
        if (auto const* lambda = node.get<clang::LambdaExpr>()) return lambda->getCallOperator();
    }
}

// The block of a launch is an integer: dim3 then has y = z = 1.
bool is_launched_in_a_row(clang::CUDAKernelCallExpr const& launch) {
    if (launch.getConfig() == nullptr || launch.getConfig()->getNumArgs() < 2) return false;
    clang::Expr const* block = launch.getConfig()->getArg(1)->IgnoreImplicit();
    if (auto const* cast = llvm::dyn_cast<clang::CXXFunctionalCastExpr>(block))
        block = cast->getSubExpr()->IgnoreImplicit();
    auto const* made = llvm::dyn_cast<clang::CXXConstructExpr>(block);
    if (made == nullptr) return block->getType()->isIntegerType();
    for (unsigned i = 0; i < made->getNumArgs(); ++i) {
        clang::Expr const* argument = made->getArg(i);
        if (i == 0 && !argument->getType()->isIntegerType()) return false;
        if (i > 0 && !llvm::isa<clang::CXXDefaultArgExpr>(argument)) return false;
    }
    return made->getNumArgs() > 0;
}

class reader : public MatchFinder::MatchCallback {
public:
    reader(clang::ASTContext& context, program& found) : context_(context), found_(found) {}

    void run(MatchFinder::MatchResult const& match) override {
        if (auto const* function = match.Nodes.getNodeAs<clang::FunctionDecl>("kernel"))
            add_kernel(*function);
        if (auto const* call = match.Nodes.getNodeAs<clang::CallExpr>("call")) add_call(*call);
        if (auto const* made = match.Nodes.getNodeAs<clang::CXXConstructExpr>("made")) add_object(*made);
        if (auto const* named = match.Nodes.getNodeAs<clang::DeclRefExpr>("named")) add_reference(*named);
    }

    std::map<clang::FunctionDecl const*, std::pair<int, int>>
        launches; // kernel: references; launches in a row
    std::set<clang::DeclRefExpr const*> callees;
    std::vector<clang::DeclRefExpr const*> references;

private:
    void add_kernel(clang::FunctionDecl const& function) {
        if (!function.isDependentContext()) found_.kernels.push_back(&function);
    }

    void add_call(clang::CallExpr const& call) {
        if (auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts()))
            callees.insert(named);
        if (auto const where = unresolved_allocation(call);
            where.isValid() && !context_.getSourceManager().isInSystemHeader(where))
            found_.pending.push_back(where);
        clang::FunctionDecl const* callee = call.getDirectCallee();
        if (callee == nullptr) return;
        if (auto const* launch = llvm::dyn_cast<clang::CUDAKernelCallExpr>(&call))
            launches[callee->getCanonicalDecl()].second += is_launched_in_a_row(*launch) ? 1 : 0;
        clang::SourceManager const& sources = context_.getSourceManager();
        if (callee->getQualifiedNameAsString() == "rhizome::exec::launch" && callee->getNumParams() == 3)
            add_functor(callee->getParamDecl(2)->getType());
        if (sources.isInSystemHeader(call.getExprLoc())) return;
        found_.calls[callee->getCanonicalDecl()].emplace_back(call);
        known_call const kind = classify(*callee, object_type(call), sources);
        bool const allocates = kind == known_call::allocation || kind == known_call::rhizome_allocate;
        bool const releases = kind == known_call::release || kind == known_call::rhizome_release;
        if (!allocates && !releases) return;
        clang::FunctionDecl const* in = function_around(context_, call);
        // Allocators around allocators are not the program's calls.
        if (in != nullptr && llvm::StringRef(in->getQualifiedNameAsString()).startswith("rhizome::alloc::"))
            return;
        if (in != nullptr && in->isDependentContext()) {
            // What is written in a template is decided by its instances; that it has one, this remembers.
            if (allocates) found_.pending.push_back(call.getExprLoc());
            if (allocates) return;
        }
        (allocates ? found_.allocations : found_.releases).push_back({&call, in, kind});
    }

    void add_object(clang::CXXConstructExpr const& made) {
        if (call_site(made).calls_written_constructor() &&
            !context_.getSourceManager().isInSystemHeader(made.getExprLoc()))
            found_.calls[made.getConstructor()->getCanonicalDecl()].emplace_back(made);
    }

    // Where `call` allocates in a template, of which the arguments say what is called. The place is that in
    // its instances.
    clang::SourceLocation unresolved_allocation(clang::CallExpr const& call) const {
        clang::Expr const* callee = call.getCallee()->IgnoreParenImpCasts();
        clang::DeclarationName name;
        clang::SourceLocation where;
        if (auto const* overloaded = llvm::dyn_cast<clang::OverloadExpr>(callee))
            std::tie(name, where) = std::pair(overloaded->getName(), overloaded->getNameLoc());
        if (auto const* member = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(callee))
            std::tie(name, where) = std::pair(member->getMember(), member->getMemberLoc());
        if (!name.isIdentifier() || name.isEmpty()) return {};
        if (name.getAsIdentifierInfo()->getName() == "malloc") return call.getExprLoc();
        clang::SourceManager const& sources = context_.getSourceManager();
        bool const allocates = name.getAsIdentifierInfo()->getName() == "allocate" &&
                               call.getNumArgs() == 2 &&
                               sources.isInMainFile(sources.getExpansionLoc(call.getExprLoc()));
        return allocates ? where : clang::SourceLocation();
    }

    void add_functor(clang::QualType type) {
        clang::CXXRecordDecl const* record = type.getNonReferenceType()->getAsCXXRecordDecl();
        if (record == nullptr || !functors_.insert(record->getCanonicalDecl()).second) return;
        for (clang::Decl const* member : record->decls()) {
            if (auto const* method = llvm::dyn_cast<clang::CXXMethodDecl>(member)) add_operator(*method);
            if (auto const* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(member))
                for (clang::FunctionDecl const* instance : pattern->specializations())
                    add_operator(*instance);
        }
    }

    void add_operator(clang::FunctionDecl const& function) {
        if (function.getOverloadedOperator() == clang::OO_Call && function.hasBody() &&
            is_rhizome_kernel(function))
            found_.kernels.push_back(&function);
    }

    void add_reference(clang::DeclRefExpr const& named) { references.push_back(&named); }

    clang::ASTContext& context_;
    program& found_;
    std::set<clang::CXXRecordDecl const*> functors_;
};

} // namespace

bool is_rhizome_kernel(clang::FunctionDecl const& function) {
    return llvm::isa<clang::CXXMethodDecl>(function) && function.getOverloadedOperator() == clang::OO_Call &&
           function.getNumParams() == 1 && is_rhizome_thread(function.getParamDecl(0)->getType());
}

bool in_device_code(clang::FunctionDecl const& function) {
    if (function.hasAttr<clang::CUDADeviceAttr>() || function.hasAttr<clang::CUDAGlobalAttr>()) return true;
    auto const* outer = llvm::dyn_cast_or_null<clang::FunctionDecl>(function.getParentFunctionOrMethod());
    auto const* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    if (outer == nullptr && method != nullptr)
        outer = llvm::dyn_cast_or_null<clang::FunctionDecl>(method->getParent()->getParentFunctionOrMethod());
    return outer != nullptr && in_device_code(*outer);
}

program read_program(clang::ASTContext& context) {
    program found;
    reader read(context, found);
    MatchFinder finder;
    finder.addMatcher(functionDecl(hasAttr(clang::attr::CUDAGlobal), isDefinition()).bind("kernel"), &read);
    finder.addMatcher(callExpr().bind("call"), &read);
    finder.addMatcher(cxxConstructExpr().bind("made"), &read);
    finder.addMatcher(declRefExpr(to(functionDecl())).bind("named"), &read);
    finder.matchAST(context);
    for (clang::DeclRefExpr const* named : read.references) {
        auto const* function = llvm::cast<clang::FunctionDecl>(named->getDecl())->getCanonicalDecl();
        ++read.launches[function].first;
        if (!read.callees.count(named)) found.address_taken.insert(function);
    }
    for (clang::FunctionDecl const* kernel : found.kernels) {
        auto const [references, rows] = read.launches[kernel->getCanonicalDecl()];
        bool const seen_whole = kernel->getLinkageInternal() == clang::InternalLinkage ||
                                kernel->getLinkageInternal() == clang::UniqueExternalLinkage;
        if (rows > 0 && rows == references && seen_whole) found.one_dimensional.insert(kernel);
    }
    clang::SourceManager const& sources = context.getSourceManager();
    for (clang::FunctionDecl const* kernel : found.kernels) {
        if (!is_rhizome_kernel(*kernel)) continue;
        for (call_site const& call : found.calls[kernel->getCanonicalDecl()])
            if (sources.isInMainFile(sources.getExpansionLoc(call.expression().getExprLoc())))
                found.called_directly.insert(kernel);
    }
    return found;
}

} // namespace rhizome::coalesce
