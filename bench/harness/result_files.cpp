// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/plot.hpp>
#include <rhizome/bench/harness/result_files.hpp>
#include <rhizome/io/parse_error.hpp>

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <vector>

namespace rhizome::bench {
namespace {

/// A cell's share of a file, at most: some hundred lines of JSON for two measures of twenty samples.
constexpr std::uint64_t cell_bytes = 32u << 10;

std::unique_ptr<io::output_file> open_if_wanted(std::string const& path) {
    return path.empty() ? nullptr : std::make_unique<io::output_file>(path);
}

/// Throws io::file_error where a file of this size cannot be written there. Leaves nothing behind. Devices
/// and pipes are not tried out.
void expect_room(std::string const& path, std::uint64_t bytes) {
    std::error_code error;
    auto const kind = std::filesystem::status(path, error).type();
    if (path.empty() || io::is_standard_output(path) ||
        (kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found))
        return;
    io::output_file trial(path);
    std::string const block(1 << 20, ' ');
    for (std::uint64_t put = 0; put < bytes; put += block.size())
        trial.write(std::string_view(block).substr(0, std::min<std::uint64_t>(block.size(), bytes - put)));
}

/// Writes into the folder for temporary files; tells where.
std::string rescue(std::string const& text, std::string const& ending) {
    std::string const path =
        (std::filesystem::temp_directory_path() / ("rhizome-bench-" + std::to_string(getpid()) + ending))
            .string();
    io::output_file file(path);
    file.write(text);
    file.commit();
    return path;
}

} // namespace

result_files::result_files(result_paths paths, std::uint64_t cells)
    : paths_(std::move(paths)), json_(open_if_wanted(paths_.json)), csv_(open_if_wanted(paths_.csv)),
      picture_(open_if_wanted(paths_.picture)) {
    expect_room(paths_.json, cells * cell_bytes);
    expect_room(paths_.csv, cells * cell_bytes / 16);
    if (picture_) check_plot(paths_.picture);
}

void result_files::write(run_results const& results, public_figures const& figures,
                         std::function<void(std::string const&)> const& print) {
    std::string failures;
    auto const attempt = [&](std::function<void()> const& step) {
        try {
            step();
            return true;
        } catch (std::exception const& error) {
            failures += (failures.empty() ? "" : "; ") + std::string(error.what());
            return false;
        }
    };
    auto const save = [&](std::unique_ptr<io::output_file>& file, std::string const& text,
                          std::string const& ending) {
        bool const written = attempt([&] {
            file->write(text);
            file->commit();
        });
        if (!written) attempt([&] { failures += "; the results are in " + rescue(text, ending); });
    };
    std::string const document = json_text(results, figures);
    if (json_) save(json_, document, ".json");
    if (csv_) save(csv_, csv_text(results, figures), ".csv");
    if (picture_) {
        bool const drawn = attempt([&] { draw_plot(document, paths_.picture, *picture_); });
        if (!drawn && !json_)
            attempt([&] { failures += "; the results are in " + rescue(document, ".json"); });
    }
    bool reader_has_gone = false;
    bool const printed = !print || attempt([&] {
        try {
            print(document);
        } catch (io::closed_pipe const&) {
            reader_has_gone = true; // that user wants no more
        }
    });
    if (!printed && !json_) attempt([&] { failures += "; the results are in " + rescue(document, ".json"); });
    if (!failures.empty()) throw std::runtime_error(failures);
    if (reader_has_gone) throw io::closed_pipe("<stdout>");
}

std::string result_files::names() const {
    std::string names;
    for (std::string const& each : {paths_.json, paths_.csv, paths_.picture})
        if (!each.empty())
            names +=
                (names.empty() ? "" : ", ") + (io::is_standard_output(each) ? "<stdout>" : io::shown(each));
    return names;
}

} // namespace rhizome::bench
