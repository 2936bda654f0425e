// SPDX-License-Identifier: Apache-2.0
// What users call their vertices (io::vertex_names), converted from and to lists of Python.
#pragma once

#include <rhizome/io/vertex_names.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace rhizome::python {

/// A list of str or of int; None without names.
[[nodiscard]] inline nanobind::object list_of(io::vertex_names const& names) {
    if (names.empty()) return nanobind::none();
    nanobind::list all;
    for (graph::vertex_id v = 0; v < names.size(); ++v)
        if (names.is_text())
            all.append(nanobind::cast(std::string(names.name(v))));
        else
            all.append(nanobind::cast(names.number(v)));
    return all;
}

/// The names in a list of str or of int, each once. Throws TypeError for other things, ValueError for a
/// repeated name.
[[nodiscard]] inline io::vertex_names names_in(nanobind::list const& list) {
    io::vertex_names names;
    for (nanobind::handle const each : list) {
        std::uint64_t number = 0;
        std::string text;
        if (nanobind::isinstance<nanobind::str>(each) && nanobind::try_cast(each, text))
            (void)names.find_or_add(std::string_view(text));
        else if (nanobind::try_cast(each, number))
            (void)names.find_or_add(number);
        else
            throw nanobind::type_error("names of vertices in a stream are str, or int of 0 or more");
    }
    if (names.size() != nanobind::len(list)) throw nanobind::value_error("two vertices have one name");
    return names;
}

} // namespace rhizome::python
