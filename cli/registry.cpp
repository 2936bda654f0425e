// Names to types: what the tool can be asked for.
#include <rhizome/cli/choices.hpp>
#include <rhizome/exec/host.hpp>

#include <algorithm>
#include <stdexcept>
#include <type_traits>

namespace rhizome::cli {

namespace {

std::string names_of(std::vector<named_choice> const& choices) {
    std::string names;
    for (named_choice const& choice : choices)
        names += (names.empty() ? "" : ", ") + choice.name;
    return names;
}

void require_name(std::string const& name, std::vector<named_choice> const& choices, char const* option) {
    bool const known =
        std::any_of(choices.begin(), choices.end(), [&](auto const& choice) { return choice.name == name; });
    if (!name.empty() && !known)
        throw usage_error(std::string(option) + ": unknown '" + name + "'; there are " + names_of(choices));
}

} // namespace

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
    require_name(options.allocator, allocators(), "--allocator");
    require_name(options.layout, layouts(), "--layout");
    if (options.space != "cuda") require_name(options.space, spaces(), "--space");
    std::string const unusable = cuda_unusable_because();
    std::string const space = !options.space.empty() ? options.space : unusable.empty() ? "cuda" : "host";
    if (space == "host") return open_on_host(vertex_count, options);
    if (space == "simt") return open_on_simt(vertex_count, options);
    if (!unusable.empty()) throw std::runtime_error("--space cuda: " + unusable);
    return open_on_cuda(vertex_count, options);
}

} // namespace rhizome::cli
