// SPDX-License-Identifier: Apache-2.0
#include <rhizome/runtime/components.hpp>

namespace rhizome::runtime {

bool has_component(std::string_view name) {
    for (component const& each : components())
        if (each.name == name) return each.built;
    return false;
}

std::string how_to_add(std::string_view component) {
    std::string const name(component);
    return "this build lacks the component " + name + "; to add it: scripts/build.sh " + name;
}

std::string absence_of(std::string_view axis, std::string_view name) {
    for (absent_choice const& each : absent_choices())
        if (each.axis == axis && each.name == name)
            return each.axis + " '" + each.name + "': " + how_to_add(each.component);
    return "";
}

} // namespace rhizome::runtime
