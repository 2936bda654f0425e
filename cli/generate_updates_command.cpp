// SPDX-License-Identifier: Apache-2.0
// rhizome generate updates: an update stream for a graph.
#include <rhizome/cli/graph_files.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/io/generate/updates.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/io/update_stream.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace rhizome::cli {
namespace {

command_text updates_text() {
    return {
        .name = "generate updates",
        .words = "GRAPH --count N --output FILE",
        .summary = "writes an update stream for a graph",
        .details =
            "Insertions of random absent pairs (half of them of near numbers) and deletions of present\n"
            "edges; some updates are repeated, have no effect, or are self-loops. Vertices count from 0.\n"
            "Streams in time: with --oldest-first, edges are erased in the order in which they were "
            "inserted,\n"
            "as a window over time does. With --burst-share, bursts of insertions at one vertex begin at\n"
            "random times. The same graph, options and seed give the same file on every machine.\n",
        .examples =
            "  rhizome generate updates rgg17.graph --count 1000000 --output rgg17.updates\n"
            "  rhizome generate updates rgg17.graph --count 1000000 --oldest-first --burst-share 0.2 \\\n"
            "    --burst-length 5000 --sources 1000 --output bursts.updates",
        .options = {{"count", "updates to write", "N"},
                    {"insert-share", "share of insertions, in [0, 1]; 0: none", "X", "0.5"},
                    {"near-share", "share of inserted pairs with numbers at most 64 apart", "X", "0.5"},
                    {"repeat-share", "share of updates that repeat the one before", "X", "0.02"},
                    {"no-effect-share", "share of updates that insert a present edge or erase an absent one",
                     "X", "0.02"},
                    {"self-loop-share", "share of self-loops", "X", "0.001"},
                    {"sources", "new edges leave one of K vertices, drawn from the seed; 0: all", "K", "0"},
                    {"burst-share", "share of updates in bursts, whose insertions leave one vertex per burst",
                     "X", "0"},
                    {"burst-length", "updates per burst", "N", "1000"},
                    {"oldest-first", "erase the edge that is there the longest, not a random one"},
                    {"seed", "seed of the stream", "S", "1"},
                    {"directed", "edges are arcs; each edge of an undirected graph's file gives two"},
                    format_option(),
                    lenient_option(),
                    columns_option(),
                    {"output", "the stream to write; .gz, .bz2, .zst, .xz: compressed; -: to standard output",
                     "FILE"}},
        .opens_session = false};
}

double share_of(arguments const& args, char const* option) {
    double const share = args.real(option);
    if (!(share >= 0 && share <= 1))
        throw usage_error(fmt::format("--{}: found {}, expected a number in [0, 1]", option,
                                      io::quoted(args.text(option))));
    return share;
}

io::update_mix mix_of(arguments const& args) {
    io::update_mix mix;
    mix.insert_share = share_of(args, "insert-share");
    mix.near_share = share_of(args, "near-share");
    mix.repeat_share = share_of(args, "repeat-share");
    mix.no_effect_share = share_of(args, "no-effect-share");
    mix.self_loop_share = share_of(args, "self-loop-share");
    mix.source_count = args.count("sources", 0);
    mix.burst_share = share_of(args, "burst-share");
    mix.burst_length = args.count("burst-length", 1);
    mix.oldest_first = args.has("oldest-first");
    return mix;
}

void run_updates(command_context& context) {
    auto const& args = context.args;
    std::string const graph_path = args.words(1, 1)[0];
    args.demand("count");
    args.demand("output");
    std::uint64_t const count = args.count("count", 1);
    std::uint64_t const seed = args.count("seed", 0);
    std::string const path = args.text("output");
    io::update_mix const mix = mix_of(args);
    keep_report_apart(context, path);
    progress_bar progress(shows_progress(context));
    exec::wall_timer const watch;
    io::graph_file file =
        graph_source(graph_path, args)
            .read({.directed = args.has("directed"), .weights = false, .progress = [&](double share) {
                       progress.show(share, "reading " + graph_path);
                   }});
    if (!file.mended.empty()) context.add_loss(mended_text(graph_path, file));
    if (mix.source_count > file.vertex_count)
        throw usage_error(fmt::format("--sources: found '{}', expected at most the {} of {}",
                                      mix.source_count, counted(file.vertex_count, "vertex", "vertices"),
                                      io::shown(graph_path)));
    bool const directed = file.directed || args.has("directed");
    if (directed && !file.directed) {
        std::size_t const edges = file.edges.size();
        for (std::size_t i = 0; i < edges; ++i)
            file.edges.push_back({file.edges[i].target, file.edges[i].source});
    }
    io::update_generator generator(file.vertex_count, file.edges, directed, mix, seed);
    io::update_writer writer(path);
    writer.comment(
        fmt::format("{} updates of a graph of {} vertices, seed {}", count, file.vertex_count, seed));
    constexpr std::uint64_t block = 1 << 16;
    std::vector<io::update> updates;
    for (std::uint64_t done = 0; done < count; done += updates.size()) {
        updates.resize(static_cast<std::size_t>(std::min(block, count - done)));
        std::generate(updates.begin(), updates.end(), [&] { return generator.next(); });
        writer.append(updates);
        progress.show(static_cast<double>(done) / static_cast<double>(count), "updates written");
    }
    writer.commit();
    progress.clear();
    double const ms = watch.elapsed_ms();
    report_file(context,
                {{"command", "generate updates"},
                 {"version", RHIZOME_VERSION},
                 {"file", path},
                 {"graph", graph_path},
                 {"seed", seed},
                 {"updates", count},
                 {"edges_after", generator.present().size()},
                 {"ms", ms}},
                fmt::format("{}: {}, {} after them, {:.1f} ms\n", io::shown(path),
                            counted(count, "update", "updates"),
                            counted(generator.present().size(), "edge", "edges"), ms));
}

} // namespace

command const generate_updates_command{updates_text, run_updates};

} // namespace rhizome::cli
