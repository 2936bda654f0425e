// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/child.hpp>
#include <rhizome/bench/harness/environment.hpp>

#include <rhizome_build.hpp> // written by every build
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

namespace rhizome::bench {
namespace {

namespace fs = std::filesystem;

std::string now_text() {
    std::time_t const now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char text[64];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &local);
    std::string date = text;
    if (date.size() > 5) date.insert(date.size() - 2, 1, ':'); // +0100 to +01:00
    return date;
}

/// The value of the first line `name : value` of /proc/cpuinfo; "" where there is none.
std::string cpu_property(std::string const& name) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(name)) continue;
        auto const colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "";
}

fs::path data_folder() {
    return (fs::path(own_program()).parent_path() / RHIZOME_BENCH_DATA_FROM_PROGRAM).lexically_normal();
}

} // namespace

environment record_environment(std::string command_line, std::vector<space_description> spaces) {
    environment where;
    where.date = now_text();
    char name[256] = {};
    if (gethostname(name, sizeof name - 1) == 0) where.host_name = name;
    where.cpu = cpu_property("model name");
    where.cpus = std::thread::hardware_concurrency();
    where.mhz_per_cpu = std::strtod(cpu_property("cpu MHz").c_str(), nullptr);
    where.frequency_scales = frequency_scales();
    where.caches = caches();
    std::array<double, 3> load{};
    int const loads = getloadavg(load.data(), static_cast<int>(load.size()));
    for (int i = 0; i < loads; ++i)
        where.load_average.push_back(load[static_cast<std::size_t>(i)]);
    where.executable = own_program();
    where.command_line = std::move(command_line);
    where.version = RHIZOME_BENCH_VERSION;
    where.commit = RHIZOME_BUILD_COMMIT;
    where.compiler = RHIZOME_BENCH_COMPILER;
    where.cuda_compiler = RHIZOME_BENCH_CUDA_COMPILER;
    where.build_type = RHIZOME_BENCH_BUILD_TYPE;
    where.spaces = std::move(spaces);
    return where;
}

nlohmann::ordered_json to_json(environment const& where) {
    using json = nlohmann::ordered_json;
    json context{
        {"date", where.date},
        {"host_name", where.host_name},
        {"executable", std::filesystem::path(where.executable).filename().string()}, // folders are the user's
        {"num_cpus", where.cpus},
        {"load_avg", where.load_average},
        {"library_build_type", where.build_type == "Debug" ? "debug" : "release"},
        {"command_line", where.command_line},
        {"cpu", where.cpu},
        {"rhizome_version", where.version},
        {"commit", where.commit},
        {"compiler", where.compiler},
        {"build_type", where.build_type}};
    if (!where.cuda_compiler.empty()) context["cuda_compiler"] = where.cuda_compiler;
    if (where.mhz_per_cpu > 0) context["mhz_per_cpu"] = where.mhz_per_cpu;
    if (where.frequency_scales) context["cpu_scaling_enabled"] = *where.frequency_scales;
    for (processor_cache const& each : where.caches)
        context["caches"].push_back({{"type", each.type},
                                     {"level", each.level},
                                     {"size", each.bytes},
                                     {"num_sharing", each.sharing}});
    json spaces = json::object();
    for (space_description const& each : where.spaces) {
        json space{{"usable", each.usable}};
        if (!each.usable) {
            space["reason"] = each.reason;
        } else {
            space["device"] = each.device;
            space["memory_bytes"] = each.memory_bytes;
        }
        if (!each.driver.empty()) space["driver"] = each.driver;
        if (!each.runtime.empty()) space["runtime"] = each.runtime;
        spaces[each.name] = space;
    }
    context["spaces"] = spaces;
    return context;
}

std::string built_from() { return std::string("commit ") + RHIZOME_BUILD_COMMIT; }

std::string data_file(std::string const& name) {
    std::error_code error;
    fs::path const path = data_folder() / name;
    return fs::exists(path, error) ? path.string() : "";
}

std::vector<std::string> data_files(std::string const& ending) {
    std::error_code error;
    std::vector<std::string> found;
    for (fs::directory_entry const& each : fs::directory_iterator(data_folder(), error))
        if (each.path().extension() == ending) found.push_back(each.path().string());
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace rhizome::bench
