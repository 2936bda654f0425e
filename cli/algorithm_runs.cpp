// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/algorithm_runs.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/usage_error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace rhizome::cli {
namespace {

/// As people write it: 1e-6, not 1e-06.
std::string default_text(runtime::argument const& default_value) {
    if (auto const* const count = std::get_if<std::uint64_t>(&default_value)) return std::to_string(*count);
    std::string text = fmt::format("{}", std::get<double>(default_value));
    if (auto const at = text.find("e-0"); at != std::string::npos) text.erase(at + 2, 1);
    return text;
}

std::string value_text(std::variant<bool, std::uint64_t, double> const& value, std::string_view format) {
    if (auto const slash = format.find('/'); slash != std::string_view::npos) {
        std::string_view const first = format.substr(0, slash);
        std::string_view const second = format.substr(slash + 1);
        if (auto const* const holds = std::get_if<bool>(&value)) return std::string(*holds ? first : second);
        return counted(std::get<std::uint64_t>(value), first, second);
    }
    std::string const pattern = fmt::format("{{:{}}}", format);
    return std::visit([&](auto each) { return fmt::format(fmt::runtime(pattern), each); }, value);
}

} // namespace

bool has_parameter(runtime::algorithm_info const& info, std::string_view name) {
    return std::any_of(info.parameters.begin(), info.parameters.end(),
                       [&](runtime::parameter const& each) { return each.name == name; });
}

std::vector<option_text> options_for(runtime::algorithm_info const& info) {
    std::vector<option_text> options;
    for (runtime::parameter const& each : info.parameters)
        if (!each.value_name.empty() && each.name != "source")
            options.push_back({std::string(each.name), std::string(each.summary),
                               std::string(each.value_name), default_text(each.default_value)});
    return options;
}

runtime::algorithm_arguments arguments_for(runtime::algorithm_info const& info, arguments const& args) {
    runtime::algorithm_arguments given;
    for (runtime::parameter const& each : info.parameters) {
        if (each.value_name.empty() || each.name == "source") continue;
        std::string const name(each.name);
        if (std::holds_alternative<double>(each.default_value))
            given.set(name, args.real(name));
        else
            given.set(name, args.count(name, 1, std::numeric_limits<std::uint32_t>::max()));
    }
    given.complete(info.name, info.parameters);
    try {
        if (info.check != nullptr) info.check(given);
    } catch (std::invalid_argument const& error) {
        std::string const text = error.what();
        for (runtime::parameter const& each : info.parameters) {
            std::string name(each.name);
            std::replace(name.begin(), name.end(), '-', '_');
            if (text.find(name) != std::string::npos)
                throw usage_error(fmt::format("--{}: {}", each.name, text));
        }
        throw usage_error(text);
    }
    return given;
}

bool same_result(runtime::algorithm_info const& info, runtime::algorithm_result const& kept,
                 std::span<runtime::array_on_host const> kept_arrays, runtime::algorithm_result const& anew,
                 std::span<runtime::array_on_host const> anew_arrays,
                 runtime::algorithm_arguments const& given) {
    if (!has_parameter(info, "damping"))
        return std::equal(kept_arrays.begin(), kept_arrays.end(), anew_arrays.begin(), anew_arrays.end()) &&
               std::all_of(anew.figures.begin(), anew.figures.end(), [&](runtime::figure const& each) {
                   auto const& compared = info.maintained_figures;
                   return std::find(compared.begin(), compared.end(), each.name) == compared.end() ||
                          kept.at(each.name) == each.value;
               });
    // An iteration of PageRank shrinks the distance to the solution by the damping, so that its residual
    // bounds it.
    double const damping = given.real("damping");
    double const allowed = kept.get<double>("error") + anew.get<double>("residual") * damping / (1 - damping);
    auto const& ranks = std::get<std::vector<double>>(kept_arrays[0]);
    auto const& others = std::get<std::vector<double>>(anew_arrays[0]);
    if (ranks.size() != others.size()) return false;
    double distance = 0;
    for (std::size_t v = 0; v < ranks.size(); ++v)
        distance += std::abs(ranks[v] - others[v]);
    return distance <= allowed + 1e-12; // of rounding
}

std::string filled(std::string_view text, algorithm_run const& run,
                   std::map<std::string, std::string, std::less<>> const& others) {
    std::string result;
    while (true) {
        std::size_t const open = text.find('{');
        result += text.substr(0, open);
        if (open == std::string_view::npos) return result;
        std::size_t const close = text.find('}', open);
        std::string_view const inside = text.substr(open + 1, close - open - 1);
        std::size_t const colon = std::min(inside.find(':'), inside.size());
        std::string_view const name = inside.substr(0, colon);
        if (auto const other = others.find(name); other != others.end())
            result += other->second;
        else if (name == "ms")
            result += fmt::format("{:.3f} ms", run.ms);
        else
            result += value_text(run.found.at(name), inside.substr(std::min(colon + 1, inside.size())));
        text.remove_prefix(close + 1);
    }
}

nlohmann::ordered_json json_of(std::variant<bool, std::uint64_t, double> const& value) {
    return std::visit([](auto each) { return nlohmann::ordered_json(each); }, value);
}

} // namespace rhizome::cli
