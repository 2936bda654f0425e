// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/update_source.hpp>
#include <rhizome/exec/stopwatch.hpp>

#include <utility>

namespace rhizome::cli {

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
    bool const any = rule_.time_step == 0
                         ? reader_.next_batch(rule_.batch_updates, parsed.batch)
                         : reader_.next_time_step(rule_.time_step, rule_.batch_updates, parsed.batch);
    parsed.fraction_read = reader_.fraction_read();
    return any;
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

} // namespace rhizome::cli
