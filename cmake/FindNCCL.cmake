# SPDX-License-Identifier: Apache-2.0
# Finds the header of NCCL, which the backend `nccl` of module comm needs to be compiled. Its library is loaded at run
# time and not looked for. Searched, in this order: NCCL_ROOT (a variable of CMake or of the environment), the Python package
# nvidia-nccl-cu13, the CUDA Toolkit, the system, the folder that scripts/fetch-nccl-header.sh fills.
# Result: NCCL_FOUND, NCCL_INCLUDE_DIR, NCCL_VERSION and the target NCCL::headers.

find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${NCCL_ROOT} ENV NCCL_ROOT PATH_SUFFIXES include NO_DEFAULT_PATH)
if(NOT NCCL_INCLUDE_DIR)
    find_package(Python3 QUIET COMPONENTS Interpreter)
    if(Python3_FOUND)
        set(looked "import importlib.util as u; s = u.find_spec('nvidia'); print(';'.join(s.submodule_search_locations) if s else '')")
        execute_process(COMMAND ${Python3_EXECUTABLE} -c ${looked} OUTPUT_VARIABLE packages ERROR_QUIET
                        OUTPUT_STRIP_TRAILING_WHITESPACE)
    endif()
    find_path(NCCL_INCLUDE_DIR nccl.h PATHS ${packages} PATH_SUFFIXES nccl/include NO_DEFAULT_PATH)
    find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS}
              PATHS $ENV{XDG_CACHE_HOME}/rhizome/nccl $ENV{HOME}/.cache/rhizome/nccl PATH_SUFFIXES include)
endif()
mark_as_advanced(NCCL_INCLUDE_DIR)
if(NCCL_INCLUDE_DIR)
    file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h numbers REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) +[0-9]+")
    list(TRANSFORM numbers REPLACE "[^0-9]" "")
    list(JOIN numbers "." NCCL_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)
if(NCCL_FOUND AND NOT TARGET NCCL::headers)
    add_library(NCCL::headers INTERFACE IMPORTED)
    target_include_directories(NCCL::headers SYSTEM INTERFACE ${NCCL_INCLUDE_DIR})
endif()
