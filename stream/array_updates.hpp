// SPDX-License-Identifier: Apache-2.0
// Updates that lie in arrays in host memory.
#pragma once

#include <rhizome/graph/edge_columns.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/update.hpp>
#include <rhizome/stream/update_source.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace rhizome::stream {

/// Update i inserts or erases the edge sources[i] -> targets[i]. The arrays lie in host memory and are
/// equally long; those below that are empty say nothing.
struct update_arrays {
    /// Ids of vertices; after map_names(), any numbers by which the user calls vertices.
    std::variant<graph::edge_columns<std::uint32_t>, graph::edge_columns<std::uint64_t>> edges;
    std::span<graph::operation const> operations = {}; ///< empty: every update inserts
    std::span<std::int64_t const> times = {};          ///< empty: updates have no times
    std::span<double const> weights = {};              ///< empty: updates name no weights
    /// Keeps the arrays alive. The source then reads them where they are. The last thread that reads the
    /// stream releases it, which need not be the caller's. nullptr: the source copies the arrays.
    std::shared_ptr<void const> owner = nullptr;
};

/// A stream of the updates in arrays, in their order. If the times do not ascend, in the order of the times;
/// updates of equal times keep their order.
///
/// Reading a batch throws std::invalid_argument for
/// - a number that is no vertex id (beyond 4294967293), unless names are mapped,
/// - a value of `operations` that is none,
/// - a weight that is not finite.
/// Memory: the copies if it makes them, and 8 bytes per update if the times do not ascend.
class array_updates final : public update_source {
public:
    /// Throws std::invalid_argument for arrays that are not equally long, for a time step without times, and
    /// for a negative time step and batches of 0 updates. `name`: what messages call the source. Cost: copies
    /// the arrays unless they have an owner; sorts the updates by time, O(n log n), if their times do not
    /// ascend.
    array_updates(update_arrays arrays, batch_rule const& rule, std::string name = "arrays");

    [[nodiscard]] io::vertex_names const& names() const override { return names_; }
    [[nodiscard]] bool has_times() override { return size_ == 0 || !arrays_.times.empty(); }
    [[nodiscard]] std::string const& name() const override { return name_; }
    [[nodiscard]] double fraction_read() const override;
    [[nodiscard]] std::uint64_t estimated_updates() override { return size_; }

private:
    bool read_updates(std::size_t count, io::update_batch& batch) override;
    bool read_time_step(std::int64_t step, std::size_t most, io::update_batch& batch) override;
    void start_names(io::vertex_names names) override;
    void copy_arrays();
    void append(std::size_t count, io::update_batch& batch);
    [[nodiscard]] graph::vertex_id vertex_of(std::uint64_t number, std::size_t index);
    /// The place in the arrays of the update that comes `number`th.
    [[nodiscard]] std::size_t index_of(std::size_t number) const {
        return order_.empty() ? number : order_[number];
    }

    update_arrays arrays_;
    std::string name_;
    std::size_t size_ = 0;
    std::size_t at_ = 0;               ///< updates that were read
    std::vector<std::uint64_t> order_; ///< empty: the order of the arrays
    io::vertex_names names_;
    bool maps_names_ = false;
};

} // namespace rhizome::stream
