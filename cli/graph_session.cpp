// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/graph_files.hpp>
#include <rhizome/cli/graph_session.hpp>
#include <rhizome/cli/machine_memory.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/io/file_edges.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/io/name_text.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/parts_reader.hpp>
#include <rhizome/io/store_reader.hpp>
#include <rhizome/io/stored_numbers.hpp>
#include <rhizome/runtime/ranks/open_ranks.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace rhizome::cli {
namespace {

constexpr std::size_t most_shown_name = 60;

runtime::value_type values_if(bool weights) {
    return weights ? runtime::value_type::float64 : runtime::value_type::none;
}

bool runs_on_cuda(runtime::graph_choice const& options) {
    return options.space.empty() ? runtime::cuda_unusable_because().empty() : options.space == "cuda";
}

/// Bytes of the heap that the rows of `edges` edges take. Half as much again is room that pages have to
/// spare.
std::uint64_t bytes_of_rows(runtime::graph_choice const& options, std::uint64_t edges) {
    bool const has_weights = options.values != runtime::value_type::none;
    std::uint64_t const arc_bytes = sizeof(graph::vertex_id) + (has_weights ? sizeof(double) : 0);
    return edges * (options.directed && !options.in_arcs ? 1 : 2) * arc_bytes / 2 * 3;
}

/// On one device, or over the ranks of the command.
std::unique_ptr<runtime::any_graph> open_graph(command_context const& context,
                                               runtime::graph_choice const& options) {
    return context.ranks == nullptr ? runtime::open_graph(options)
                                    : runtime::open_graph_over_ranks(context.ranks, options);
}

/// Opens the graph with a heap for the `edges` edges of the file and for what later batches will need, if
/// that fits in memory. Its heap then need not grow during a batch. If nothing is known of later batches, the
/// heap has its usual size, and grows with what is loaded.
void open_with_room(command_context& context, graph_session& graph, std::uint64_t edges,
                    std::uint64_t heap_bytes_ahead) {
    if (heap_bytes_ahead != 0) heap_bytes_ahead += bytes_of_rows(graph.options, edges);
    constexpr std::uint64_t most_bytes = std::uint64_t{8} << 30;
    std::uint64_t const limit = graph.options.memory_limit_bytes;
    std::uint64_t const most = limit == 0 ? most_bytes : std::min(most_bytes, limit / 4);
    std::uint64_t const usual = graph.options.heap_bytes;
    if (!context.args.has("heap-bytes") && std::min(heap_bytes_ahead, most) > usual) {
        graph.options.heap_bytes = std::min(heap_bytes_ahead, most);
        try {
            graph.session = open_graph(context, graph.options);
            return;
        } catch (exec::out_of_memory const&) {
            graph.options.heap_bytes = usual; // then it grows batch by batch
        }
    }
    graph.session = open_graph(context, graph.options);
}

graph_session open(command_context& context, runtime::graph_choice const& options, std::uint64_t vertex_count,
                   std::uint64_t edges, std::uint64_t heap_bytes_ahead) {
    if (options.in_arcs && !options.directed)
        throw usage_error("--in-arcs: only for directed graphs; --directed makes the edges of a graph arcs");
    graph_session graph;
    graph.options = options;
    bool const limit_is_ours = !context.args.has("memory-limit") && !runs_on_cuda(options);
    if (limit_is_ours) graph.options.memory_limit_bytes = default_memory_limit();
    try {
        graph.options.vertices = vertex_count;
        open_with_room(context, graph, edges, heap_bytes_ahead);
    } catch (std::invalid_argument const& error) {
        throw usage_error(keeps_weights(options) && context.args.takes("drop-weights")
                              ? std::string(error.what()) + "; --drop-weights leaves the weights out"
                              : error.what());
    } catch (exec::out_of_memory const& error) {
        if (!limit_is_ours) throw;
        throw std::runtime_error(fmt::format(
            "{}, as much as this machine has free; --memory-limit sets another limit", error.what()));
    }
    if (options.space.empty() && graph.session->names().space != "cuda") {
        std::string_view constexpr prefix = "no usable GPU: ";
        std::string reason = runtime::cuda_unusable_because();
        if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
        context.add_notice(
            fmt::format("no usable GPU ({}): running on {}", reason, graph.session->names().space));
    }
    return graph;
}

/// What the columns of an edge list hold that are not skipped; of other formats nothing.
std::vector<std::string> columns_of(graph_session const& graph) {
    if (!graph.format->has_columns) return {};
    std::vector<std::string> columns{"source", "target"};
    if (!graph.value_type.empty()) columns.emplace_back("weight");
    if (graph.has_times) columns.emplace_back("time");
    return columns;
}

/// Inserts the edges into a graph without edges. `weights`: one for each edge, or none; a graph with weights
/// then gives each edge 1. All edges are one batch where that is faster: on a device, and on others where
/// ascending edges are rows. If memory is short, or the order differs, they come in pieces, since the scratch
/// of a batch grows with it.
void insert_all(runtime::any_graph& session, std::span<graph::edge const> edges,
                std::span<double const> weights) {
    std::vector<double> ones;
    if (weights.empty() && session.value_type() != runtime::value_type::none) {
        ones.assign(edges.size(), 1.0);
        weights = ones;
    }
    bool const is_emulated = session.names().space == "simt";
    bool const at_once = !is_emulated && session.edge_count() == 0 &&
                         (!session.builds_rows() || std::is_sorted(edges.begin(), edges.end()));
    io::insert_in_pieces(edges.size(), at_once, [&](std::size_t first, std::size_t count) {
        session.insert_edges(edges.subspan(first, count),
                             weights.empty() ? weights : weights.subspan(first, count));
    });
}

/// Reads a stored graph into a graph that is open and empty.
class stored_loader {
public:
    /// `reverses`: each edge is inserted both ways. `reads_weights`: the values of the file become weights.
    stored_loader(command_context& context, std::string const& path, io::parts_reader& reader,
                  graph_session& graph, bool reverses, bool reads_weights)
        : path_(path), reader_(reader), header_(reader.header()), graph_(graph), session_(*graph.session),
          progress_(shows_progress(context)), reverses_(reverses), reads_weights_(reads_weights) {}

