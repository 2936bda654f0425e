// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include "graph.hpp"
#include "input_array.hpp"
#include "names.hpp"

#include <rhizome/io/stream_format.hpp>
#include <rhizome/stream/array_updates.hpp>
#include <rhizome/stream/file_updates.hpp>
#include <rhizome/stream/graph_stream.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nanobind::literals;

namespace rhizome::python {
namespace {

/// Updates that no stream has taken yet. Python holds this object, not the source: a thread that reads ahead
/// may be the last to let go of the source, also after the interpreter has ended.
struct updates_object {
    std::shared_ptr<stream::update_source> source;
};

/// A stream that applies its batches to a graph. Python keeps the graph as long as this object.
class stream_handle {
public:
    stream_handle(graph_handle& graph, std::shared_ptr<stream::update_source> source, bool maps_names,
                  nb::object const& names, stream::options const& options)
        : graph_(graph), source_(std::move(source)), maps_names_(maps_names) {
        if (maps_names)
            source_->map_names(names.is_none() ? io::vertex_names() : names_in(nb::cast<nb::list>(names)));
        graph_.use([&](runtime::any_graph& on) {
            stream_ = std::make_unique<stream::graph_stream>(on, source_, options);
        });
    }
    stream_handle(stream_handle const&) = delete;
    stream_handle& operator=(stream_handle const&) = delete;
    ~stream_handle() {
        nb::gil_scoped_release const released;
        stream_.reset();
    }

