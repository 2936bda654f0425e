// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/stream/graph_stream.hpp>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace rhizome::stream {
namespace {

io::sliding_window window_for(window_length const& window, runtime::any_graph const& graph,
                              options const& options) {
    io::sliding_window::taken_edges taken{.self_loops = options.self_loops};
    if (!options.grows_vertices) taken.vertices = graph.vertex_count();
    return {window.counts_edges ? io::sliding_window::kind::edges : io::sliding_window::kind::time,
            window.length, graph.directed(), taken};
}

/// Prepares the source before threads read from it.
std::shared_ptr<update_source> prepared(std::shared_ptr<update_source> updates,
                                        runtime::any_graph const& graph, options const& options) {
    if (auto const& window = options.window) {
        if (window->length == 0) throw std::invalid_argument("a window of length 0");
        if (!window->counts_edges && !updates->has_times())
            throw std::invalid_argument(updates->name() + ": a window of time needs times of the updates");
        updates->set_window(window_for(*window, graph, options));
    }
    return updates;
}

class disjoint_changes {
public:
    explicit disjoint_changes(runtime::any_graph& graph) : graph_(graph) { graph_.begin_disjoint_changes(); }
    disjoint_changes(disjoint_changes const&) = delete;
    disjoint_changes& operator=(disjoint_changes const&) = delete;
    ~disjoint_changes() { graph_.end_disjoint_changes(); }

private:
    runtime::any_graph& graph_;
};

batch_reader_options reading_for(runtime::any_graph const& graph, options const& options) {
    bool const keeps_weights = graph.value_type() != runtime::value_type::none;
    batch_reader_options reading;
    reading.directed = graph.directed();
    reading.weights = keeps_weights             ? stream_weights::keep
                      : options.refuses_weights ? stream_weights::refuse
                                                : stream_weights::drop;
    reading.values = graph.value_type();
    reading.instead_of_weights = options.instead_of_weights;
    reading.counts_vertices = options.grows_vertices;
    reading.reduces = keeps_weights || !graph.reduces_updates();
    reading.threads = options.threads;
    return reading;
}

} // namespace

graph_stream::graph_stream(runtime::any_graph& graph, std::shared_ptr<update_source> updates,
                           stream::options const& options)
    : graph_(graph), updates_(prepared(std::move(updates), graph, options)),
      follows_names_(options.follows_names), most_vertices_(options.most_vertices),
      names_(follows_names_ ? updates_->follow_names() : io::vertex_names()),
      reader_(updates_, reading_for(graph, options)), pipeline_(graph_, reader_),
      fraction_read_(reader_.fraction_at_start()) {}

bool graph_stream::next(applied_batch& done) {
    if (!advance()) return false;
    apply(done);
    return true;
}

bool graph_stream::advance() {
    if (is_pending_) return true;
    try {
        is_pending_ = pipeline_.next();
    } catch (...) {
        has_failed_ = true;
        throw;
    }
    if (!is_pending_) {
        has_ended_ = true;
        return false;
    }
    for (std::string const& name : present().new_names)
        (void)names_.find_or_add(std::string_view(name));
    return true;
}

void graph_stream::apply(applied_batch& done) {
    try {
        apply_present(done);
    } catch (...) {
        pipeline_.drop_copies();
        throw;
    }
    is_pending_ = false;
    ++batches_;
}

void graph_stream::apply_present(applied_batch& done) {
    reduced_batch const& batch = present();
    pipeline_.reduce();
    done = {};
    done.number = batches_ + 1;
    done.updates = batch.updates;
    done.expired = batch.expired;
    done.superseded = pipeline_.superseded();
    done.read_ms = batch.read_ms;
    done.reduce_ms = pipeline_.reduce_ms();
    if (batch.vertices > most_vertices_)
        throw std::length_error("the batch names vertex " + std::to_string(batch.vertices - 1) +
                                ", but there can be " + std::to_string(most_vertices_) + " vertices at most");
    if (batch.vertices > graph_.vertex_count()) graph_.add_vertices(batch.vertices - graph_.vertex_count());
    {
        disjoint_changes const both(graph_); // the net effect names no edge twice
        done.insert_ms = apply_list(batch_list::insertions, done.inserted);
        done.erase_ms = apply_list(batch_list::deletions, done.erased);
    }
    done.edges_after = graph_.edge_count();
    done.vertices_after = graph_.vertex_count();
    done.fraction_read = fraction_read_ = batch.fraction_read;
}

/// Returns milliseconds.
double graph_stream::apply_list(batch_list list, graph::batch_report& report) {
    if (pipeline_.size(list) == 0) return 0;
    pipeline_.prepare(list);
    return exec::measure_ms(graph_, [&] { report = pipeline_.apply(list); });
}

io::vertex_names const& graph_stream::names() const {
    if (follows_names_) return names_;
    if (!has_ended_ || has_failed_) // a thread may be reading
        throw std::logic_error("names of a stream that has not ended, and does not follow them");
    return updates_->names();
}

std::uint64_t heap_bytes_ahead(update_source& updates, std::optional<window_length> const& window,
                               bool directed, std::uint64_t value_bytes) {
    std::uint64_t const all = updates.estimated_updates();
    if (all == 0) return 0;
    auto const& first = updates.first_batch().updates;
    if (first.empty()) return 0;
    auto const insertions =
        static_cast<double>(std::count_if(first.begin(), first.end(), [](io::update const& each) {
            return each.operation == io::operation::insert;
        }));
    double edges = static_cast<double>(all) * insertions / static_cast<double>(first.size());
    if (window && window->counts_edges)
        edges = std::min(edges, insertions + static_cast<double>(window->length));
    // Pages have room to spare, and rows that grow leave some free behind.
    constexpr double bytes_per_byte = 2;
    auto const bytes_per_arc = static_cast<double>(sizeof(graph::vertex_id) + value_bytes);
    return static_cast<std::uint64_t>(edges * (directed ? 1 : 2) * bytes_per_arc * bytes_per_byte);
}

} // namespace rhizome::stream
