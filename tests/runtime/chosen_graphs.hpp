// SPDX-License-Identifier: Apache-2.0
// Every graph type of the catalogue, without values or with doubles, on every space that this machine can
// use, for tests that take one as a parameter.
#pragma once

#include <rhizome/runtime/catalogue.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace rhizome::tests {

struct chosen_graph {
    std::string space;
    runtime::graph_type type;

    [[nodiscard]] runtime::graph_choice with(std::uint64_t vertices) const {
        return {.space = space,
                .layout = type.layout,
                .allocator = type.allocator,
                .values = type.values,
                .vertices = vertices};
    }
    [[nodiscard]] bool has_values() const { return type.values != runtime::value_type::none; }
    /// As part of a test's name.
    [[nodiscard]] std::string name() const {
        std::string text = space + "_" + type.layout + "_" + type.allocator + "_" +
                           std::string(runtime::name_of(type.values));
        std::replace(text.begin(), text.end(), '-', '_');
        return text;
    }
    friend std::ostream& operator<<(std::ostream& out, chosen_graph const& chosen) {
        return out << chosen.name();
    }
};

[[nodiscard]] inline std::vector<chosen_graph> chosen_graphs() {
    std::vector<chosen_graph> all;
    for (runtime::named_choice const& space : runtime::spaces()) {
        if (space.name == "cuda" && !runtime::cuda_unusable_because().empty()) continue;
        // Tests give edges values of type double; weights_test.cpp has the other types.
        for (runtime::graph_type const& type : runtime::graph_types())
            if (type.values == runtime::value_type::none || type.values == runtime::value_type::float64)
                all.push_back({space.name, type});
    }
    return all;
}

[[nodiscard]] inline std::string name_of_chosen(testing::TestParamInfo<chosen_graph> const& info) {
    return info.param.name();
}

} // namespace rhizome::tests
