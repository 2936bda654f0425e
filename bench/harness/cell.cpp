// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/cell.hpp>
#include <rhizome/cli/parse_values.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

namespace rhizome::bench {
namespace {

constexpr std::array<std::pair<cell_status, char const*>, 5> status_names{{
    {cell_status::ok, "ok"},
    {cell_status::not_served, "not served"},
    {cell_status::failed, "failed"},
    {cell_status::crashed, "crashed"},
    {cell_status::timed_out, "timed out"},
}};

template <class Values>
auto find(Values& values, std::string const& choice) {
    return std::find_if(values.begin(), values.end(),
                        [&](auto const& value) { return value.first == choice; });
}

} // namespace

bool cell::has(std::string const& choice) const { return find(values, choice) != values.end(); }

std::string const& cell::text(std::string const& choice) const {
    auto const found = find(values, choice);
    if (found == values.end()) throw std::out_of_range(benchmark + " has no " + choice);
    return found->second;
}

std::uint64_t cell::count(std::string const& choice) const {
    return cli::parse_count(choice, text(choice), 0, std::numeric_limits<std::uint64_t>::max());
}

std::uint64_t cell::bytes(std::string const& choice) const { return cli::parse_bytes(choice, text(choice)); }

void cell::set(std::string const& choice, std::string value) {
    auto const found = find(values, choice);
    if (found == values.end()) throw std::out_of_range(benchmark + " has no " + choice);
    found->second = std::move(value);
}

bool says_how_measured(std::string const& choice) {
    return choice == "warm-up" || choice == "repetitions" || choice == "seed";
}

std::string name_of(cell const& which) {
    std::string name = which.benchmark;
    std::size_t named = 0;
    for (auto const& [choice, value] : which.values) {
        if (says_how_measured(choice)) continue;
        name += "/" + (named < 2 ? value : choice + ":" + value);
        ++named;
    }
    return name;
}

char const* name_of(cell_status status) {
    for (auto const& [each, name] : status_names)
        if (each == status) return name;
    return "unknown";
}

cell_status status_of(std::string const& name) {
    for (auto const& [each, text] : status_names)
        if (name == text) return each;
    throw std::invalid_argument("there is no status '" + name + "'");
}

} // namespace rhizome::bench
