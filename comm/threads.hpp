// SPDX-License-Identifier: Apache-2.0
// All of the backend `threads`. A program includes the header of its space too (exec/host.hpp, for example).
#pragma once

#include <rhizome/comm/compiled.hpp>
#include <rhizome/comm/threads/run_ranks.hpp>
#include <rhizome/comm/threads/thread_communicator.hpp>
