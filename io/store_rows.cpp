// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/host/mapped_memory.hpp>
#include <rhizome/graph/row_order.hpp>
#include <rhizome/io/store_section.hpp>

#include <algorithm>
#include <stdexcept>

namespace rhizome::io {
namespace {

/// An array to be filled from one end to the other. Not a vector, which would write zeros first.
template <class Item>
std::unique_ptr<Item[]> array_to_fill(std::uint64_t items) {
    auto array = std::make_unique_for_overwrite<Item[]>(items);
    exec::prefer_large_pages(array.get(), items * sizeof(Item));
    return array;
}

} // namespace

std::uint64_t store_reader::rows_bytes(bool with_values) const {
    return (header_.vertices + 1) * sizeof(std::uint64_t) +
           header_.edges * (sizeof(graph::vertex_id) + (with_values ? header_.value_bytes : 0));
}

stored_arrays store_reader::read_rows(exec::thread_team& team, bool with_values) {
    if (begun_) throw std::logic_error("store_reader: rows are read before any edges");
    if (header_.is_part()) throw std::logic_error("store_reader: a part is read edge by edge");
    begun_ = true;
    stored_arrays rows{array_to_fill<std::uint64_t>(header_.vertices + 1),
                       array_to_fill<graph::vertex_id>(header_.edges), nullptr};
    if (with_values) rows.values = array_to_fill<std::byte>(header_.edges * header_.value_bytes);
    if (!read_right_rows(team, rows)) find_damage();
    offsets_->finish();
    targets_->finish();
    values_->finish();
    check_names();
    given_ = header_.edges;
    ended_ = true;
    return rows;
}

/// Returns whether the offsets and targets are right. The checksums are not compared yet.
bool store_reader::read_right_rows(exec::thread_team& team, stored_arrays const& rows) {
    std::uint64_t const* const offsets = rows.offsets.get();
    std::uint64_t const vertices = header_.vertices;
    auto const ascend = [&](std::uint64_t first, std::uint64_t last) {
        return std::is_sorted(offsets + first, offsets + last);
    };
    if (!offsets_->read_all(team, rows.offsets.get(), ascend)) return false;
    constexpr std::uint64_t block = store_block_bytes / sizeof(std::uint64_t);
    for (std::uint64_t first = block; first <= vertices; first += block)
        if (offsets[first - 1] > offsets[first]) return false;
    if (offsets[0] != 0 || offsets[vertices] != header_.edges) return false;
    for (graph::vertex_id const v : erased_)
        if (offsets[v] != offsets[v + std::uint64_t{1}]) return false;
    if (!erased_.empty() && is_erased_.empty()) {
        is_erased_.resize(vertices);
        for (graph::vertex_id const v : erased_)
            is_erased_[v] = true;
    }

    // Blocks of whole rows, so that a thread can check them.
    constexpr std::uint64_t block_targets = store_block_bytes / sizeof(graph::vertex_id);
    std::uint64_t const blocks = (header_.edges + block_targets - 1) / block_targets;
    auto const first_row = [&](std::uint64_t target) {
        return static_cast<std::uint64_t>(std::lower_bound(offsets, offsets + vertices, target) - offsets);
    };
    bool const right = targets_->read_all(
        team, rows.targets.get(), blocks,
        [&](std::uint64_t number) {
            return number == blocks ? header_.edges : offsets[first_row(number * block_targets)];
        },
        [&](std::uint64_t first, std::uint64_t last) {
            return rows_are_right(rows, first_row(first), first_row(last));
        });
    return right &&
           (rows.values == nullptr ||
            values_->read_all(team, rows.values.get(), [](std::uint64_t, std::uint64_t) { return true; }));
}

/// Whether the targets of the rows `first` to `last` - 1 are right.
bool store_reader::rows_are_right(stored_arrays const& rows, std::uint64_t first, std::uint64_t last) const {
    std::uint64_t const* const offsets = rows.offsets.get();
    graph::vertex_id const* const targets = rows.targets.get();
    if (offsets[first] == offsets[last]) return true;
    auto const found = graph::look_at_order(offsets, targets, first, last);
    if (!found.ascends || found.most >= header_.vertices) return false;
    if (!header_.directed && found.begin_below != 0) return false;
    if (!header_.self_loops &&
        (header_.directed ? graph::has_self_loop(offsets, targets, first, last) : found.begin_with_loop != 0))
        return false;
    return is_erased_.empty() || std::none_of(targets + offsets[first], targets + offsets[last],
                                              [&](graph::vertex_id target) { return is_erased_[target]; });
}

} // namespace rhizome::io
