// SPDX-License-Identifier: Apache-2.0
// Where and with what it was measured: without it a figure is worth nothing.
#pragma once

#include <rhizome/bench/harness/processor.hpp>
#include <rhizome/bench/harness/registry.hpp>

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace rhizome::bench {

struct environment {
    std::string date; ///< ISO 8601, with the offset from UTC
    std::string host_name;
    std::string cpu; ///< model
    unsigned cpus = 0;
    double mhz_per_cpu = 0;               ///< 0: the system does not tell
    std::optional<bool> frequency_scales; ///< none: the system does not tell
    std::vector<processor_cache> caches;  ///< empty: the system does not tell
    std::vector<double> load_average;
    std::string executable;
    std::string command_line;
    std::string version;
    std::string commit; ///< with "-dirty" where files differed; "unknown" outside of git
    std::string compiler;
    std::string cuda_compiler; ///< "" in builds without
    std::string build_type;
    std::vector<space_description> spaces;
};

[[nodiscard]] environment record_environment(std::string command_line, std::vector<space_description> spaces);

/// The context of Google Benchmark's schema, and what it has no names for. What the system does not tell is
/// left out.
[[nodiscard]] nlohmann::ordered_json to_json(environment const& where);

/// "commit 0123456789ab": what this was built from.
[[nodiscard]] std::string built_from();

/// A file of share/rhizome, beside the program's folder, in the build tree as once installed; "" where it is
/// not there.
[[nodiscard]] std::string data_file(std::string const& name);
/// All files there with this ending (".csv"), in the order of their names.
[[nodiscard]] std::vector<std::string> data_files(std::string const& ending);

} // namespace rhizome::bench
