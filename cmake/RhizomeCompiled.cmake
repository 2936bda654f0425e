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
# variable. All files of host, and all of the emulator, are compiled as one: g++ then takes half the time. nvcc takes most
# of its time for the kernels.
function(rhizome_compiled_file variable template name)
    set(extension cpp)
    if(space STREQUAL "cuda")
        set(extension cu)
    endif()
    set(file ${CMAKE_CURRENT_BINARY_DIR}/compiled/${space}_${name}.${extension})
    configure_file(${template} ${file} @ONLY)
    if(NOT space STREQUAL "cuda")
        set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${space})
    endif()
    set(${variable} ${${variable}} ${file} PARENT_SCOPE)
endfunction()

# Compiles the batches of a library as one file each.
function(rhizome_compile_in_batches target)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
