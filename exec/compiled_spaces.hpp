// SPDX-License-Identifier: Apache-2.0
// The spaces for which the libraries of this build hold code. nvcc compiles kernels of users; any compiler
// can compile calls of a graph on the GPU.
#pragma once

#if !defined(__CUDACC__)
#include <rhizome/exec/host.hpp>
#endif
#if defined(RHIZOME_HAS_CUDA)
#include <rhizome/exec/cuda.hpp>
#endif
#if defined(RHIZOME_COMPILED_SIMT) && !defined(__CUDACC__)
#include <rhizome/exec/simt.hpp>
#endif
