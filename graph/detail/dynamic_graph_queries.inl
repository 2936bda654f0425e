// Queries from host memory: copied into the space, answered there, copied back.

namespace rhizome::graph {

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
std::vector<std::uint8_t>
basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::has_edges(std::span<edge_type const> edges) {
    std::vector<std::uint8_t> present(edges.size());
    if (edges.empty()) return present;
    auto* const asked = asked_.template at_least_of<edge_type>(edges.size());
    auto* const found = answers_.template at_least_of<std::uint8_t>(edges.size());
    space_.copy_in(asked, edges.data(), edges.size_bytes());
    has_edges_in_space(asked, edges.size(), found);
    space_.copy_out(present.data(), found, present.size());
    return present;
}

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
std::vector<std::uint32_t>
basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::degrees(std::span<Id const> ids) {
    std::vector<std::uint32_t> degrees(ids.size());
    if (ids.empty()) return degrees;
    auto* const asked = asked_.template at_least_of<Id>(ids.size());
    auto* const found = answers_.template at_least_of<std::uint32_t>(ids.size());
    space_.copy_in(asked, ids.data(), ids.size_bytes());
    degrees_in_space(asked, ids.size(), found);
    space_.copy_out(degrees.data(), found, degrees.size() * sizeof(degrees[0]));
    return degrees;
}

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
auto basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::neighbours_of(std::span<Id const> ids)
    -> neighbour_lists<Id, value_type> {
    neighbour_lists<Id, value_type> lists;
    lists.offsets.resize(ids.size() + 1);
    if (ids.empty()) return lists;
    auto* const offsets = static_cast<std::uint64_t*>(
        asked_.at_least(lists.offsets.size() * sizeof(std::uint64_t) + ids.size_bytes()));
    auto* const asked = reinterpret_cast<Id*>(offsets + lists.offsets.size());
    space_.copy_in(asked, ids.data(), ids.size_bytes());
    std::uint64_t const total = neighbour_offsets_in_space(asked, ids.size(), offsets);
    space_.copy_out(lists.offsets.data(), offsets, lists.offsets.size() * sizeof(std::uint64_t));
    if (total == 0) return lists;
    auto* const targets = answers_.template at_least_of<Id>(total);
    lists.targets.resize(total);
    if constexpr (has_values) {
        auto* const values = values_found_.template at_least_of<value_type>(total);
        lists.values.resize(total);
        neighbours_in_space(asked, ids.size(), offsets, total, targets, values);
        space_.copy_out(lists.values.data(), values, total * sizeof(value_type));
    } else {
        neighbours_in_space(asked, ids.size(), offsets, total, targets);
    }
    space_.copy_out(lists.targets.data(), targets, total * sizeof(Id));
    return lists;
}

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
memory_report basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::memory() {
    row_audit const rows_found = audit_all_rows();
    memory_report report;
    // The heap of a foreign allocator may hold more than it was asked to.
    report.heap_bytes = std::max(allocator_.heap_bytes(), rows_found.pages_bytes);
    report.adjacency_bytes = rows_found.paged_arcs * (sizeof(Id) + format::value_bytes);
    report.inline_bytes = (rows_found.arcs - rows_found.paged_arcs) * sizeof(Id);
    report.slack_bytes = rows_found.pages_bytes - report.adjacency_bytes;
    report.free_bytes = report.heap_bytes - rows_found.pages_bytes;
    report.vertex_table_bytes = table_.held_bytes() + slots_.held_bytes() + ids_.held_bytes();
    report.allocator_table_bytes = allocator_.table_bytes();
    report.scratch_bytes = scratch_.held_bytes() + scoreboard_.held_bytes() + stager_.held_bytes() +
                           audit_.size_bytes() + asked_.held_bytes() + answers_.held_bytes() +
                           values_found_.held_bytes();
    report.edges = edges_;
    return report;
}

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
csr<Space, EdgeValue, Id> basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::snapshot() {
    integrity_.expect_whole();
    return graph::snapshot<EdgeValue>(space_, scratch_.primitives, view());
}

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
auto basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::find_values(
    std::span<edge_type const> edges) -> found_values<value_type> {
    found_values<value_type> found{std::vector<value_type>(edges.size()),
                                   std::vector<std::uint8_t>(edges.size())};
    if (edges.empty()) return found;
    edge_type* const asked = asked_.template at_least_of<edge_type>(edges.size());
    auto* const present = answers_.template at_least_of<std::uint8_t>(edges.size());
    auto* const values = values_found_.template at_least_of<value_type>(edges.size());
    space_.copy_in(asked, edges.data(), edges.size_bytes());
    find_values_in_space(asked, edges.size(), values, present);
    space_.copy_out(found.values.data(), values, found.values.size() * sizeof(value_type));
    space_.copy_out(found.present.data(), present, found.present.size());
    return found;
}

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
void basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::has_edges_in_space(edge_type const* edges,
                                                                                      std::uint64_t count,
                                                                                      std::uint8_t* present) {
    graph::has_edges(space_, view(), edges, count, present);
}

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
void basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::degrees_in_space(Id const* ids,
                                                                                    std::uint64_t count,
                                                                                    std::uint32_t* degrees) {
    graph::degrees_of(space_, view(), ids, count, degrees);
}

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
std::uint64_t basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::neighbour_offsets_in_space(
    Id const* ids, std::uint64_t count, std::uint64_t* offsets) {
    return graph::neighbour_offsets(space_, scratch_.primitives, view(), ids, count, offsets);
}

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
void basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::neighbours_in_space(
    Id const* ids, std::uint64_t count, std::uint64_t const* offsets, std::uint64_t total, Id* targets) {
    graph::neighbours_of(space_, view(), ids, count, offsets, total, targets);
}

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
void basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::copy_neighbours_in_space(
    Id const* ids, std::uint64_t count, std::uint64_t const* offsets, std::uint64_t total, Id* targets,
    value_type* values) {
    if constexpr (has_values)
        graph::neighbours_of(space_, view(), ids, count, offsets, total, targets, values);
}

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
void basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::find_values_in_space(
    edge_type const* edges, std::uint64_t count, value_type* values, std::uint8_t* present) {
    if constexpr (has_values) graph::edge_values(space_, view(), edges, count, values, present);
}

template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
std::vector<std::span<Id const>> basic_dynamic_graph<Id, Space, Layout, Allocator, EdgeValue>::row_places() {
    std::vector<std::span<Id const>> places;
    if constexpr (requires { Layout::one_page_a_row; }) {
        std::vector<record_type> records(vertices_ * stride_);
        if (!records.empty()) space_.copy_out(records.data(), rows(), records.size() * sizeof(record_type));
        places.reserve(vertices_);
        for (std::uint64_t row = 0; row < records.size(); row += stride_)
            places.emplace_back(format::ids_of(rows() + row, records[row]), records[row].degree);
    }
    return places;
}

} // namespace rhizome::graph
