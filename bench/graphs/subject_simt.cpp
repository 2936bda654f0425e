#include <rhizome/bench/graphs/subject_on.hpp>
#include <rhizome/exec/simt.hpp>

namespace rhizome::bench {

std::unique_ptr<graph_subject> open_graph_on_simt(graph_subject_options const& options) {
    return open_graph(exec::simt({.seed = options.seed}), options);
}

} // namespace rhizome::bench
