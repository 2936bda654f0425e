// SPDX-License-Identifier: Apache-2.0
#include <rhizome/graph/limits.hpp>
#include <rhizome/io/time_step.hpp>
#include <rhizome/stream/array_updates.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace rhizome::stream {
namespace {

/// What owns the arrays if the caller does not.
struct copied_arrays {
    std::variant<std::monostate, std::vector<std::uint32_t>, std::vector<std::uint64_t>> sources;
    std::variant<std::monostate, std::vector<std::uint32_t>, std::vector<std::uint64_t>> targets;
    std::vector<graph::operation> operations;
    std::vector<std::int64_t> times;
    std::vector<double> weights;
};

template <class T>
std::span<T const> copied(std::span<T const> from, std::vector<T>& to) {
    to.assign(from.begin(), from.end());
    return to;
}

void check_length(char const* what, std::size_t length, std::size_t updates) {
    if (length != 0 && length != updates)
        throw std::invalid_argument("a stream of " + std::to_string(updates) + " updates has " +
                                    std::to_string(length) + " " + what);
}

} // namespace

array_updates::array_updates(update_arrays arrays, batch_rule const& rule, std::string name)
    : update_source(rule), arrays_(std::move(arrays)), name_(std::move(name)),
      size_(std::visit([](auto const& columns) { return columns.size(); }, arrays_.edges)) {
    check_length("operations", arrays_.operations.size(), size_);
    check_length("times", arrays_.times.size(), size_);
    check_length("weights", arrays_.weights.size(), size_);
    if (rule.batch_updates == 0) throw std::invalid_argument("a batch of 0 updates");
    if (rule.time_step < 0) throw std::invalid_argument("a time step below 0");
    if (rule.time_step > 0 && size_ > 0 && arrays_.times.empty())
        throw std::invalid_argument(name_ + ": time steps need times of the updates");
    if (arrays_.owner == nullptr) copy_arrays();
    if (!std::is_sorted(arrays_.times.begin(), arrays_.times.end())) {
        order_.resize(size_);
        std::iota(order_.begin(), order_.end(), std::uint64_t{0});
        std::stable_sort(order_.begin(), order_.end(), [this](std::uint64_t a, std::uint64_t b) {
            return arrays_.times[a] < arrays_.times[b];
        });
    }
}

void array_updates::copy_arrays() {
    auto const own = std::make_shared<copied_arrays>();
    std::visit(
        [&]<class Column>(graph::edge_columns<Column>& columns) {
            columns.sources = copied(columns.sources, own->sources.emplace<std::vector<Column>>());
            columns.targets = copied(columns.targets, own->targets.emplace<std::vector<Column>>());
        },
        arrays_.edges);
    arrays_.operations = copied(arrays_.operations, own->operations);
    arrays_.times = copied(arrays_.times, own->times);
    arrays_.weights = copied(arrays_.weights, own->weights);
    arrays_.owner = own;
}

void array_updates::start_names(io::vertex_names names) {
    names_ = std::move(names);
    maps_names_ = true;
}

double array_updates::fraction_read() const {
    return size_ == 0 ? 1 : static_cast<double>(at_) / static_cast<double>(size_);
}

graph::vertex_id array_updates::vertex_of(std::uint64_t number, std::size_t index) {
    if (maps_names_) return names_.find_or_add(number);
    if (number >= graph::most_rows<graph::vertex_id>)
        throw std::invalid_argument(name_ + ": update " + std::to_string(index) + " names the vertex " +
                                    std::to_string(number) + "; ids are 0 to " +
                                    std::to_string(graph::most_rows<graph::vertex_id> - 1));
    return static_cast<graph::vertex_id>(number);
}

/// Adds the next `count` updates to the batch.
void array_updates::append(std::size_t count, io::update_batch& batch) {
    for (std::size_t const end = at_ + count; at_ < end; ++at_) {
        std::size_t const i = index_of(at_);
        auto const [source, target] = std::visit(
            [i](auto const& columns) {
                return std::pair<std::uint64_t, std::uint64_t>(columns.sources[i], columns.targets[i]);
            },
            arrays_.edges);
        graph::operation const operation =
            arrays_.operations.empty() ? graph::operation::insert : arrays_.operations[i];
        if (operation != graph::operation::insert && operation != graph::operation::erase)
            throw std::invalid_argument(name_ + ": update " + std::to_string(i) + " has the operation " +
                                        std::to_string(static_cast<unsigned>(operation)) +
                                        ", which neither inserts (0) nor erases (1)");
        graph::vertex_id const first = vertex_of(source, i); // new names: the source comes first
        batch.updates.push_back({operation, {first, vertex_of(target, i)}});
        if (!arrays_.times.empty()) batch.times.push_back(arrays_.times[i]);
        if (arrays_.weights.empty()) continue;
        if (!std::isfinite(arrays_.weights[i]))
            throw std::invalid_argument(name_ + ": update " + std::to_string(i) +
                                        " has a weight that is not finite");
        batch.weights.push_back(arrays_.weights[i]);
        if (batch.first_weight_line == 0) batch.first_weight_line = i + 1;
    }
}

bool array_updates::read_updates(std::size_t count, io::update_batch& batch) {
    batch.clear();
    append(std::min(count, size_ - at_), batch);
    return !batch.empty();
}

bool array_updates::read_time_step(std::int64_t step, std::size_t most, io::update_batch& batch) {
    batch.clear();
    if (at_ == size_) return false;
    auto const time_of = [this](std::size_t number) { return arrays_.times[index_of(number)]; };
    std::optional<std::int64_t> const end = io::end_of_step(time_of(0), time_of(at_), step);
    std::size_t const last = at_ + std::min(most, size_ - at_);
    std::size_t stop = at_;
    while (stop < last && (!end || time_of(stop) < *end))
        ++stop;
    append(stop - at_, batch);
    return true;
}

} // namespace rhizome::stream
