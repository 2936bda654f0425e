# SPDX-License-Identifier: Apache-2.0
function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "${ARGN}\nended with ${result}:\n${output}")
    endif()
endfunction()

file(REMOVE_RECURSE ${work_folder})
run(${CMAKE_COMMAND} --install ${build_folder} --prefix ${work_folder}/prefix)
if(IS_SYMLINK ${work_folder}/prefix/${header_folder}/rhizome/exec)
    message(FATAL_ERROR "installed headers are links into the source folder")
endif()
set(flags)
if(sanitize)
    set(flags -DCMAKE_CXX_FLAGS=-fsanitize=${sanitize})
endif()
run(${CMAKE_COMMAND} -S ${outside_folder} -B ${work_folder}/build -G ${generator}
    -DCMAKE_CXX_COMPILER=${cxx_compiler} -DCMAKE_PREFIX_PATH=${work_folder}/prefix ${flags})
run(${CMAKE_COMMAND} --build ${work_folder}/build)
run(${work_folder}/build/outside)

# The examples are a project of their own as well. One of them is built and tested, without optimisation to save time.
run(${CMAKE_COMMAND} -S ${examples_folder} -B ${work_folder}/examples -G ${generator} -DCMAKE_BUILD_TYPE=Debug
    -DCMAKE_CXX_COMPILER=${cxx_compiler} -DCMAKE_PREFIX_PATH=${work_folder}/prefix -DRHIZOME_EXAMPLES_CUDA=OFF ${flags})
run(${CMAKE_COMMAND} --build ${work_folder}/examples --target first_graph)
run(${CMAKE_CTEST_COMMAND} --test-dir ${work_folder}/examples --output-on-failure -R "^examples.first_graph$"
    --no-tests=error)

if(has_malloc)
    run(${CMAKE_COMMAND} -S ${outside_folder}_malloc -B ${work_folder}/malloc -G ${generator} -Dmalloc_tests=${source_folder}/tests/malloc
        -Dmalloc_module=${source_folder}/malloc -DCMAKE_CXX_COMPILER=${cxx_compiler} -DCMAKE_CUDA_COMPILER=${cuda_compiler}
        -DCMAKE_CUDA_ARCHITECTURES=${cuda_architectures} -DCMAKE_EXE_LINKER_FLAGS=${malloc_link_flags}
        -DCMAKE_PREFIX_PATH=${work_folder}/prefix)
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${work_folder}/malloc RESULT_VARIABLE result OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "the program that calls rhizome_malloc does not build:\n${output}")
    endif()
    string(REGEX MATCHALL "undefined reference to [^\n]*" missing "${output}")
    foreach(name IN LISTS missing)
        if(NOT name MATCHES "^undefined reference to .rhizome::alloc::combined_ouroboros<rhizome::exec::cuda_space,")
            message(FATAL_ERROR "the installed library lacks what the program needs: ${name}")
        endif()
    endforeach()
    execute_process(COMMAND ${work_folder}/malloc/outside_malloc RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result MATCHES "^(0|77)$") # 77: no GPU
        message(FATAL_ERROR "the program that calls rhizome_malloc ended with ${result}:\n${output}")
    endif()
endif()
