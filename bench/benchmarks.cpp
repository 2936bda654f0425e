// The registry of the tool: the benchmarks of all folders.
#include <rhizome/bench/common_choices.hpp>
#include <rhizome/bench/registry.hpp>

#include <iterator>

namespace rhizome::bench {

std::vector<benchmark> const& benchmarks() {
    static std::vector<benchmark> const all = [] {
        std::vector<benchmark> joined = allocator_benchmarks();
        for (auto more : {graph_benchmarks(), compaction_benchmarks(), array_benchmarks(), walk_benchmarks(),
                          join_benchmarks(), coalescing_benchmarks(), communication_benchmarks(),
                          device_scaling_benchmarks()})
            joined.insert(joined.end(), std::make_move_iterator(more.begin()),
                          std::make_move_iterator(more.end()));
        return joined;
    }();
    return all;
}

} // namespace rhizome::bench
