# SPDX-License-Identifier: Apache-2.0
# RHIZOME_CCACHE: compilers run through ccache where it is found. Paths are relative to the checkout, so that checkouts in
# different folders share what was compiled.
option(RHIZOME_CCACHE "Compile through ccache, if it is found (the developers' presets)" OFF)
if(RHIZOME_CCACHE AND NOT RHIZOME_BUILD_TIMES) # build times are those of compilers
    find_program(RHIZOME_CCACHE_PROGRAM ccache)
    mark_as_advanced(RHIZOME_CCACHE_PROGRAM)
    if(RHIZOME_CCACHE_PROGRAM)
        foreach(language CXX CUDA)
            # The sloppiness is what ccache demands for precompiled headers.
            set(CMAKE_${language}_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
                CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
                ${RHIZOME_CCACHE_PROGRAM})
        endforeach()
        add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
        message(STATUS "Rhizome: compilers run through ${RHIZOME_CCACHE_PROGRAM}")
    endif()
endif()
