# The types that the libraries hold compiled, so that programs and tests compile them no more. The list of each module
# is its compiled.hpp; a file is generated for each type and space, so that several cores share the work.

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
# variable.
function(rhizome_compiled_file variable template name)
    set(extension cpp)
    if(space STREQUAL "cuda")
        set(extension cu)
    endif()
    set(file ${CMAKE_CURRENT_BINARY_DIR}/compiled/${space}_${name}.${extension})
    configure_file(${template} ${file} @ONLY)
    set(${variable} ${${variable}} ${file} PARENT_SCOPE)
endfunction()
