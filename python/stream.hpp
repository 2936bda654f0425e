// SPDX-License-Identifier: Apache-2.0
// Streams of updates for Python: rhizome::stream over a graph_handle.
#pragma once

#include <nanobind/nanobind.h>

namespace rhizome::python {

/// Makes _core.Stream known to Python.
void bind_stream(nanobind::module_& module);

} // namespace rhizome::python
