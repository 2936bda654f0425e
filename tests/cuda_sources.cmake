# rhizome_compile_for_cuda(variable a.cpp b.cpp): for each source a generated one-line .cu that includes it, so
# that nvcc compiles the very same test.
function(rhizome_compile_for_cuda variable)
    set(generated)
    foreach(source IN LISTS ARGN)
        get_filename_component(stem ${source} NAME_WE)
        set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${stem}.cu)
        file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n" @ONLY)
        list(APPEND generated ${wrapper})
    endforeach()
    # Both front ends of nvcc check them. The host's compiler checks the same sources in the host's tests.
    if(RHIZOME_CUDA_TESTS STREQUAL "check")
        set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS -Xcompiler=-E)
    endif()
    set(${variable} ${generated} PARENT_SCOPE)
endfunction()
