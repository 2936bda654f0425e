#include <rhizome/bench/graphs/subject_on.hpp>
#include <rhizome/exec/host.hpp>

#include <algorithm>

namespace rhizome::bench {

std::unique_ptr<graph_subject> open_graph_on_host(graph_subject_options const& options) {
    return open_graph(exec::host({.threads = options.host_threads}), options);
}

std::vector<std::string> graph_type_names() {
    std::vector<std::string> names;
    for_each_graph_type<exec::host>(
        [&]<class Layout, class Allocator>(char const* layout, char const* allocator) {
            names.push_back(std::string(layout) + " with " + allocator);
        });
    return names;
}

std::vector<std::string> graph_layout_names() {
    std::vector<std::string> names;
    for_each_graph_type<exec::host>([&]<class Layout, class Allocator>(char const* layout, char const*) {
        if (std::find(names.begin(), names.end(), layout) == names.end()) names.emplace_back(layout);
    });
    return names;
}

} // namespace rhizome::bench
