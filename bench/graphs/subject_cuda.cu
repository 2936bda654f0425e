#include <rhizome/bench/graphs/subject_on.hpp>
#include <rhizome/exec/cuda.hpp>

namespace rhizome::bench {

std::unique_ptr<graph_subject> open_graph_on_cuda(graph_subject_options const& options) {
    return open_graph(exec::cuda(), options);
}

} // namespace rhizome::bench
