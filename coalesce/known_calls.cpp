// SPDX-License-Identifier: Apache-2.0
#include "known_calls.hpp"

#include "registry.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/StringSwitch.h>

namespace rhizome::coalesce {
namespace {

constexpr char const* pure_names =
    "abs labs llabs min max umin umax llmin llmax ullmin ullmax __popc __popcll __clz __clzll "
    "__ffs __ffsll __brev __brevll __mul24 __umul24 __umulhi __mulhi __umul64hi __mul64hi "
    "__sad __usad __hadd __uhadd __rhadd __urhadd __byte_perm __funnelshift_l "
    "__funnelshift_lc __funnelshift_r __funnelshift_rc __fdividef __saturatef __expf __exp10f "
    "__logf __log2f __log10f __powf __sinf __cosf __tanf __dp4a __dp2a_lo __dp2a_hi "
    "__isGlobal __isShared __isConstant __isLocal __cvta_generic_to_global isfinite isinf "
    "isnan signbit acos acosf acosh acoshf asin asinf asinh asinhf atan atanf atan2 atan2f "
    "atanh atanhf cbrt cbrtf ceil ceilf copysign copysignf cos cosf cosh coshf cospi cospif "
    "erf erff erfc erfcf erfcinv erfcinvf erfcx erfcxf erfinv erfinvf exp expf exp10 exp10f "
    "exp2 exp2f expm1 expm1f fabs fabsf fdim fdimf floor floorf fma fmaf fmax fmaxf fmin "
    "fminf fmod fmodf hypot hypotf ilogb ilogbf j0 j0f j1 j1f jn jnf ldexp ldexpf lgamma "
    "lgammaf llrint llrintf llround llroundf log logf log10 log10f log1p log1pf log2 log2f "
    "logb logbf lrint lrintf lround lroundf nearbyint nearbyintf nextafter nextafterf norm3d "
    "norm3df norm4d norm4df normcdf normcdff normcdfinv normcdfinvf pow powf rcbrt rcbrtf "
    "remainder remainderf rhypot rhypotf rint rintf rnorm3d rnorm3df rnorm4d rnorm4df round "
    "roundf rsqrt rsqrtf scalbln scalblnf scalbn scalbnf sin sinf sinh sinhf sinpi sinpif "
    "sqrt sqrtf tan tanf tanh tanhf tgamma tgammaf trunc truncf y0 y0f y1 y1f yn ynf fdivide "
    "fdividef";

llvm::StringSet<> words_of(llvm::StringRef text) {
    llvm::SmallVector<llvm::StringRef, 256> words;
    text.split(words, ' ', -1, false);
    llvm::StringSet<> all;
    for (llvm::StringRef const word : words)
        all.insert(word);
    return all;
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
    static llvm::StringSet<> const pure = words_of(pure_names);
    static llvm::StringSet<> const fences = {"__threadfence", "__threadfence_block", "__threadfence_system",
                                             "__nanosleep"};
    if (pure.contains(name) || is_intrinsic(name)) return known_call::pure;
    if (fences.contains(name) || name.startswith("atomic")) return known_call::atomic;
    return llvm::StringSwitch<known_call>(name)
        .Cases("clock", "clock64", "__activemask", "printf", known_call::thread_value)
        .Cases("memcpy", "memset", "memmove", "memcmp", "strlen", known_call::memory)
        .Cases("strcpy", "strncpy", "strcmp", "strncmp", "strcat", "strchr", known_call::memory)
        .Cases("sincos", "sincosf", "sincospi", "sincospif", "modf", "modff", known_call::memory)
        .Cases("frexp", "frexpf", "remquo", "remquof", known_call::memory)
        .Cases("__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv", known_call::memory)
        .Cases("__stwb", "__stcg", "__stcs", "__stwt", known_call::memory)
        .Cases("__prof_trigger", "__globaltimer", "globaltimer", "vprintf", known_call::thread_value)
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
    if (registered_function const* one = find_registered(callee.getQualifiedNameAsString()))
        return registered_call(*one);
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