    void load() {
        // In the order of the file, and all of them taken, many edges at once need no sort and little
        // scratch.
        bool const as_stored =
            !reverses_ && graph_.options.self_loops == header_.self_loops && reader_.whole() != nullptr;
        if (!as_stored || !load_rows()) load_batches(as_stored ? session_.first_load_edges() : batch_edges);
    }

private:
    static constexpr std::uint64_t batch_edges = std::uint64_t{1} << 22;

    /// All rows at once. Returns false if they are too large, or if memory is short; the graph is then still
    /// empty. Precondition: the stored graph is one file.
    [[nodiscard]] bool load_rows() {
        io::store_reader& reader = *reader_.whole();
        bool const has_weights = session_.value_type() != runtime::value_type::none;
        std::uint64_t const bytes =
            reader.rows_bytes(reads_weights_) + (has_weights ? header_.edges * sizeof(double) : 0);
        std::uint64_t const limit = graph_.options.memory_limit_bytes == 0
                                        ? default_memory_limit()
                                        : graph_.options.memory_limit_bytes;
        if (header_.edges == 0 || bytes > limit / io::rows_memory_parts) return false;
        progress_.show(0, "loading " + path_);
        exec::wall_timer const reading;
        exec::thread_team team(graph_.options.threads == 0 ? std::max(1u, std::thread::hardware_concurrency())
                                                           : graph_.options.threads);
        io::stored_arrays rows = reader.read_rows(team, reads_weights_);
        std::vector<double> weights(has_weights && !reads_weights_ ? header_.edges : 0, 1.0);
        if (reads_weights_) {
            std::span<std::byte const> const values(rows.values.get(), header_.edges * header_.value_bytes);
            weights.reserve(header_.edges);
            io::append_numbers(path_, header_, values, header_.edges, weights);
            rows.values.reset();
        }
        graph_.read_ms += reading.elapsed_ms();
        try {
            graph_.build_ms += exec::measure_ms(session_, [&] {
                session_.insert_rows({.offsets = rows.offsets.get(),
                                      .targets = rows.targets.get(),
                                      .values = has_weights ? weights.data() : nullptr,
                                      .vertices = header_.vertices,
                                      .arcs = header_.edges});
            });
        } catch (exec::out_of_memory const&) {
            reader.rewind(); // batches take less
            return false;
        }
        return true;
    }

    /// Batch by batch, so that the host never holds all edges.
    void load_batches(std::uint64_t first_edges) {
        std::uint64_t room = std::clamp<std::uint64_t>(header_.all_edges(), 1, first_edges);
        auto const read = std::make_unique_for_overwrite<graph::edge[]>(room);
        std::vector<std::byte> values(reads_weights_ ? room * header_.value_bytes : 0);
        io::file_edges both_ways;
        std::vector<double> weights;
        for (;;) {
            progress_.show(reader_.fraction_read(), "loading " + path_);
            exec::wall_timer const reading;
            std::span<graph::edge const> edges(
                read.get(), reader_.next_edges({read.get(), room}, reads_weights_ ? values.data() : nullptr));
            weights.clear();
            if (reads_weights_) io::append_numbers(path_, header_, values, edges.size(), weights);
            if (reverses_) {
                both_ways.edges.assign(edges.begin(), edges.end());
                both_ways.weights.swap(weights);
                both_ways.add_reverses();
                both_ways.weights.swap(weights);
                edges = both_ways.edges;
            }
            graph_.read_ms += reading.elapsed_ms();
            if (edges.empty()) return;
            graph_.build_ms += exec::measure_ms(session_, [&] { insert_all(session_, edges, weights); });
            room = std::min(room, batch_edges);
        }
    }

