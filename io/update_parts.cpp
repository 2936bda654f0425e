// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/exec/host/primitives.hpp>
#include <rhizome/exec/host/space.hpp>
#include <rhizome/io/update_parts.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <thread>
#include <utility>

namespace rhizome::io {
namespace {

/// How many parts may be parsed ahead: enough for a large batch while the one before is reduced.
std::size_t parts_ahead(unsigned threads) { return std::max<std::size_t>(16, 8 * std::size_t{threads}); }

bool any_weights(std::vector<update_part> const& parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [](update_part const& each) { return !each.weights.empty(); });
}

/// Puts a temporal list into the order of its times.
class time_sorter {
public:
    time_sorter(std::vector<update_part>& parts, unsigned threads)
        : parts_(parts), machine_({.threads = threads}) {
        for (update_part const& each : parts_) {
            starts_.push_back(count_);
            count_ += each.updates.size();
            for (std::int64_t const time : each.times)
                latest_ = std::max(latest_, time), earliest_ = std::min(earliest_, time);
        }
    }

    [[nodiscard]] std::uint64_t count() const { return count_; }

    update_part sort() {
        std::vector<std::uint32_t> const order = sorted_order();
        update_part all;
        all.updates.resize(count_);
        all.times.resize(count_);
        if (any_weights(parts_)) all.weights.resize(count_);
        constexpr std::uint64_t block = 1 << 14;
        exec::parallel_for(machine_.team(), (count_ + block - 1) / block, [&](std::uint64_t number) {
            std::uint64_t const end = std::min(count_, (number + 1) * block);
            for (std::uint64_t i = number * block; i < end; ++i) {
                auto const after = std::upper_bound(starts_.begin(), starts_.end(), order[i]);
                auto const from = static_cast<std::size_t>(after - starts_.begin()) - 1;
                update_part const& part = parts_[from];
                std::size_t const place = order[i] - starts_[from];
                all.updates[i] = part.updates[place];
                all.times[i] = part.times[place];
                if (!all.weights.empty())
                    all.weights[i] =
                        part.weights.empty() ? std::numeric_limits<double>::quiet_NaN() : part.weights[place];
            }
        });
        return all;
    }

private:
    /// Returns which update comes first, second and so on.
    std::vector<std::uint32_t> sorted_order() {
        exec::buffer<exec::host_space, std::uint64_t> keys(machine_, count_);
        exec::buffer<exec::host_space, std::uint64_t> other_keys(machine_, count_);
        std::vector<std::uint32_t> order(count_);
        std::vector<std::uint32_t> other_order(count_);
        exec::parallel_for(machine_.team(), parts_.size(), [&](std::uint64_t number) {
            std::uint64_t at = starts_[number];
            for (std::int64_t const time : parts_[number].times) {
                keys.data()[at] = since_earliest(time);
                order[at] = static_cast<std::uint32_t>(at);
                ++at;
            }
        });
        exec::workspace<exec::host_space> scratch(machine_);
        exec::key_pairs const sorted = exec::sort_pairs(
            machine_, scratch, {keys.data(), order.data()}, {other_keys.data(), other_order.data()}, count_,
            static_cast<unsigned>(std::bit_width(since_earliest(latest_))));
        return sorted.values == order.data() ? std::move(order) : std::move(other_order);
    }

    [[nodiscard]] std::uint64_t since_earliest(std::int64_t time) const {
        return static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(earliest_);
    }

    std::vector<update_part>& parts_;
    exec::host_space machine_;
    std::vector<std::uint64_t> starts_; ///< the number of the first update of each part
    std::uint64_t count_ = 0;
    std::int64_t earliest_ = std::numeric_limits<std::int64_t>::max();
    std::int64_t latest_ = std::numeric_limits<std::int64_t>::min();
};

} // namespace

update_parts::update_parts(std::unique_ptr<input> from, stream_syntax const& syntax, vertex_names& names,
                           unsigned threads)
    : syntax_(syntax), names_(names), first_names_(names.size()), is_pipe_(from->descriptor() < 0),
      input_(std::move(from)) {
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    // By value: threads may parse on after this object has gone.
    auto const parse = [syntax](line_scanner& lines, update_part& part) {
        parse_updates(syntax, lines, part);
    };
    parser_ = std::make_unique<block_parser<update_part>>(*input_, threads, parse, parts_ahead(threads));
}

