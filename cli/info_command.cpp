#include <rhizome/cli/command.hpp>
#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/text_columns.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace rhizome::cli {
namespace {

command_text info_text() {
    return {.name = "info",
            .words = "[FILE]",
            .summary = "what a graph file holds and the memory it takes; without FILE: what runs here",
            .details =
                "Loads the graph, without weights, and prints its size, degrees, self-loops and where its "
                "memory is.\n"
                "Without FILE: the version, the spaces usable on this machine (and why others are not),\n"
                "allocators and layouts.\n",
            .examples = "  rhizome info\n  rhizome info road.graph.gz --space host --json",
            .options = {}};
}

/// Why the space cannot be used on this machine; "" where it can.
std::string unusable_because(std::string const& space) {
    return space == "cuda" ? runtime::cuda_unusable_because() : std::string();
}

void print_machine(command_context& context) {
    (void)context.args.session(); // wrong names are wrong here too
    std::vector<runtime::named_choice> all_spaces = runtime::spaces();
    bool const has_cuda = std::any_of(all_spaces.begin(), all_spaces.end(),
                                      [](auto const& each) { return each.name == "cuda"; });
    if (!has_cuda) all_spaces.insert(all_spaces.begin(), {"cuda", "CUDA kernels on a GPU"});
    if (context.json()) {
        nlohmann::ordered_json document{{"command", "info"}, {"version", RHIZOME_VERSION}};
        for (runtime::named_choice const& each : all_spaces) {
            std::string const reason = unusable_because(each.name);
            nlohmann::ordered_json entry{
                {"name", each.name}, {"summary", each.summary}, {"usable", reason.empty()}};
            if (!reason.empty()) entry["reason"] = reason;
            document["spaces"].push_back(entry);
        }
        auto const list = [&](char const* key, std::vector<runtime::named_choice> const& choices) {
            for (auto const& each : choices)
                document[key].push_back({{"name", each.name}, {"summary", each.summary}});
        };
        list("allocators", runtime::allocators());
        list("layouts", runtime::layouts());
        context.out.print(json_text(document));
        return;
    }
    context.out.print("rhizome " RHIZOME_VERSION "\n\nspaces\n");
    std::vector<std::pair<std::string, std::string>> rows;
    for (runtime::named_choice const& each : all_spaces) {
        std::string const reason = unusable_because(each.name);
        rows.emplace_back(each.name, fmt::format("{} [{}]", each.summary,
                                                 reason.empty() ? "usable" : "not usable: " + reason));
    }
    context.out.print(two_columns(rows));
    auto const list = [&](char const* title, std::vector<runtime::named_choice> const& choices) {
        rows.clear();
        for (auto const& each : choices)
            rows.emplace_back(each.name, each.summary);
        context.out.print(fmt::format("{} (the first is the default)\n{}", title, two_columns(rows)));
    };
    list("allocators", runtime::allocators());
    list("layouts", runtime::layouts());
}

struct degree_summary {
    std::uint32_t lowest = 0;
    double mean = 0;
    std::uint32_t highest = 0;
};

degree_summary summarize(std::vector<std::uint32_t> const& degrees) {
    if (degrees.empty()) return {};
    auto const [lowest, highest] = std::minmax_element(degrees.begin(), degrees.end());
    double const sum = std::accumulate(degrees.begin(), degrees.end(), 0.0);
    return {*lowest, sum / static_cast<double>(degrees.size()), *highest};
}

void print_graph(command_context& context, std::string const& path) {
    graph_session graph = load_graph(context, path);
    runtime::any_graph& session = *graph.session;
    degree_summary const degrees = summarize(session.all_degrees());
    auto const edges = session.all_edges();
    auto const loops = std::count_if(edges.begin(), edges.end(), [](auto e) { return e.source == e.target; });
    graph::memory_report const memory = session.memory();
    if (context.json()) {
        nlohmann::ordered_json document{{"command", "info"}, {"version", RHIZOME_VERSION}, {"file", path}};
        document["graph"] = to_json(graph);
        document["degrees"] = {{"min", degrees.lowest}, {"mean", degrees.mean}, {"max", degrees.highest}};
        document["self_loops"] = loops;
        document["weight_type"] = nullptr;
        if (!graph.value_type.empty()) document["weight_type"] = graph.value_type;
        document["memory"] = {{"heap_bytes", memory.heap_bytes},
                              {"adjacency_bytes", memory.adjacency_bytes},
                              {"slack_bytes", memory.slack_bytes},
                              {"free_bytes", memory.free_bytes},
                              {"vertex_table_bytes", memory.vertex_table_bytes},
                              {"allocator_table_bytes", memory.allocator_table_bytes},
                              {"scratch_bytes", memory.scratch_bytes},
                              {"total_bytes", memory.total_bytes()},
                              {"bytes_an_edge", memory.bytes_an_edge()}};
        context.out.print(json_text(document));
        return;
    }
    context.out.print(to_text(graph, path));
    context.out.print(fmt::format("degrees   min {}, mean {:.2f}, max {}; {}\n", degrees.lowest, degrees.mean,
                                  degrees.highest,
                                  counted(static_cast<std::uint64_t>(loops), "self-loop", "self-loops")));
    if (!graph.value_type.empty())
        context.out.print(fmt::format("weights   one per edge, of type {}\n", graph.value_type));
    context.out.print(
        fmt::format("memory    {} in all, {:.1f} bytes per edge\n"
                    "          heap {}: adjacency {}, slack {}, free {}\n"
                    "          vertex table {}, allocator tables {}, scratch {}\n",
                    bytes_text(memory.total_bytes()), memory.bytes_an_edge(), bytes_text(memory.heap_bytes),
                    bytes_text(memory.adjacency_bytes), bytes_text(memory.slack_bytes),
                    bytes_text(memory.free_bytes), bytes_text(memory.vertex_table_bytes),
                    bytes_text(memory.allocator_table_bytes), bytes_text(memory.scratch_bytes)));
}

void run_info(command_context& context) {
    auto const& words = context.args.words(0, 1);
    if (words.empty()) {
        print_machine(context);
    } else {
        print_graph(context, words[0]);
    }
}

} // namespace

command const info_command{info_text, run_info};

} // namespace rhizome::cli
