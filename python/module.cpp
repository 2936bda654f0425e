// SPDX-License-Identifier: Apache-2.0
// The extension module rhizome._core.
#include "array.hpp"
#include "graph.hpp"
#include "place.hpp"
#include "stream.hpp"

#include <rhizome/exec/errors.hpp>
#include <rhizome/io/parse_error.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <exception>

namespace nb = nanobind;

NB_MODULE(_core, module) {
    module.attr("version") = RHIZOME_VERSION;
    // Graphs may live when the interpreter ends: they hold no Python object.
    nb::set_leak_warnings(false);
    nb::register_exception_translator([](std::exception_ptr const& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (rhizome::exec::out_of_memory const& error) {
            PyErr_SetString(PyExc_MemoryError, error.what());
        } catch (rhizome::io::file_error const& error) {
            PyErr_SetString(PyExc_OSError, error.what());
        } catch (rhizome::io::parse_error const& error) {
            PyErr_SetString(PyExc_ValueError, error.what());
        }
    });
    module.def("cuda_unusable_because", rhizome::python::cuda_unusable_because,
               "Why no CUDA device can be used; empty if one can.");
    module.def("cuda_device_count", rhizome::python::cuda_device_count, "Number of CUDA devices.");
    rhizome::python::bind_array(module);
    rhizome::python::bind_graph(module);
    rhizome::python::bind_stream(module);
}
