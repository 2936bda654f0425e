// SPDX-License-Identifier: Apache-2.0
#include "function_walk.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include <utility>

namespace rhizome::coalesce {
namespace {

// The functions around a call know only their own source. What lies below them is called "may wait".
constexpr char const* waits = ", which may wait for other threads";

entry in_any_way(clang::FunctionDecl const& function) {
    entry arrives;
    arrives.control = differs(function.getLocation(), "a function that is not called directly");
    arrives.arguments.assign(function.getNumParams(), differs(function.getLocation(), "an argument", true));
    return arrives;
}

// Neither stores to memory that the program can name, nor waits for another thread.
bool leaves_memory(known_call kind) {
    switch (kind) {
    case known_call::pure:
    case known_call::grid_value:
    case known_call::linear_rank:
    case known_call::warp_value:
    case known_call::read_only_load:
    case known_call::allocation:
        return true;
    default:
        return false;
    }
}

std::string quoted(clang::FunctionDecl const& function) { return "'" + function.getNameAsString() + "'"; }

} // namespace

uniformity function_walk::unknown_call(clang::SourceLocation where, std::string text) {
    forget();
    ++atomic_accesses_;
    if (!whole_.stated().nothing_waits) hazard(where, text + waits);
    return differs(where, std::move(text), true);
}

uniformity function_walk::call(clang::CallExpr const& called) {
    ++changes_;
    clang::SourceLocation const where = called.getExprLoc();
    clang::FunctionDecl const* callee = called.getDirectCallee();
    auto const* on_object = llvm::dyn_cast<clang::CXXMemberCallExpr>(&called);
    auto const* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);

    known_call kind = known_call::none;
    // Before its operands are taken for references.
    if (method != nullptr && method->isTrivial() && called.getNumArgs() == 2 &&
        (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator()) &&
        llvm::isa<clang::CXXOperatorCallExpr>(called) && assign_object(called))
        return differs(where, "an assigned object", true);
    clang::Expr const* object = on_object != nullptr ? on_object->getImplicitObjectArgument() : nullptr;
    if (callee != nullptr) {
        clang::QualType type =
            object == nullptr ? clang::QualType() : object->IgnoreParenImpCasts()->getType();
        if (!type.isNull() && type->isPointerType()) type = type->getPointeeType();
        kind = classify(*callee, type, context_.getSourceManager());
    }

    entry arriving;
    uniformity arguments;
    if (object != nullptr) {
        bool const is_contract = kind != known_call::none && kind != known_call::rhizome_allocate;
        bool const is_this = llvm::isa<clang::CXXThisExpr>(object->IgnoreParenImpCasts());
        if (is_this && arrives_.fields_are_uniform && method != nullptr && method->isConst())
            arriving.fields_are_uniform = true;
        else if (kind == known_call::rhizome_allocate)
            arguments.join(
                load(object->IgnoreParenImpCasts())); // an allocator that is the same in all threads
        else if (is_contract && llvm::isa<clang::DeclRefExpr>(object->IgnoreParenImpCasts()))
            ; // a group of threads: nothing changes it
        else
            value(object);
    } else if (callee == nullptr || method != nullptr) {
        value(called.getCallee());
    }
    for (unsigned i = 0; i < called.getNumArgs(); ++i) {
        clang::Expr const* argument = called.getArg(i);
        if (is_rhizome_thread(argument->getType()) &&
            llvm::isa<clang::DeclRefExpr>(argument->IgnoreParenImpCasts())) {
            arriving.arguments.push_back(differs(where, "the thread", true));
            continue;
        }
        uniformity const passed = kind == known_call::rhizome_in_block ? uniformity{} : value(argument);
        arriving.arguments.push_back(passed);
        arguments.join(passed);
    }
    if (!leaves_memory(kind)) forget();
    if (callee == nullptr) return unknown_call(where, "a call through a pointer");
    if (kind == known_call::hidden)
        return unknown_call(where,
                            "the function " + quoted(*callee) + ", whose body for the device is not visible");
    if (kind != known_call::none) return known(kind, called, arguments);
    if (method != nullptr && method->isVirtual()) return unknown_call(where, "a call of a virtual function");
    if (method != nullptr && llvm::isa<clang::CXXOperatorCallExpr>(called) && !arriving.arguments.empty())
        arriving.arguments.erase(arriving.arguments.begin()); // the object
    if (callee->isTrivial()) return differs(where, "an assigned object", true);
    if (callee->getBuiltinID() != 0 && !callee->hasBody()) {
        bool const has_no_effect = callee->hasAttr<clang::ConstAttr>();
        return has_no_effect ? as_control(arguments) : unknown_call(where, "the function " + quoted(*callee));
    }
    if (!callee->hasBody())
        return unknown_call(where, "the function " + quoted(*callee) + ", whose body is not visible");
    return body_of(called, *callee, std::move(arriving));
}

