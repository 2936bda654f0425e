// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/parts_reader.hpp>

#include <utility>

namespace rhizome::io {

parts_reader::parts_reader(std::string const& path) : parts_(path), reader_(parts_.open(0)) {
    if (!header().is_part()) return;
    part_sums sums;
    for (std::uint32_t number = 0; number < parts_.count(); ++number)
        sums.add(parts_.open(number)->header());
    parts_.expect_all(sums);
}

void parts_reader::expect_no_erased() const {
    if (!header().is_part()) return reader_->expect_no_erased();
    if (header().part.all_erased == 0) return;
    for (std::uint32_t number = 0; number < parts_.count(); ++number)
        parts_.open(number)->expect_no_erased();
}

std::size_t parts_reader::next_edges(std::span<graph::edge> edges, void* values) {
    for (;;) {
        std::size_t const count = reader_->next_edges(edges, values);
        if (count != 0 || edges.empty() || number_ + 1 == parts_.count()) return count;
        auto next = parts_.open(number_ + 1);
        edges_before_ += reader_->header().edges;
        reader_ = std::move(next);
        ++number_;
    }
}

double parts_reader::fraction_read() const {
    if (!header().is_part() || header().all_edges() == 0) return reader_->fraction_read();
    auto const here = static_cast<double>(reader_->header().edges);
    return (static_cast<double>(edges_before_) + reader_->fraction_read() * here) /
           static_cast<double>(header().all_edges());
}

} // namespace rhizome::io