    std::string const& path_;
    io::parts_reader& reader_;
    io::store_header const& header_;
    graph_session& graph_;
    runtime::any_graph& session_;
    progress_bar progress_;
    bool reverses_;
    bool reads_weights_;
};

edge_statistics statistics_of_file(io::graph_file const& file) {
    return statistics_of(file.edges, file.vertex_count, file.directed);
}

graph_session load_stored(command_context& context, std::string const& path, graph_decision const& decide) {
    runtime::graph_choice options = context.args.session();
    io::parts_reader reader(path);
    io::store_header const& header = reader.header();
    reader.expect_no_erased();
    io::vertex_names names = reader.read_names();
    graph_wishes const wishes = decide({header.vertices, names, header.counts_from_one});
    edge_weights const wanted = wishes.weights;
    bool const reverses = options.directed && !header.directed;
    bool const numbers = io::has_number_values(header);
    bool const reads_weights = wanted != edge_weights::drop && numbers;
    options.directed = options.directed || header.directed;
    options.in_arcs = options.in_arcs || header.in_arcs;
    options.self_loops = options.self_loops && header.self_loops;
    options.values = values_if(reads_weights || wanted == edge_weights::give_to_all);
    graph_session graph =
        open(context, options, header.vertices, header.all_edges(), wishes.heap_bytes_ahead);
    graph.value_type = header.value_type;
    graph.format = &io::formats::stored;
    if (header.counts_from_one && header.names == io::stored_names::none)
        graph.counts_from_one = "the file that was stored";
    graph.names = std::move(names);
    if (wanted != edge_weights::drop && header.value_bytes != 0 && !numbers)
        context.add_loss(
            fmt::format("values of type {} are left out: the tool keeps numbers only", header.value_type));
    stored_loader(context, path, reader, graph, reverses, reads_weights).load();
    if (wishes.statistics) graph.file_statistics = statistics_of_file(io::read_stored_graph(path, false));
    return graph;
}

} // namespace

graph_session load_graph(command_context& context, std::string const& path, edge_weights weights) {
    return load_graph(context, path,
                      [weights](vertices_in_file const&) { return graph_wishes{.weights = weights}; });
}

graph_session load_graph(command_context& context, std::string const& path, graph_decision const& decide) {
    runtime::graph_choice options = context.args.session();
    graph_source source(path, context.args);
    if (source.format().is_stored) return load_stored(context, path, decide);
    progress_bar progress(shows_progress(context));
    exec::wall_timer const reading;
    io::graph_file file =
        source.read({.directed = options.directed, .threads = options.threads, .progress = [&](double share) {
                         progress.show(share, "reading " + path);
                     }});
    if (!file.mended.empty()) context.add_loss(mended_text(path, file));
    double const read_ms = reading.elapsed_ms();
    graph_wishes const wishes = decide({file.vertex_count, file.names, file.counts_from_one});
    std::optional<edge_statistics> file_statistics;
    if (wishes.statistics) file_statistics = statistics_of_file(file);
    exec::wall_timer const arranging;
    edge_weights const wanted = wishes.weights;
    bool const has_weights = !file.edge_weights.empty() || !file.edge_values.empty();
    bool const has_vertex_weights = !file.vertex_weights.empty() || !file.vertex_sizes.empty();
    options.values =
        values_if(wanted == edge_weights::give_to_all || (wanted != edge_weights::drop && has_weights));
    if (keeps_weights(options) && has_weights)
        if (std::string const text = merge_parallel_edges(path, file, context.args); !text.empty())
            context.add_notice(text);
    io::file_edges const list = io::take_edges(path, file, options.directed, keeps_weights(options));
    options.directed = options.directed || file.directed;
    double const prepare_ms = arranging.elapsed_ms();
    progress.show(-1, fmt::format("building the graph of {} edges", list.edges.size()));
    graph_session graph =
        open(context, options, file.vertex_count, list.edges.size(), wishes.heap_bytes_ahead);
    if (file.counts_from_one && file.names.empty())
        graph.counts_from_one =
            source.format().counts_from_one ? fmt::format("{} files", source.format().title) : "the file";
    graph.names = std::move(file.names);
    graph.has_vertex_weights = has_vertex_weights;
    graph.has_times = !file.edge_times.empty();
    graph.format = &source.format();
    if (file.guessed_times) context.add_notice(guessed_times_text(path));
    if (has_weights)
        graph.value_type =
            file.value_type.empty() ? std::string(io::stored_type_name<std::uint64_t>) : file.value_type;
    graph.read_ms = read_ms + prepare_ms;
    graph.file_statistics = file_statistics;
    graph.build_ms =
        exec::measure_ms(*graph.session, [&] { insert_all(*graph.session, list.edges, list.weights); });
    return graph;
}

