// SPDX-License-Identifier: Apache-2.0
// A sliding window over a stream: a graph of the messages of the last seven days. Each line of the file is an
// edge and its day. The window adds the erasures of edges that are too old to each batch. Prints the edges
// and components of the graph after each batch of four messages.
#include "space.hpp"

#include <rhizome/io/batch_reducer.hpp>
#include <rhizome/io/sliding_window.hpp>
#include <rhizome/io/update_stream.hpp>
#include <rhizome/rhizome.hpp>

#include <cstdio>
#include <fstream>

int main() {
    char const* const path = "sliding_window.txt";
    std::ofstream(path) << "0 1 1\n1 2 1\n2 0 2\n3 4 3\n" // sender, receiver, day
                           "4 5 5\n0 1 6\n5 3 6\n2 3 7\n"
                           "1 2 9\n6 7 9\n7 4 10\n6 4 14\n";

    rhizome::dynamic_graph<examples::space> graph(examples::open_space(), {.vertices = 8});
    rhizome::io::update_reader reader(path, {.format = rhizome::io::stream_format::temporal});
    rhizome::io::sliding_window window(rhizome::io::sliding_window::kind::time, 7, graph.directed());
    rhizome::io::batch_reducer reduce; // of several updates of one edge in a batch, the last holds
    rhizome::io::update_batch batch;
    while (reader.next_batch(4, batch)) {
        auto const day = static_cast<int>(batch.times.back());
        window.slide(batch);
        auto const& net = reduce.reduce(batch.updates, graph.directed());
        auto const inserted = graph.insert_edges(net.insertions);
        auto const erased = graph.erase_edges(net.deletions);
        std::printf("day %d: %d new, %d too old, %d edges in %d components\n", day,
                    static_cast<int>(inserted.applied), static_cast<int>(erased.applied),
                    static_cast<int>(graph.edge_count()),
                    static_cast<int>(rhizome::connected_components(graph).count));
    }
    std::remove(path);
    return 0;
}
