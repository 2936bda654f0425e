// SPDX-License-Identifier: Apache-2.0
// Heaps of figure 15 on one space.
#pragma once

#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/alloc/random_walk/random_walk_malloc.hpp>
#include <rhizome/bench/harness/subject_on.hpp>
#include <rhizome/bench/papers/random_walk/utilisation.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>

#include <stdexcept>
#include <utility>

namespace rhizome::bench {

template <class Ref>
struct request_blocks {
    Ref ref;
    std::uint64_t threads;
    std::uint64_t bytes;
    std::uint64_t* served;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        bool const asks = thread.rank() < threads;
        exec::add_to_total(thread, *served, asks && ref.allocate(thread, bytes) != nullptr ? 1 : 0);
    }
};

template <class Space, class Allocator>
class utilisation_subject_on final : public utilisation_subject {
public:
    utilisation_subject_on(Space space, std::uint64_t heap_bytes)
        : space_(std::move(space)),
          owner_(space_, alloc::heap_options{.heap_bytes = heap_bytes, .reserve_bytes = heap_bytes}),
          served_(space_, 1) {}

    [[nodiscard]] std::uint64_t request(std::uint64_t threads, std::uint64_t bytes) override {
        served_.fill_bytes(0);
        launch(space_, one_thread_each(space_, threads),
               request_blocks<typename Allocator::ref_type>{owner_.ref(), threads, bytes, served_.data()});
        return served_.to_host().front();
    }

private:
    Space space_;
    Allocator owner_;
    exec::buffer<Space, std::uint64_t> served_;
};

template <class Space, std::uint32_t LargestBytes>
[[nodiscard]] std::unique_ptr<utilisation_subject> open_utilisation_of(Space const& space,
                                                                       utilisation_options const& options) {
    using chunks = alloc::ouroboros<Space, alloc::page_based, alloc::array_queue,
                                    alloc::power_of_two_classes<16, LargestBytes>, LargestBytes>;
    using pages = alloc::random_walk_malloc<Space, LargestBytes / 32>;
    if (options.allocator == "ouroboros")
        return std::make_unique<utilisation_subject_on<Space, chunks>>(space, options.heap_bytes);
    return std::make_unique<utilisation_subject_on<Space, pages>>(space, options.heap_bytes);
}

template <class Space>
std::unique_ptr<utilisation_subject> open_on(chosen_space const& where, utilisation_options const& options) {
    auto const space = space_for<Space>(where, kernel_loading::lazy);
    if (options.allocator == "random-walk-malloc-16")
        return std::make_unique<utilisation_subject_on<Space, alloc::random_walk_malloc<Space, 16>>>(
            space, options.heap_bytes);
    switch (options.largest_bytes) {
    case 4096:
        return open_utilisation_of<Space, 4096>(space, options);
    case 8192:
        return open_utilisation_of<Space, 8192>(space, options);
    case 16384:
        return open_utilisation_of<Space, 16384>(space, options);
    case 32768:
        return open_utilisation_of<Space, 32768>(space, options);
    default:
        throw std::invalid_argument("no heap for such largest requests");
    }
}

} // namespace rhizome::bench
