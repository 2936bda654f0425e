// SPDX-License-Identifier: Apache-2.0
#include "known_calls.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/StringSwitch.h>

namespace rhizome::coalesce {
namespace {

known_call cuda_call(llvm::StringRef name) {
    static llvm::StringSet<> const pure = {
        "abs",           "labs",    "llabs",    "min",      "max",     "umin",       "umax",
        "llmin",         "llmax",   "ullmin",   "ullmax",   "fabs",    "fabsf",      "sqrt",
        "sqrtf",         "rsqrtf",  "sin",      "sinf",     "cos",     "cosf",       "exp",
        "expf",          "exp2f",   "log",      "logf",     "log2",    "log2f",      "pow",
        "powf",          "floor",   "floorf",   "ceil",     "ceilf",   "round",      "roundf",
        "trunc",         "truncf",  "fmin",     "fminf",    "fmax",    "fmaxf",      "fma",
        "fmaf",          "__popc",  "__popcll", "__clz",    "__clzll", "__ffs",      "__ffsll",
        "__brev",        "__mul24", "__umul24", "__umulhi", "__mulhi", "__fdividef", "__float2int_rd",
        "__int2float_rn"};
    static llvm::StringSet<> const fences = {"__threadfence", "__threadfence_block", "__threadfence_system",
                                             "__nanosleep"};
    if (pure.contains(name)) return known_call::pure;
    if (fences.contains(name) || name.startswith("atomic")) return known_call::atomic;
    return llvm::StringSwitch<known_call>(name)
        .Cases("clock", "clock64", "__activemask", "printf", known_call::thread_value)
        .Cases("memcpy", "memset", "memmove", "memcmp", "strlen", known_call::memory)
        .Case("__ldg", known_call::read_only_load)
        .Case("__syncthreads", known_call::block_barrier)
        .Cases("__syncthreads_count", "__syncthreads_and", "__syncthreads_or", known_call::block_vote)
        .Cases("__any_sync", "__all_sync", "__ballot_sync", known_call::warp_vote)
        .Cases("__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync",
               "__reduce_or_sync", known_call::warp_vote)
        .Cases("__syncwarp", "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
               known_call::warp_barrier)
        .Cases("__match_any_sync", "__match_all_sync", known_call::warp_barrier)
        .Cases("__trap", "__assert_fail", "abort", "__builtin_trap", "__builtin_unreachable",
               known_call::ends_kernel)
        .Case("malloc", known_call::allocation)
        .Case("free", known_call::release)
        .Default(known_call::none);
}

// A group of lanes: thread.block(), thread.warp(), thread.tile(width<W>). Which one it is, the name of its
// class says.
known_call group_call(llvm::StringRef group, llvm::StringRef name) {
    bool const is_block = group.contains("block");
    if (name == "sync") return is_block ? known_call::block_barrier : known_call::warp_barrier;
    if (is_block)
        return llvm::StringSwitch<known_call>(name)
            .Cases("size", "index", "count", known_call::grid_value)
            .Case("rank", known_call::linear_rank)
            .Case("storage", known_call::memory)
            .Default(known_call::none);
    return llvm::StringSwitch<known_call>(name)
        .Cases("any", "all", "ballot", "broadcast", "shuffle", known_call::warp_barrier)
        .Cases("exclusive_scan", "inclusive_scan", "sum", "min", "max", "match", known_call::warp_barrier)
        .Cases("rank", "size", "index", "count", "is_leader", known_call::thread_value)
        .Default(known_call::none);
}

known_call rhizome_call(clang::CXXMethodDecl const& method, clang::QualType object, llvm::StringRef name) {
    if (llvm::StringRef(method.getParent()->getQualifiedNameAsString()).startswith("rhizome::alloc::"))
        return llvm::StringSwitch<known_call>(name)
            .Case("allocate", known_call::rhizome_allocate)
            .Case("deallocate", known_call::rhizome_release)
            .Default(known_call::none);
    clang::CXXRecordDecl const* record = object.isNull() ? nullptr : object->getAsCXXRecordDecl();
    std::string const type = record == nullptr ? "" : record->getQualifiedNameAsString();
    if (!llvm::StringRef(type).startswith("rhizome::exec::")) return known_call::none;
    llvm::StringRef const last = llvm::StringRef(type).rsplit("::").second;
    for (llvm::StringRef const group : {"block", "tile", "group", "coalesced", "lane"})
        if (last.contains(group)) return group_call(last, name);
    return llvm::StringSwitch<known_call>(name)
        .Case("size", known_call::grid_value)
        .Case("rank", known_call::thread_value)
        .Cases("block", "warp", "tile", "coalesced", "without_storage", known_call::thread_value)
        .Cases("device", "block_scoped", "shared", "relax", "pause", known_call::atomic)
        .Cases("load", "store", "exchange", "compare_exchange", known_call::atomic)
        .Cases("fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_min", "fetch_max",
               known_call::atomic)
        .Default(known_call::none);
}

} // namespace

known_call classify(clang::FunctionDecl const& callee, clang::QualType object,
                    clang::SourceManager const& sources) {
    if (!callee.getDeclName().isIdentifier()) return known_call::none;
    llvm::StringRef const name = callee.getName();
    if (auto const* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee); method != nullptr)
        return rhizome_call(*method, object, name);
    std::string const qualified = callee.getQualifiedNameAsString();
    if (qualified == "rhizome::exec::for_each_item" || qualified == "rhizome::exec::for_each_group_item")
        return known_call::run_by_thread;
    if (qualified == "rhizome::alloc::in_block") return known_call::rhizome_in_block;
    if (qualified == "rhizome::exec::add_to_total") return known_call::memory;
    clang::FunctionDecl const* body = nullptr;
    if (callee.hasBody(body) && !sources.isInSystemHeader(body->getLocation())) return known_call::none;
    bool const is_builtin = callee.getBuiltinID() != 0;
    if (!is_builtin && !sources.isInSystemHeader(callee.getCanonicalDecl()->getLocation()))
        return known_call::none;
    return cuda_call(name);
}

bool is_rhizome_thread(clang::QualType type) {
    clang::CXXRecordDecl const* record = type.getNonReferenceType()->getAsCXXRecordDecl();
    if (record == nullptr) return false;
    std::string const name = record->getQualifiedNameAsString();
    return llvm::StringRef(name).startswith("rhizome::exec::") && llvm::StringRef(name).contains("thread");
}

} // namespace rhizome::coalesce