update_parts::~update_parts() {
    if (!is_pipe_) return;
    // The parser's destructor waits for a read from the pipe, which may never end.
    std::thread([parser = std::move(parser_), from = std::move(input_)]() mutable {
        parser.reset();
        from.reset();
    }).detach();
}

bool update_parts::next(update_part& part) {
    std::uint64_t const lines_before = parser_->line_number();
    if (!parser_->next(part)) return false;
    std::uint64_t const skipped =
        lines_before + 1 - part.first_line; // of lines that the scanner did not count
    if (part.first_weight_line != 0) part.first_weight_line += skipped;
    if (part.failure) part.failure = part.failure->moved_down(skipped);
    if (!part.times.empty()) {
        bool const ascends = !has_time_ || last_time_ <= part.times.front();
        if (!ascends && syntax_.times_ascend)
            throw parse_error(input_->name(), part.first_time_line + skipped,
                              "the time " + std::to_string(part.times.front()), expected_time(last_time_));
        part.times_ascend = part.times_ascend && ascends;
        last_time_ = part.times.back();
        has_time_ = true;
    }
    if (!syntax_.names_are_ids) resolve_names(part);
    return true;
}

/// Replaces numbers of names by ids. A name is looked up once per block.
void update_parts::resolve_names(update_part& part) {
    ids_.resize(part.names.size());
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        auto const local = static_cast<graph::vertex_id>(i);
        ids_[i] = part.names.is_text() ? names_.find_or_add(std::string_view(part.names.name(local)))
                                       : names_.find_or_add(part.names.number(local));
    }
    for (update& each : part.updates)
        each.edge = {ids_[each.edge.source], ids_[each.edge.target]};
    part.names = {}; // a temporal list is held whole: without the names of each block
}

void update_parts::number_names_by(std::vector<update>& updates) {
    if (names_.size() == first_names_) return;
    vertex_names ordered;
    auto const add = [&](graph::vertex_id v) {
        return names_.is_text() ? ordered.find_or_add(std::string_view(names_.name(v)))
                                : ordered.find_or_add(names_.number(v));
    };
    ids_.assign(names_.size(), graph::no_vertex);
    for (graph::vertex_id v = 0; v < first_names_; ++v)
        ids_[v] = add(v);
    auto const id_of = [&](graph::vertex_id v) {
        if (ids_[v] == graph::no_vertex) ids_[v] = add(v);
        return ids_[v];
    };
    for (update& each : updates) {
        graph::vertex_id const source = id_of(each.edge.source);
        each.edge = {source, id_of(each.edge.target)};
    }
    names_ = std::move(ordered);
}

std::vector<update_part> sorted_parts(update_parts& from, unsigned threads) {
    std::vector<update_part> parts;
    bool ascends = true;
    std::uint64_t first_weight_line = 0;
    std::uint64_t rounded_times = 0;
    for (update_part part; from.next(part); part = {}) {
        if (part.failure) throw part.failure->moved_down(0); // a copy would share its text with `part`
        ascends = ascends && part.times_ascend;
        if (first_weight_line == 0) first_weight_line = part.first_weight_line;
        rounded_times += part.rounded_times;
        part.updates.shrink_to_fit();
        part.times.shrink_to_fit();
        part.weights.shrink_to_fit();
        parts.push_back(std::move(part));
    }
    if (ascends) return parts;
    time_sorter sorter(parts, threads);
    if (sorter.count() > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("a temporal list of more than 2^32 - 1 lines must be sorted by time already");
    std::vector<update_part> sorted(1);
    sorted[0] = sorter.sort();
    parts = {}; // their memory is needed for the names
    from.number_names_by(sorted[0].updates);
    sorted[0].first_weight_line = first_weight_line;
    sorted[0].rounded_times = rounded_times;
    return sorted;
}

} // namespace rhizome::io
