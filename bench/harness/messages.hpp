// SPDX-License-Identifier: Apache-2.0
// What the tool and the processes of its cells say to each other: JSON, one document each way.
#pragma once

#include <rhizome/bench/harness/registry.hpp>

#include <nlohmann/json.hpp>

#include <vector>

namespace rhizome::bench {

[[nodiscard]] nlohmann::ordered_json to_json(cell const& which);
[[nodiscard]] nlohmann::ordered_json to_json(cell_result const& result);
[[nodiscard]] nlohmann::ordered_json to_json(space_description const& space);

// Each throws an std::exception for what is no such thing.
[[nodiscard]] cell cell_of(nlohmann::ordered_json const& document);
[[nodiscard]] cell_result result_of(nlohmann::ordered_json const& document);
[[nodiscard]] space_description space_of(nlohmann::ordered_json const& document);

/// Inside a child: reads a request, does it, gives the answer. The request names a cell, or asks for the
/// spaces. What a cell throws is its answer.
[[nodiscard]] std::string answer_request(std::string const& request);

[[nodiscard]] std::string request_for(cell const& which);
[[nodiscard]] std::string request_for_spaces();

} // namespace rhizome::bench
