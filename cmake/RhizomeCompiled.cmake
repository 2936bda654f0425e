# SPDX-License-Identifier: Apache-2.0
# The types that the libraries hold compiled, so that programs and tests compile them no more. The list of each module
# is its compiled.hpp; files are generated for the types and spaces, so that several cores share the work.

set(RHIZOME_COMPILED_SPACES)
if(NOT RHIZOME_GPU_TESTS_ONLY)
    list(APPEND RHIZOME_COMPILED_SPACES host)
    if(RHIZOME_EMULATOR)
        list(APPEND RHIZOME_COMPILED_SPACES simt)
    endif()
endif()
if(RHIZOME_HAS_CUDA)
    list(APPEND RHIZOME_COMPILED_SPACES cuda)
endif()

# rhizome_compiled_file(VARIABLE TEMPLATE NAME): adds the file NAME of this space, made from the template, to the
# variable. All files of host are compiled as one: g++ then takes half the time. nvcc takes most of its time for the
# kernels.
function(rhizome_compiled_file variable template name)
    set(extension cpp)
    if(space STREQUAL "cuda")
        set(extension cu)
    endif()
    set(file ${CMAKE_CURRENT_BINARY_DIR}/compiled/${space}_${name}.${extension})
    configure_file(${template} ${file} @ONLY)
    if(space STREQUAL "host")
        set_source_files_properties(${file} PROPERTIES UNITY_GROUP host)
    endif()
    set(${variable} ${${variable}} ${file} PARENT_SCOPE)
endfunction()

# Compiles the batches of a target as one file each. What it has for the emulator is for tests: it is compiled apart, at
# -O1, which takes 60 % of the compile time of -O3; files without a group as one file.
function(rhizome_compile_in_batches target)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    get_target_property(sources ${target} SOURCES)
    get_target_property(links ${target} LINK_LIBRARIES)
    set(emulated ${sources})
    list(FILTER emulated INCLUDE REGEX "(/simt/|/simt_|/on_simt|_on_simt)[^/]*\\.cpp$")
    if(NOT emulated)
        return()
    endif()
    list(REMOVE_ITEM sources ${emulated})
    foreach(file IN LISTS emulated)
        get_source_file_property(group ${file} UNITY_GROUP)
        if(NOT group)
            set_source_files_properties(${file} PROPERTIES UNITY_GROUP simt)
        endif()
    endforeach()
    add_library(${target}_simt OBJECT ${emulated})
    rhizome_house_rules(${target}_simt)
    target_compile_options(${target}_simt PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
    target_compile_definitions(${target}_simt PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
    target_include_directories(${target}_simt PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_link_libraries(${target}_simt PRIVATE ${links})
    set_target_properties(${target}_simt PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # Last: of an inline function that several files contain, the linker takes the first.
    set_target_properties(${target} PROPERTIES SOURCES "${sources};$<TARGET_OBJECTS:${target}_simt>")
endfunction()
