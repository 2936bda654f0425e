// SPDX-License-Identifier: Apache-2.0
// The allocator and a view in plain __global__ kernels of any program: exec::this_thread() is the thread that
// they ask for. Prints how many neighbours the lists hold that the kernel has allocated.
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/rhizome.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using heap = rhizome::graph::default_allocator<rhizome::cuda_space>;
using graph_type = rhizome::dynamic_graph<rhizome::cuda_space>;

/// A list of its own for each vertex, in memory that the kernel allocates.
__global__ void copy_rows(graph_type::view_type view, heap::ref_type memory, std::uint32_t** lists) {
    auto const thread = rhizome::exec::this_thread();
    for (std::uint64_t v = thread.rank(); v < view.vertex_count(); v += thread.size()) {
        auto const row = view.neighbours(static_cast<std::uint32_t>(v));
        auto* const list =
            static_cast<std::uint32_t*>(memory.allocate(thread, (row.size() + 1) * sizeof(std::uint32_t)));
        lists[v] = list;
        if (list == nullptr) continue; // out of memory is a value, not a trap
        list[0] = static_cast<std::uint32_t>(row.size());
        for (std::uint64_t i = 0; i < row.size(); ++i)
            list[i + 1] = row[i];
    }
}

__global__ void count_and_free(heap::ref_type memory, std::uint32_t** lists, std::uint64_t count,
                               unsigned long long* total) {
    auto const thread = rhizome::exec::this_thread();
    for (std::uint64_t v = thread.rank(); v < count; v += thread.size()) {
        if (lists[v] == nullptr) continue;
        atomicAdd(total, lists[v][0]);
        memory.deallocate(thread, lists[v]);
    }
}

int main() {
    if (auto const reason = rhizome::cuda_space::unusable_because(); !reason.empty()) {
        std::fprintf(stderr, "no usable GPU: %s\n", reason.c_str());
        return 77;
    }
    rhizome::cuda_space space;
    graph_type graph(space, {.vertices = 1000});
    std::vector<rhizome::edge> ring;
    for (std::uint32_t v = 0; v < 1000; ++v)
        ring.push_back({v, (v + 1) % 1000});
    graph.insert_edges(ring);

    heap memory(space, {.heap_bytes = 1u << 20});
    rhizome::exec::buffer<rhizome::cuda_space, std::uint32_t*> lists(space, 1000);
    rhizome::exec::buffer<rhizome::cuda_space, unsigned long long> total(space, 1);
    total.fill_bytes(0);
    copy_rows<<<4, 256, 0, space.stream()>>>(graph.view(), memory.ref(), lists.data());
    count_and_free<<<4, 256, 0, space.stream()>>>(memory.ref(), lists.data(), 1000, total.data());
    std::printf("%llu neighbours in 1000 lists\n", total.to_host()[0]);
    std::printf("in use after freeing: %llu bytes\n",
                static_cast<unsigned long long>(memory.audit().live_bytes));
    return 0;
}
