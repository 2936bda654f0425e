// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/graph_files.hpp>
#include <rhizome/cli/names.hpp>
#include <rhizome/cli/option_list.hpp>

#include <fmt/format.h>

namespace rhizome::cli {
namespace {

void add_session_options(std::vector<listed_option>& list) {
    auto const add = [&](std::string const& name, std::string summary, std::string const& value = "",
                         std::vector<std::string> choices = {}) -> listed_option& {
        list.push_back({.group = "Graph",
                        .name = name,
                        .letter = "",
                        .summary = std::move(summary),
                        .value = value,
                        .choices = std::move(choices)});
        return list.back();
    };
    auto const by_default = [](listed_option& option, std::string value) {
        option.default_value = std::move(value);
        option.has_default = true;
    };
    auto const add_choice = [&](char const* name, char const* summary,
                                std::vector<runtime::named_choice> const& choices) {
        auto names = names_of(choices);
        std::string const text = fmt::format("{}: {}", summary, fmt::join(names, ", "));
        std::string const first = names.empty() ? "" : names.front();
        by_default(add(name, text, "NAME", std::move(names)), first);
    };
    auto const space_names = names_of(runtime::spaces());
    add("space",
        fmt::format("where it lives: {} (default: cuda with a usable GPU, else host)",
                    fmt::join(space_names, ", ")),
        "NAME", space_names);
    add_choice("allocator", "memory of adjacencies", runtime::allocators());
    add_choice("layout", "shape of adjacencies", runtime::layouts());
    option_text const format = format_option();
    add("format", format.summary, format.value, format.choices);
    option_text const lenient = lenient_option();
    add(lenient.name, lenient.summary);
    option_text const columns = columns_option();
    add("columns", columns.summary, columns.value);
    add("directed", "edges are arcs; each edge of an undirected file gives two");
    add("in-arcs", "directed graphs: keep the reverse adjacency as well");
    add("refuse-self-loops", "refuse and count self-loops");
    add("no-compaction", "keep memory that batches have freed, for later batches");
    by_default(
        add("heap-bytes", "size of the heap at the start; it grows by itself (also 64M, 2GiB)", "BYTES"),
        "2M");
    add("memory-limit",
        "all memory that the graph may take; 0: no limit (default: what the machine has available; on cuda, "
        "what the device has)",
        "BYTES");
    by_default(add("threads", "host space: threads; 0: one a core", "N"), "0");
    by_default(add("seed", "simt space: seed of its scheduler", "S"), "1");
}

} // namespace

std::vector<listed_option> options_of(command_text const& command) {
    std::vector<listed_option> list;
    for (option_text const& each : command.options) {
        std::string const name = each.name;
        list.push_back({.group = each.group,
                        .name = name,
                        .letter = name == "output" ? "o" : "",
                        .summary = each.summary,
                        .value = each.value,
                        .default_value = each.default_value.value_or(""),
                        .has_default = each.default_value.has_value(),
                        .choices = each.choices});
    }
    if (command.opens_session) add_session_options(list);
    auto const add_common = [&](std::string const& name, std::string const& letter,
                                std::string const& summary) {
        list.push_back({.group = "Output", .name = name, .letter = letter, .summary = summary});
    };
    if (command.has_json) add_common("json", "", command.json_summary);
    add_common(
        "quiet", "q",
        "results alone: no notices, no progress, no lines about space and loading, no line per batch, no "
        "report of a file; errors and warnings of lost data still go to standard error");
    add_common("help", "h", "print this help");
    return list;
}

} // namespace rhizome::cli
