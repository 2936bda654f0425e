// SPDX-License-Identifier: Apache-2.0
// A graph with ids of 64 bits, its rows as the contiguous layout has them, from a list of arcs.
#pragma once

#include "oracles.hpp"

#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/format/row_format.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhizome::tests {

template <class Space>
class wide_rows {
    using id_type = graph::wide_vertex_id;
    using format = graph::row_format<id_type, void>;
    using record_type = format::record_type;

public:
    wide_rows(Space const& space, plain_graph const& graph, bool symmetric, bool in_arcs)
        : vertices_(graph.vertices), arcs_(graph.arcs.size()), stride_(in_arcs ? 2 : 1),
          symmetric_(symmetric), ids_(space), records_(space) {
        std::vector<std::vector<id_type>> rows(vertices_ * stride_);
        for (auto const& [source, target] : graph.arcs) {
            rows[source * std::uint64_t{stride_}].push_back(target);
            if (in_arcs) rows[target * std::uint64_t{stride_} + 1].push_back(source);
        }
        std::vector<id_type> ids;
        for (auto const& row : rows) {
            ids.insert(ids.end(), row.begin(), row.end());
            ids.resize((ids.size() + 1) / 2 * 2, graph::no_vertex_of<id_type>); // of 16 bytes
        }
        ids_ = exec::buffer<Space, id_type>(space, ids);
        std::vector<record_type> records;
        id_type* page = ids_.data();
        for (auto const& row : rows) {
            auto const degree = static_cast<std::uint32_t>(row.size());
            records.push_back(degree == 1 ? record_type{{row[0]}, 0, 1}
                                          : record_type::of(page, degree, degree));
            page += (row.size() + 1) / 2 * 2;
        }
        records_ = exec::buffer<Space, record_type>(space, records);
    }

    [[nodiscard]] graph::row_view<format> view() const {
        return {records_.data(), vertices_, stride_, symmetric_, {}, arcs_};
    }

private:
    std::uint64_t vertices_;
    std::uint64_t arcs_;
    std::uint32_t stride_;
    bool symmetric_;
    exec::buffer<Space, id_type> ids_;
    exec::buffer<Space, record_type> records_;
};

} // namespace rhizome::tests
