// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/time_step.hpp>
#include <rhizome/io/update_parts.hpp>
#include <rhizome/io/update_stream.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace rhizome::io {

update_reader::update_reader(std::string const& path, update_reader_options const& options)
    : options_(options), input_(std::make_unique<input>(path)), fraction_(input_->fraction_read()) {
    name_ = input_->name();
}

update_reader::~update_reader() = default;

stream_format update_reader::format() {
    if (!is_recognised_) syntax_ = recognise_stream(*input_, options_.format);
    is_recognised_ = true;
    return syntax_.format;
}

bool update_reader::has_lines() {
    (void)format();
    return syntax_.has_lines;
}

void update_reader::map_names(vertex_names names) {
    names_ = std::move(names);
    maps_names_ = true;
}

void update_reader::start() {
    bool const sorts = format() == stream_format::temporal && !options_.is_sorted;
    syntax_.names_are_ids = !maps_names_;
    syntax_.times_ascend = options_.is_sorted;
    parts_ = std::make_unique<update_parts>(std::move(input_), syntax_, names_, options_.threads);
    if (!sorts) return;
    held_ = sorted_parts(*parts_, options_.threads);
    for (update_part const& each : held_)
        held_updates_ += each.updates.size();
    for (update_part const& each : held_)
        rounded_times_ += each.rounded_times;
    holds_all_ = true;
}

/// Makes sure that the present part has an update that was not given out. Returns false at the end.
bool update_reader::fetch() {
    if (parts_ == nullptr) start();
    while (at_ == part_.updates.size()) {
        // A new error: a copy would share its text with the one that the thread of the stream destroys.
        if (part_.failure) throw part_.failure->moved_down(0);
        at_ = 0;
        if (!holds_all_) {
            if (!parts_->next(part_)) {
                part_.updates.clear();
                return false;
            }
            fraction_ = parts_->fraction_read();
            rounded_times_ += part_.rounded_times;
        } else {
            part_ = {};
            if (next_held_ == held_.size()) return false;
            part_ = std::move(held_[next_held_++]);
        }
        if (first_weight_line_ == 0) first_weight_line_ = part_.first_weight_line;
    }
    return true;
}

/// Moves the next `count` updates of the present part into the batch.
void update_reader::append(std::size_t count, update_batch& batch) {
    auto const range = [&](auto& column) {
        auto const begin = column.begin() + static_cast<std::ptrdiff_t>(at_);
        return std::pair(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    auto const [first, last] = range(part_.updates);
    batch.updates.insert(batch.updates.end(), first, last);
    if (!part_.times.empty()) {
        auto const [first_time, last_time] = range(part_.times);
        batch.times.insert(batch.times.end(), first_time, last_time);
    }
    if (!part_.weights.empty()) {
        auto const [first_weight, last_weight] = range(part_.weights);
        bool const names_any =
            std::any_of(first_weight, last_weight, [](double weight) { return !std::isnan(weight); });
        if (names_any || !batch.weights.empty()) {
            batch.first_weight_line = first_weight_line_;
            batch.weights.resize(batch.size() - count, 1.0);
            std::transform(first_weight, last_weight, std::back_inserter(batch.weights),
                           [](double weight) { return std::isnan(weight) ? 1.0 : weight; });
        }
    } else if (!batch.weights.empty()) {
        batch.weights.resize(batch.size(), 1.0);
    }
    at_ += count;
    given_ += count;
    if (holds_all_) fraction_ = static_cast<double>(given_) / static_cast<double>(held_updates_);
}

std::uint64_t update_reader::estimated_updates() const {
    if (holds_all_) return held_updates_;
    if (fraction_ <= 0) return 0;
    auto const parsed = static_cast<double>(given_ + part_.updates.size() - at_);
    return static_cast<std::uint64_t>(parsed / fraction_);
}

bool update_reader::next_batch(std::size_t count, update_batch& batch) {
    batch.clear();
    while (batch.size() < count && fetch())
        append(std::min(count - batch.size(), part_.updates.size() - at_), batch);
    return !batch.empty();
}

bool update_reader::next_time_step(std::int64_t step, std::size_t most, update_batch& batch) {
    batch.clear();
    std::optional<std::int64_t> end;
    while (batch.size() < most && fetch()) {
        if (part_.times.empty())
            throw file_error(name_, "is a stream without times, so it has no time steps");
        auto const first = part_.times.begin() + static_cast<std::ptrdiff_t>(at_);
        if (given_ == 0) first_time_ = *first;
        if (batch.empty()) end = end_of_step(first_time_, *first, step);
        auto const last = end ? std::lower_bound(first, part_.times.end(), *end) : part_.times.end();
        auto const left = static_cast<std::size_t>(last - first);
        append(std::min(most - batch.size(), left), batch);
        if (at_ < part_.updates.size()) break;
    }
    return !batch.empty();
}

void update_writer::comment(std::string_view text) {
    text_.put("# ");
    text_.put(text);
    text_.put('\n');
}

void update_writer::append(std::span<update const> updates) {
    for (update const& each : updates) {
        text_.put(each.operation == operation::insert ? '+' : '-');
        text_.put(' ');
        text_.put_number(each.edge.source);
        text_.put(' ');
        text_.put_number(each.edge.target);
        text_.put('\n');
    }
}

void update_writer::commit() {
    text_.flush();
    file_.commit();
}

} // namespace rhizome::io
