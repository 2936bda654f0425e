// SPDX-License-Identifier: Apache-2.0
// All of the emulator.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/copy_lane.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/event.hpp>
#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/region.hpp>
#include <rhizome/exec/side_lane.hpp>
#include <rhizome/exec/simt/explore.hpp>
#include <rhizome/exec/simt/launch.hpp>
#include <rhizome/exec/simt/primitives.hpp>
#include <rhizome/exec/simt/space.hpp>
#include <rhizome/exec/simt/thread.hpp>
#include <rhizome/exec/staging.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/exec/workspace.hpp>
