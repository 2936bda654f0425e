// SPDX-License-Identifier: Apache-2.0
#pragma once
// How alike a value, or the control flow at a point, is among threads, and why it is not more alike.
#include <clang/Basic/SourceLocation.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace rhizome::coalesce {

/// From most to least uniform. `block`: equal in all threads of a block, `warp`: equal in all lanes of a
/// warp, `linear`: the rank of the thread in its block (threads of a warp have 32 neighbouring ranks),
/// `thread`: may differ in each thread.
enum class level : std::uint8_t { block, warp, linear, thread };

/// The first place in the source that made a value differ among threads.
struct cause {
    clang::SourceLocation where;
    std::string text;
};

/// What the analysis knows of a value, or of the control flow at a point.
struct uniformity {
    level alike = level::block;
    bool from_memory =
        false; ///< depends on memory that other threads may write: a loop that ends by it may wait for them
    cause why;
    /// What is known of a pointer beyond `alike`: how alike threads are in whether it is null. Either all
    /// threads of a static call get memory or none does.
    std::optional<level> null_alike = {};

    level truth() const { return null_alike.value_or(alike); }

    uniformity& join(uniformity const& other) {
        level const both = std::max(truth(), other.truth());
        if (other.alike > alike) {
            alike = other.alike;
            why = other.why;
        }
        from_memory = from_memory || other.from_memory;
        null_alike = both < alike ? std::optional(both) : std::nullopt;
        return *this;
    }
};

inline uniformity joined(uniformity left, uniformity const& right) { return std::move(left.join(right)); }

inline uniformity differs(clang::SourceLocation where, std::string text, bool from_memory = false) {
    return {level::thread, from_memory, {where, std::move(text)}};
}

/// A value that was loaded from memory.
inline uniformity memory_at(clang::SourceLocation where) {
    return differs(where, "a load from memory that other threads may write", true);
}

/// Whether a pointer is null.
inline uniformity truth_of(uniformity value) {
    value.alike = value.truth();
    value.null_alike = {};
    return value;
}

/// A branch on the thread's rank is a branch that differs in each thread. What is computed from a pointer may
/// be null in some threads alone.
inline uniformity as_control(uniformity value) {
    value.null_alike = {};
    if (value.alike == level::linear) value.alike = level::thread;
    return value;
}

} // namespace rhizome::coalesce
