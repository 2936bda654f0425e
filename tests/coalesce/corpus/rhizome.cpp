// options:
// Kernels of Rhizome's that are left alone, beside some that are not.
#include <rhizome/alloc/block_storage.hpp>
#include <rhizome/exec/alone.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/simt.hpp>

#include <stand_in.hpp>

namespace {
namespace alloc = rhizome::alloc;
namespace exec = rhizome::exec;

#define KERNEL(name)                                                                                                   \
    struct name {                                                                                                      \
        alloc::stand_in_ref heap;                                                                                      \
        alloc::stand_in_ref heaps[2];                                                                                  \
        alloc::bump_ref plain;                                                                                         \
        std::uint64_t* words;                                                                                          \
        std::uint64_t n;                                                                                               \
        template <class Thread>                                                                                        \
        RZ_HD void operator()(Thread const& thread) const;                                                             \
    };                                                                                                                 \
    template <class Thread>                                                                                            \
    RZ_HD void name::operator()(Thread const& thread) const

void use(void* p) { static_cast<void>(p); }

KERNEL(member) { use(heap.allocate(thread, n)); }                          // rewritten block
KERNEL(of_the_block) { use(heap.allocate(thread, thread.block().index())); } // rewritten block
KERNEL(of_the_thread) { use(heap.allocate(thread, thread.rank())); }       // left: the result of 'rank'
KERNEL(of_memory) { use(heap.allocate(thread, words[0])); }                // left: a load from memory
KERNEL(of_an_atomic) {
    use(heap.allocate(thread, thread.device(words[0]).fetch_add(1, exec::order::relaxed))); // left: fetch_add
}
KERNEL(of_a_shuffle) { use(heap.allocate(thread, thread.warp().broadcast(n, 0))); } // left: the result of 'broadcast'
KERNEL(same_heap) { use(heaps[n & 1].allocate(thread, 8)); }                        // rewritten block
KERNEL(own_heap) { use(heaps[thread.rank() & 1].allocate(thread, 8)); }             // left: arguments may differ
KERNEL(other_allocator) { use(plain.allocate(thread, n)); }                         // left: its allocator has no static calls
KERNEL(alone) { use(heap.allocate(exec::alone(thread), n)); }                       // left: its thread may stand for another
KERNEL(waits) {
    while (thread.device(words[0]).load(exec::order::acquire) == 0)
        thread.relax();
    use(heap.allocate(thread, n)); // left: a loop that may wait
}
KERNEL(by_kind_of_thread) {
    if constexpr (Thread::prefers_runs) return;
    use(heap.allocate(thread, n)); // left: if constexpr
}
KERNEL(by_item) {
    exec::for_each_item(thread, n, [&](std::uint64_t) { use(heap.allocate(thread, n)); }); // left: it is inside a lambda
}
KERNEL(after_items) {
    exec::for_each_item(thread, n, [&](std::uint64_t i) { words[i] = 1; });
    use(heap.allocate(thread, n)); // rewritten block
}
KERNEL(barrier_of_some) {
    if (thread.rank() < 3) thread.block().sync();
    use(heap.allocate(thread, n)); // left: a barrier that only some threads reach
}
KERNEL(barrier_of_all) {
    thread.block().sync();
    use(heap.allocate(thread, n)); // rewritten block
}
KERNEL(local_ref) {
    auto const own = heap;
    use(own.allocate(thread, n)); // rewritten block
}
KERNEL(nobody_launches) { use(heap.allocate(thread, n)); } // left: in a template

struct called_by_another {
    alloc::stand_in_ref heap;
    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        use(heap.allocate(thread, 8)); // left: other code calls directly
    }
};
struct calls_another {
    alloc::stand_in_ref heap;
    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() == 0) called_by_another{heap}(thread);
    }
};
struct changes {
    alloc::stand_in_ref heap;
    mutable std::uint64_t n;
    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        use(heap.allocate(thread, n)); // left: a load from memory
        n = thread.rank();
    }
};

template <class... Kernels>
void launch(exec::simt_space& space, alloc::stand_in_ref heap) {
    (exec::launch(space, exec::launch_shape{1, 32}, Kernels{heap, {heap, heap}, heap, nullptr, 8}), ...);
}
} // namespace

void launch_all(exec::simt_space space, alloc::stand_in_ref heap) {
    launch<member, of_the_block, of_the_thread, of_memory, of_an_atomic, of_a_shuffle, same_heap, own_heap,
           other_allocator, alone, waits, by_kind_of_thread, by_item, after_items, barrier_of_some, barrier_of_all,
           local_ref>(space, heap);
    exec::launch(space, exec::launch_shape{1, 32}, called_by_another{heap});
    exec::launch(space, exec::launch_shape{1, 32}, calls_another{heap});
    exec::launch(space, exec::launch_shape{1, 32}, changes{heap, 8});
}
