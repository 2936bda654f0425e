// SPDX-License-Identifier: Apache-2.0
#include "analysis.hpp"

#include "function_walk.hpp"

namespace rhizome::coalesce {
namespace {

// Enough to tell entries apart. The text of causes is not part of it: the first cause is as good as another.
std::string key_of(clang::FunctionDecl const& function, entry const& arrives) {
    std::string key = std::to_string(reinterpret_cast<std::uintptr_t>(&function));
    auto const add = [&](uniformity const& one) {
        key += static_cast<char>('a' + static_cast<int>(one.alike));
        key += static_cast<char>('a' + static_cast<int>(one.truth()));
        key += one.from_memory ? '!' : '.';
    };
    add(arrives.control);
    for (uniformity const& argument : arrives.arguments)
        add(argument);
    key += arrives.fields_are_uniform ? 'u' : 'v';
    key += arrives.is_told ? 't' : 'n';
    key += arrives.one_dimensional ? '1' : '3';
    return key;
}

} // namespace

findings const& analysis::of(clang::FunctionDecl const& function, entry const& arrives) {
    clang::FunctionDecl const* definition = nullptr;
    function.hasBody(definition);
    if (!entered_.insert(definition).second || entered_.size() > 64) {
        // A deeper call may meet other branches and other arguments than the outer one, barriers among them.
        recursion_.accesses_atomically = true;
        recursion_.result = differs(function.getLocation(), "the result of a recursive function", true);
        recursion_.hazard =
            cause{function.getLocation(), "a recursive function, which the analysis does not follow"};
        return recursion_;
    }
    auto [place, is_new] = known_.try_emplace(key_of(*definition, arrives));
    if (is_new) {
        function_walk walk(*this, *definition, arrives);
        place->second = std::make_unique<findings>(walk.run());
    }
    entered_.erase(definition);
    return *place->second;
}

} // namespace rhizome::coalesce