uniformity function_walk::body_of(call_site const& called, clang::FunctionDecl const& callee,
                                  entry arriving) {
    arriving.control = control();
    arriving.one_dimensional = arrives_.one_dimensional;
    arriving.is_told = arrives_.is_told && whole_.supposed().untold.count(called.end()) == 0;
    clang::FunctionDecl const* definition = nullptr;
    callee.hasBody(definition);
    arriving.arguments.resize(definition->getNumParams());
    findings const& inner = whole_.of(*definition, arriving);
    if (inner.hazard) hazard(inner.hazard->where, inner.hazard->text);
    if (inner.accesses_atomically) ++atomic_accesses_;
    uniformity const result = inner.result;
    found_.calls.push_back({called, definition, std::move(arriving)});
    return result;
}

// A body that runs at a place that the source does not show: a destructor, a lambda, a constructor that is
// called without parentheses. It is entered in any way, so that its barriers are found; its allocations are
// not rewritten.
void function_walk::implicit_body(clang::FunctionDecl const* function, clang::SourceLocation where) {
    forget();
    clang::FunctionDecl const* definition = nullptr;
    if (!function->hasBody(definition)) {
        unknown_call(where, "the function " + quoted(*function) + ", whose body is not visible");
        return;
    }
    findings const& inner = whole_.of(*definition, in_any_way(*definition));
    if (inner.hazard) hazard(inner.hazard->where, inner.hazard->text);
    if (inner.accesses_atomically) ++atomic_accesses_;
}

void function_walk::destroy(clang::QualType type, clang::SourceLocation where) {
    clang::CXXRecordDecl const* record = context_.getBaseElementType(type)->getAsCXXRecordDecl();
    if (record == nullptr || !record->hasDefinition() || record->hasTrivialDestructor()) return;
    if (record->hasUserDeclaredDestructor() && record->getDestructor()->isUserProvided()) {
        for (clang::FieldDecl const* field : record->fields())
            destroy(field->getType(), where);
        for (clang::CXXBaseSpecifier const& base : record->bases())
            destroy(base.getType(), where);
        return implicit_body(record->getDestructor(), where);
    }
    for (clang::FieldDecl const* field : record->fields())
        destroy(field->getType(), where);
    for (clang::CXXBaseSpecifier const& base : record->bases())
        destroy(base.getType(), where);
}

uniformity function_walk::lambda(clang::LambdaExpr const& made) {
    for (unsigned i = 0; i < made.capture_size(); ++i) {
        clang::LambdaCapture const& capture = made.capture_begin()[i];
        if (capture.capturesVariable() && capture.getCaptureKind() == clang::LCK_ByRef) {
            if (auto const* variable = llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar())) {
                note_escaped(*variable);
                raise(*variable,
                      differs(made.getBeginLoc(),
                              "'" + variable->getNameAsString() + "', which a lambda may change", true));
            }
        }
        // For a capture by reference this takes the address, also of what [&alias = variable] names.
        if (clang::Expr const* initial = made.capture_init_begin()[i]; initial != nullptr) value(initial);
    }
    clang::CXXMethodDecl const* body = made.getCallOperator();
    if (clang::FunctionTemplateDecl const* generic = body->getDescribedFunctionTemplate()) {
        for (clang::FunctionDecl const* instance : generic->specializations())
            implicit_body(instance, made.getBeginLoc());
    } else {
        implicit_body(body, made.getBeginLoc());
    }
    return differs(made.getBeginLoc(), "a lambda", true);
}

// CUDA's own operators allocate, and wait for no thread.
uniformity function_walk::creation(clang::CXXNewExpr const& made) {
    ++changes_;
    bool const outer =
        std::exchange(may_be_skipped_, may_be_skipped_ || made.isArray() || made.shouldNullCheckAllocation());
    each_operand(made);
    may_be_skipped_ = outer;
    forget();
    clang::FunctionDecl const* by = made.getOperatorNew();
    if (by != nullptr && !by->isReplaceableGlobalAllocationFunction() &&
        !by->isReservedGlobalPlacementOperator())
        implicit_body(by, made.getExprLoc());
    else if (by != nullptr && by->hasBody() && !by->isReservedGlobalPlacementOperator())
        implicit_body(by, made.getExprLoc());
    return differs(made.getExprLoc(), "a pointer to new memory");
}

uniformity function_walk::deletion(clang::CXXDeleteExpr const& deleted) {
    ++changes_;
    value(deleted.getArgument());
    forget();
    clang::QualType const type = deleted.getDestroyedType();
    clang::CXXRecordDecl const* record =
        type.isNull() ? nullptr : context_.getBaseElementType(type)->getAsCXXRecordDecl();
    if (record != nullptr && record->hasDefinition() && !record->hasTrivialDestructor() &&
        record->getDestructor()->isVirtual())
        unknown_call(deleted.getExprLoc(), "a call of a virtual function");
    else if (!type.isNull())
        destroy(type, deleted.getExprLoc());
    clang::FunctionDecl const* by = deleted.getOperatorDelete();
    if (by != nullptr && (!by->isReplaceableGlobalAllocationFunction() || by->hasBody()))
        implicit_body(by, deleted.getExprLoc());
    return differs(deleted.getExprLoc(), "no value");
}

