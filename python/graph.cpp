// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include "array.hpp"
#include "input_array.hpp"
#include "names.hpp"

#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/limits.hpp>
#include <rhizome/io/file_edges.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/write_graph.hpp>
#include <rhizome/runtime/algorithm.hpp>
#include <rhizome/runtime/catalogue.hpp>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nb = nanobind;
using namespace nanobind::literals;

namespace rhizome::python {
namespace {

using runtime::any_graph;

element element_of(runtime::value_type type) {
    switch (type) {
    case runtime::value_type::float32:
        return element::float32;
    case runtime::value_type::int32:
        return element::int32;
    case runtime::value_type::int64:
        return element::int64;
    default:
        return element::float64;
    }
}
/// "float32" and so on; "" stands for none.
runtime::value_type value_type_of(std::string const& name) {
    for (runtime::value_type const type : runtime::value_types)
        if (type != runtime::value_type::none && name == name_of(element_of(type))) return type;
    if (name.empty()) return runtime::value_type::none;
    throw nb::value_error(
        ("weights: 'float32', 'float64', 'int32' or None are wanted, not '" + name + "'").c_str());
}

/// Python's signals end a long call: throws what a handler raised, as Ctrl-C's KeyboardInterrupt. Called
/// without Python's lock.
void check_signals() {
    nb::gil_scoped_acquire const acquired;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// Two columns of ids of equal length, on one side.
struct id_columns {
    input_array first;
    input_array second;

    [[nodiscard]] std::uint64_t size() const { return first.size(); }
    [[nodiscard]] bool on_device() const { return first.on_device(); }
};

id_columns read_columns(nb::handle sources, nb::handle targets, std::shared_ptr<place> const& where,
                        streams_waited& waited) {
    id_columns columns{read_ids(sources, "src", where, waited), read_ids(targets, "dst", where, waited)};
    if (columns.first.size() != columns.second.size())
        throw nb::value_error(("src has " + std::to_string(columns.first.size()) + " ids, dst has " +
                               std::to_string(columns.second.size()))
                                  .c_str());
    if (columns.size() != 0 && columns.first.on_device() != columns.second.on_device())
        throw nb::value_error("src and dst lie on different devices");
    return columns;
}

/// The bytes of an id at index `i`.
std::string id_text(input_array const& ids, std::uint64_t i) {
    void const* const at = ids.data();
    switch (ids.type()) {
    case element::int32:
        return std::to_string(static_cast<std::int32_t const*>(at)[i]);
    case element::uint32:
        return std::to_string(static_cast<std::uint32_t const*>(at)[i]);
    case element::int64:
        return std::to_string(static_cast<std::int64_t const*>(at)[i]);
    default:
        return std::to_string(static_cast<std::uint64_t const*>(at)[i]);
    }
}

/// The index of the first id that is no id of one of `vertices` vertices; -1: there is none.
std::int64_t first_outside(input_array const& ids, std::uint64_t vertices) {
    auto const search = [&](auto const* all) -> std::int64_t {
        // Without a way out of the loop, which the compiler then vectorises.
        bool outside = false;
        for (std::uint64_t i = 0; i < ids.size(); ++i)
            outside |= all[i] >= vertices;
        if (!outside) return -1;
        std::uint64_t i = 0;
        while (all[i] < vertices)
            ++i;
        return static_cast<std::int64_t>(i);
    };
    return column_of(ids).wide ? search(static_cast<std::uint64_t const*>(ids.data()))
                               : search(static_cast<std::uint32_t const*>(ids.data()));
}

[[noreturn]] void refuse_id(input_array const& ids, std::int64_t index, std::uint64_t vertices) {
    std::string id = "an id";
    if (!ids.on_device()) id = id_text(ids, static_cast<std::uint64_t>(index));
    throw nb::index_error((std::string(ids.what()) + "[" + std::to_string(index) + "]: " + id +
                           " is no vertex of a graph of " + std::to_string(vertices) +
                           " vertices (add_vertices() makes more)")
                              .c_str());
}

/// Throws IndexError for the first id that is no live vertex, of a batch that the graph has refused for one.
[[noreturn]] void refuse_columns(id_columns const& columns, any_graph& graph, place& where,
                                 std::string const& why) {
    std::uint64_t const vertices = graph.vertex_count();
    for (input_array const* const ids : {&columns.first, &columns.second}) {
        std::int64_t const index = ids->on_device() ? where.first_outside(column_of(*ids), {}, vertices)
                                                    : first_outside(*ids, vertices);
        if (index < 0) continue;
        nb::gil_scoped_acquire const acquired;
        refuse_id(*ids, index, vertices);
    }
    nb::gil_scoped_acquire const acquired;
    throw nb::index_error(why.c_str()); // of an erased vertex
}

runtime::batch_edges batch_of(id_columns const& columns) {
    // Columns of one width are passed on as they are.
    std::uint64_t const n = columns.size();
    if (column_of(columns.first).wide)
        return graph::edge_columns<std::uint64_t>{
            {static_cast<std::uint64_t const*>(columns.first.data()), n},
            {static_cast<std::uint64_t const*>(columns.second.data()), n}};
    return graph::edge_columns<std::uint32_t>{{static_cast<std::uint32_t const*>(columns.first.data()), n},
                                              {static_cast<std::uint32_t const*>(columns.second.data()), n}};
}

/// Memory in the graph's place for as long as a call.
class scratch {
public:
    scratch(std::shared_ptr<place> where, std::uint64_t bytes)
        : where_(std::move(where)), memory_(where_->allocate(bytes)) {}
    scratch(scratch const&) = delete;
    scratch& operator=(scratch const&) = delete;
    ~scratch() { where_->free(memory_, {}, false); }
    template <class T>
    [[nodiscard]] T* as() const {
        return static_cast<T*>(memory_);
    }

private:
    std::shared_ptr<place> where_;
    void* memory_;
};

/// A batch whose columns differ in width, as pairs in the place.
class paired {
public:
    paired(id_columns const& columns, std::shared_ptr<place> const& where)
        : pairs_(where, columns.size() * sizeof(graph::edge)), size_(columns.size()) {
        auto const in_place = [&](input_array const& ids, std::optional<scratch>& copy) {
            id_column column = column_of(ids);
            if (ids.on_device() || !where->is_device()) return column;
            std::uint64_t const bytes = ids.size() * bytes_of(ids.type());
            copy.emplace(where, bytes);
            where->copy_in(copy->as<void>(), ids.data(), bytes);
            column.ids = copy->as<void>();
            return column;
        };
        id_column const first = in_place(columns.first, first_);
        id_column const second = in_place(columns.second, second_);
        where->pair(first, second, edges());
    }
    [[nodiscard]] graph::edge* edges() const { return pairs_.as<graph::edge>(); }
    [[nodiscard]] std::uint64_t size() const { return size_; }

private:
    scratch pairs_;
    std::uint64_t size_;
    std::optional<scratch> first_;
    std::optional<scratch> second_;
};

runtime::values_view view_of(input_array const& weights) {
    std::uint64_t const n = weights.size();
    switch (weights.type()) {
    case element::float32:
        return std::span(static_cast<float const*>(weights.data()), n);
    case element::float64:
        return std::span(static_cast<double const*>(weights.data()), n);
    case element::int32:
        return std::span(static_cast<std::int32_t const*>(weights.data()), n);
    default:
        return std::span(static_cast<std::int64_t const*>(weights.data()), n);
    }
}

graph::batch_report insert(graph_handle& self, nb::handle sources, nb::handle targets, nb::handle weights) {
    std::shared_ptr<place> const& where = self.where();
    streams_waited waited;
    id_columns const columns = read_columns(sources, targets, where, waited);
    std::optional<input_array> values;
    runtime::value_type const type = self.use([](any_graph& graph) { return graph.value_type(); });
    if (type == runtime::value_type::none) {
        if (!weights.is_none()) throw nb::value_error("weights for edges of a graph without weights");
    } else {
        if (weights.is_none())
            throw nb::value_error("the edges of this graph have weights: pass one for each edge");
        values.emplace(read_values(weights, "weights", element_of(type), where, waited));
        if (values->size() != columns.size())
            throw nb::value_error((std::to_string(columns.size()) + " edges have " +
                                   std::to_string(values->size()) + " weights")
                                      .c_str());
        if (columns.size() != 0 && values->on_device() != columns.on_device())
            throw nb::value_error("the edges and their weights lie on different devices");
    }
    return self.use([&](any_graph& graph) -> graph::batch_report {
        if (columns.size() == 0) return {};
        try {
            bool const same_width = column_of(columns.first).wide == column_of(columns.second).wide;
            void const* const in_space = values ? values->data() : nullptr;
            if (columns.on_device() && same_width)
                return graph.insert_edges_in_space(batch_of(columns), in_space);
            if (same_width)
                return graph.insert_edges(batch_of(columns),
                                          values ? view_of(*values) : runtime::values_view());
            paired const pairs(columns, where);
            if (columns.on_device() || !where->is_device())
                return graph.insert_edges_in_space(pairs.edges(), pairs.size(), in_space);
            std::optional<scratch> copied;
            if (values) {
                std::uint64_t const bytes = values->size() * bytes_of(values->type());
                copied.emplace(where, bytes);
                where->copy_in(copied->as<void>(), values->data(), bytes);
            }
            return graph.insert_edges_in_space(pairs.edges(), pairs.size(),
                                               copied ? copied->as<void>() : nullptr);
        } catch (std::out_of_range const& error) {
            refuse_columns(columns, graph, *where, error.what());
        }
    });
}

graph::batch_report erase(graph_handle& self, nb::handle sources, nb::handle targets) {
    std::shared_ptr<place> const& where = self.where();
    streams_waited waited;
    id_columns const columns = read_columns(sources, targets, where, waited);
    return self.use([&](any_graph& graph) -> graph::batch_report {
        if (columns.size() == 0) return {};
        try {
            bool const same_width = column_of(columns.first).wide == column_of(columns.second).wide;
            if (!same_width) {
                paired const pairs(columns, where);
                return graph.erase_edges_in_space(pairs.edges(), pairs.size());
            }
            return columns.on_device() ? graph.erase_edges_in_space(batch_of(columns))
                                       : graph.erase_edges(batch_of(columns));
        } catch (std::out_of_range const& error) {
            refuse_columns(columns, graph, *where, error.what());
        }
    });
}

array has_edges(graph_handle& self, nb::handle sources, nb::handle targets) {
    std::shared_ptr<place> const& where = self.where();
    streams_waited waited;
    id_columns const columns = read_columns(sources, targets, where, waited);
    return self.use([&](any_graph& graph) {
        array present = make_array(where, element::boolean, columns.size());
        if (columns.size() != 0) {
            paired const pairs(columns, where);
            graph.queries().has_edges_in_space(pairs.edges(), pairs.size(),
                                               static_cast<std::uint8_t*>(present.data));
            where->synchronize();
        }
        return present;
    });
}

/// The weights of edges, and which of them are present.
nb::tuple edge_weights(graph_handle& self, nb::handle sources, nb::handle targets) {
    std::shared_ptr<place> const& where = self.where();
    streams_waited waited;
    id_columns const columns = read_columns(sources, targets, where, waited);
    auto found = self.use([&](any_graph& graph) {
        if (graph.value_type() == runtime::value_type::none)
            throw std::invalid_argument("the edges of this graph have no weights");
        array weights = make_array(where, element_of(graph.value_type()), columns.size());
        array present = make_array(where, element::boolean, columns.size());
        if (columns.size() != 0) {
            paired const pairs(columns, where);
            graph.queries().edge_values_in_space(pairs.edges(), pairs.size(), weights.data,
                                                 static_cast<std::uint8_t*>(present.data));
            where->synchronize();
        }
        return std::pair(std::move(weights), std::move(present));
    });
    return nb::make_tuple(std::move(found.first), std::move(found.second));
}

/// Ids in the place, of 32 bits each.
class placed_ids {
public:
    placed_ids(input_array const& ids, std::shared_ptr<place> const& where)
        : memory_(where, ids.size() * sizeof(graph::vertex_id)), size_(ids.size()) {
        id_column column = column_of(ids);
        std::optional<scratch> copy;
        if (!ids.on_device() && where->is_device()) {
            std::uint64_t const bytes = ids.size() * bytes_of(ids.type());
            copy.emplace(where, bytes);
            where->copy_in(copy->as<void>(), ids.data(), bytes);
            column.ids = copy->as<void>();
        }
        where->narrow(column, memory_.as<graph::vertex_id>());
    }
    [[nodiscard]] graph::vertex_id const* data() const { return memory_.as<graph::vertex_id>(); }
    [[nodiscard]] std::uint64_t size() const { return size_; }

private:
    scratch memory_;
    std::uint64_t size_;
};

void check_ids(input_array const& ids, any_graph& graph, place& where) {
    std::uint64_t const vertices = graph.vertex_count();
    std::int64_t const index =
        ids.on_device() ? where.first_outside(column_of(ids), {}, vertices) : first_outside(ids, vertices);
    if (index < 0) return;
    nb::gil_scoped_acquire const acquired;
    refuse_id(ids, index, vertices);
}

array degrees(graph_handle& self, nb::handle ids) {
    std::shared_ptr<place> const& where = self.where();
    if (ids.is_none()) // of all vertices
        return self.use([&](any_graph& graph) {
            std::uint64_t const vertices = graph.vertex_count();
            array found = make_array(where, element::int32, vertices);
            std::vector<std::uint32_t> all = graph.all_degrees();
            where->copy_in(found.data, all.data(), vertices * sizeof(std::uint32_t));
            where->synchronize();
            return found;
        });
    input_array const asked = read_ids(ids, "ids", where);
    return self.use([&](any_graph& graph) {
        check_ids(asked, graph, *where);
        array found = make_array(where, element::int32, asked.size());
        if (asked.size() != 0) {
            placed_ids const placed(asked, where);
            graph.queries().degrees_in_space(placed.data(), placed.size(),
                                             static_cast<std::uint32_t*>(found.data));
            where->synchronize();
        }
        return found;
    });
}

nb::tuple neighbors(graph_handle& self, nb::handle ids) {
    std::shared_ptr<place> const& where = self.where();
    input_array const asked = read_ids(ids, "ids", where);
    struct lists {
        array offsets, targets;
        std::optional<array> weights;
    };
    lists found = self.use([&](any_graph& graph) {
        check_ids(asked, graph, *where);
        lists made{make_array(where, element::int64, asked.size() + 1), {}, {}};
        placed_ids const placed(asked, where);
        auto* const offsets = static_cast<std::uint64_t*>(made.offsets.data);
        std::uint64_t const total =
            graph.queries().neighbour_offsets_in_space(placed.data(), placed.size(), offsets);
        made.targets = make_array(where, element::int32, total);
        if (graph.value_type() != runtime::value_type::none)
            made.weights = make_array(where, element_of(graph.value_type()), total);
        graph.queries().neighbours_in_space(placed.data(), placed.size(), offsets, total,
                                            static_cast<graph::vertex_id*>(made.targets.data),
                                            made.weights ? made.weights->data : nullptr);
        where->synchronize();
        return made;
    });
    nb::object weights = found.weights ? nb::cast(std::move(*found.weights)) : nb::none();
    return nb::make_tuple(std::move(found.offsets), std::move(found.targets), weights);
}

/// The rows of the graph, which share the memory of a snapshot: offsets, targets, weights.
nb::tuple snapshot(graph_handle& self) {
    std::shared_ptr<place> const& where = self.where();
    auto [memory, rows, type] = self.use([&](any_graph& graph) {
        std::shared_ptr<runtime::any_snapshot> kept = graph.queries().snapshot();
        runtime::rows_in_space const rows_in_it = kept->rows();
        graph.synchronize();
        return std::tuple(std::make_shared<shared_memory>(where, kept), rows_in_it, graph.value_type());
    });
    auto const part = [&memory = memory](void const* data, element of, std::uint64_t size) {
        return array{memory, const_cast<void*>(data), size, of};
    };
    nb::object weights = nb::none();
    if (type != runtime::value_type::none) weights = nb::cast(part(rows.values, element_of(type), rows.arcs));
    return nb::make_tuple(part(rows.offsets, element::int64, rows.vertices + 1),
                          part(rows.targets, element::int32, rows.arcs), weights);
}

void add_vertices(graph_handle& self, std::uint64_t count) {
    self.use([&](any_graph& graph) {
        if (count > most_vertices - graph.vertex_count())
            throw std::length_error("a graph in Python has at most " + std::to_string(most_vertices) +
                                    " vertices");
        graph.add_vertices(count);
    });
}

array insert_vertices(graph_handle& self, std::uint64_t count) {
    std::shared_ptr<place> const& where = self.where();
    return self.use([&](any_graph& graph) {
        if (count > most_vertices - graph.live_vertex_count())
            throw std::length_error("a graph in Python has at most " + std::to_string(most_vertices) +
                                    " vertices");
        array found = make_array(where, element::int32, count);
        std::vector<graph::vertex_id> const ids = graph.insert_vertices(count);
        where->copy_in(found.data, ids.data(), ids.size() * sizeof(graph::vertex_id));
        where->synchronize();
        return found;
    });
}

graph::vertex_report erase_vertices(graph_handle& self, nb::handle ids) {
    std::shared_ptr<place> const& where = self.where();
    input_array const asked = read_ids(ids, "ids", where);
    return self.use([&](any_graph& graph) {
        check_ids(asked, graph, *where);
        std::vector<graph::vertex_id> on_host(asked.size());
        if (asked.size() != 0) {
            placed_ids const placed(asked, where);
            where->copy_out(on_host.data(), placed.data(), on_host.size() * sizeof(graph::vertex_id));
        }
        return graph.erase_vertices(on_host);
    });
}

nb::dict compact(graph_handle& self, std::uint64_t most_moved_bytes) {
    graph::compaction_report const found =
        self.use([&](any_graph& graph) { return graph.compact(most_moved_bytes); });
    nb::dict bytes;
    bytes["moved"] = found.moved_bytes;
    bytes["returned"] = found.returned_bytes;
    return bytes;
}

nb::dict memory(graph_handle& self) {
    graph::memory_report const found = self.use([](any_graph& graph) { return graph.memory(); });
    nb::dict bytes;
    bytes["total"] = found.total_bytes();
    bytes["heap"] = found.heap_bytes;
    bytes["neighbors"] = found.adjacency_bytes;
    bytes["slack"] = found.slack_bytes;
    bytes["free"] = found.free_bytes;
    bytes["vertices"] = found.vertex_table_bytes;
    bytes["allocator"] = found.allocator_table_bytes;
    bytes["scratch"] = found.scratch_bytes;
    bytes["compactable"] = found.compactable_bytes;
    return bytes;
}

// Algorithms.

nb::object number_of(std::variant<bool, std::uint64_t, double> const& value) {
    return std::visit([](auto each) -> nb::object { return nb::cast(each); }, value);
}

/// An argument of the type of `default_value` from a Python object.
runtime::argument argument_from(nb::handle object, runtime::argument const& default_value,
                                std::string const& name, std::shared_ptr<place> const& where) {
    return std::visit(
        [&](auto const& of) -> runtime::argument {
            using type = std::remove_cvref_t<decltype(of)>;
            if constexpr (std::is_same_v<type, std::vector<graph::vertex_id>>) {
                input_array const ids = read_ids(object, name.c_str(), where);
                std::vector<graph::vertex_id> on_host(ids.size());
                if (ids.size() != 0) {
                    placed_ids const placed(ids, where);
                    where->copy_out(on_host.data(), placed.data(), on_host.size() * sizeof(graph::vertex_id));
                }
                return on_host;
            } else if constexpr (std::is_same_v<type, std::vector<double>>) {
                streams_waited waited;
                input_array const reals = read_values(object, name.c_str(), element::float64, where, waited);
                std::vector<double> on_host(reals.size());
                if (reals.on_device())
                    where->copy_out(on_host.data(), reals.data(), on_host.size() * sizeof(double));
                else if (!on_host.empty())
                    std::memcpy(on_host.data(), reals.data(), on_host.size() * sizeof(double));
                return on_host;
            } else {
                type made{};
                if (!nb::try_cast(object, made))
                    throw nb::type_error((name + ": " +
                                          (std::is_same_v<type, bool>     ? "True or False is"
                                           : std::is_same_v<type, double> ? "a number is"
                                                                          : "a whole number, 0 or more, is") +
                                          " wanted")
                                             .c_str());
                return made;
            }
        },
        default_value);
}

element element_of(runtime::element_type type) {
    switch (type) {
    case runtime::element_type::uint32:
        return element::int32; // ids and levels: -1 where there is none
    case runtime::element_type::float32:
        return element::float32;
    case runtime::element_type::float64:
        return element::float64;
    default:
        return element::int64; // counts, and distances: -1 is infinite
    }
}

runtime::algorithm_info const& algorithm_named(std::string const& name) {
    return runtime::algorithms()[runtime::algorithm_number(name)];
}

runtime::algorithm_arguments arguments_from(runtime::algorithm_info const& info, nb::dict const& options,
                                            std::shared_ptr<place> const& where) {
    runtime::algorithm_arguments given;
    for (auto const& [key, value] : options) {
        auto const option = nb::cast<std::string>(key);
        auto const known = std::find_if(info.parameters.begin(), info.parameters.end(),
                                        [&](runtime::parameter const& each) { return each.name == option; });
        if (known == info.parameters.end())
            throw nb::type_error((std::string(info.name) + " takes no argument '" + option + "'").c_str());
        std::string shown = option; // as Python spells it
        std::replace(shown.begin(), shown.end(), '-', '_');
        given.set(option, argument_from(value, known->default_value, shown, where));
    }
    return given;
}

/// What an algorithm found, with copies of its arrays.
struct found_copy {
    std::vector<runtime::figure> figures;
    std::vector<array> arrays;
};

found_copy copy_of(runtime::algorithm_result const& result, std::uint64_t vertices,
                   std::shared_ptr<place> const& where) {
    found_copy copies{result.figures, {}};
    for (runtime::array_in_space const& each : result.arrays) {
        array copy = make_array(where, element_of(each.type), vertices);
        where->copy(copy.data, each.elements, copy.size * bytes_of(copy.type));
        copies.arrays.push_back(std::move(copy));
    }
    where->synchronize(); // the next run writes the originals
    return copies;
}

/// The figures, and the arrays by their names.
std::pair<nb::dict, nb::dict> dicts_of(found_copy& found, runtime::algorithm_info const& info) {
    nb::dict figures;
    nb::dict arrays;
    for (runtime::figure const& each : found.figures)
        figures[nb::str(each.name.data(), each.name.size())] = number_of(each.value);
    for (std::size_t i = 0; i < found.arrays.size(); ++i)
        arrays[nb::str(info.arrays[i].name.data(), info.arrays[i].name.size())] = std::move(found.arrays[i]);
    return {figures, arrays};
}

/// Runs an algorithm of the table. Returns its figures, and a copy of its arrays by their names.
nb::tuple run(graph_handle& self, std::string const& name, nb::dict const& options) {
    std::shared_ptr<place> const& where = self.where();
    runtime::algorithm_info const& info = algorithm_named(name);
    runtime::algorithm_arguments given = arguments_from(info, options, where);
    std::function<void(unsigned, double)> const interruptible = [](unsigned, double) { check_signals(); };
    given.progress = &interruptible;
    found_copy found = self.use(
        [&](any_graph& graph) { return copy_of(graph.run(name, given), graph.vertex_count(), where); });
    auto const [figures, arrays] = dicts_of(found, info);
    return nb::make_tuple(figures, arrays);
}

/// Keeps the result of an algorithm up to date. Returns its number.
std::size_t maintain(graph_handle& self, std::string const& name, nb::dict const& options) {
    runtime::algorithm_arguments const given = arguments_from(algorithm_named(name), options, self.where());
    return self.use([&](any_graph& graph) { return graph.results().maintain(name, given); });
}

/// Brings that result up to date. Returns figures and arrays as run(), and whether it was computed anew.
nb::tuple update_result(graph_handle& self, std::string const& name, std::size_t number) {
    std::shared_ptr<place> const& where = self.where();
    bool recomputed = false;
    found_copy found = self.use([&](any_graph& graph) {
        runtime::maintained_answer const answer = graph.results().update(number);
        recomputed = answer.recomputed;
        return copy_of(answer.found, graph.vertex_count(), where);
    });
    auto const [figures, arrays] = dicts_of(found, algorithm_named(name));
    return nb::make_tuple(figures, arrays, recomputed);
}

nb::dict algorithm_table() {
    nb::dict table;
    for (runtime::algorithm_info const& info : runtime::algorithms()) {
        nb::list names;
        for (runtime::parameter const& each : info.parameters)
            names.append(nb::str(each.name.data(), each.name.size()));
        table[nb::str(info.name.data(), info.name.size())] = names;
    }
    return table;
}

// Files.

/// What a file holds: its edges are inserted by the caller.
struct read_file {
    std::uint64_t vertices = 0;
    bool directed = false;
    bool weighted = false;
    std::vector<graph::edge> edges;
    std::vector<double> weights;
    io::vertex_names names;
    bool counts_from_one = false;
};

io::graph_format const* format_of(std::string const& name) {
    if (name.empty()) return nullptr;
    io::graph_format const* const format = io::graph_format_named(name);
    if (format == nullptr)
        throw nb::value_error(
            ("there is no format '" + name + "'; there are " + io::readable_format_names()).c_str());
    return format;
}

read_file read(std::string const& path, std::string const& format_name, std::string const& columns,
               bool directed, bool weights) {
    io::graph_format const* const format = format_of(format_name);
    nb::gil_scoped_release const released;
    io::input from(path);
    io::graph_file file = io::read_graph(
        from, format, {.directed = directed, .columns = columns, .weights = weights, .progress = [](double) {
                           check_signals();
                       }});
    if (weights) io::merge_parallel_edges(file, {});
    read_file found;
    found.vertices = file.vertex_count;
    found.directed = directed || file.directed;
    io::file_edges taken = io::take_edges(path, file, found.directed, weights);
    found.edges = std::move(taken.edges);
    found.weights = std::move(taken.weights);
    found.weighted = !found.weights.empty();
    found.names = std::move(file.names);
    found.counts_from_one = file.counts_from_one;
    return found;
}

template <class Value>
std::vector<Value> values_of(std::string const& path, read_file const& file) {
    if (file.weights.empty()) return std::vector<Value>(file.edges.size(), Value{1});
    std::vector<Value> values;
    values.reserve(file.weights.size());
    for (double const weight : file.weights)
        values.push_back(io::value_of_weight<Value>(path, weight));
    return values;
}

/// Inserts what was read into a graph that has no edges.
void insert_file(graph_handle& self, read_file const& file, std::string const& path) {
    self.use([&](any_graph& graph) {
        if (file.vertices > most_vertices)
            throw std::length_error("a graph in Python has at most " + std::to_string(most_vertices) +
                                    " vertices");
        if (file.vertices > graph.vertex_count()) graph.add_vertices(file.vertices - graph.vertex_count());
        std::span<graph::edge const> const edges(file.edges);
        bool const at_once = !graph.builds_rows() || std::is_sorted(edges.begin(), edges.end());
        auto const insert_all = [&](auto const& values) {
            io::insert_in_pieces(edges.size(), at_once, [&](std::size_t first, std::size_t count) {
                check_signals();
                if constexpr (requires { values.size(); })
                    graph.insert_edges(edges.subspan(first, count), std::span(values).subspan(first, count));
                else
                    graph.insert_edges(edges.subspan(first, count));
            });
        };
        switch (graph.value_type()) {
        case runtime::value_type::none:
            return insert_all(nullptr);
        case runtime::value_type::float32:
            return insert_all(values_of<float>(path, file));
        case runtime::value_type::float64:
            return insert_all(values_of<double>(path, file));
        case runtime::value_type::int32:
            return insert_all(values_of<std::int32_t>(path, file));
        case runtime::value_type::int64:
            return insert_all(values_of<std::int64_t>(path, file));
        }
    });
}

std::vector<double> weights_on_host(any_graph& graph) {
    std::vector<double> weights;
    runtime::values const all = graph.all_values();
    auto const append = [&](auto const& values) { weights.assign(values.begin(), values.end()); };
    switch (all.type()) {
    case runtime::value_type::none:
        break;
    case runtime::value_type::float32:
        append(all.view().as<float>());
        break;
    case runtime::value_type::float64:
        append(all.view().as<double>());
        break;
    case runtime::value_type::int32:
        append(all.view().as<std::int32_t>());
        break;
    case runtime::value_type::int64:
        append(all.view().as<std::int64_t>());
        break;
    }
    return weights;
}

void save(graph_handle& self, std::string const& path, std::string const& format_name) {
    io::graph_format const* format = format_name.empty() ? io::format_by_name(path) : format_of(format_name);
    if (format == nullptr)
        throw nb::value_error(
            ("'" + path + "': the name has no ending that means a format: pass format=").c_str());
    self.use([&](any_graph& graph) {
        io::graph_file file;
        file.vertex_count = graph.vertex_count();
        file.directed = graph.directed();
        if (graph.live_vertex_count() != graph.vertex_count())
            throw io::file_error(path, "the graph has erased vertices, which files do not hold");
        file.edges = graph.all_edges();
        file.edge_values = weights_on_host(graph);
        io::write_graph(path, *format, file);
    });
}

} // namespace

graph_handle::graph_handle(std::shared_ptr<python::place> where, runtime::graph_choice const& choice)
    : where_(std::move(where)), process_(::getpid()) {
    nb::gil_scoped_release const released;
    if (choice.vertices > most_vertices)
        throw std::length_error("a graph in Python has at most " + std::to_string(most_vertices) +
                                " vertices");
    graph_ = where_->open(choice);
}

graph_handle::~graph_handle() {
    // In a forked process the threads and the device of the graph do not exist.
    if (::getpid() != process_) (void)graph_.release();
}

void graph_handle::check_usable() const {
    if (::getpid() != process_)
        throw std::runtime_error(
            "the graph was made in another process, before a fork: make it in the process that "
            "uses it (multiprocessing: start method 'spawn')");
}

void graph_handle::close() {
    check_usable();
    exclusively([&] {
        graph_.reset();
        closed_ = true;
    });
}

void bind_graph(nb::module_& module) {
    nb::class_<graph::batch_report>(module, "Report",
                                    "What a batch did: each edge of it is in one of the counts.")
        .def_ro("applied", &graph::batch_report::applied, "Edges that were inserted, or erased.")
        .def_ro("updated", &graph::batch_report::updated, "Edges that were there and have a new weight now.")
        .def_ro("without_effect", &graph::batch_report::without_effect,
                "Inserting: edges that were there already; erasing: edges that were absent.")
        .def_ro("duplicates", &graph::batch_report::duplicates,
                "Further occurrences of an edge in the batch; the first one counts.")
        .def_ro("self_loops_refused", &graph::batch_report::self_loops_refused,
                "Self-loops, where the graph keeps none.")
        .def_prop_ro("total", &graph::batch_report::total, "Edges of the batch.")
        .def("__eq__",
             [](graph::batch_report const& a, nb::handle b) {
                 return nb::isinstance<graph::batch_report>(b) &&
                        a == nb::cast<graph::batch_report const&>(b);
             })
        .def("__repr__", [](graph::batch_report const& self) {
            std::string text = "Report(applied=" + std::to_string(self.applied);
            auto const add = [&](char const* name, std::uint64_t count) {
                if (count != 0) text += std::string(", ") + name + "=" + std::to_string(count);
            };
            add("updated", self.updated);
            add("without_effect", self.without_effect);
            add("duplicates", self.duplicates);
            add("self_loops_refused", self.self_loops_refused);
            return text + ")";
        });
    nb::class_<graph::vertex_report>(module, "VertexReport", "What erasing vertices did.")
        .def_ro("erased", &graph::vertex_report::erased, "Vertices that were erased.")
        .def_ro("absent", &graph::vertex_report::absent, "Ids of vertices that were erased before.")
        .def_ro("duplicates", &graph::vertex_report::duplicates, "Ids that repeat another one.")
        .def_ro("edges", &graph::vertex_report::edges, "Edges that were erased with them.")
        .def("__repr__", [](graph::vertex_report const& self) {
            return "VertexReport(erased=" + std::to_string(self.erased) +
                   ", absent=" + std::to_string(self.absent) +
                   ", duplicates=" + std::to_string(self.duplicates) +
                   ", edges=" + std::to_string(self.edges) + ")";
        });
    nb::class_<read_file>(module, "File")
        .def_ro("vertices", &read_file::vertices)
        .def_ro("directed", &read_file::directed)
        .def_ro("weighted", &read_file::weighted)
        .def_ro("counts_from_one", &read_file::counts_from_one)
        .def_prop_ro(
            "names", [](read_file const& self) { return list_of(self.names); },
            nb::sig("def names(self) -> list[typing.Any] | None"));
    module.def("read", read, "path"_a, "format"_a, "columns"_a, "directed"_a, "weights"_a);
    module.def("algorithms", algorithm_table, nb::sig("def algorithms() -> dict[str, list[str]]"));
    nb::class_<graph_handle>(module, "Graph", nb::is_weak_referenceable())
        .def(
            "__init__",
            [](graph_handle* self, std::uint64_t vertices, bool directed, std::string const& weights,
               bool on_cuda, int device, std::uint64_t memory_limit, std::string const& allocator,
               std::string const& layout, bool in_arcs, bool self_loops, bool compacts, unsigned threads) {
                std::shared_ptr<place> where =
                    on_cuda ? cuda_place(device, memory_limit) : host_place(threads, memory_limit);
                new (self) graph_handle(std::move(where), {.layout = layout,
                                                           .allocator = allocator,
                                                           .values = value_type_of(weights),
                                                           .vertices = vertices,
                                                           .directed = directed,
                                                           .in_arcs = in_arcs,
                                                           .self_loops = self_loops,
                                                           .refuses_unknown_ids = true,
                                                           .compacts = compacts});
            },
            "vertices"_a, "directed"_a, "weights"_a, "on_cuda"_a, "device"_a, "memory_limit"_a, "allocator"_a,
            "layout"_a, "in_arcs"_a, "self_loops"_a, "compacts"_a, "threads"_a)
        .def("insert", insert, "src"_a.none(), "dst"_a.none(), "weights"_a.none())
        .def("erase", erase, "src"_a.none(), "dst"_a.none())
        .def("add_vertices", add_vertices, "count"_a)
        .def("insert_vertices", insert_vertices, "count"_a)
        .def("erase_vertices", erase_vertices, "ids"_a.none())
        .def("has_edges", has_edges, "src"_a.none(), "dst"_a.none())
        .def("edge_weights", edge_weights,
             nb::sig("def edge_weights(self, src: object, dst: object) -> tuple[Array, Array]"), "src"_a,
             "dst"_a)
        .def("degrees", degrees, "ids"_a.none())
        .def("neighbors", neighbors,
             nb::sig("def neighbors(self, ids: object) -> tuple[Array, Array, Array | None]"), "ids"_a.none())
        .def("snapshot", snapshot, nb::sig("def snapshot(self) -> tuple[Array, Array, Array | None]"))
        .def("insert_file", insert_file, "file"_a, "path"_a)
        .def("save", save, "path"_a, "format"_a)
        .def("run", run,
             nb::sig("def run(self, name: str, options: dict[str, typing.Any]) -> "
                     "tuple[dict[str, typing.Any], dict[str, Array]]"),
             "name"_a, "options"_a)
        .def("maintain", maintain,
             nb::sig("def maintain(self, name: str, options: dict[str, typing.Any]) -> int"), "name"_a,
             "options"_a)
        .def("update_result", update_result,
             nb::sig("def update_result(self, name: str, number: int) -> "
                     "tuple[dict[str, typing.Any], dict[str, Array], bool]"),
             "name"_a, "number"_a)
        .def(
            "stop_result",
            [](graph_handle& self, std::size_t number) {
                self.use([&](any_graph& graph) { graph.results().stop(number); });
            },
            "number"_a)
        .def("compact", compact, "most_moved_bytes"_a,
             nb::sig("def compact(self, most_moved_bytes: int) -> dict[str, int]"))
        .def("memory", memory, nb::sig("def memory(self) -> dict[str, int]"))
        .def("validate",
             [](graph_handle& self) { return self.use([](any_graph& graph) { return graph.validate(); }); })
        .def("release_scratch",
             [](graph_handle& self) { self.use([](any_graph& graph) { graph.release_scratch(); }); })
        .def("close", &graph_handle::close)
        .def_prop_ro("closed", &graph_handle::closed)
        .def_prop_ro("num_vertices",
                     [](graph_handle& self) {
                         return self.use([](any_graph& graph) { return graph.live_vertex_count(); });
                     })
        .def_prop_ro("id_bound",
                     [](graph_handle& self) {
                         return self.use([](any_graph& graph) { return graph.vertex_count(); });
                     })
        .def_prop_ro(
            "num_edges",
            [](graph_handle& self) { return self.use([](any_graph& graph) { return graph.edge_count(); }); })
        .def_prop_ro(
            "directed",
            [](graph_handle& self) { return self.use([](any_graph& graph) { return graph.directed(); }); })
        .def_prop_ro(
            "weights",
            [](graph_handle& self) -> nb::object {
                runtime::value_type const type =
                    self.use([](any_graph& graph) { return graph.value_type(); });
                if (type == runtime::value_type::none) return nb::none();
                return nb::cast(name_of(element_of(type)));
            },
            nb::sig("def weights(self) -> str | None"))
        .def_prop_ro("device", [](graph_handle& self) { return self.where()->name(); })
        .def_prop_ro("allocator",
                     [](graph_handle& self) {
                         return self.use([](any_graph& graph) { return graph.names().allocator; });
                     })
        .def_prop_ro("layout", [](graph_handle& self) {
            return self.use([](any_graph& graph) { return graph.names().layout; });
        });
}

} // namespace rhizome::python
