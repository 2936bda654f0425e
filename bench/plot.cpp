#include <rhizome/bench/child.hpp>
#include <rhizome/bench/environment.hpp>
#include <rhizome/bench/plot.hpp>
#include <rhizome/io/output_file.hpp>

#include <filesystem>
#include <stdexcept>

namespace rhizome::bench {

void draw_plot(std::string const& results_json, std::string const& picture) {
    std::string const script = data_file("plot.py");
    if (script.empty()) throw std::runtime_error(picture + ": plot.py is not installed beside this program");
    std::string format = std::filesystem::path(picture).extension().string();
    if (!format.empty()) format.erase(0, 1);
    constexpr double limit_seconds = 120;
    // The picture comes back through the pipe, so that it appears whole or not at all.
    child_end const end = run_child({"/usr/bin/env", "python3", script, "--format", format, "-",
                                     "--to-descriptor", std::to_string(answer_descriptor)},
                                    results_json, limit_seconds);
    if (end.how != child_end::kind::exited || end.code != 0)
        throw std::runtime_error(
            picture + ": cannot draw: " + (end.last_words.empty() ? "plot.py failed" : end.last_words));
    io::output_file file(picture);
    file.write(end.answer);
    file.commit();
}

} // namespace rhizome::bench
