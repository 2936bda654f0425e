# SPDX-License-Identifier: Apache-2.0
# rhizome_compiled_cases(VARIABLE MODULE HEADER COUNT LENGTH): adds to the variable a .cu file for each of the COUNT types
# that tests/MODULE/compiled_cases.hpp numbers, and writes HEADER, which declares them all. LENGTH: the expression that has
# to be COUNT. Where nvcc only checks them, one file has all.
function(rhizome_compiled_cases variable module header count length)
    math(EXPR last "${count} - 1")
    set(declarations "")
    set(definitions "")
    set(files)
    foreach(number RANGE 0 ${last})
        string(APPEND declarations "RZ_COMPILED_CASE(extern, ${number})\n")
        string(APPEND definitions "RZ_COMPILED_CASE(, ${number})\n")
        if(RHIZOME_CUDA_TESTS STREQUAL "build" OR number EQUAL last)
            set(file ${CMAKE_CURRENT_BINARY_DIR}/compiled/case_${number}.cu)
            file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "#include <${header}>\n${definitions}")
            list(APPEND files ${file})
            set(definitions "")
        endif()
    endforeach()
    file(CONFIGURE OUTPUT ${header} @ONLY CONTENT "#pragma once
#include <${module}/compiled_cases.hpp>
static_assert(${length} == ${count}, \"the number in CMakeLists.txt\");
${declarations}")
    # First, since they take longest: the others then fill the cores.
    set(${variable} ${files} ${${variable}} PARENT_SCOPE)
endfunction()

# Lets the tests of a target use the declarations.
function(rhizome_use_compiled_cases target)
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
    target_compile_definitions(${target} PRIVATE RHIZOME_COMPILED_CASES)
endfunction()
