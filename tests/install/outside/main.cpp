// Somebody else's program: a graph on the host, one batch, its triangles.
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <cstdio>
#include <vector>

int main() {
    using namespace rhizome;
    using graph_type = graph::dynamic_graph<exec::host>;
    graph_type graph(exec::host(), {.vertices = 4});
    std::vector<graph::edge> const edges = {{0, 1}, {1, 2}, {2, 0}, {2, 3}};
    bool const inserted = graph.insert_edges(edges).applied == 4;
    algorithms::triangle_counter<exec::host> triangles(graph.space());
    std::uint64_t const found = triangles.count(graph.view(), {});
    std::printf("%llu triangle(s)\n", static_cast<unsigned long long>(found));
    return inserted && found == 1 ? 0 : 1;
}
