// Pictures of results.
#pragma once

#include <string>

namespace rhizome::bench {

/// Has plot.py draw results, given as the text of their JSON, into `picture` (.svg, .png or .pdf). Throws
/// std::runtime_error, in one line, where that cannot be done: no python3, no matplotlib, a name that it does
/// not know.
void draw_plot(std::string const& results_json, std::string const& picture);

} // namespace rhizome::bench
