// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/datasets.hpp>
#include <rhizome/cli/names.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace rhizome::cli {
namespace {

stand_in_model model_of(nlohmann::json const& entry) {
    return {.generator = entry.at("generator").get<std::string>(),
            .edge_factor = entry.value("edge_factor", 0u),
            .degree = entry.value("degree", 0u),
            .stencil = entry.value("stencil", 0u),
            .per_point = entry.value("per_point", 0u)};
}

dataset dataset_of(nlohmann::json const& entry) {
    auto const text = [&](char const* name) { return entry.at(name).get<std::string>(); };
    auto const count = [](nlohmann::json const& from, char const* name) {
        return from.at(name).get<std::uint64_t>();
    };
    dataset result{.name = text("name"),
                   .family = text("family"),
                   .kind = text("kind"),
                   .vertices = count(entry, "vertices"),
                   .edges = count(entry, "edges"),
                   .events = entry.value("events", std::uint64_t{0}),
                   .listed = text("listed"),
                   .format = text("format"),
                   .home = text("home"),
                   .download = text("download"),
                   .sha256 = text("sha256"),
                   .licence = text("licence"),
                   .ouroboros_table1 = std::nullopt,
                   .stand_in = model_of(entry.at("stand_in"))};
    if (auto const printed = entry.find("ouroboros_table1"); printed != entry.end())
        result.ouroboros_table1 = {count(*printed, "vertices"), count(*printed, "edges")};
    return result;
}

} // namespace

double dataset::mean_degree() const {
    double const ends = listed == "both directions" ? 1 : 2;
    return ends * static_cast<double>(edges) / static_cast<double>(vertices);
}

std::string dataset::stand_in_file() const { return name + "-stand-in.graph"; }

std::string dataset::file_name() const { return download.substr(download.rfind('/') + 1); }

std::vector<dataset> parse_datasets(std::string_view manifest) {
    std::vector<dataset> all;
    for (nlohmann::json const& entry : nlohmann::json::parse(manifest)) {
        try {
            all.push_back(dataset_of(entry));
        } catch (nlohmann::json::exception const& error) {
            throw std::runtime_error(
                fmt::format("manifest: {}: {}", entry.value("name", "a graph without a name"), error.what()));
        }
    }
    return all;
}

std::vector<dataset> const& datasets() {
    static std::vector<dataset> const all = parse_datasets(dataset_manifest());
    return all;
}

dataset const& find_dataset(std::string const& name) {
    std::vector<std::string> names;
    for (dataset const& each : datasets()) {
        if (each.name == name) return each;
        names.push_back(each.name);
    }
    throw usage_error(with_advice(
        fmt::format("there is no graph {} in the manifest{}", io::quoted(name), did_you_mean(name, names)),
        "'rhizome datasets' lists all"));
}

std::vector<std::string> dataset_families() {
    std::vector<std::string> families;
    for (dataset const& each : datasets())
        if (std::find(families.begin(), families.end(), each.family) == families.end())
            families.push_back(each.family);
    return families;
}

} // namespace rhizome::cli
