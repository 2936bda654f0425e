# SPDX-License-Identifier: Apache-2.0
# CMake before 3.26 does not know that nvcc 13 speaks C++20: it says so for it. Include after CUDA is enabled.
if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND NOT "cuda_std_20" IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
    set(CMAKE_CUDA20_COMPILE_FEATURES cuda_std_20)
endif()
