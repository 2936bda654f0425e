# rhizome_compiled_cases(VARIABLE MODULE HEADER COUNT LENGTH BATCH): adds to the variable .cu files for the COUNT types
# that tests/MODULE/compiled_cases.hpp numbers, BATCH types in each, and writes HEADER, which declares them all. LENGTH:
# the expression that has to be COUNT.
function(rhizome_compiled_cases variable module header count length batch)
    math(EXPR last "${count} - 1")
    set(declarations "")
    set(files)
    foreach(first RANGE 0 ${last} ${batch})
        math(EXPR last_of_batch "${first} + ${batch} - 1")
        set(definitions "")
        foreach(number RANGE ${first} ${last_of_batch})
            if(number LESS count)
                string(APPEND declarations "RZ_COMPILED_CASE(extern, ${number})\n")
                string(APPEND definitions "RZ_COMPILED_CASE(, ${number})\n")
            endif()
        endforeach()
        set(file ${CMAKE_CURRENT_BINARY_DIR}/compiled/case_${first}.cu)
        file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "#include <${header}>\n${definitions}")
        list(APPEND files ${file})
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
