#include <rhizome/cli/stopwatch.hpp>
#include <rhizome/cli/update_source.hpp>

#include <utility>

namespace rhizome::cli {

bool update_source::next(parsed_batch& parsed) {
    if (std::exchange(holds_first_, false)) {
        std::swap(parsed, first_);
        return !parsed.batch.empty();
    }
    stopwatch const reading;
    if (!reader_.next_batch(batch_updates_, parsed.batch)) return false;
    parsed.read_ms = reading.elapsed_ms();
    parsed.fraction_read = reader_.fraction_read();
    return true;
}

bool update_source::first_batch_names_weights() {
    (void)next(first_);
    holds_first_ = true;
    return first_.batch.first_weight_line != 0;
}

} // namespace rhizome::cli
