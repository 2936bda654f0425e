// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the user states, in a file, of functions whose bodies the tool does not see.
#include <optional>
#include <string>

namespace rhizome::coalesce {

/// How alike the results of a registered function are.
enum class registered_result : unsigned char { differs, by_arguments, same_in_warp, same_in_block };

struct registered_function {
    bool waits = false; ///< for other threads, or ends the calling thread
    bool keeps = false; ///< pointers that it gets may be freed by code that is not rewritten
    bool told = false;  ///< its last parameter says whether all threads make the call
    registered_result result = registered_result::differs;
};

/// Adds the functions of a file. A line is `NAME: WORDS`, with words of: waits, keeps, told, arguments, warp,
/// block. NAME is qualified by its namespaces and classes; `#` begins a comment.
/// @return what is wrong with the file, with its line; nothing if it was read
std::optional<std::string> read_known_functions(std::string const& path);

/// @return what is registered of the function with this qualified name, or nullptr
registered_function const* find_registered(std::string const& qualified_name);

} // namespace rhizome::coalesce
