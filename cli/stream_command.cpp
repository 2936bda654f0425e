// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/command.hpp>
#include <rhizome/cli/devices.hpp>
#include <rhizome/cli/graph_files.hpp>
#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/losses.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/search_sources.hpp>
#include <rhizome/cli/stream_plan.hpp>
#include <rhizome/cli/stream_report.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/stream_format.hpp>
#include <rhizome/stream/file_updates.hpp>
#include <rhizome/stream/graph_stream.hpp>
#include <rhizome/stream/names.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace rhizome::cli {
namespace {

bool is_due(std::uint64_t every, std::uint64_t batch) { return every > 0 && batch % every == 0; }

/// How the stream is applied. The tool writes names after the last batch alone.
stream::options options_of_stream(stream_plan const& plan, graph_session const& graph) {
    return {.window = plan.window,
            .grows_vertices = plan.grows_vertices,
            .self_loops = graph.options.self_loops,
            .refuses_weights = wants_weights(plan),
            .instead_of_weights =
                "none, as neither the graph nor the first batch has any; --weights gives every "
                "edge one, --drop-weights leaves them out",
            .follows_names = false,
            .threads = plan.reading.threads};
}

/// Which vertices an update can name.
std::string vertices_text(stream_plan const& plan, graph_session const& graph) {
    std::uint64_t const count = graph.session->vertex_count();
    if (plan.maps_names) return "no vertex has that name, and without --grow-vertices none appears";
    if (count == 0) return "the graph has no vertices";
    std::string hint = "METIS files count them from 1";
    if (!graph.names.empty()) {
        hint = "--map-ids takes their names";
    } else if (!graph.counts_from_one.empty()) {
        hint = fmt::format("one more in {}; --map-ids takes the numbers there", graph.counts_from_one);
    }
    return fmt::format("vertices are 0 to {} ({})", count - 1, hint);
}

/// Why updates were rejected.
std::string rejected_text(std::uint64_t count, stream_plan const& plan, graph_session const& graph) {
    return fmt::format("{} rejected, as an endpoint is no vertex: {}",
                       counted(count, "update was", "updates were"), vertices_text(plan, graph));
}

class stream_run {
public:
    stream_run(command_context& context, stream_plan const& plan, graph_session& graph,
               std::shared_ptr<stream::update_source> const& updates, double read_before_ms)
        : context_(context), plan_(plan), graph_(graph), session_(*graph.session),
          updates_(session_, updates, options_of_stream(plan, graph)), read_before_ms_(read_before_ms),
          progress_(shows_progress(context)) {}

    /// Computes the results that follow the graph, before the first batch.
    void start_maintained() {
        for (planned_algorithm const& each : plan_.algorithms) {
            if (!each.is_maintained) continue;
            maintained_.push_back({&each, 0, present(each.sources)});
            try {
                start(maintained_.back());
                static_cast<void>(session_.results().update(maintained_.back().number));
            } catch (std::logic_error const& error) { // graphs that it does not take
                throw std::runtime_error(fmt::format("--maintain: {}", error.what()));
            }
        }
    }

    void run() {
        bool const table = !context_.json() && !context_.quiet();
        if (table) {
            context_.out.print(table_head());
            context_.out.flush(); // before the first batch, which may take long or fail
        }
        exec::wall_timer const wall;
        summary_.vertices_appear = plan_.grows_vertices;
        summary_.has_window = plan_.window.has_value();
        show_progress();
        while (updates_.advance()) {
            batch_row row;
            process(row);
            summary_.add(row);
            if (!context_.quiet()) {
                if (stdout_is_terminal()) progress_.clear();
                context_.out.print(table ? table_line(row) : json_line(to_json(row)));
                context_.out.flush(); // a batch may take long: its line is due now
            }
            show_progress();
        }
        progress_.clear();
        summary_.total.edges_after = session_.edge_count();
        summary_.total.vertices_after = session_.vertex_count();
        summary_.wall_ms = read_before_ms_ + wall.elapsed_ms();
    }

    [[nodiscard]] stream_summary const& summary() const { return summary_; }

private:
    void process(batch_row& row) {
        row.number = updates_.batches() + 1;
        check_weights();
        try {
            updates_.apply(row);
        } catch (exec::out_of_memory const& error) {
            throw std::runtime_error(fmt::format("batch {}: {}", row.number, error.what()));
        } catch (std::length_error const& error) {
            throw std::runtime_error(fmt::format("batch {}: {}", row.number, error.what()));
        }
        if (plan_.strict && row.rejected() > 0)
            throw std::runtime_error(
                fmt::format("batch {}: {}", row.number, rejected_text(row.rejected(), plan_, graph_)));
        for (planned_algorithm const& each : plan_.algorithms)
            if (!each.is_maintained && is_due(each.every, row.number)) run(each, row);
        for (maintained_algorithm& each : maintained_)
            update(each, row);
        if (is_due(plan_.validate_every, row.number)) validate(row);
    }

