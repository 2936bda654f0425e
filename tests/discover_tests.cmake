# SPDX-License-Identifier: Apache-2.0
# rhizome_skipped_test(name reason): stands for tests that this build does not have. CTest reports it as skipped.
function(rhizome_skipped_test name reason)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: ${reason}")
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED: ")
endfunction()

# rhizome_discover_tests(target [PREFIX text] [PROPERTIES name value ...]): one CTest entry per test case of a GoogleTest
# program, under the name that --gtest_filter takes, behind PREFIX. CTest asks the program each time it starts.
#
# CMake has gtest_discover_tests for this. Of a typed test whose types have names it puts the whole line into the CTest
# name, "# TypeParam = ..." included (CMake 3.25; it expects numbers there).
function(rhizome_discover_tests target)
    cmake_parse_arguments(arg "" "PREFIX" "PROPERTIES" ${ARGN})
    set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}_tests.cmake)
    file(GENERATE OUTPUT ${script} CONTENT
"set(program \"$<TARGET_FILE:${target}>\")
set(prefix \"${arg_PREFIX}\")
set(properties \"${arg_PROPERTIES}\")
include(\"${CMAKE_CURRENT_FUNCTION_LIST_DIR}/list_tests.cmake\")
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()
