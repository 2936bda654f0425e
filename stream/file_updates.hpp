// SPDX-License-Identifier: Apache-2.0
// The updates of a file or a pipe.
#pragma once

#include <rhizome/io/update_stream.hpp>
#include <rhizome/stream/update_source.hpp>

#include <cstdint>
#include <string>

namespace rhizome::stream {

/// Reads what io::update_reader reads, and throws what it throws.
class file_updates final : public update_source {
public:
    /// Opens the stream. Throws io::file_error if it cannot be opened.
    file_updates(std::string const& path, batch_rule const& rule,
                 io::update_reader_options const& options = {})
        : update_source(rule), path_(path), reader_(path, options) {}

    [[nodiscard]] io::vertex_names const& names() const override { return reader_.names(); }
    /// Throws what io::update_reader::format() does.
    [[nodiscard]] bool has_times() override { return format() == io::stream_format::temporal; }
    [[nodiscard]] std::string const& name() const override { return reader_.name(); }
    [[nodiscard]] double fraction_read() const override { return reader_.fraction_read(); }
    [[nodiscard]] std::uint64_t estimated_updates() override;

    /// Throws what io::update_reader::format() does.
    [[nodiscard]] io::stream_format format() { return reader_.format(); }
    /// Throws what io::update_reader::has_lines() does.
    [[nodiscard]] bool has_lines() { return reader_.has_lines(); }
    [[nodiscard]] std::uint64_t rounded_times() const { return reader_.rounded_times(); }

private:
    bool read_updates(std::size_t count, io::update_batch& batch) override {
        return reader_.next_batch(count, batch);
    }
    bool read_time_step(std::int64_t step, std::size_t most, io::update_batch& batch) override {
        return reader_.next_time_step(step, most, batch);
    }

    void start_names(io::vertex_names names) override { reader_.map_names(std::move(names)); }

    std::string path_;
    io::update_reader reader_;
};

} // namespace rhizome::stream