    /// The next batch, once it is applied; nothing at the end.
    [[nodiscard]] std::optional<stream::applied_batch> next() {
        return graph_.use([&](runtime::any_graph&) -> std::optional<stream::applied_batch> {
            stream::applied_batch done;
            if (!stream_->next(done)) return std::nullopt;
            return done;
        });
    }
    [[nodiscard]] nb::object names() {
        if (!maps_names_) return nb::none();
        return list_of(graph_.exclusively([&] { return stream_->names(); }));
    }

private:
    graph_handle& graph_;
    std::shared_ptr<stream::update_source> source_;
    std::unique_ptr<stream::graph_stream> stream_;
    bool maps_names_;
};

/// The index of the first negative id; -1: there is none.
std::int64_t first_negative(input_array const& ids) {
    auto const search = [&](auto const* all) -> std::int64_t {
        for (std::uint64_t i = 0; i < ids.size(); ++i)
            if (all[i] < 0) return static_cast<std::int64_t>(i);
        return -1;
    };
    if (ids.type() == element::int32) return search(static_cast<std::int32_t const*>(ids.data()));
    if (ids.type() == element::int64) return search(static_cast<std::int64_t const*>(ids.data()));
    return -1;
}

stream::batch_rule rule_of(std::uint64_t batch, std::int64_t time_step) {
    return {.batch_updates = batch, .time_step = time_step};
}

updates_object open_file(std::string const& path, std::string const& format, bool sorted, std::uint64_t batch,
                         std::int64_t time_step) {
    io::update_reader_options options{.is_sorted = sorted};
    if (!format.empty()) {
        options.format = io::stream_format_named(format);
        if (!options.format)
            throw nb::value_error(("there is no format '" + format + "' of streams").c_str());
    }
    nb::gil_scoped_release const released;
    return {std::make_shared<stream::file_updates>(path, rule_of(batch, time_step), options)};
}

updates_object of_arrays(nb::handle sources, nb::handle targets, nb::handle erasures, nb::handle times,
                         nb::handle weights, std::uint64_t batch, std::int64_t time_step) {
    std::shared_ptr<place> const host = host_place(1, 0);
    streams_waited none;
    input_array const first = read_ids(sources, "src", host, none);
    input_array const second = read_ids(targets, "dst", host, none);
    if (first.size() != second.size()) throw nb::value_error("src and dst are not equally long");
    stream::update_arrays arrays;
    for (input_array const* const ids : {&first, &second})
        if (std::int64_t const index = first_negative(*ids); index >= 0)
            throw nb::index_error(
                (std::string(ids->what()) + "[" + std::to_string(index) + "] is negative").c_str());
    // Both of 64 bits where one is.
    std::vector<std::uint64_t> wide[2];
    auto const widened = [](input_array const& ids, std::vector<std::uint64_t>& room) {
        if (column_of(ids).wide) return std::span(static_cast<std::uint64_t const*>(ids.data()), ids.size());
        std::span const narrow(static_cast<std::uint32_t const*>(ids.data()), ids.size());
        room.assign(narrow.begin(), narrow.end());
        return std::span<std::uint64_t const>(room);
    };
    if (column_of(first).wide || column_of(second).wide)
        arrays.edges = graph::edge_columns<std::uint64_t>{widened(first, wide[0]), widened(second, wide[1])};
    else
        arrays.edges = graph::edge_columns<std::uint32_t>{
            {static_cast<std::uint32_t const*>(first.data()), first.size()},
            {static_cast<std::uint32_t const*>(second.data()), second.size()}};
    std::optional<input_array> values;
    if (!weights.is_none()) {
        values.emplace(read_values(weights, "weights", element::float64, host, none));
        arrays.weights = {static_cast<double const*>(values->data()), values->size()};
    }
    std::optional<input_array> ages;
    if (!times.is_none()) {
        ages.emplace(read_values(times, "times", element::int64, host, none));
        arrays.times = {static_cast<std::int64_t const*>(ages->data()), ages->size()};
    }
    std::vector<graph::operation> operations;
    if (!erasures.is_none()) {
        input_array const flags(erasures, "erasures", host, none);
        if (flags.type() != element::boolean) throw nb::type_error("erasures: an array of bool is wanted");
        for (std::uint64_t i = 0; i < flags.size(); ++i)
            operations.push_back(static_cast<std::uint8_t const*>(flags.data())[i] != 0
                                     ? graph::operation::erase
                                     : graph::operation::insert);
        arrays.operations = operations;
    }
    return {std::make_shared<stream::array_updates>(arrays, rule_of(batch, time_step))}; // copies them
}

} // namespace

void bind_stream(nb::module_& module) {
    using batch = stream::applied_batch;
    nb::class_<batch>(module, "Batch", "What a batch of a stream did.")
        .def_ro("number", &batch::number, "Of the batch, from 1.")
        .def_ro("updates", &batch::updates,
                "Updates of the stream, and those that erase what left the window.")
        .def_ro("superseded", &batch::superseded,
                "Updates that a later one of the same edge in the batch overrules.")
        .def_ro("expired", &batch::expired, "Updates that erase what left the window.")
        .def_ro("inserted", &batch::inserted, "Report of the insertions.")
        .def_ro("erased", &batch::erased, "Report of the erasures.")
        .def_ro("num_edges", &batch::edges_after, "Edges of the graph after the batch.")
        .def_ro("num_vertices", &batch::vertices_after, "Vertices of the graph after the batch.")
        .def_ro("read_ms", &batch::read_ms, "Milliseconds of reading the batch, ahead.")
        .def_ro("reduce_ms", &batch::reduce_ms, "Milliseconds of forming its net effect.")
        .def_ro("insert_ms", &batch::insert_ms, "Milliseconds of inserting.")
        .def_ro("erase_ms", &batch::erase_ms, "Milliseconds of erasing.")
        .def("__repr__", [](batch const& self) {
            return "Batch(number=" + std::to_string(self.number) +
                   ", updates=" + std::to_string(self.updates) +
                   ", inserted=" + std::to_string(self.inserted.applied) +
                   ", erased=" + std::to_string(self.erased.applied) +
                   ", num_edges=" + std::to_string(self.edges_after) + ")";
        });
    nb::class_<updates_object>(module, "Updates");
    module.def("updates_in_file", open_file, "path"_a, "format"_a, "sorted"_a, "batch"_a, "time_step"_a);
    module.def("updates_in_arrays", of_arrays, "src"_a, "dst"_a, "erasures"_a.none(), "times"_a.none(),
               "weights"_a.none(), "batch"_a, "time_step"_a);
    module.def("parse_time", stream::parse_time, "text"_a);
    nb::class_<stream_handle>(module, "Stream")
        .def(
            "__init__",
            [](stream_handle* self, graph_handle& graph, updates_object& updates, std::string const& window,
               bool grow, bool map_names, nb::object const& names) {
                if (updates.source == nullptr) throw nb::value_error("the updates belong to another stream");
                stream::options options{.grows_vertices = grow, .most_vertices = most_vertices};
                if (!window.empty()) options.window = stream::parse_window(window);
                new (self)
                    stream_handle(graph, std::exchange(updates.source, nullptr), map_names, names, options);
            },
            "graph"_a, "updates"_a, "window"_a, "grow"_a, "map_names"_a, "names"_a.none(),
            nb::keep_alive<1, 2>())
        .def("next", &stream_handle::next)
        .def_prop_ro("names", &stream_handle::names, nb::sig("def names(self) -> list[typing.Any] | None"));
}

} // namespace rhizome::python
