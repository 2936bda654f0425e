// What tests hand to graphs.
#pragma once

#include <rhizome/graph/types.hpp>

#include <vector>

namespace rhizome::tests {

using edge_list = std::vector<graph::edge>;
using id_list = std::vector<graph::vertex_id>;

} // namespace rhizome::tests
