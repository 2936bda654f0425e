// The batches of an update stream as they stand in it, the first of which can be looked at ahead.
#pragma once

#include <rhizome/io/update_stream.hpp>

#include <cstddef>
#include <string>

namespace rhizome::cli {

struct parsed_batch {
    io::update_batch batch;
    double read_ms = 0;
    double fraction_read = -1; ///< of the stream, up to here; negative where its size is not known
};

/// One thread at a time uses it.
class update_source {
public:
    /// Throws io::file_error if the stream cannot be opened.
    update_source(std::string const& path, std::size_t batch_updates)
        : reader_(path), batch_updates_(batch_updates) {}

    /// The next batch; false at the end. Throws what io::update_reader does.
    bool next(parsed_batch& parsed);

    /// Whether the first batch names a weight. Reads that batch, and keeps it for next(). Precondition:
    /// next() has not been called. Throws as next().
    [[nodiscard]] bool first_batch_names_weights();

    [[nodiscard]] std::string const& name() const { return reader_.name(); }
    [[nodiscard]] double fraction_read() const { return reader_.fraction_read(); }

private:
    io::update_reader reader_;
    std::size_t batch_updates_;
    parsed_batch first_;
    bool holds_first_ = false;
};

} // namespace rhizome::cli