    /// Throws io::file_error for a weight of the present batch that the file of --output cannot hold.
    void check_weights() const {
        stream::reduced_batch const& batch = updates_.present();
        if (!batch.net.weights.empty() && !plan_.output_path.empty())
            io::check_weights(plan_.output_path, *plan_.output_format, batch.net.insertions,
                              batch.net.weights);
    }

    /// A result that follows the graph.
    struct maintained_algorithm {
        planned_algorithm const* planned;
        std::size_t number;
        std::vector<graph::vertex_id> sources;
    };

    /// Those that have appeared.
    [[nodiscard]] std::vector<graph::vertex_id> present(std::vector<graph::vertex_id> sources) const {
        std::erase_if(sources, [&](graph::vertex_id source) { return source >= session_.vertex_count(); });
        return sources;
    }
    [[nodiscard]] static runtime::algorithm_arguments
    arguments_with(planned_algorithm const& planned, std::vector<graph::vertex_id> const& sources) {
        runtime::algorithm_arguments given = planned.given;
        if (has_parameter(*planned.info, "source")) given.set("source", sources);
        if (has_parameter(*planned.info, "parents")) given.set("parents", false);
        return given;
    }

    void start(maintained_algorithm& own) {
        own.number =
            session_.results().maintain(own.planned->info->name, arguments_with(*own.planned, own.sources));
    }
    void update(maintained_algorithm& own, batch_row& row) {
        take_step(row, {own.planned->info, {}, true}, [&](stream_step& step) {
            // A source that has appeared: a new search.
            if (auto sources = present(own.planned->sources); sources != own.sources) {
                own.sources = std::move(sources);
                session_.results().stop(own.number);
                start(own);
            }
            runtime::maintained_answer answer = session_.results().update(own.number);
            step.run.found = std::move(answer.found);
            step.recomputed = answer.recomputed;
        });
    }
    /// Does the work of a step, measures it, and adds the step to those of the batch.
    template <class Work>
    void take_step(batch_row& row, stream_step step, Work const& work) {
        try {
            step.run.ms = exec::measure_ms(session_, [&] { work(step); });
        } catch (std::logic_error const& error) { // a weight that is negative
            throw std::runtime_error(fmt::format("batch {}: {}", row.number, error.what()));
        } catch (std::overflow_error const& error) {
            throw std::runtime_error(fmt::format("batch {}: {}", row.number, error.what()));
        }
        add_missing_figures(step);
        row.steps.push_back(std::move(step));
    }

    /// Compares a result that follows the graph with the one computed anew.
    void compare(maintained_algorithm const& own, stream_step const& step, std::uint64_t batch) {
        runtime::algorithm_info const& info = *own.planned->info;
        // Both leave their arrays where the next run of either may write.
        auto const kept = session_.on_host(step.run.found);
        auto const anew = session_.run(info.name, arguments_with(*own.planned, own.sources));
        if (same_result(info, step.run.found, kept, anew, session_.on_host(anew), own.planned->given)) return;
        throw std::runtime_error(fmt::format(
            "batch {}: {}, kept up to date, differs from the result computed anew", batch, info.name));
    }

    void run(planned_algorithm const& planned, batch_row& row) {
        runtime::algorithm_arguments const given = arguments_with(planned, present(planned.sources));
        take_step(row, {planned.info, {}},
                  [&](stream_step& step) { step.run.found = session_.run(planned.info->name, given); });
    }
    /// Those that are reported, and follow from arrays.
    void add_missing_figures(stream_step& step) {
        auto const& figures = step.run.found.figures;
        auto const is_missing = [&](std::string_view name) {
            return std::none_of(figures.begin(), figures.end(),
                                [&](runtime::figure const& each) { return each.name == name; });
        };
        auto const& reported = reported_figures(step);
        if (std::none_of(reported.begin(), reported.end(), is_missing)) return;
        step.info->add_figures(step.run.found, session_.on_host(step.run.found));
    }

    void validate(batch_row& row) {
        auto const broken = session_.validate();
        if (!broken.empty())
            throw std::runtime_error(
                fmt::format("batch {}: the graph is damaged: {}{}", row.number, broken.front(),
                            broken.size() > 1 ? fmt::format(" (and {} more)", broken.size() - 1) : ""));
        for (maintained_algorithm const& own : maintained_)
            for (stream_step const& step : row.steps)
                if (step.info == own.planned->info) compare(own, step, row.number);
        row.validated = true;
    }

