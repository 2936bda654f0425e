// SPDX-License-Identifier: Apache-2.0
// A snapshot on one space, behind its interface.
#pragma once

#include <rhizome/graph/csr.hpp>
#include <rhizome/runtime/any_graph.hpp>

#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::runtime::detail {

/// What algorithms need of a snapshot, whatever its values are.
template <class Space>
class viewed_snapshot : public any_snapshot {
public:
    [[nodiscard]] virtual graph::csr_view view() const = 0;
};

template <class Space, class EdgeValue>
class snapshot_on final : public viewed_snapshot<Space> {
public:
    explicit snapshot_on(graph::csr<Space, EdgeValue> copy) : copy_(std::move(copy)) {}

    [[nodiscard]] graph::csr_view view() const override { return copy_.view(); }
    /// With the values of the edges.
    [[nodiscard]] graph::basic_csr_view<graph::vertex_id, EdgeValue> weighted_view() const {
        return copy_.view();
    }
    [[nodiscard]] rows_in_space rows() const override {
        return {copy_.offsets.data(),
                copy_.targets.data(),
                copy_.values.size() == 0 ? nullptr : copy_.values.data(),
                copy_.vertices,
                copy_.targets.size(),
                copy_.symmetric};
    }
    [[nodiscard]] std::vector<std::uint64_t> offsets_on_host() const override {
        return copy_.offsets.to_host();
    }
    [[nodiscard]] std::vector<graph::vertex_id> targets_on_host() const override {
        return copy_.targets.to_host();
    }
    [[nodiscard]] values values_on_host() const override {
        if constexpr (std::is_void_v<EdgeValue>)
            return {};
        else
            return copy_.values.to_host();
    }

private:
    graph::csr<Space, EdgeValue> copy_;
};

} // namespace rhizome::runtime::detail
