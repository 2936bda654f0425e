// SPDX-License-Identifier: Apache-2.0
#include "releases.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <set>
#include <utility>

namespace rhizome::coalesce {
namespace {

bool is_deallocation_operator(clang::FunctionDecl const& callee) {
    auto const kind = callee.getOverloadedOperator();
    return (kind == clang::OO_Delete || kind == clang::OO_Array_Delete) &&
           !llvm::isa<clang::CXXMethodDecl>(callee) && !callee.isReservedGlobalPlacementOperator();
}

// cudaFree of device code takes pointers of malloc.
bool is_named_as_release(clang::FunctionDecl const& callee) {
    if (!callee.getDeclName().isIdentifier() || llvm::isa<clang::CXXMethodDecl>(callee)) return false;
    llvm::StringRef const name = callee.getName();
    bool const is_known = name == "cudaFree" || name == "cudaFreeAsync" || name == "cfree" ||
                          name == "realloc" || name == "reallocarray" || name == "__builtin_free" ||
                          name == "__builtin_operator_delete";
    bool const is_global =
        callee.isExternC() || callee.getDeclContext()->getRedeclContext()->isTranslationUnit();
    return is_known || (name == "free" && is_global && !callee.hasBody());
}

clang::VarDecl const* local_named(clang::Expr const* expression) {
    auto const* named = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenCasts());
    auto const* variable = named == nullptr || named->refersToEnclosingVariableOrCapture()
                               ? nullptr
                               : llvm::dyn_cast<clang::VarDecl>(named->getDecl());
    bool const is_local = variable != nullptr && variable->isLocalVarDecl() && variable->hasLocalStorage() &&
                          variable->getType()->isPointerType();
    return is_local ? variable : nullptr;
}

bool is_made_by_new(clang::Expr const* expression) {
    expression = expression->IgnoreParenCasts();
    if (auto const* made = llvm::dyn_cast<clang::CXXNewExpr>(expression))
        return made->getNumPlacementArgs() == 0;
    return llvm::isa<clang::CXXNullPtrLiteralExpr>(expression) || llvm::isa<clang::GNUNullExpr>(expression) ||
           llvm::isa<clang::IntegerLiteral>(expression);
}

// What the body of one function names, and where it gives memory back.
class body_reader : public clang::RecursiveASTVisitor<body_reader> {
public:
    body_reader(clang::ASTContext& context, bool replaced) : context_(context), replaced_(replaced) {}

    bool shouldVisitImplicitCode() const { return true; }
    bool shouldVisitTemplateInstantiations() const { return false; }

    void read(clang::FunctionDecl const& definition) {
        if (auto const* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&definition))
            for (clang::CXXCtorInitializer const* member : constructor->inits())
                TraverseStmt(member->getInit());
        if (auto const* destructor = llvm::dyn_cast<clang::CXXDestructorDecl>(&definition))
            destroy_parts(*destructor->getParent());
        TraverseStmt(definition.getBody());
        for (auto const& [deleted, where] : deletes_)
            if (deleted == nullptr || holds_other_.count(deleted) != 0) found.push_back({where, "a delete"});
    }

    bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
        if (auto const* callee = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl()))
            name(*callee, *reference);
        return true;
    }
    bool VisitMemberExpr(clang::MemberExpr* member) {
        if (auto const* callee = llvm::dyn_cast<clang::FunctionDecl>(member->getMemberDecl()))
            named.insert(callee);
        return true;
    }
    bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) {
        named.insert(made->getConstructor());
        return true;
    }
    bool VisitCXXDefaultArgExpr(clang::CXXDefaultArgExpr* argument) {
        return TraverseStmt(argument->getExpr());
    }
    bool VisitCXXDefaultInitExpr(clang::CXXDefaultInitExpr* initial) {
        return TraverseStmt(initial->getExpr());
    }
    bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr* temporary) {
        destroy(temporary->getType());
        return true;
    }
    bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
        named.insert(lambda->getCallOperator());
        return true;
    }
    bool VisitCXXNewExpr(clang::CXXNewExpr* made) {
        if (made->getOperatorNew() != nullptr) named.insert(made->getOperatorNew());
        return true;
    }
    bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* expression) {
        clang::QualType const type = expression->getDestroyedType();
        if (!type.isNull()) destroy(type);
        clang::FunctionDecl const* by = expression->getOperatorDelete();
        if (by == nullptr) return true; // in a template: its instances are read
        if (llvm::isa<clang::CXXMethodDecl>(by))
            named.insert(by);
        else if (!is_replaced(*by))
            deletes_.emplace_back(local_named(expression->getArgument()), expression->getExprLoc());
        return true;
    }
    bool VisitVarDecl(clang::VarDecl* variable) {
        destroy(variable->getType());
        if (variable->hasInit() && !is_made_by_new(variable->getInit())) holds_other_.insert(variable);
        return true;
    }
    bool VisitBinaryOperator(clang::BinaryOperator* operation) {
        if (!operation->isAssignmentOp()) return true;
        if (clang::VarDecl const* variable = local_named(operation->getLHS()))
            if (operation->getOpcode() != clang::BO_Assign || !is_made_by_new(operation->getRHS()))
                holds_other_.insert(variable);
        return true;
    }
    bool VisitUnaryOperator(clang::UnaryOperator* operation) {
        if (operation->getOpcode() == clang::UO_AddrOf || operation->isIncrementDecrementOp())
            if (clang::VarDecl const* variable = local_named(operation->getSubExpr()))
                holds_other_.insert(variable);
        return true;
    }
    // A variable that is used as a place in another way than to load its value, or to assign to it.
    bool VisitCallExpr(clang::CallExpr* call) {
        for (unsigned i = 0; i < call->getNumArgs(); ++i)
            note_place(call->getArg(i));
        return true;
    }
    bool VisitDeclStmt(clang::DeclStmt* statement) {
        for (clang::Decl const* declared : statement->decls())
            if (auto const* variable = llvm::dyn_cast<clang::VarDecl>(declared);
                variable != nullptr && variable->hasInit() && variable->getType()->isReferenceType())
                note_place(variable->getInit());
        return true;
    }
    bool TraverseLambdaExpr(clang::LambdaExpr* lambda) {
        for (unsigned i = 0; i < lambda->capture_size(); ++i) {
            clang::LambdaCapture const& capture = lambda->capture_begin()[i];
            if (capture.capturesVariable() && capture.getCaptureKind() == clang::LCK_ByRef)
                if (auto const* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar()))
                    holds_other_.insert(variable);
        }
        return RecursiveASTVisitor::TraverseLambdaExpr(lambda);
    }
    bool VisitGCCAsmStmt(clang::GCCAsmStmt* assembly) {
        if (assembly->getAsmString()->getString().contains("free"))
            found.push_back({assembly->getAsmLoc(), "inline assembly that names free"});
        return true;
    }

    std::set<clang::FunctionDecl const*> named;
    std::vector<foreign_release> found;