graph_session load_graph_with_statistics(command_context& context, std::string const& path) {
    return load_graph(context, path, [](vertices_in_file const&) {
        return graph_wishes{.weights = edge_weights::drop, .statistics = true};
    });
}

graph_session empty_graph(command_context& context, std::uint64_t vertex_count, graph_wishes const& wishes) {
    runtime::graph_choice options = context.args.session();
    options.values = values_if(wishes.weights == edge_weights::give_to_all);
    return open(context, options, vertex_count, 0, wishes.heap_bytes_ahead);
}

nlohmann::ordered_json file_json(graph_session const& graph) {
    nlohmann::ordered_json document{{"format", graph.format->name}};
    if (std::vector<std::string> const columns = columns_of(graph); !columns.empty())
        document["columns"] = columns;
    document["first_id"] = nullptr;
    if (graph.names.empty()) document["first_id"] = graph.counts_from_one.empty() ? 0 : 1;
    return document;
}

std::string file_text(graph_session const& graph) {
    std::string text = fmt::format("format    {}", graph.format->title);
    if (std::vector<std::string> const columns = columns_of(graph); !columns.empty())
        text += fmt::format(": {}", fmt::join(columns, ", "));
    if (graph.names.empty())
        return text +
               fmt::format("; vertices count from {} in the file\n", graph.counts_from_one.empty() ? 0 : 1);
    return text + "; vertices have names\n";
}

std::string name_of(graph_session const& graph, std::uint64_t vertex) {
    return vertex < graph.names.size() ? graph.names.name(static_cast<graph::vertex_id>(vertex))
                                       : fmt::to_string(vertex);
}

std::string name_word_of(graph_session const& graph, std::uint64_t vertex) {
    return io::name_word(name_of(graph, vertex));
}

std::string shown_name_of(graph_session const& graph, std::uint64_t vertex) {
    return io::shown(name_word_of(graph, vertex), most_shown_name);
}

nlohmann::ordered_json to_json(graph_session const& graph) {
    runtime::any_graph const& session = *graph.session;
    nlohmann::ordered_json limit = nullptr;
    if (graph.options.memory_limit_bytes != 0) limit = graph.options.memory_limit_bytes;
    return {{"space", session.names().space},
            {"device", session.device_name()},
            {"allocator", session.names().allocator},
            {"layout", session.names().layout},
            {"directed", graph.options.directed},
            {"weights", keeps_weights(graph.options)},
            {"vertices", session.vertex_count()},
            {"edges", session.edge_count()},
            {"arcs", session.arc_count()},
            {"names", !graph.names.empty()},
            {"memory_limit_bytes", limit},
            {"read_ms", graph.read_ms},
            {"build_ms", graph.build_ms}};
}

std::string size_text(graph_session const& graph, std::string const& path) {
    runtime::any_graph const& session = *graph.session;
    std::string const edges = graph.options.directed ? "directed edge" : "edge";
    return fmt::format("graph     {}: {}, {}, {}{}\n", io::shown(path),
                       counted(session.vertex_count(), "vertex", "vertices"),
                       counted(session.edge_count(), edges, edges + "s"),
                       counted(session.arc_count(), "arc", "arcs"),
                       keeps_weights(graph.options) ? ", with weights" : "");
}

std::string head_text(command_context const& context, graph_session const& graph, std::string const& path) {
    if (context.quiet()) return "";
    runtime::any_graph const& session = *graph.session;
    std::string text =
        fmt::format("{}space     {} ({}), layout {}, allocator {}\n"
                    "loading   read {:.1f} ms, built {:.1f} ms\n",
                    size_text(graph, path), session.names().space, session.device_name(),
                    session.names().layout, session.names().allocator, graph.read_ms, graph.build_ms);
    if (!graph.counts_from_one.empty())
        text += fmt::format("vertices  count from 0 here and from 1 in {}: vertex v stands there as v + 1\n",
                            graph.counts_from_one);
    if (!graph.names.empty())
        text += fmt::format("vertices  have names in the file; vertex 0 is '{}' there\n",
                            io::shown(name_of(graph, 0), most_shown_name));
    return text;
}

} // namespace rhizome::cli
