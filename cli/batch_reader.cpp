#include <rhizome/cli/batch_reader.hpp>
#include <rhizome/cli/stopwatch.hpp>
#include <rhizome/io/update_stream.hpp>

#include <utility>

namespace rhizome::cli {
namespace {

struct parsed_batch {
    io::update_batch batch;
    double read_ms = 0;
    double fraction_read = -1;
};

/// Batches as they stand in the stream.
using parser = one_ahead<parsed_batch>;

std::shared_ptr<parser> parse(std::shared_ptr<io::update_reader> const& updates, std::size_t batch_updates) {
    return std::make_shared<parser>([updates, batch_updates](parsed_batch& parsed) {
        stopwatch const reading;
        if (!updates->next_batch(batch_updates, parsed.batch)) return false;
        parsed.read_ms = reading.elapsed_ms();
        parsed.fraction_read = updates->fraction_read();
        return true;
    });
}

/// What one thread keeps to reduce them.
struct reducing {
    std::shared_ptr<parser> parsed;
    bool directed;
    parsed_batch present;
    io::net_effect reducer;

    bool operator()(reduced_batch& reduced) {
        if (!parsed->next(present)) return false;
        stopwatch const watch;
        reduced.net = reducer.reduce(present.batch.updates, directed);
        reduced.reduce_ms = watch.elapsed_ms();
        reduced.updates = present.batch.size();
        reduced.read_ms = present.read_ms;
        reduced.fraction_read = present.fraction_read;
        return true;
    }
};

} // namespace

batch_reader::batch_reader(std::string const& path, std::size_t batch_updates, bool directed)
    : batch_reader(std::make_shared<io::update_reader>(path), batch_updates, directed) {}

// The stream is asked for its place before a thread reads it.
batch_reader::batch_reader(std::shared_ptr<io::update_reader> const& updates, std::size_t batch_updates,
                           bool directed)
    : fraction_at_start_(updates->fraction_read()),
      reduced_(reducing{parse(updates, batch_updates), directed, {}, {}}) {}

} // namespace rhizome::cli
