// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loads from shared memory that all threads of a block make between the same two barriers. If no thread
// stores there between these barriers, all get the same value.
#include <clang/AST/Decl.h>

#include <map>
#include <set>

namespace rhizome::coalesce {

/// @return the __shared__ variables of `function` that are only loaded and assigned by their names, so that
/// each access is seen
std::set<clang::VarDecl const*> plain_shared_variables(clang::FunctionDecl const& function);

/// What has happened to shared variables since the last barrier, on any path to a point.
class shared_interval {
public:
    struct accesses {
        bool stored = false;
        bool loaded = false; ///< by all threads
        friend bool operator==(accesses const&, accesses const&) = default;
    };

    accesses& operator[](clang::VarDecl const* variable) { return since_[variable]; }
    void barrier() { since_.clear(); }
    /// Another path leads here.
    void join(shared_interval const& other) {
        for (auto const& [variable, one] : other.since_) {
            accesses& both = since_[variable];
            both.stored = both.stored || one.stored;
            both.loaded = both.loaded || one.loaded;
        }
    }
    friend bool operator==(shared_interval const&, shared_interval const&) = default;

private:
    std::map<clang::VarDecl const*, accesses> since_;
};

} // namespace rhizome::coalesce
