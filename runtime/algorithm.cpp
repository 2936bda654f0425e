// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/host.hpp>
#include <rhizome/runtime/algorithm.hpp>
#include <rhizome/runtime/algorithms/list.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace rhizome::runtime {
namespace {

template <class Entry>
algorithm_info info_of() {
    algorithm_info info = Entry::info();
    info.is_maintained = requires { typename Entry::template maintained<exec::host_space, double>; };
    if (info.maintained_text.empty()) info.maintained_text = info.batch_text;
    if (info.maintained_final_text.empty()) info.maintained_final_text = info.final_text;
    if (info.maintained_figures.empty()) info.maintained_figures = info.batch_figures;
    return info;
}
template <class... Entries>
std::vector<algorithm_info> infos_of(std::tuple<Entries...> const*) {
    return {info_of<Entries>()...};
}

} // namespace

void algorithm_arguments::complete(std::string_view algorithm, std::span<parameter const> parameters) {
    for (auto const& given : given_) {
        auto const known = std::find_if(parameters.begin(), parameters.end(),
                                        [&](parameter const& each) { return each.name == given.first; });
        if (known == parameters.end())
            throw std::invalid_argument(std::string(algorithm) + " takes no argument '" + given.first + "'");
        if (known->default_value.index() != given.second.index())
            throw std::invalid_argument(std::string(algorithm) + ": argument '" + given.first +
                                        "' has another type");
    }
    for (parameter const& each : parameters)
        given_.try_emplace(std::string(each.name), each.default_value);
}

std::variant<bool, std::uint64_t, double> const& algorithm_result::at(std::string_view name) const {
    for (figure const& each : figures)
        if (each.name == name) return each.value;
    throw std::out_of_range("no figure '" + std::string(name) + "'");
}

bool has_element(array_info const& info, array_on_host const& array, std::size_t v) {
    if (auto const* const numbers = std::get_if<std::vector<double>>(&array))
        return std::isfinite((*numbers)[v]);
    if (info.holds == array_info::meaning::number) return true;
    auto const* const words = std::get_if<std::vector<std::uint32_t>>(&array);
    return words == nullptr || (*words)[v] != std::numeric_limits<std::uint32_t>::max();
}

std::span<algorithm_info const> algorithms() {
    static std::vector<algorithm_info> const all = infos_of(static_cast<algorithm_list const*>(nullptr));
    return all;
}

std::size_t algorithm_number(std::string_view name) {
    std::string known;
    std::span<algorithm_info const> const all = algorithms();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].name == name) return i;
        known += (i == 0 ? "" : ", ") + std::string(all[i].name);
    }
    throw std::invalid_argument("no algorithm '" + std::string(name) + "': there are " + known);
}

} // namespace rhizome::runtime
