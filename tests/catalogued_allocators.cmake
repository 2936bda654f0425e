# SPDX-License-Identifier: Apache-2.0
# Writes <catalogued_allocators.hpp> for tests: the allocators of runtime/catalogue.cmake as types, and the lists of those
# over which the conformance suite runs.
set(includes)
set(types "")
set(in_conformance)
set(with_sanitizers)
get_property(names GLOBAL PROPERTY RHIZOME_ALLOCATORS)
foreach(name IN LISTS names)
    foreach(property TYPE HEADER CONFORMANCE)
        get_property(${property} GLOBAL PROPERTY RHIZOME_ALLOCATOR_${name}_${property})
    endforeach()
    string(MAKE_C_IDENTIFIER ${name} identifier)
    list(APPEND includes "#include <rhizome/${HEADER}>\n")
    string(APPEND types "struct ${identifier} {
    static std::string name_of() { return \"${identifier}\"; }
    template <class Space>
    using owner = ${TYPE};
};\n")
    if(NOT CONFORMANCE STREQUAL "never")
        list(APPEND in_conformance ${identifier})
    endif()
    if(CONFORMANCE STREQUAL "always")
        list(APPEND with_sanitizers ${identifier})
    endif()
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "" includes)
list(JOIN in_conformance ", " in_conformance)
list(JOIN with_sanitizers ", " with_sanitizers)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/tests/catalogued_allocators.hpp @ONLY CONTENT
"// Generated from runtime/catalogue.cmake by tests/catalogued_allocators.cmake.
#pragma once
${includes}
#include <spaces.hpp>
#include <string>
namespace rhizome::tests::catalogued {
${types}
using conformance = type_list<${in_conformance}>;
using conformance_with_sanitizers = type_list<${with_sanitizers}>;
} // namespace rhizome::tests::catalogued
")
