// Names to types: what the tool can be asked for.
#include <rhizome/cli/choices.hpp>
#include <rhizome/cli/names.hpp>
#include <rhizome/exec/host.hpp>

#include <stdexcept>
#include <type_traits>

namespace rhizome::cli {

std::vector<named_choice> spaces() {
    std::vector<named_choice> choices;
    if (built_with_cuda()) choices.push_back({"cuda", "CUDA kernels on the GPU"});
    choices.push_back({"host", "OS threads of this machine"});
    choices.push_back({"simt", "emulated GPU with a seeded scheduler, for tests: slow"});
    return choices;
}

std::vector<named_choice> allocators() {
    std::vector<named_choice> choices;
    for_each_allocator<exec::host>([&]<class Allocator>(char const* name, char const* summary) {
        bool of_graphs = false;
        for_each_graph<exec::host>([&]<class, class Other>(char const*, char const*) {
            of_graphs |= std::is_same_v<Allocator, Other>;
        });
        if (of_graphs) choices.push_back({name, summary});
    });
    return choices;
}

std::vector<named_choice> block_allocators() {
    std::vector<named_choice> choices;
    for_each_allocator<exec::host>([&]<class Allocator>(char const* name, char const* summary) {
        choices.push_back({name, summary});
    });
    return choices;
}

std::vector<named_choice> layouts() {
    return {{graph::contiguous::name, "one page a vertex, neighbours sorted"},
            {graph::linked_pages<>::name, "pages of one size in a list, never copied, as in faimGraph"},
            {graph::buckets<>::name, "each twice as large as the one before, never copied, as in GGArray"}};
}

std::unique_ptr<session> open_session(std::uint64_t vertex_count, session_options const& options) {
    auto const require = [](char const* option, std::string const& name,
                            std::vector<named_choice> const& of) {
        if (!name.empty()) (void)checked_name(option, name, names_of(of));
    };
    require("allocator", options.allocator, allocators());
    require("layout", options.layout, layouts());
    if (options.space != "cuda") require("space", options.space, spaces());
    std::string const unusable = cuda_unusable_because();
    std::string const space = !options.space.empty() ? options.space : unusable.empty() ? "cuda" : "host";
    bool const weights = options.weights;
    if (space == "host") return (weights ? open_weighted_on_host : open_on_host)(vertex_count, options);
    if (space == "simt") return (weights ? open_weighted_on_simt : open_on_simt)(vertex_count, options);
    if (!unusable.empty()) throw std::runtime_error("--space cuda: " + unusable);
    return (weights ? open_weighted_on_cuda : open_on_cuda)(vertex_count, options);
}

} // namespace rhizome::cli