private:
    void name(clang::FunctionDecl const& callee, clang::DeclRefExpr const& at) {
        named.insert(&callee);
        if (is_deallocation_operator(callee) && is_replaced(callee)) return;
        if (is_deallocation_operator(callee))
            found.push_back({at.getLocation(), "a call of operator delete"});
        else if (is_named_as_release(callee) &&
                 classify(callee, {}, context_.getSourceManager()) != known_call::release)
            found.push_back({at.getLocation(), "a call of " + callee.getNameAsString()});
        else if (is_named_as_release(callee) && is_unreachable(at))
            found.push_back({at.getLocation(), "a call of free in a system header"});
    }

    bool is_unreachable(clang::DeclRefExpr const& at) const {
        return context_.getSourceManager().isInSystemHeader(at.getLocation());
    }

    void note_place(clang::Expr const* place) {
        if (!place->isGLValue()) return;
        if (clang::VarDecl const* variable = local_named(place)) holds_other_.insert(variable);
    }

    void destroy(clang::QualType type) {
        if (type.isNull() || type->isDependentType()) return;
        clang::CXXRecordDecl const* record = context_.getBaseElementType(type)->getAsCXXRecordDecl();
        if (record == nullptr || !record->hasDefinition() || record->hasTrivialDestructor()) return;
        if (!destroyed_.insert(record).second) return;
        if (clang::CXXDestructorDecl const* destructor = record->getDestructor()) named.insert(destructor);
        destroy_parts(*record);
    }
    void destroy_parts(clang::CXXRecordDecl const& record) {
        for (clang::FieldDecl const* field : record.fields())
            destroy(field->getType());
        for (clang::CXXBaseSpecifier const& base : record.bases())
            destroy(base.getType());
    }

    // Operators of over-aligned memory stay CUDA's.
    bool is_replaced(clang::FunctionDecl const& callee) const {
        if (!replaced_ || callee.hasBody()) return false;
        for (clang::ParmVarDecl const* parameter : callee.parameters())
            if (parameter->getType()->isEnumeralType()) return false;
        return true;
    }

    clang::ASTContext& context_;
    bool replaced_;
    std::set<clang::CXXRecordDecl const*> destroyed_;
    std::set<clang::VarDecl const*> holds_other_; ///< also other values than those of `new`
    std::vector<std::pair<clang::VarDecl const*, clang::SourceLocation>> deletes_;
};

// Functions with which device code begins.
class root_finder : public clang::RecursiveASTVisitor<root_finder> {
public:
    explicit root_finder(clang::SourceManager const& sources) : sources_(sources) {}

    bool shouldVisitImplicitCode() const { return true; }
    bool shouldVisitTemplateInstantiations() const { return true; }

    bool VisitFunctionDecl(clang::FunctionDecl* one) {
        if (!one->isThisDeclarationADefinition() || one->isDependentContext()) return true;
        bool const is_kernel = one->hasAttr<clang::CUDAGlobalAttr>();
        if (is_kernel || (in_device_code(*one) && !sources_.isInSystemHeader(one->getLocation())))
            roots.push_back(one);
        return true;
    }
    bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
        if (!lambda->getCallOperator()->isDependentContext() && in_device_code(*lambda->getCallOperator()))
            roots.push_back(lambda->getCallOperator());
        return true;
    }

    std::vector<clang::FunctionDecl const*> roots;

private:
    clang::SourceManager const& sources_;
};

// The tool's own functions: they know coalesced pointers.
bool is_own(clang::FunctionDecl const& callee) {
    return llvm::StringRef(callee.getQualifiedNameAsString()).startswith("rhizome::coalesced::");
}

} // namespace

std::vector<foreign_release> foreign_releases(clang::ASTContext& context, program const& whole,
                                              bool replaced) {
    clang::SourceManager const& sources = context.getSourceManager();
    root_finder finder(sources);
    finder.TraverseDecl(context.getTranslationUnitDecl());
    std::vector<clang::FunctionDecl const*> waiting = std::move(finder.roots);
    std::vector<foreign_release> all;
    std::set<clang::FunctionDecl const*> seen;
    while (!waiting.empty()) {
        clang::FunctionDecl const* const one = waiting.back();
        waiting.pop_back();
        clang::FunctionDecl const* definition = nullptr;
        if (is_own(*one) || !one->hasBody(definition) || definition->isDependentContext()) continue;
        if (!seen.insert(definition).second) continue;
        body_reader body(context, replaced);
        body.read(*definition);
        waiting.insert(waiting.end(), body.named.begin(), body.named.end());
        all.insert(all.end(), body.found.begin(), body.found.end());
    }
    // Initialisers of members run in constructors, wherever these are.
    for (allocator_call const& release : whole.releases)
        if (release.in == nullptr) all.push_back({release.call->getExprLoc(), "a free outside of functions"});
    std::sort(all.begin(), all.end(), [&](foreign_release const& one, foreign_release const& other) {
        return sources.isBeforeInTranslationUnit(one.where, other.where);
    });
    return all;
}

} // namespace rhizome::coalesce
