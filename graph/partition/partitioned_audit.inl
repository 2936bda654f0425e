// SPDX-License-Identifier: Apache-2.0
// Invariants and memory over all ranks. Bodies of partitioned_graph.hpp.
#pragma once

#include <rhizome/graph/partition/mirrors.hpp>

#include <bit>
#include <exception>

namespace rhizome::graph {

/// Whether no rank has found anything. If others have, adds a line for each.
template <class Space, owner_policy Owners, class EdgeValue, class Id>
bool partitioned_graph<Space, Owners, EdgeValue, Id>::all_find_nothing(std::vector<std::string>& found) {
    bool nothing = true;
    auto const lines = all_or_none(*self_, 1, [&] { return std::vector<std::uint64_t>{found.size()}; });
    for (std::size_t each = 0; each < lines.size(); ++each) {
        nothing = nothing && lines[each] == 0;
        if (each != rank() && lines[each] != 0)
            found.push_back("graph: rank " + std::to_string(each) + " finds " + std::to_string(lines[each]) +
                            " broken invariants");
    }
    return nothing;
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
std::vector<std::string> partitioned_graph<Space, Owners, EdgeValue, Id>::validate() {
    std::vector<std::string> found;
    if (broken()) found.emplace_back("graph: a change broke off midway: ranks may hold different graphs");
    for (std::string& line : local_->validate())
        found.push_back(std::move(line));
    if (!all_find_nothing(found)) return found;

    std::optional<csr<Space, EdgeValue, Id>> copy;
    std::vector<std::uint32_t> bits;
    static_cast<void>(all_or_none(*self_, 0, [&]() -> std::vector<std::uint64_t> {
        copy.emplace(local_->snapshot());
        if (ids_->free_count() != 0) bits.resize((vertices_ + 31) / 32);
        space().copy_out(bits.data(), ids_->bits(), bits.size() * sizeof(std::uint32_t));
        return {};
    }));
    sent_value const* values = nullptr;
    if constexpr (has_values) values = copy->values.data();
    mirror_counts const mirrors = check_mirrors(*self_, view(), exchange_, *copy, values);
    std::uint64_t dead = 0;
    for (std::uint32_t const word : bits)
        dead += static_cast<std::uint64_t>(std::popcount(word));

    // Sums over the ranks, and counts that are the same on all.
    constexpr std::size_t words = 5;
    auto const told = all_or_none(*self_, words, [&] {
        return std::vector<std::uint64_t>{local_->edge_count(), copy->targets.size(),
                                          local_->arcs_in_all_rows(), vertices_, ids_->free_count()};
    });
    std::uint64_t edges = 0;
    std::uint64_t out_arcs = 0;
    std::uint64_t arcs = 0;
    auto const expect_equal = [&](std::uint64_t left, std::uint64_t right, std::string const& equation) {
        if (left != right)
            found.push_back("graph: " + equation + ": " + std::to_string(left) +
                            " != " + std::to_string(right));
    };
    for (std::size_t each = 0; each < told.size(); each += words) {
        edges += told[each];
        out_arcs += told[each + 1];
        arcs += told[each + 2];
        std::string const where = "rank " + std::to_string(each / words);
        expect_equal(told[each + 3], vertices_, "vertices at " + where + " = vertices here");
        expect_equal(told[each + 4], ids_->free_count(), "erased vertices at " + where + " = those here");
    }
    bool const in_rows = options().in_arcs;
    expect_equal(mirrors.missing, 0, "arcs of other ranks without their mirror here = 0");
    expect_equal(mirrors.unequal_values, 0, "arcs of other ranks whose mirror here has another value = 0");
    expect_equal(mirrors.unknown_ends, 0, "arcs with an end that is no live vertex = 0");
    expect_equal(edges, edges_, "sum of the edges of all ranks = edges");
    expect_equal(arcs, in_rows ? 2 * out_arcs : out_arcs,
                 "arcs in rows of all ranks = arcs and their mirrors");
    expect_equal(directed() ? copy->targets.size() : mirrors.representatives, local_->edge_count(),
                 "arcs that stand for their edge = edges of this rank");
    expect_equal(dead, ids_->free_count(), "vertices marked as erased = free ids");
    static_cast<void>(all_find_nothing(found));
    return found;
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
memory_report partitioned_graph<Space, Owners, EdgeValue, Id>::memory() {
    memory_report report = local_->memory();
    report.scratch_bytes += exchange_.held_bytes() + scratch_.held_bytes();
    report.vertex_table_bytes += ids_->held_bytes();
    return report;
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
memory_report partitioned_graph<Space, Owners, EdgeValue, Id>::memory_of_all() {
    auto const words_of = [](memory_report& report) {
        return std::array{&report.heap_bytes,       &report.adjacency_bytes,       &report.slack_bytes,
                          &report.free_bytes,       &report.vertex_table_bytes,    &report.inline_bytes,
                          &report.scratch_bytes,    &report.allocator_table_bytes, &report.edges,
                          &report.compactable_bytes};
    };
    memory_report sum;
    auto const totals = words_of(sum);
    auto const told = all_or_none(*self_, totals.size(), [&] {
        memory_report mine = memory();
        std::vector<std::uint64_t> words;
        for (std::uint64_t const* word : words_of(mine))
            words.push_back(*word);
        return words;
    });
    for (std::size_t i = 0; i < told.size(); ++i)
        *totals[i % totals.size()] += told[i];
    return sum;
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
compaction_report partitioned_graph<Space, Owners, EdgeValue, Id>::compact(std::uint64_t most_moved_bytes) {
    expect_whole();
    compaction_report mine;
    std::exception_ptr refused; // this part is whole
    std::exception_ptr failed;
    try {
        mine = local_->compact(most_moved_bytes);
    } catch (std::exception const&) {
        (local_->broken() ? failed : refused) = std::current_exception();
    }
    sum_reports({}, failed); // throws if a part is broken
    compaction_report sum;
    auto const told = all_or_none(*self_, 2, [&] {
        if (refused) std::rethrow_exception(refused);
        return std::vector<std::uint64_t>{mine.moved_bytes, mine.returned_bytes};
    });
    for (std::size_t i = 0; i < told.size(); i += 2)
        sum += {told[i], told[i + 1]};
    return sum;
}

} // namespace rhizome::graph
