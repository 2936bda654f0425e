// SPDX-License-Identifier: Apache-2.0
// A file of updates, applied batch by batch, with a question after each batch.
// Prints what each batch changed, and how many triangles the graph has then.
#include "space.hpp"

#include <rhizome/rhizome.hpp>

#include <cstdio>
#include <fstream>

int main() {
    char const* const path = "file_stream.txt";
    std::ofstream(path) << "+ 0 1\n+ 1 2\n+ 2 0\n+ 2 3\n- 0 1\n+ 3 0\n+ 0 1\n- 1 2\n+ 3 1\n";

    rhizome::dynamic_graph<examples::space> graph(examples::open_space());
    rhizome::stream_updates(graph, path, {.batch_updates = 3}, [&](rhizome::streamed_batch const& batch) {
        std::printf("batch %d: %d inserted, %d erased, %d triangle(s)\n", static_cast<int>(batch.number),
                    static_cast<int>(batch.inserted.applied), static_cast<int>(batch.erased.applied),
                    static_cast<int>(rhizome::count_triangles(graph)));
    });
    std::remove(path);
    return 0;
}
