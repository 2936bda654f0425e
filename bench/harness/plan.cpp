// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/plan.hpp>
#include <rhizome/cli/names.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/runtime/components.hpp>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace rhizome::bench {
namespace {

/// "" stands for the first space that can be used.
space_description const& find_space(std::vector<space_description> const& spaces, std::string const& name) {
    for (space_description const& each : spaces) {
        if (name.empty() ? !each.usable : each.name != name) continue;
        if (!each.usable) throw std::runtime_error("--space " + name + ": " + each.reason);
        return each;
    }
    throw cli::usage_error("--space: there is no " + io::quoted(name));
}

/// Of its defaults, leaves out what this build lacks, and adds to the notes which component brings it.
std::vector<std::string> values_of(choice const& which, selection const& chosen,
                                   std::vector<std::string>& notes) {
    auto const found = chosen.find(which.name);
    std::string const& text = found == chosen.end() ? which.defaults : found->second;
    std::vector<std::string> values;
    if (text.empty() && found == chosen.end()) return {""}; // left to fit() or to the harness
    for (std::string const& part :
         which.is_axis ? split_list(which.name, text) : std::vector<std::string>{text}) {
        if (found == chosen.end())
            if (std::string absent = runtime::absence_of(which.name, part); !absent.empty()) {
                notes.push_back("left out " + std::move(absent));
                continue;
            }
        std::string value = which.normalize ? which.normalize(which.name, part) : part;
        if (std::find(values.begin(), values.end(), value) == values.end())
            values.push_back(std::move(value));
    }
    if (values.empty()) throw std::runtime_error(notes.back());
    return values;
}

/// Every combination, the first choice slowest.
std::vector<cell> cross(benchmark const& which, selection const& chosen, std::vector<std::string>& notes) {
    std::vector<cell> cells{{which.name, {}}};
    for (choice const& each : which.choices) {
        std::vector<cell> longer;
        std::vector<std::string> const values = values_of(each, chosen, notes);
        for (cell const& partial : cells)
            for (std::string const& value : values) {
                longer.push_back(partial);
                longer.back().values.emplace_back(each.name, value);
            }
        cells = std::move(longer);
    }
    return cells;
}

void refuse_foreign(std::vector<benchmark const*> const& which, selection const& chosen) {
    for (auto const& option : chosen) {
        bool const known = std::any_of(which.begin(), which.end(), [&](benchmark const* each) {
            return std::any_of(each->choices.begin(), each->choices.end(),
                               [&](choice const& c) { return c.name == option.first; });
        });
        if (!known) throw cli::usage_error("--" + option.first + ": no benchmark of this run has it");
    }
}

} // namespace

std::vector<std::string> split_list(std::string const& option, std::string const& text) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (true) {
        std::size_t const end = std::min(text.find(',', begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        if (parts.back().empty())
            throw cli::usage_error("--" + option + ": found " + io::quoted(text) +
                                   ", expected values with one comma between them");
        if (end == text.size()) return parts;
        begin = end + 1;
    }
}

plan make_plan(std::vector<benchmark const*> const& which, selection const& chosen,
               std::vector<space_description> const& spaces) {
    refuse_foreign(which, chosen);
    std::set<std::string> chosen_names;
    for (auto const& [name, text] : chosen)
        chosen_names.insert(name);
    plan result;
    for (benchmark const* each : which) {
        std::vector<cell> cells;
        std::vector<std::string> notes;
        std::vector<cell> const all = cross(*each, chosen, notes);
        auto const add_note = [&](std::string note) {
            if (!note.empty() &&
                std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end())
                result.notes.push_back(std::move(note));
        };
        for (std::string& note : notes)
            add_note(each->name + ": " + note);
        for (cell candidate : all) {
            space_description here;
            if (candidate.has("space")) {
                here = find_space(spaces, candidate.text("space"));
                candidate.set("space", here.name);
            }
            add_note(each->fit ? each->fit(candidate, chosen_names, here) : "");
            if (std::find(cells.begin(), cells.end(), candidate) == cells.end())
                cells.push_back(std::move(candidate));
        }
        result.cells.insert(result.cells.end(), cells.begin(), cells.end());
    }
    return result;
}

benchmark const& find_benchmark(std::string const& name) {
    std::vector<std::string> names;
    for (benchmark const& each : benchmarks()) {
        if (each.name == name) return each;
        names.push_back(each.name);
    }
    throw cli::usage_error(
        cli::with_advice("there is no benchmark " + io::quoted(name) + cli::did_you_mean_one_of(name, names),
                         "'rhizome bench list' lists all"));
}

} // namespace rhizome::bench
