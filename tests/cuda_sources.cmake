# rhizome_write_including(variable wrapper sources...): a file that includes the sources of the present folder
function(rhizome_write_including variable wrapper)
    set(text "")
    foreach(source IN LISTS ARGN)
        string(APPEND text "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n")
    endforeach()
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "${text}" @ONLY)
    set(${variable} ${wrapper} PARENT_SCOPE)
endfunction()

# rhizome_compile_for_cuda(variable a.cpp b.cpp [APART c.cpp]): for each source a generated one-line .cu that includes it,
# so that nvcc compiles the very same test. Where nvcc only checks the tests, it reads all of them in one file, and the
# headers once; those APART, which define the same names, in files of their own.
function(rhizome_compile_for_cuda variable)
    cmake_parse_arguments(arg "" "" "APART" ${ARGN})
    set(apart ${arg_UNPARSED_ARGUMENTS} ${arg_APART})
    if(RHIZOME_CUDA_TESTS STREQUAL "check")
        set(apart ${arg_APART})
    endif()
    set(generated)
    foreach(source IN LISTS apart)
        get_filename_component(stem ${source} NAME_WE)
        rhizome_write_including(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${stem}.cu ${source})
        list(APPEND generated ${wrapper})
    endforeach()
    if(RHIZOME_CUDA_TESTS STREQUAL "check")
        rhizome_write_including(wrapper ${CMAKE_CURRENT_BINARY_DIR}/checked_together.cu ${arg_UNPARSED_ARGUMENTS})
        list(APPEND generated ${wrapper})
        # Both front ends of nvcc check them. The host's compiler checks the same sources in the host's tests.
        set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS -Xcompiler=-E)
    endif()
    set(${variable} ${generated} PARENT_SCOPE)
endfunction()
