# SPDX-License-Identifier: Apache-2.0
# How the files of a CUDA test program reach nvcc. A machine with a GPU compiles them (RHIZOME_CUDA_TESTS=build); one without
# checks them (check): the same files in the same groups, so that what does not compile there does not pass here.

# rhizome_write_including(variable wrapper sources... [DEFINE "NAME VALUE" ...]): a file that includes the sources of the
# present folder
function(rhizome_write_including variable wrapper)
    cmake_parse_arguments(arg "" "" "DEFINE" ${ARGN})
    if(NOT arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "${wrapper} would include nothing")
    endif()
    set(text "")
    foreach(definition IN LISTS arg_DEFINE)
        string(APPEND text "#define ${definition}\n")
    endforeach()
    foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        string(APPEND text "#include \"${source}\"\n")
    endforeach()
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "${text}" @ONLY)
    set(${variable} ${wrapper} PARENT_SCOPE)
endfunction()

# rhizome_compile_for_cuda(variable group... [ALL_OF file...]): for each group a generated .cu that includes its files, so that nvcc
# compiles the very same tests. A group is a file or several: "a_test.cpp+b_test.cu". Files of a group share the types
# that they test; none should take nvcc more than 45 s (docs/build-time.md). Without RHIZOME_BATCHED_TESTS each file is
# compiled alone. ALL_OF: files that must be in a group, since host and emulator run them.
function(rhizome_compile_for_cuda variable)
    cmake_parse_arguments(arg "" "" "ALL_OF" ${ARGN})
    string(REPLACE "+" ";" grouped "${arg_UNPARSED_ARGUMENTS}")
    foreach(file IN LISTS arg_ALL_OF)
        if(NOT file IN_LIST grouped)
            message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}: ${file} is in no group of rhizome_compile_for_cuda()")
        endif()
    endforeach()
    set(generated)
    foreach(group IN LISTS arg_UNPARSED_ARGUMENTS)
        string(REPLACE "+" ";" sources "${group}")
        set(groups "${group}")
        if(NOT RHIZOME_BATCHED_TESTS)
            set(groups ${sources})
        endif()
        foreach(each IN LISTS groups)
            string(REPLACE "+" ";" sources "${each}")
            list(GET sources 0 first)
            get_filename_component(stem ${first} NAME_WE)
            rhizome_write_including(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${stem}.cu ${sources})
            list(APPEND generated ${wrapper})
        endforeach()
    endforeach()
    set(${variable} ${generated} PARENT_SCOPE)
endfunction()
