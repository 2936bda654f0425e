// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/io/file_edges.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/stream/batch_reader.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace rhizome::stream {
namespace {

/// Batches as they stand in the stream.
using parser = one_ahead<parsed_batch>;

std::shared_ptr<parser> parse(std::shared_ptr<update_source> const& updates) {
    return std::make_shared<parser>([updates](parsed_batch& parsed) { return updates->next(parsed); });
}

/// One more than the largest vertex.
std::uint64_t vertices_of(io::update_batch const& batch) {
    std::uint64_t vertices = 0;
    for (io::update const& each : batch.updates)
        vertices =
            std::max({vertices, std::uint64_t{each.edge.source} + 1, std::uint64_t{each.edge.target} + 1});
    return vertices;
}

/// Weights as values of a graph.
template <class Value>
runtime::values values_of(std::string const& name, std::vector<double> const& weights) {
    std::vector<Value> values(weights.size());
    std::transform(weights.begin(), weights.end(), values.begin(),
                   [&](double weight) { return io::value_of_weight<Value>(name, weight); });
    return values;
}
runtime::values values_of(std::string const& name, std::vector<double> const& weights,
                          runtime::value_type type) {
    switch (type) {
    case runtime::value_type::float32:
        return values_of<float>(name, weights);
    case runtime::value_type::int32:
        return values_of<std::int32_t>(name, weights);
    case runtime::value_type::int64:
        return values_of<std::int64_t>(name, weights);
    default:
        return {}; // the weights are the values, or there are none
    }
}

/// What one thread keeps to reduce them.
struct reducing {
    std::string name;
    std::shared_ptr<parser> parsed;
    batch_reader_options options;
    std::shared_ptr<io::batch_reducer> reducer;
    parsed_batch present = {};

    bool operator()(reduced_batch& reduced) {
        if (!parsed->next(present)) return false;
        io::update_batch const& batch = present.batch;
        if (options.weights == stream_weights::refuse && batch.first_weight_line != 0)
            throw io::parse_error(name, batch.first_weight_line, "a weight", options.instead_of_weights);
        reduced.vertices = options.counts_vertices ? vertices_of(batch) : 0;
        if (options.reduces) reduce(batch, reduced);
        reduced.updates = batch.size();
        reduced.expired = batch.expired;
        reduced.read_ms = present.read_ms;
        reduced.fraction_read = present.fraction_read;
        std::swap(reduced.new_names, present.new_names);
        if (!options.reduces) std::swap(reduced.in_order, present.batch.updates);
        return true;
    }
    void reduce(io::update_batch const& batch, reduced_batch& reduced) {
        exec::wall_timer const watch;
        bool const keeps = options.weights == stream_weights::keep;
        reducer->reduce(batch.updates, options.directed,
                        keeps ? std::span<double const>(batch.weights) : std::span<double const>(),
                        reduced.net);
        if (keeps && batch.weights.empty()) reduced.net.weights.assign(reduced.net.insertions.size(), 1.0);
        if (keeps) reduced.values = values_of(name, reduced.net.weights, options.values);
        reduced.reduce_ms = watch.elapsed_ms();
    }
};

} // namespace

// The stream is asked for its place before a thread reads it.
batch_reader::batch_reader(std::shared_ptr<update_source> const& updates, batch_reader_options const& options)
    : fraction_at_start_(updates->fraction_read()),
      reduced_(reducing{.name = updates->name(),
                        .parsed = parse(updates),
                        .options = options,
                        .reducer = std::make_shared<io::batch_reducer>(options.threads)}) {}

} // namespace rhizome::stream
