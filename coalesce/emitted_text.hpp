// SPDX-License-Identifier: Apache-2.0
#pragma once
// All text that the tool writes into programs. It follows the interface of rhizome_coalesced_malloc.cuh for
// CUDA, and of the allocators in alloc/coalescing for Rhizome.
#include "plan.hpp"

#include <optional>
#include <string>

namespace rhizome::coalesce::text {

enum class bookkeeping : std::uint8_t { header, table };

inline constexpr char const* cuda_include = "#include <rhizome_coalesced_malloc.cuh>\n";
inline constexpr char const* dynamic_include = "#include <rhizome_coalesced_dynamic.cuh>\n";
/// Files that free each other's pointers have it too.
inline constexpr char const* program_include = "#include <rhizome_coalesced_program.cuh>\n";
inline constexpr char const* dynamic_malloc = "rhizome::coalesced::malloc";
inline constexpr char const* cuda_free = "rhizome::coalesced::free";
inline constexpr char const* cuda_parameter_type = "rhizome::coalesced::reached";
inline constexpr char const* cuda_by_some = "rhizome::coalesced::reached::by_some";
inline constexpr char const* cuda_by_all = "rhizome::coalesced::reached::by_all";
/// Around functions that are added.
inline constexpr char const* added_begin = "/* rhizome: for other files */";
inline constexpr char const* added_end = "/* rhizome: end */";
inline constexpr char const* parameter = "rhizome_reached";
inline constexpr char const* rhizome_parameter_type = "bool";
inline constexpr char const* rhizome_by_some = "false";
inline constexpr char const* rhizome_by_all = "true";

inline char const* cuda_malloc(scope covers) {
    return covers == scope::block ? "rhizome::coalesced::block_malloc" : "rhizome::coalesced::warp_malloc";
}

/// @return the function of CUDA that one of the header's stands for; nothing if there is none of that name
inline std::optional<std::string> plain_function(std::string const& name) {
    if (name == "free") return name;
    bool const allocates = name == "malloc" || name == "block_malloc" || name == "warp_malloc";
    // Earlier versions of the tool wrote them.
    bool const allocated = name == "block_header_malloc" || name == "block_table_malloc" ||
                           name == "warp_header_malloc" || name == "warp_table_malloc";
    return allocates || allocated ? std::optional<std::string>("malloc") : std::nullopt;
}

/// Of an allocator of Rhizome's; what it keeps is a matter of its type.
inline std::string rhizome_member(scope covers) {
    return covers == scope::block ? "allocate_in_block" : "allocate_in_warp";
}

inline char const* rhizome_policy(bookkeeping kept) {
    return kept == bookkeeping::header ? "rhizome::alloc::by_header{}" : "rhizome::alloc::by_table{}";
}

} // namespace rhizome::coalesce::text
