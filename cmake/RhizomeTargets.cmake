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

# rhizome_include_together(variable sources...): the sources, with one .cu that includes all .cu among them
function(rhizome_include_together variable)
    set(others ${ARGN})
    set(text "")
    foreach(source IN LISTS ARGN)
        if(source MATCHES "\\.cu$")
            list(REMOVE_ITEM others ${source})
            cmake_path(ABSOLUTE_PATH source)
            string(APPEND text "#include \"${source}\"\n")
        endif()
    endforeach()
    if(text)
        set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/written_together.cu)
        file(CONFIGURE OUTPUT ${wrapper} CONTENT "${text}" @ONLY)
        list(APPEND others ${wrapper})
    endif()
    set(${variable} ${others} PARENT_SCOPE)
endfunction()

# A library of one module: rhizome_library(exec SOURCES ... CUDA_SOURCES ... LINKS ...)
function(rhizome_library module)
    cmake_parse_arguments(arg "" "" "SOURCES;CUDA_SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
    set(name rhizome_${module})
    if(RHIZOME_HAS_CUDA)
        list(APPEND arg_SOURCES ${arg_CUDA_SOURCES})
        if(RHIZOME_CUDA_TESTS STREQUAL "check") # nvcc reads the headers once
            rhizome_include_together(arg_SOURCES ${arg_SOURCES})
        endif()
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

# Where there is no GPU (RHIZOME_CUDA_TESTS=check), nvcc reads the CUDA files of a library and makes no device code, and
# their host code is not optimised: minutes saved.
function(rhizome_check_only target)
    if(RHIZOME_HAS_CUDA AND RHIZOME_CUDA_TESTS STREQUAL "check")
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-fdevice-syntax-only>
            $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-O0>)
    endif()
endfunction()
