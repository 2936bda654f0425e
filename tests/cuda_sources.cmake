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
    set(${variable} ${generated} PARENT_SCOPE)
endfunction()
