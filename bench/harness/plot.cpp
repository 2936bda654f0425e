// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/child.hpp>
#include <rhizome/bench/harness/environment.hpp>
#include <rhizome/bench/harness/plot.hpp>

#include <filesystem>
#include <stdexcept>
#include <vector>

namespace rhizome::bench {
namespace {

/// Runs plot.py with these words. Throws std::runtime_error with its last words where it fails.
std::string run_script(std::string const& picture, std::vector<std::string> const& words,
                       std::string const& input) {
    std::string const script = data_file("plot.py");
    if (script.empty()) throw std::runtime_error(picture + ": plot.py is not installed beside this program");
    constexpr double limit_seconds = 120;
    std::vector<std::string> command{"/usr/bin/env", "python3", script};
    command.insert(command.end(), words.begin(), words.end());
    child_end end = run_child(command, input, limit_seconds);
    if (end.how != child_end::kind::exited || end.code != 0)
        throw std::runtime_error(
            picture + ": cannot draw: " + (end.last_words.empty() ? "plot.py failed" : end.last_words));
    return std::move(end.answer);
}

} // namespace

void check_plot(std::string const& picture) { (void)run_script(picture, {"--check"}, ""); }

void draw_plot(std::string const& results_json, std::string const& picture, io::output_file& file) {
    std::string format = std::filesystem::path(picture).extension().string();
    if (!format.empty()) format.erase(0, 1);
    // The picture comes back through the pipe, so that it appears whole or not at all.
    file.write(run_script(picture,
                          {"--format", format, "-", "--to-descriptor", std::to_string(answer_descriptor)},
                          results_json));
    file.commit();
}

} // namespace rhizome::bench
