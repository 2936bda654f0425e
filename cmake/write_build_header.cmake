# SPDX-License-Identifier: Apache-2.0
# Writes a header that names the commit of source_folder, and only when that has changed:
# cmake -D source_folder=... -D header=... -P write_build_header.cmake
set(commit unknown)
find_program(git git)
if(git AND EXISTS ${source_folder}/.git) # not a copy that lies in a repository of somebody else's
    execute_process(COMMAND ${git} -C ${source_folder} rev-parse --short=12 HEAD
                    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
        set(commit ${found})
        execute_process(COMMAND ${git} -C ${source_folder} diff --quiet HEAD
                        OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE differs)
        if(differs)
            string(APPEND commit -dirty)
        endif()
    endif()
endif()
set(text "#define RHIZOME_BUILD_COMMIT \"${commit}\"\n")
set(written)
if(EXISTS ${header})
    file(READ ${header} written)
endif()
if(NOT written STREQUAL text)
    file(WRITE ${header} "${text}")
endif()
