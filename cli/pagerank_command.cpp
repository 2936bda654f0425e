// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/command.hpp>
#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/pagerank_arguments.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/vertex_table.hpp>
#include <rhizome/exec/stopwatch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace rhizome::cli {
namespace {

command_text pagerank_text() {
    return {
        .name = "pagerank",
        .words = "FILE",
        .summary = "ranks the vertices of a graph",
        .details =
            "rank = (1 - damping)/n + damping * (sum over u -> v of rank(u)/outdegree(u) + dangling/n);\n"
            "the rank of vertices without out-arcs is spread uniformly; ranks sum to 1. Weights of edges "
            "play\n"
            "no part. --output writes one line per vertex: its name in the file, or its number, counted\n"
            "from 0 (in METIS files, vertices count from 1), and its rank; compressed where the name ends\n"
            "in .gz, .bz2, .zst or .xz.\n",
        .examples = "  rhizome pagerank web.graph --top 20\n  rhizome pagerank web.graph --output ranks.txt",
        .options = with_pagerank_options({{"top", "print the K vertices of the highest rank", "K", "10"},
                                          {"output", "write all ranks; -: to standard output", "FILE"}})};
}

/// The vertices of the highest ranks, highest first; equal ranks by number.
std::vector<std::size_t> highest(std::vector<double> const& ranks, std::size_t count) {
    std::vector<std::size_t> order(ranks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    count = std::min(count, order.size());
    auto const end = order.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
        return ranks[a] != ranks[b] ? ranks[a] > ranks[b] : a < b;
    });
    order.resize(count);
    return order;
}

void write_ranks(io::packed_file& file, std::vector<double> const& ranks, graph_session const& graph) {
    write_vertices(
        file, graph, "rank", ranks.size(), [](std::size_t) { return true; },
        [&](io::text_writer& writer, std::size_t v) { writer.put_number(ranks[v]); });
}

void run_pagerank(command_context& context) {
    auto const& args = context.args;
    std::string const path = args.words(1, 1)[0];
    algorithms::pagerank_options options = pagerank_arguments(args);
    std::size_t const top = args.count("top", 1);
    auto const output = output_of(context);
    graph_session graph = load_graph(context, path);

    progress_bar progress(shows_progress(context));
    std::function<void(unsigned, double)> const show = [&](unsigned iterations, double residual) {
        progress.show(-1, fmt::format("{}, residual {:.3g}, tolerance {:.3g}",
                                      counted(iterations, "iteration", "iterations"), residual,
                                      options.tolerance));
    };
    options.progress = &show;
    runtime::pagerank_answer answer;
    double const ms = exec::measure_ms(*graph.session, [&] { answer = graph.session->pagerank(options); });
    progress.clear();
    auto const best = highest(answer.ranks, top);
    if (output) write_ranks(*output, answer.ranks, graph);

    if (context.json()) {
        nlohmann::ordered_json document{
            {"command", "pagerank"}, {"version", RHIZOME_VERSION}, {"file", path}};
        document["graph"] = to_json(graph);
        document["pagerank"] = {{"damping", options.damping},      {"tolerance", options.tolerance},
                                {"iterations", answer.iterations}, {"residual", answer.residual},
                                {"converged", answer.converged},   {"ms", ms}};
        auto list = nlohmann::ordered_json::array();
        for (std::size_t const v : best)
            list.push_back({{"vertex", v}, {"rank", answer.ranks[v]}});
        for (std::size_t i = 0; !graph.names.empty() && i < best.size(); ++i)
            list[i]["name"] = name_of(graph, best[i]);
        document["top"] = list;
        context.out.print(json_text(document));
        return;
    }
    context.out.print(head_text(context, graph, path));
    context.out.print(fmt::format("pagerank  {:.3f} ms, {}, {} (residual {:.3g})\n", ms,
                                  counted(answer.iterations, "iteration", "iterations"),
                                  answer.converged ? "converged" : "NOT converged", answer.residual));
    context.out.print(fmt::format("{:>12}  {}\n", "vertex", "rank"));
    for (std::size_t const v : best)
        context.out.print(fmt::format("{:>12}  {:.9g}\n", shown_name_of(graph, v), answer.ranks[v]));
}

} // namespace

command const pagerank_command{pagerank_text, run_pagerank};

} // namespace rhizome::cli
