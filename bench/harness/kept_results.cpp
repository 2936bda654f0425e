// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/kept_results.hpp>
#include <rhizome/bench/harness/messages.hpp>

#include <fmt/format.h>
#include <stdlib.h> // setenv, mkdtemp

#include <exception>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace rhizome::bench {
namespace {

constexpr char const* kept_variable = "RHIZOME_BENCH_KEPT_RESULTS";

/// The result in the file, if it is that of this cell.
bool read_kept(std::filesystem::path const& file, cell const& which, cell_result& result) {
    std::ifstream in(file);
    if (!in) return false;
    try {
        auto const document = nlohmann::ordered_json::parse(in);
        if (!(cell_of(document.at("cell")) == which)) return false;
        result = result_of(document.at("result"));
        return true;
    } catch (std::exception const&) { // an earlier process was ended while it wrote
        return false;
    }
}

} // namespace

kept_results::kept_results() {
    std::error_code failed;
    auto const parent = std::filesystem::temp_directory_path(failed);
    if (failed) return;
    std::string name = (parent / "rhizome-bench-kept-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return;
    folder_ = name;
    setenv(kept_variable, folder_.c_str(), 1);
}

kept_results::~kept_results() {
    if (folder_.empty()) return;
    unsetenv(kept_variable);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

cell_result measured_once(cell const& which, std::function<cell_result()> const& measure) {
    char const* const folder = std::getenv(kept_variable);
    if (folder == nullptr) return measure();
    auto const described = to_json(which);
    auto const file =
        std::filesystem::path(folder) / fmt::format("{:016x}", std::hash<std::string>()(described.dump()));
    cell_result result;
    if (read_kept(file, which, result)) return result;
    result = measure();
    if (result.status != cell_status::ok) return result;
    std::ofstream(file) << nlohmann::ordered_json{{"cell", described}, {"result", to_json(result)}}.dump();
    return result;
}

} // namespace rhizome::bench
