#include <rhizome/cli/batch_pipeline.hpp>
#include <rhizome/cli/batch_reader.hpp>
#include <rhizome/cli/command.hpp>
#include <rhizome/cli/graph_files.hpp>
#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/pagerank_arguments.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/stopwatch.hpp>
#include <rhizome/cli/stream_report.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/limits.hpp>
#include <rhizome/io/output_file.hpp>

#include <fmt/format.h>

#include <stdexcept>

namespace rhizome::cli {
namespace {

command_text text() {
    return {
        .name = "stream",
        .words = "GRAPH UPDATES | --vertices N UPDATES",
        .summary = "applies a stream of edge updates to a graph, batch by batch",
        .details =
            "GRAPH is a DIMACS10 / METIS .graph file or a stored graph; with --vertices the stream starts\n"
            "from N vertices without edges. UPDATES holds '+ u v [w]' (insert), '- u v' (erase) and '#'\n"
            "comments; vertices count from 0; '-' is standard input. All but stored graphs may be plain, "
            ".gz\n"
            "or .bz2. Weights are checked; the tool's graphs do not keep them.\n"
            "\n"
            "Each batch is reduced to its net effect, the last update of each edge, and applied:\n"
            "insertions, then erasures. Its line counts each of its updates once: inserted; present\n"
            "(inserted though there already); erased; absent (erased though not there); duplicate;\n"
            "superseded (by a later update of the batch); rejected (an endpoint is no vertex); self-loops\n"
            "refused. updates/s is over the times of insert and erase. A batch that does not fit in memory\n"
            "ends the command.\n"
            "\n"
            "While a batch is applied, the next ones are read, reduced and copied to the device, so that\n"
            "the times of reading, net effect, insert and erase add up to more than the whole. Those of\n"
            "insert and erase hold no copy, but what they wait for one. The summary tells the whole as\n"
            "well, and updates/s over it.\n",
        .examples = "  rhizome stream road.graph day.updates.gz --batch 1000000 --pagerank-every 10\n"
                    "  rhizome stream --vertices 1000000 all.updates --json > report.json",
        .options = with_pagerank_options(
            {{"vertices", "start from N vertices without edges; no GRAPH is given then", "N"},
             {"batch", "updates a batch", "N", "100000"},
             {"pagerank-every", "run PageRank after every K batches", "K"},
             {"triangles-every", "count triangles after every K batches", "K"},
             {"validate-every", "check all invariants of the graph after every K batches", "K"},
             {"output", "write the last graph: METIS (undirected), or stored where the name ends in .rhz",
              "FILE"}})};
}

struct stream_plan {
    std::string graph_path; ///< empty: start from `vertices`
    std::string updates_path;
    std::string output_path; ///< empty: none
    file_format output_format = file_format::metis;
    std::uint64_t vertices = 0;
    std::size_t batch_updates = 0;
    std::uint64_t pagerank_every = 0; ///< 0: never; so are the others
    std::uint64_t triangles_every = 0;
    std::uint64_t validate_every = 0;
    algorithms::pagerank_options pagerank;
};

void check_output(stream_plan const& plan, bool directed) {
    if (directed && !plan.output_path.empty() && plan.output_format == file_format::metis)
        throw usage_error("--output: METIS files hold undirected graphs only; one named .rhz holds any");
}

stream_plan plan_of(arguments const& args) {
    stream_plan plan;
    if (args.has("vertices")) {
        plan.vertices = args.count("vertices", 0, graph::most_rows<graph::vertex_id>);
        plan.updates_path = args.words(1, 1)[0];
    } else {
        auto const& words = args.words(2, 2);
        plan.graph_path = words[0];
        plan.updates_path = words[1];
    }
    auto const every = [&](char const* option) { return args.has(option) ? args.count(option, 1) : 0; };
    constexpr std::uint64_t most_batch_updates =
        (std::uint64_t{1} << 31) - 1; // 32-bit counts of arcs in a batch
    plan.batch_updates = args.count("batch", 1, most_batch_updates);
    plan.pagerank_every = every("pagerank-every");
    plan.triangles_every = every("triangles-every");
    plan.validate_every = every("validate-every");
    plan.pagerank = pagerank_arguments(args);
    if (args.has("output")) {
        plan.output_path = args.text("output");
        plan.output_format = format_by_name(plan.output_path).value_or(file_format::metis);
        if (args.has("directed")) check_output(plan, true);
    }
    return plan;
}

bool is_due(std::uint64_t every, std::uint64_t batch) { return every > 0 && batch % every == 0; }

class stream_run {
public:
    stream_run(command_context& context, stream_plan const& plan, graph_session& graph)
        : context_(context), plan_(plan), session_(*graph.session),
          reader_(plan.updates_path, plan.batch_updates, graph.options.directed),
          batches_ahead_(session_, reader_), fraction_read_(reader_.fraction_at_start()),
          progress_(stderr_is_terminal() && !context.quiet()) {}

