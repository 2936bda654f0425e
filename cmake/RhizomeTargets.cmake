# SPDX-License-Identifier: Apache-2.0
# How targets of this project are made: include path, warnings, language standard.

# build/include/rhizome/<module> is a link to the module: one path for headers, inside and installed.
function(rhizome_link_modules)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/rhizome)
    foreach(module IN LISTS ARGN)
        file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${module} ${PROJECT_BINARY_DIR}/include/rhizome/${module} SYMBOLIC)
    endforeach()
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/rhizome.hpp ${PROJECT_BINARY_DIR}/include/rhizome/rhizome.hpp SYMBOLIC)
    set(RHIZOME_MODULES ${ARGN} PARENT_SCOPE)
endfunction()

set(RHIZOME_CXX_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Wpedantic)
# Not -Wpedantic: nvcc's line directives give thousands of warnings.
set(RHIZOME_NVCC_WARNINGS -Xcompiler=-Wall,-Wextra,-Wshadow,-Wconversion)

# Warnings and include path for code of this project (not handed to its users).
function(rhizome_house_rules target)
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:${RHIZOME_CXX_WARNINGS}>
        $<$<COMPILE_LANGUAGE:CUDA>:${RHIZOME_NVCC_WARNINGS}>)
    if(RHIZOME_WARNINGS_AS_ERRORS)
        target_compile_options(${target} PRIVATE
            $<$<COMPILE_LANGUAGE:CXX>:-Werror>
            $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>
            $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror>)
    endif()
endfunction()

# Code that takes long to compile and computes little: a sanitizer gets it unoptimised, in a quarter of the time.
function(rhizome_computes_little target)
    if(RHIZOME_SANITIZE)
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
    endif()
endfunction()

# A library of one module: rhizome_library(exec SOURCES ... CUDA_SOURCES ... LINKS ...)
function(rhizome_library module)
    cmake_parse_arguments(arg "" "" "SOURCES;CUDA_SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
    set(name rhizome_${module})
    if(RHIZOME_HAS_CUDA)
        list(APPEND arg_SOURCES ${arg_CUDA_SOURCES})
    endif()
    if(arg_SOURCES)
        add_library(${name} STATIC ${arg_SOURCES})
        set(scope PUBLIC)
        rhizome_house_rules(${name})
        if(RHIZOME_HAS_CUDA)
            set_target_properties(${name} PROPERTIES CUDA_RUNTIME_LIBRARY Static)
        endif()
        target_link_libraries(${name} PRIVATE ${arg_PRIVATE_LINKS})
    else()
        add_library(${name} INTERFACE)
        set(scope INTERFACE)
    endif()
    add_library(rhizome::${module} ALIAS ${name})
    set_target_properties(${name} PROPERTIES EXPORT_NAME ${module})
    target_include_directories(${name} ${scope}
        $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_compile_features(${name} ${scope} cxx_std_20)
    target_link_libraries(${name} ${scope} ${arg_LINKS})
    set_property(GLOBAL APPEND PROPERTY RHIZOME_EXPORTED ${name})
endfunction()

# Where there is no GPU (RHIZOME_CUDA_TESTS=check), the target does without its .cu files. nvcc reads them as one file, so that
# it reads the headers once, with the one of its two front ends that says all that both say, and writes nothing: a fifth of
# the time. Call it when the target has all its sources.
function(rhizome_check_only target)
    if(NOT RHIZOME_HAS_CUDA OR NOT RHIZOME_CUDA_TESTS STREQUAL "check")
        return()
    endif()
    get_target_property(others ${target} SOURCES)
    get_target_property(links ${target} LINK_LIBRARIES)
    set(text "")
    foreach(source IN LISTS others)
        if(source MATCHES "\\.cu$")
            list(REMOVE_ITEM others ${source})
            cmake_path(ABSOLUTE_PATH source)
            string(APPEND text "#include \"${source}\"\n")
        endif()
    endforeach()
    set_target_properties(${target} PROPERTIES SOURCES "${others}")
    set(together ${CMAKE_CURRENT_BINARY_DIR}/${target}_checked.cu)
    file(CONFIGURE OUTPUT ${together} CONTENT "${text}" @ONLY)
    add_library(${target}_checked OBJECT ${together})
    rhizome_house_rules(${target}_checked)
    set_target_properties(${target}_checked PROPERTIES CUDA_PTX_COMPILATION ON
        CUDA_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/check_only.sh)
    target_compile_options(${target}_checked PRIVATE -fdevice-syntax-only)
    target_compile_definitions(${target}_checked PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
    target_include_directories(${target}_checked PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_compile_features(${target}_checked PRIVATE cxx_std_20)
    if(links)
        target_link_libraries(${target}_checked PRIVATE ${links})
    endif()
endfunction()
