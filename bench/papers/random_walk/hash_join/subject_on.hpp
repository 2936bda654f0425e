// SPDX-License-Identifier: Apache-2.0
// Hash joins under measurement on one space.
#pragma once

#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/alloc/random_walk/random_walk.hpp>
#include <rhizome/alloc/random_walk/random_walk_malloc.hpp>
#include <rhizome/bench/harness/subject_on.hpp>
#include <rhizome/bench/papers/random_walk/hash_join/counter_pages.hpp>
#include <rhizome/bench/papers/random_walk/hash_join/hash_join.hpp>
#include <rhizome/bench/papers/random_walk/hash_join/subject.hpp>
#include <rhizome/exec/stopwatch.hpp>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace rhizome::bench {

/// A heap of which the probe takes its pages.
template <class Space>
class page_source {
public:
    virtual ~page_source() = default;
    /// Gives up the old heap, and makes a new one.
    virtual void renew() = 0;
    virtual void probe(hash_join<Space>& join, std::uint32_t page_bytes) = 0;
};

template <class Space, class Owner>
class page_source_on final : public page_source<Space> {
public:
    /// make(place): puts an owner there.
    explicit page_source_on(std::function<void(std::optional<Owner>&)> make) : make_(std::move(make)) {}

    void renew() override {
        owner_.reset(); // first, so that two heaps never exist together
        make_(owner_);
    }
    void probe(hash_join<Space>& join, std::uint32_t page_bytes) override {
        join.probe(owner_->ref(), page_bytes);
    }

private:
    std::function<void(std::optional<Owner>&)> make_;
    std::optional<Owner> owner_;
};

template <class Space>
class join_subject_on final : public join_subject {
public:
    join_subject_on(Space space, join_options const& options, std::unique_ptr<page_source<Space>> source)
        : space_(space), options_(options), watch_(space), join_(space, options.tuples_per_thread),
          source_(std::move(source)) {}

    void set_tables(join_tables const& tables) override { join_.set_tables(tables.left, tables.right); }
    [[nodiscard]] join_outcome run() override {
        join_outcome outcome;
        outcome.prepare_ms = exec::measure_ms(space_, [&] { source_->renew(); });
        outcome.partition_ms = time_of(watch_, [&] { join_.partition(); });
        outcome.build_ms = time_of(watch_, [&] { join_.build(); });
        outcome.probe_ms = time_of(watch_, [&] { source_->probe(join_, options_.page_bytes); });
        outcome.progress = join_.progress();
        return outcome;
    }

private:
    Space space_;
    join_options options_;
    exec::stopwatch<Space> watch_;
    hash_join<Space> join_;
    std::unique_ptr<page_source<Space>> source_;
};

/// An allocator with a heap that has room for the pages.
template <class Owner, class Space>
[[nodiscard]] std::unique_ptr<page_source<Space>> heap_of(Space const& space, join_options const& options) {
    std::uint64_t const bytes = options.pages * options.page_bytes;
    return std::make_unique<page_source_on<Space, Owner>>([space, bytes](std::optional<Owner>& owner) {
        owner.emplace(space, alloc::heap_options{.heap_bytes = bytes, .reserve_bytes = bytes});
    });
}

template <class Space, std::uint32_t PageBytes>
[[nodiscard]] std::unique_ptr<page_source<Space>> walks_of(Space const& space, join_options const& options) {
    using namespace alloc;
    if (options.allocator == "random-walk-flag")
        return heap_of<random_walk<Space, flag_search, PageBytes>>(space, options);
    if (options.allocator == "random-walk-bitmap")
        return heap_of<random_walk<Space, bitmap_search, PageBytes>>(space, options);
    if (options.allocator == "random-walk-collaborative")
        return heap_of<random_walk<Space, collaborative_search, PageBytes>>(space, options);
    if (options.allocator == "random-walk-claim")
        return heap_of<random_walk<Space, claim_search, PageBytes>>(space, options);
    return nullptr;
}

template <class Space>
[[nodiscard]] std::unique_ptr<page_source<Space>> open_pages_on(Space const& space,
                                                                join_options const& options) {
    using namespace alloc;
    if (options.allocator == "direct")
        return std::make_unique<page_source_on<Space, counter_pages<Space>>>(
            [space, options](std::optional<counter_pages<Space>>& owner) {
                owner.emplace(space, options.pages, options.page_bytes);
            });
    if (options.allocator == "ouroboros-page-virtual-array")
        return heap_of<ouroboros<Space, page_based, virtual_array_queue, fine_classes<>>>(space, options);
    if (options.allocator == "random-walk-malloc") return heap_of<random_walk_malloc<Space>>(space, options);
    switch (options.page_bytes) {
    case 32:
        return walks_of<Space, 32>(space, options);
    case 128:
        return walks_of<Space, 128>(space, options);
    case 512:
        return walks_of<Space, 512>(space, options);
    case 2048:
        return walks_of<Space, 2048>(space, options);
    default:
        return nullptr;
    }
}

template <class Space>
std::unique_ptr<join_subject> open_on(chosen_space const& where, join_options const& options) {
    auto const space = space_for<Space>(where, kernel_loading::lazy);
    auto source = open_pages_on(space, options);
    if (!source) throw std::invalid_argument("no pages of " + options.allocator + " for a join");
    return std::make_unique<join_subject_on<Space>>(space, options, std::move(source));
}

} // namespace rhizome::bench