    void run() {
        bool const table = !context_.json() && !context_.quiet();
        if (table) context_.out.print(table_head());
        stopwatch const wall;
        show_progress();
        for (std::uint64_t number = 1;; ++number) {
            batch_row row;
            row.batch = number;
            if (!batches_ahead_.next()) break;
            process(row);
            fraction_read_ = batches_ahead_.present().fraction_read;
            summary_.add(row);
            if (table) {
                if (stdout_is_terminal()) progress_.clear();
                context_.out.print(table_line(row));
                context_.out.flush(); // a batch may take long: its line is due now
            }
            if (context_.json()) batches_.push_back(to_json(row));
            show_progress();
        }
        progress_.clear();
        summary_.total.edges_after = session_.edge_count();
        summary_.wall_ms = wall.elapsed_ms();
    }

    [[nodiscard]] stream_summary const& summary() const { return summary_; }
    [[nodiscard]] nlohmann::ordered_json const& batches() const { return batches_; }

private:
    void process(batch_row& row) {
        try {
            apply(row);
        } catch (exec::out_of_memory const& error) {
            throw std::runtime_error(fmt::format("batch {}: {}", row.batch, error.what()));
        }
        row.edges_after = session_.edge_count();
        if (is_due(plan_.validate_every, row.batch)) validate(row);
        if (is_due(plan_.pagerank_every, row.batch)) {
            pagerank_answer answer;
            double const ms = measure_ms(session_, [&] { answer = session_.pagerank(plan_.pagerank); });
            row.pagerank = {ms, answer.iterations, answer.residual, answer.converged};
        }
        if (is_due(plan_.triangles_every, row.batch)) {
            triangle_run triangles;
            triangles.ms = measure_ms(session_, [&] { triangles.count = session_.count_triangles(); });
            row.triangles = triangles;
        }
    }

    void apply(batch_row& row) {
        reduced_batch const& batch = batches_ahead_.present();
        row.read_ms = batch.read_ms;
        row.reduce_ms = batch.reduce_ms;
        row.updates = batch.updates;
        row.superseded = batch.net.superseded;
        row.insert_ms = apply(batch_list::insertions, row.inserted);
        row.erase_ms = apply(batch_list::deletions, row.erased);
    }
    /// Milliseconds.
    double apply(batch_list list, graph::batch_report& report) {
        if (batches_ahead_.edges(list).empty()) return 0;
        batches_ahead_.prepare(list);
        return measure_ms(session_, [&] { report = batches_ahead_.apply(list); });
    }

    void validate(batch_row& row) {
        auto const broken = session_.validate();
        if (!broken.empty())
            throw std::runtime_error(
                fmt::format("batch {}: the graph is damaged: {}{}", row.batch, broken.front(),
                            broken.size() > 1 ? fmt::format(" (and {} more)", broken.size() - 1) : ""));
        row.validated = true;
    }

    void show_progress() {
        progress_.show(fraction_read_,
                       fmt::format("batch {}, {} updates, {} edges, on {}", summary_.batches,
                                   summary_.total.updates,
                                   summary_.batches > 0 ? summary_.total.edges_after : session_.edge_count(),
                                   session_.space_name()));
    }

    command_context& context_;
    stream_plan const& plan_;
    session& session_;
    batch_reader reader_;
    batch_pipeline batches_ahead_;
    double fraction_read_;
    progress_bar progress_;
    stream_summary summary_;
    nlohmann::ordered_json batches_ = nlohmann::ordered_json::array();
};

void run(command_context& context) {
    stream_plan const plan = plan_of(context.args);
    // A place that cannot be written is told before the work, not after it.
    if (!plan.output_path.empty()) io::output_file const probe(plan.output_path);
    graph_session graph =
        plan.graph_path.empty() ? empty_graph(context, plan.vertices) : load_graph(context, plan.graph_path);
    check_output(plan, graph.options.directed);
    nlohmann::ordered_json const graph_before = to_json(graph);
    stream_run stream(context, plan, graph);
    if (!context.json())
        context.out.print(to_text(graph, plan.graph_path.empty() ? "<empty>" : plan.graph_path));
    stream.run();
    if (!plan.output_path.empty())
        write_graph_file(plan.output_path, plan.output_format,
                         {.vertex_count = graph.session->vertex_count(),
                          .directed = graph.options.directed,
                          .edges = graph.session->edges(),
                          .edge_weights = {},
                          .vertex_sizes = {},
                          .vertex_weights = {},
                          .weights_per_vertex = 0},
                         {.in_arcs = graph.options.in_arcs, .self_loops = graph.options.self_loops});
    if (context.json()) {
        nlohmann::ordered_json document{{"command", "stream"},
                                        {"version", RHIZOME_VERSION},
                                        {"file", plan.graph_path},
                                        {"updates_file", plan.updates_path},
                                        {"batch_updates", plan.batch_updates}};
        document["graph"] = graph_before;
        document["batches"] = stream.batches();
        document["summary"] = to_json(stream.summary());
        context.out.print(document.dump(2) + "\n");
    } else {
        context.out.print(to_text(stream.summary()));
    }
}

} // namespace

command const stream_command{text, run};

} // namespace rhizome::cli
