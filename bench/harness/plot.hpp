// SPDX-License-Identifier: Apache-2.0
// Results as a picture.
#pragma once

#include <rhizome/io/output_file.hpp>

#include <string>

namespace rhizome::bench {

/// Throws std::runtime_error where no picture could be drawn: without python3 or matplotlib. Takes a second.
void check_plot(std::string const& picture);

/// Draws results in the form of json_text() as .svg, .png or .pdf, whichever the name ends in, with plot.py
/// (python3, matplotlib), into `file`, which it commits. Throws std::runtime_error with the reason where that
/// fails, io::file_error where the picture cannot be written; an older one stays as it was then.
void draw_plot(std::string const& results_json, std::string const& picture, io::output_file& file);

} // namespace rhizome::bench
