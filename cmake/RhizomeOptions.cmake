# SPDX-License-Identifier: Apache-2.0
# What a builder may choose. The presets set these; see CMakePresets.json.

# In a project that adds this one, its own choice holds for both.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()

set(RHIZOME_CUDA AUTO CACHE STRING "AUTO: the CUDA space where CUDA 13 is found; ON: fail without; OFF: never")
set_property(CACHE RHIZOME_CUDA PROPERTY STRINGS AUTO ON OFF)
set(RHIZOME_SANITIZE "" CACHE STRING "Sanitizers of the whole build: 'address,undefined' or 'thread'")
option(RHIZOME_BUILD_TESTS "Build the tests: they need RHIZOME_COMPONENTS=all" OFF)
option(RHIZOME_BUILD_TOOL
       "Build the tool `rhizome` with its benchmarks: needs fmt, cxxopts and nlohmann-json, which the libraries do not"
       ${PROJECT_IS_TOP_LEVEL})
option(RHIZOME_PYTHON "Build the Python package: needs Python 3.10 with its headers, and the Python package nanobind" OFF)
option(RHIZOME_INSTALL "Install Rhizome with the project" ${PROJECT_IS_TOP_LEVEL})
# Not an option, whose default would stay what it was when the tests are switched on later.
set(RHIZOME_BUILD_EXAMPLES AUTO CACHE STRING "Build the examples. AUTO: with the tests, but not with RHIZOME_GPU_TESTS_ONLY")
set_property(CACHE RHIZOME_BUILD_EXAMPLES PROPERTY STRINGS AUTO ON OFF)
option(RHIZOME_GPU_TESTS_ONLY
       "Build the CUDA tests alone: needs the CUDA Toolkit, GoogleTest and Boost's headers, nothing else" OFF)
set(RHIZOME_CUDA_TESTS build CACHE STRING
    "build: the CUDA tests, for a GPU; check: where there is none, nvcc reads all CUDA code and writes nothing, and g++ optimises little")
set_property(CACHE RHIZOME_CUDA_TESTS PROPERTY STRINGS build check)
# Not an option either, for the same reason.
set(RHIZOME_EMULATOR AUTO CACHE STRING
    "The emulator as a space of the tool and of the run-time library, for developers. AUTO: with the tests")
set_property(CACHE RHIZOME_EMULATOR PROPERTY STRINGS AUTO ON OFF)
if(RHIZOME_EMULATOR STREQUAL "AUTO")
    set(RHIZOME_EMULATOR ${RHIZOME_BUILD_TESTS})
endif()
option(RHIZOME_CORE_TESTS
    "Build what .ci/run tests with a sanitizer. ThreadSanitizer: exec, alloc, comm, graph and algorithms alone. \
AddressSanitizer: all but the tests of allocators, into whose heaps it does not see, of algorithms, which the other sanitizer \
has, and of compaction" OFF)
set(RHIZOME_CORE_ONLY OFF)
if(RHIZOME_CORE_TESTS AND RHIZOME_SANITIZE STREQUAL "thread")
    set(RHIZOME_CORE_ONLY ON)
endif()
option(RHIZOME_BATCHED_TESTS
    "Compile the files of a test program a dozen at a time: a third less to compile, more of it again after a change" ON)
option(RHIZOME_FUZZ "Build the programs that fuzz the readers of files: needs clang++ (preset fuzz, scripts/fuzz.sh)" OFF)
option(RHIZOME_BUILD_TIMES
    "Write down the processor time of each compiled file, for scripts/build-time.sh --check: needs the generator Ninja" OFF)
option(RHIZOME_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)

# Builds of which nothing is measured compile in half of the time. The emulator itself stays fast (exec/CMakeLists.txt).
if(RHIZOME_CUDA_TESTS STREQUAL "check")
    string(REPLACE "-O3" "-O1" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endif()
if(RHIZOME_SANITIZE)
    string(REPLACE "-O2" "-O1" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(RHIZOME_SANITIZE)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${RHIZOME_SANITIZE}>
                        $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
                        $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>
                        $<$<COMPILE_LANGUAGE:CXX>:-g1>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # g++ loses track of initialisation in instrumented code, the standard library's included.
        add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
    endif()
    add_link_options(-fsanitize=${RHIZOME_SANITIZE})
    if(RHIZOME_CUDA STREQUAL "ON")
        message(FATAL_ERROR "RHIZOME_SANITIZE and RHIZOME_CUDA=ON exclude each other: "
                            "use compute-sanitizer on a CUDA build")
    endif()
    set(RHIZOME_CUDA OFF)
endif()
if(RHIZOME_FUZZ)
    if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "RHIZOME_FUZZ needs clang++, which has libFuzzer")
    endif()
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()
