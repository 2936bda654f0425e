// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/host.hpp>
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/runtime/components.hpp>
#include <rhizome/runtime/detail/open_elsewhere.hpp>
#include <rhizome/runtime/open_on.hpp>
#include <rhizome/runtime/ranks/open_ranks.hpp>
#include <rhizome/runtime/ranks/rank_group.hpp>

#include <algorithm>
#include <string_view>

namespace rhizome::runtime {
namespace {

void expect_known(char const* axis, std::string const& name, std::vector<named_choice> const& of) {
    std::string known;
    for (named_choice const& choice : of) {
        if (choice.name == name) return;
        known += (known.empty() ? "" : ", ") + choice.name;
    }
    if (std::string const absent = absence_of(axis, name); !absent.empty())
        throw std::invalid_argument(absent);
    throw std::invalid_argument(std::string("there is no ") + axis + " '" + name + "'; there are: " + known);
}

} // namespace

namespace detail {

void refuse(graph_choice const& choice, std::string_view space) {
    std::string const wanted =
        "layout " + choice.layout + " with values of type " + std::string(name_of(choice.values));
    std::string others;
    for (graph_type const& type : graph_types()) {
        if (type.layout != choice.layout || type.values != choice.values) continue;
        if (type.allocator == choice.allocator)
            throw std::invalid_argument("the space " + std::string(space) + " has no graph of " + wanted);
        others += (others.empty() ? "" : ", ") + type.allocator;
    }
    throw std::invalid_argument(others.empty() ? "this build has no graph of " + wanted
                                               : wanted + " does not go with allocator " + choice.allocator +
                                                     "; it goes with " + others);
}

graph_choice completed(graph_choice const& choice) {
    graph_choice wanted = choice;
    if (!wanted.layout.empty()) expect_known("layout", wanted.layout, layouts());
    if (!wanted.allocator.empty()) expect_known("allocator", wanted.allocator, allocators());
    if (wanted.layout.empty()) wanted.layout = layouts().front().name;
    if (!wanted.allocator.empty()) return wanted;
    for (graph_type const& type : graph_types())
        if (type.layout == wanted.layout && type.values == wanted.values) {
            wanted.allocator = type.allocator;
            return wanted;
        }
    refuse(wanted);
}

} // namespace detail

std::vector<named_choice> allocators() {
    std::vector<named_choice> choices = block_allocators();
    std::vector<graph_type> const graphs = graph_types();
    std::erase_if(choices, [&](named_choice const& choice) {
        return std::none_of(graphs.begin(), graphs.end(),
                            [&](graph_type const& type) { return type.allocator == choice.name; });
    });
    return choices;
}

std::vector<named_choice> spaces() {
    std::vector<named_choice> choices;
    if (detail::has_cuda()) choices.push_back({"cuda", "CUDA kernels on the GPU"});
    choices.push_back({"host", "OS threads of this machine"});
    if (detail::has_simt())
        choices.push_back({"simt", "emulated GPU with a seeded scheduler, for tests: slow"});
    return choices;
}

std::unique_ptr<any_graph> open_graph(graph_choice const& choice) {
    std::string const unusable = cuda_unusable_because();
    std::string const space = !choice.space.empty() ? choice.space : unusable.empty() ? "cuda" : "host";
    if (space == "cuda") {
        if (!unusable.empty()) throw std::runtime_error("space cuda: " + unusable);
        return detail::open_graph_on_cuda(choice);
    }
    expect_known("space", space, spaces());
    if (space == "simt") return detail::open_graph_on_simt(choice);
    return open_graph_on(
        exec::host_space({.threads = choice.threads, .memory_limit_bytes = choice.memory_limit_bytes}),
        choice);
}

std::unique_ptr<any_graph> open_graph_over_ranks(std::shared_ptr<rank_group> const& ranks,
                                                 graph_choice const& choice) {
    if (choice.values != value_type::none) throw std::invalid_argument("a graph over ranks keeps no weights");
    graph_choice const wanted = detail::completed(choice);
    graph_type const offered = graph_types().front();
    if (wanted.layout != offered.layout || wanted.allocator != offered.allocator)
        throw std::invalid_argument("a graph over ranks has layout " + offered.layout + " and allocator " +
                                    offered.allocator + ", no others");
    if (!choice.space.empty() && choice.space != ranks->space())
        throw std::invalid_argument("the ranks are on " + ranks->space() + ", not on " + choice.space);
    return ranks->open(wanted, {ranks->space(), wanted.layout, wanted.allocator});
}

} // namespace rhizome::runtime
