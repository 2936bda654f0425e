// SPDX-License-Identifier: Apache-2.0
#include "known_calls.hpp"

#include "registry.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/StringSwitch.h>

namespace rhizome::coalesce {
namespace {

// Loads and stores with hints, textures, and functions with results in memory.
bool reads_or_writes(llvm::StringRef name) {
    static llvm::StringSet<> const names = {
        "__ldcg",    "__ldca",    "__ldcs", "__ldlu", "__ldcv", "__stwb",  "__stcg", "__stcs",  "__stwt",
        "frexp",     "frexpf",    "modf",   "modff",  "remquo", "remquof", "sincos", "sincosf", "sincospi",
        "sincospif", "__sincosf", "norm",   "normf",  "rnorm",  "rnormf",  "nan",    "nanf"};
    if (names.contains(name)) return true;
    for (llvm::StringRef const start :
         {"tex1D", "tex2D", "tex3D", "texCubemap", "surf1D", "surf2D", "surf3D", "surfCubemap"})
        if (name.startswith(start)) return true;
    return false;
}

// Groups of cooperative_groups.h: what all threads of a block, or some lanes of a warp, call together.
known_call cooperative_call(clang::FunctionDecl const& callee, llvm::StringRef qualified,
                            llvm::StringRef name) {
    bool const is_member = llvm::isa<clang::CXXMethodDecl>(callee);
    llvm::StringRef const group = qualified.rsplit("::").first;
    bool const is_block = group.contains("thread_block") && !group.contains("tile");
    if (name == "this_thread_block" || name == "this_grid" || name == "this_thread" || name == "this_cluster")
        return known_call::thread_value;
    if (name == "tiled_partition") return known_call::thread_value;
    if (name == "coalesced_threads") return known_call::thread_value;
    if (!is_member) return known_call::none; // reduce, scans and others: their bodies tell
    if (is_block && (name == "group_index" || name == "group_dim" || name == "dim_threads" ||
                     name == "size" || name == "num_threads"))
        return known_call::grid_value;
    if (name == "sync")
        return is_block                 ? known_call::block_barrier
               : group.contains("tile") ? known_call::warp_barrier
                                        : known_call::none;
    return llvm::StringSwitch<known_call>(name)
        .Cases("thread_rank", "thread_index", "meta_group_rank", known_call::thread_value)
        .Cases("size", "num_threads", "meta_group_size", known_call::thread_value)
        .Cases("shfl", "shfl_up", "shfl_down", "shfl_xor", known_call::warp_barrier)
        .Cases("any", "all", "ballot", "match_any", "match_all", known_call::warp_barrier)
        .Default(known_call::none);
}

// Random numbers of cuRAND read and write their state. Only those of Mersenne Twister are made by a block
// together.
known_call random_call(clang::FunctionDecl const& callee) {
    for (clang::ParmVarDecl const* parameter : callee.parameters())
        if (llvm::StringRef(parameter->getType().getAsString()).contains("Mtgp32")) return known_call::none;
    return known_call::memory;
}

// Functions of libcu++ for both sides: what was read of them is the host's side.
bool has_host_body(clang::FunctionDecl const& callee, llvm::StringRef qualified) {
    bool const is_library =
        qualified.startswith("cuda::") || qualified.startswith("thrust::") || qualified.startswith("cub::");
    return is_library && callee.hasAttr<clang::CUDAHostAttr>() && !callee.isConstexpr();
}

// Conversions and arithmetic of stated rounding, by the forms of their names: __float_as_int,
// __double2int_rn, __fadd_rn. Constructors of vectors: make_float4.
bool is_intrinsic(llvm::StringRef name) {
    if (name.startswith("make_")) return name.back() >= '1' && name.back() <= '4';
    if (!name.startswith("__")) return false;
    bool const is_rounded =
        name.endswith("_rn") || name.endswith("_rz") || name.endswith("_ru") || name.endswith("_rd");
    bool const converts = name.startswith("__float") || name.startswith("__double") ||
                          name.startswith("__int") || name.startswith("__uint") || name.startswith("__ll") ||
                          name.startswith("__ull") || name.startswith("__longlong") ||
                          name.startswith("__hiloint");
    return is_rounded || (converts && (name.contains("_as_") || name.contains('2')));
}

known_call cuda_call(llvm::StringRef name) {
    static llvm::StringSet<> const pure = {
#include "cuda_functions.inc"
        "__funnelshift_l", "__funnelshift_r", "__funnelshift_lc", "__funnelshift_rc", "__nv_isnand",
        "__signbit",       "__isGlobal",      "__isShared",       "__isConstant",     "__isLocal"};
    static llvm::StringSet<> const fences = {"__threadfence", "__threadfence_block", "__threadfence_system",
                                             "__nanosleep"};
    if (pure.contains(name) || is_intrinsic(name)) return known_call::pure;
    if (fences.contains(name) || name.startswith("atomic")) return known_call::atomic;
    if (reads_or_writes(name)) return known_call::memory;
    return llvm::StringSwitch<known_call>(name)
        .Cases("clock", "clock64", "__activemask", "printf", "vprintf", known_call::thread_value)
        .Cases("memcpy", "memset", "memmove", "memcmp", "strlen", known_call::memory)
        .Cases("strcpy", "strncpy", "strcmp", "strncmp", "strcat", "strchr", known_call::memory)
        .Cases("__prof_trigger", "__globaltimer", "globaltimer", known_call::thread_value)
        .Case("__ldg", known_call::read_only_load)
        .Case("__syncthreads", known_call::block_barrier)
        .Cases("__syncthreads_count", "__syncthreads_and", "__syncthreads_or", known_call::block_vote)
        .Cases("__any_sync", "__all_sync", "__ballot_sync", known_call::warp_vote)
        .Cases("__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync", "__reduce_and_sync",
               "__reduce_or_sync", known_call::warp_vote)
        .Cases("__syncwarp", "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
               known_call::warp_barrier)
        .Cases("__match_any_sync", "__match_all_sync", known_call::warp_barrier)
        .Cases("__assertfail", "__brkpt", known_call::ends_kernel)
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

known_call registered_call(registered_function const& one) {
    if (one.waits) return known_call::waits;
    if (one.told) return known_call::told;
    switch (one.result) {
    case registered_result::by_arguments:
        return known_call::pure;
    case registered_result::same_in_block:
        return known_call::grid_value;
    case registered_result::same_in_warp:
        return known_call::warp_value;
    case registered_result::differs:
        break;
    }
    return known_call::memory;
}

} // namespace

known_call classify(clang::FunctionDecl const& callee, clang::QualType object,
                    clang::SourceManager const& sources) {
    if (!callee.getDeclName().isIdentifier()) return known_call::none;
    llvm::StringRef const name = callee.getName();
    std::string const qualified = callee.getQualifiedNameAsString();
    if (registered_function const* one = find_registered(qualified)) return registered_call(*one);
    if (sources.isInSystemHeader(callee.getLocation())) {
        if (llvm::StringRef(qualified).startswith("cooperative_groups::"))
            return cooperative_call(callee, qualified, name);
        if (has_host_body(callee, qualified)) return known_call::hidden;
        if (name.startswith("curand")) return random_call(callee);
    }
    if (auto const* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee); method != nullptr)
        return rhizome_call(*method, object, name);
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
