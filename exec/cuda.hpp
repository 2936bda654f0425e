// SPDX-License-Identifier: Apache-2.0
// All of the CUDA space. Kernels and primitives need nvcc; the space itself does not.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/cuda/copy_lane.hpp>
#include <rhizome/exec/cuda/early_words.hpp>
#include <rhizome/exec/cuda/event.hpp>
#include <rhizome/exec/cuda/mailbox.hpp>
#include <rhizome/exec/cuda/side_lane.hpp>
#include <rhizome/exec/cuda/space.hpp>
#include <rhizome/exec/cuda/stopwatch.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/region.hpp>
#include <rhizome/exec/staging.hpp>
#include <rhizome/exec/workspace.hpp>

#if defined(__CUDACC__)
#include <rhizome/exec/cuda/launch.hpp>
#include <rhizome/exec/cuda/primitives.hpp>
#include <rhizome/exec/cuda/thread.hpp>
#endif
