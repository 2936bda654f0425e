// SPDX-License-Identifier: Apache-2.0
// The parts of this build, and what it lacks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rhizome::runtime {

/// A part that a build may leave out (runtime/catalogue.cmake).
struct component {
    std::string name;
    std::string summary; ///< one line, for help texts
    bool built;          ///< this build has it
};

/// A name that can be chosen in other builds.
struct absent_choice {
    std::string axis; ///< "allocator" or "layout"
    std::string name;
    std::string summary;   ///< one line, for help texts
    std::string component; ///< what brings it
    bool of_graphs;        ///< graphs can have it
};

// The run-time library brings these two; tests that replace it bring their own.
[[nodiscard]] std::vector<component> components();
[[nodiscard]] std::vector<absent_choice> absent_choices();

/// Whether this build has the component.
[[nodiscard]] bool has_component(std::string_view name);

/// What to do about a component that this build lacks: "this build lacks the component ranks; to add it:
/// scripts/build.sh ranks".
[[nodiscard]] std::string how_to_add(std::string_view component);

/// The same for a choice: "allocator 'bump': this build lacks ..."; "" if no component brings one of that
/// name.
[[nodiscard]] std::string absence_of(std::string_view axis, std::string_view name);

} // namespace rhizome::runtime
