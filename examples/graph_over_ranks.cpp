// SPDX-License-Identifier: Apache-2.0
// A graph over three ranks. Here the ranks are threads of this program; with the backend nccl they are
// processes with a GPU each, and the function `work_of_rank` stays the same.
// Prints what the batches changed, and what algorithms find in the whole graph.
#include "space.hpp"

#include <rhizome/algorithms/partitioned/components.hpp>
#include <rhizome/algorithms/partitioned/triangles.hpp>
#include <rhizome/comm/threads.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/partition/partitioned_graph.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using examples::space;
using rhizome::graph::edge;
using graph = rhizome::graph::partitioned_graph<space>; // vertex v belongs to rank v modulo ranks

/// Finds the largest degree among the vertices of one rank.
struct largest_degree {
    graph::view_type view;
    std::uint32_t* largest;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        rhizome::exec::for_each_item(thread, view.row_count(), [&](std::uint64_t row) {
            if (view.is_used(row))
                thread.device(*largest).fetch_max(view.degree(view.id_of(row)),
                                                  rhizome::exec::order::relaxed);
        });
    }
};

void work_of_rank(rhizome::comm::communicator<space>& self) {
    auto const ranks = static_cast<std::uint32_t>(self.size());
    auto const rank = static_cast<std::uint32_t>(self.rank());
    auto const number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    bool const prints = rank == 0;

    // All ranks make the graph together, and insert their shares of a batch: a wheel of 3000 spokes.
    graph g(self, rhizome::graph::modulo_owners(ranks), {.vertices = 4000});
    std::vector<edge> mine;
    for (std::uint32_t v = 1 + rank; v <= 3000; v += ranks) {
        mine.push_back({0, v});
        mine.push_back({v, v % 3000 + 1});
    }
    auto const inserted = g.insert_edges(mine);
    if (prints) std::printf("inserted %llu edges\n", number(inserted.applied));

    // A batch may also begin on one rank. The others pass nothing.
    std::vector<edge> const spoke = {{0, 7}};
    auto const erased = prints ? g.erase_edges(spoke) : g.erase_edges({});
    if (prints)
        std::printf("erased %llu edge, %llu are left\n", number(erased.applied), number(g.edge_count()));

    rhizome::algorithms::partitioned_triangles<space> triangles(self);
    std::uint64_t const found = triangles.count(g.view());
    rhizome::algorithms::partitioned_components<space> components(self);
    rhizome::exec::buffer<space, std::uint32_t> least(g.space(), g.view().row_count());
    std::uint64_t const parts = components.run(g.view(), least.data());
    if (prints) std::printf("%llu triangles, %llu components\n", number(found), number(parts));

    // A kernel of one's own reads the rows of this rank. all_reduce then combines what the ranks have found.
    rhizome::exec::buffer<space, std::uint32_t> largest(g.space(), 1);
    largest.fill_bytes(0);
    launch(g.space(), cover_threads(g.space(), g.view().row_count()),
           largest_degree{g.view(), largest.data()});
    self.all_reduce(largest.data(), largest.data(), 1, rhizome::comm::reduction::max).or_throw();
    self.wait().or_throw();
    if (prints) std::printf("largest degree %u\n", largest.to_host()[0]);
}

} // namespace

int main() {
    std::vector<space> spaces;
    for (int rank = 0; rank < 3; ++rank)
        spaces.push_back(examples::open_space());
    rhizome::comm::run_ranks(spaces, work_of_rank);
    return 0;
}