    void show_progress() {
        progress_.show(updates_.fraction_read(),
                       fmt::format("batch {}, {}, {} edges, on {}", summary_.batches,
                                   counted(summary_.total.updates, "update", "updates"),
                                   summary_.batches > 0 ? summary_.total.edges_after : session_.edge_count(),
                                   session_.names().space));
    }

    command_context& context_;
    stream_plan const& plan_;
    graph_session const& graph_;
    runtime::any_graph& session_;
    stream::graph_stream updates_;
    double read_before_ms_; ///< the first batch, if it was read before the graph was opened
    progress_bar progress_;
    std::vector<maintained_algorithm> maintained_;
    stream_summary summary_;
};

/// What becomes of the weights in GRAPH.
edge_weights weights_of_graph(stream_plan const& plan, stream::update_source& updates) {
    if (!wants_weights(plan)) return edge_weights::drop;
    if (plan.gives_weights || updates.first_batch_has_weights()) return edge_weights::give_to_all;
    return edge_weights::keep_those_there;
}

/// One for each edge, or none.
std::vector<double> weights_of(graph_session const& graph) {
    if (!keeps_weights(graph.options)) return {};
    return graph.session->all_values().take<double>();
}

/// The names that the vertices have before the stream.
io::vertex_names first_names(vertices_in_file const& vertices) {
    if (!vertices.names.empty()) return vertices.names;
    return stream::numbers_from(vertices.count_from_one ? 1 : 0, vertices.count);
}

/// Opens the graph that the stream starts from.
graph_session first_graph(command_context& context, stream_plan const& plan, stream::update_source& updates) {
    auto const decide = [&](vertices_in_file const& vertices) {
        if (!plan.output_path.empty()) check_names(plan.output_path, *plan.output_format, vertices.names);
        if (plan.maps_names) updates.map_names(first_names(vertices));
        graph_wishes wishes{.weights = weights_of_graph(plan, updates)};
        std::uint64_t const value_bytes = wishes.weights == edge_weights::give_to_all ? sizeof(double) : 0;
        wishes.heap_bytes_ahead =
            stream::heap_bytes_ahead(updates, plan.window, context.args.has("directed"), value_bytes);
        return wishes;
    };
    if (!plan.graph_path.empty()) return load_graph(context, plan.graph_path, decide);
    io::vertex_names const none;
    return empty_graph(context, plan.vertices, decide({plan.vertices, none}));
}

/// Gives the file the names of its vertices, if all have one and the format holds them; a notice says why it
/// does not. `names`: also of vertices that rejected updates named.
void name_vertices(command_context& context, io::graph_format const& format, io::vertex_names const& names,
                   io::graph_file& file) {
    if (names.empty()) return;
    if (names.size() < file.vertex_count) {
        std::uint64_t const unnamed = file.vertex_count - names.size();
        context.add_loss(fmt::format("names of vertices are left out, as {} that the stream added {} none; "
                                     "--map-ids takes names from the stream",
                                     counted(unnamed, "vertex", "vertices"), unnamed == 1 ? "has" : "have"));
        return;
    }
    io::vertex_names kept = stream::first_of(names, file.vertex_count);
    bool const from_one = stream::are_numbers_from(1, kept);
    if (from_one || stream::are_numbers_from(0, kept)) {
        file.counts_from_one = from_one;
    } else if (format.holds_names) {
        file.names = std::move(kept);
    } else {
        context.add_loss(fmt::format("names of vertices are left out of the {} file; its vertices are in "
                                     "the order in which the names appeared",
                                     format.title));
    }
}

void write_last_graph(command_context& context, stream_plan const& plan, graph_session const& graph,
                      io::vertex_names const& names) {
    io::graph_file file;
    file.vertex_count = graph.session->vertex_count();
    file.directed = graph.options.directed;
    file.edges = graph.session->all_edges();
    file.edge_values = weights_of(graph);
    file.counts_from_one = !graph.counts_from_one.empty();
    name_vertices(context, *plan.output_format, names, file);
    (void)io::write_graph(plan.output_path, *plan.output_format, file,
                          {.in_arcs = graph.options.in_arcs,
                           .self_loops = graph.options.self_loops,
                           .value_type = graph.value_type});
    if (graph.has_vertex_weights) context.add_loss("weights and sizes of vertices are left out");
    if (graph.has_times) context.add_loss("times of edges are left out");
    if (std::string const lost = losses(file, *plan.output_format, 0); !lost.empty()) context.add_loss(lost);
}

/// Throws io::file_error if an option needs times that the stream does not have.
void check_times(stream_plan const& plan, stream::file_updates& updates) {
    bool const by_window = plan.window && !plan.window->counts_edges;
    if ((plan.batches.time_step == 0 && !by_window) || updates.has_times()) return;
    throw io::file_error(updates.name(),
                         fmt::format("is a stream without times ({}); --{} needs a temporal one",
                                     io::stream_format_name(updates.format()),
                                     by_window ? "window with a time" : "time-step"));
}

/// A temporal list needs no vertices to start from, nor ids. Throws usage_error for a stream that does.
void start_empty(command_context& context, stream_plan& plan, stream::file_updates& updates) {
    if (updates.has_times()) {
        plan.grows_vertices = plan.maps_names = true;
    } else if (!plan.grows_vertices) {
        if (!plan.reading.format && !updates.has_lines())
            throw usage_error(
                fmt::format("{} is empty, so its format is not known; --stream-format temporal is needed",
                            updates.name()));
        (void)context.args.words(2, 2); // throws
    }
}

void run_stream(command_context& context) {
    stream_plan plan = stream_plan_of(context.args);
    check_devices(plan, context.args.has("directed"), context.args.has("in-arcs"));
    if (!plan.output_path.empty()) keep_report_apart(context, plan.output_path);
    if (plan.devices > 0) {
        context.ranks =
            start_ranks(context, plan.devices, {plan.graph_path, plan.updates_path, plan.output_path});
        if (context.ranks == nullptr) return;
    }
    if (!plan.output_path.empty()) {
        io::output_file const probe(plan.output_path); // told before the work, not after it
    }
    auto const updates =
        std::make_shared<stream::file_updates>(plan.updates_path, plan.batches, plan.reading);
    if (plan.starts_empty) start_empty(context, plan, *updates);
    check_times(plan, *updates);
    graph_session graph = first_graph(context, plan, *updates);
    if (!graph.names.empty() && !plan.maps_names)
        context.add_notice("the vertices of GRAPH have names, but the stream counts them from 0; --map-ids "
                           "takes their names from the stream");
    check_output(plan, graph.options.directed);
    check_devices(plan, graph.options.directed, graph.options.in_arcs);
    check_sources(plan, graph.session->vertex_count());
    for (planned_algorithm const& each : plan.algorithms)
        if (each.info->needs_weights() && !keeps_weights(graph.options))
            throw std::runtime_error(
                fmt::format("--{}-every: neither the graph nor the first batch has weights of edges; "
                            "--weights gives every edge 1",
                            each.info->name));
    bool const checks_weights = !plan.output_path.empty() && keeps_weights(graph.options);
    if (checks_weights && plan.output_format->weights != io::weight_rule::real)
        io::check_weights(plan.output_path, *plan.output_format, graph.session->all_edges(),
                          weights_of(graph));
    nlohmann::ordered_json const graph_before = to_json(graph);
    stream_run streaming(context, plan, graph, updates, updates->first_read_ms());
    if (!context.json())
        context.out.print(head_text(context, graph, plan.graph_path.empty() ? "<empty>" : plan.graph_path));
    streaming.start_maintained();
    streaming.run();
    if (!plan.output_path.empty())
        write_last_graph(context, plan, graph, plan.maps_names ? updates->names() : graph.names);
    if (context.json()) {
        nlohmann::ordered_json document{{"command", "stream"},
                                        {"version", RHIZOME_VERSION},
                                        {"file", plan.graph_path},
                                        {"updates_file", plan.updates_path},
                                        {"batch_updates", plan.batches.batch_updates}};
        if (plan.batches.time_step > 0) {
            document["batch_updates"] = nullptr;
            document["time_step"] = plan.batches.time_step;
        }
        if (plan.window)
            document[plan.window->counts_edges ? "window_edges" : "window_time"] = plan.window->length;
        if (plan.devices > 0) document["devices"] = plan.devices;
        document["graph"] = graph_before;
        document["summary"] = to_json(streaming.summary());
        context.out.print(json_line(document));
    } else {
        context.out.print(to_text(streaming.summary()));
    }
    if (updates->rounded_times() > 0) context.add_notice(rounded_times_text(updates->rounded_times()));
    std::uint64_t const rejected = streaming.summary().total.rejected();
    if (rejected > 0) context.add_notice(rejected_text(rejected, plan, graph));
}

} // namespace

command const stream_command{stream_text, run_stream};

} // namespace rhizome::cli
