// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/stream/names.hpp>
#include <rhizome/stream/update_source.hpp>

#include <algorithm>
#include <utility>

namespace rhizome::stream {

bool update_source::next(parsed_batch& parsed) {
    exec::wall_timer const reading;
    if (std::exchange(holds_first_, false)) {
        if (first_failure_ != nullptr) std::rethrow_exception(std::exchange(first_failure_, nullptr));
        std::swap(parsed, first_);
    } else if (!read(parsed)) {
        return false;
    }
    if (window_) window_->slide(parsed.batch);
    parsed.read_ms += reading.elapsed_ms();
    return !parsed.batch.empty();
}

bool update_source::read(parsed_batch& parsed) {
    parsed.read_ms = 0; // next() adds it
    parsed.new_names.clear();
    bool const any = rule_.time_step == 0
                         ? read_updates(rule_.batch_updates, parsed.batch)
                         : read_time_step(rule_.time_step, rule_.batch_updates, parsed.batch);
    parsed.fraction_read = fraction_read();
    if (follows_names_) add_new_names(parsed);
    return any;
}

/// New names have ascending ids in the order of the stream, also if the source has read ahead.
void update_source::add_new_names(parsed_batch& parsed) {
    io::vertex_names const& all = names();
    if (followed_names_ == all.size()) return;
    std::uint64_t end = followed_names_;
    for (io::update const& each : parsed.batch.updates)
        end = std::max({end, std::uint64_t{each.edge.source} + 1, std::uint64_t{each.edge.target} + 1});
    for (end = std::min(end, all.size()); followed_names_ < end; ++followed_names_)
        parsed.new_names.push_back(all.name(static_cast<graph::vertex_id>(followed_names_)));
}

io::update_batch const& update_source::first_batch() {
    if (!std::exchange(holds_first_, true)) {
        exec::wall_timer const reading;
        try {
            (void)read(first_);
        } catch (...) {
            first_.batch.clear();
            first_failure_ = std::current_exception();
        }
        first_.read_ms = reading.elapsed_ms();
    }
    return first_.batch;
}

io::vertex_names update_source::follow_names() {
    follows_names_ = true;
    if (holds_first_) add_new_names(first_);
    return first_of(names(), first_names_);
}

} // namespace rhizome::stream