// `called` waits for all threads of a block, or for all lanes of a warp, so all of them must reach it.
void function_walk::together(level needed, clang::CallExpr const& called) {
    if (control().alike > needed) hazard(called.getExprLoc(), "a barrier that only some threads reach");
    if (needed == level::block) interval_.barrier();
}

// All threads of a static call get memory, or none does.
uniformity function_walk::new_memory(clang::CallExpr const& called, uniformity const& arguments) {
    uniformity made = differs(called.getExprLoc(), "a pointer to new memory");
    supposed_plan const& supposed = whole_.supposed();
    level together = std::max({control().alike, as_control(arguments).alike, supposed.finest});
    if (auto const known = supposed.allocations.find(called.getExprLoc());
        known != supposed.allocations.end())
        together = std::max(together, known->second);
    bool const is_here = context_.getSourceManager().isInMainFile(called.getExprLoc());
    if (arrives_.is_told && is_here && together <= supposed.coarsest) made.null_alike = together;
    return made;
}

bool function_walk::names_all_lanes(clang::CallExpr const& called) const {
    clang::Expr::EvalResult mask;
    clang::Expr const* argument = called.getNumArgs() == 0 ? nullptr : called.getArg(0);
    return argument != nullptr && !argument->isValueDependent() && argument->EvaluateAsInt(mask, context_) &&
           mask.Val.getInt().zextOrTrunc(32) == 0xffffffffu;
}

uniformity function_walk::known(known_call kind, clang::CallExpr const& called, uniformity const& arguments) {
    clang::SourceLocation const where = called.getExprLoc();
    std::string const name = "'" + called.getDirectCallee()->getNameAsString() + "'";
    switch (kind) {
    case known_call::none:
    case known_call::hidden:
        break;
    case known_call::pure:
        return as_control(arguments);
    case known_call::grid_value:
        return {};
    case known_call::linear_rank:
        return {level::linear, false, {where, "the rank of the thread in its block"}};
    case known_call::warp_value:
        return {level::warp, false, {where, "a value of the warp"}};
    case known_call::thread_value:
        return differs(where, "the result of " + name);
    case known_call::memory:
        return differs(where, "the result of " + name, true);
    case known_call::read_only_load: {
        clang::Expr const* address = called.getArg(0)->IgnoreParenImpCasts();
        if (auto const* of = llvm::dyn_cast<clang::UnaryOperator>(address);
            of && of->getOpcode() == clang::UO_AddrOf)
            if (auto const* at = llvm::dyn_cast<clang::ArraySubscriptExpr>(of->getSubExpr()->IgnoreParens()))
                if (at->getBase()->IgnoreParens()->getType()->isPointerType() &&
                    !llvm::isa<clang::ArrayType>(at->getBase()->IgnoreParenImpCasts()->getType()))
                    return joined(as_control(value(at->getBase())), as_control(value(at->getIdx())));
        return as_control(arguments);
    }
    case known_call::atomic:
        ++atomic_accesses_;
        return differs(where, "the result of " + name + ", which other threads influence", true);
    case known_call::block_barrier:
        together(level::block, called);
        return differs(where, "no value");
    case known_call::warp_barrier:
        ++atomic_accesses_;
        together(level::warp, called);
        return differs(where, "the result of " + name, true);
    case known_call::block_vote:
        together(level::block, called);
        return {};
    case known_call::warp_vote:
        ++atomic_accesses_; // a warp that waits for another warp
        together(level::warp, called);
        if (!names_all_lanes(called))
            return differs(where, "the result of " + name + " over some lanes", true);
        return {level::warp, true, {where, "the result of " + name + ", which is one per warp"}};
    case known_call::ends_kernel:
        return differs(where, "no value");
    case known_call::allocation:
        found_.allocations.push_back({&called, control(), arguments});
        return new_memory(called, arguments);
    case known_call::rhizome_allocate:
        found_.allocations.push_back({&called, control(), arguments});
        return differs(where, "a pointer to new memory");
    case known_call::release:
    case known_call::rhizome_release:
        return differs(where, "no value");
    case known_call::rhizome_in_block:
        together(level::block, called);
        return load(called.getArg(0));
    case known_call::waits:
        ++atomic_accesses_;
        hazard(where, "the function " + name + waits);
        return differs(where, "the result of " + name, true);
    case known_call::told: {
        ++atomic_accesses_;
        uniformity numbers; // the pointers are each thread's own
        for (clang::Expr const* argument : called.arguments())
            if (argument->getType()->isArithmeticType() || argument->getType()->isEnumeralType())
                numbers.join(value(argument));
        found_.told.push_back({&called, control(), numbers});
        return differs(where, "the result of " + name, true);
    }
    case known_call::run_by_thread:
        return differs(where, "no value");
    }
    return differs(where, "the result of " + name, true);
}

} // namespace rhizome::coalesce
