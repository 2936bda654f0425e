// SPDX-License-Identifier: Apache-2.0
// Random walks under measurement on one space.
#pragma once

#include <rhizome/alloc/random_walk/random_walk.hpp>
#include <rhizome/bench/harness/subject_on.hpp>
#include <rhizome/bench/papers/random_walk/kernels.hpp>
#include <rhizome/bench/papers/random_walk/subject.hpp>
#include <rhizome/exec/buffer.hpp>

#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

namespace rhizome::bench {

/// What steps depend on is the number of pages; their size is the smallest that there is.
template <class Space, class Search>
class walk_subject_on final : public walk_subject {
    using owner_type = alloc::random_walk<Space, Search, 32>;
    using ref_type = typename owner_type::ref_type;
    using store_type = typename ref_type::store_type;

public:
    walk_subject_on(Space space, walk_options const& options)
        : space_(std::move(space)), options_(options), steps_(space_), first_places_(space_),
          lost_(space_, 1), watch_(space_) {
        if (options.pages % store_type::pages_per_word != 0 || options.pages % 32 != 0)
            throw std::invalid_argument("pages: a multiple of 32, and of those of a word");
        walk_subject_on::set_used(page_set(options.pages / 32, 0), 0);
    }

    void set_used(page_set const& used, std::uint64_t walks) override {
        owner_.reset(); // first, so that two heaps never exist together
        std::uint64_t const bytes = options_.pages * 32;
        owner_.emplace(space_, alloc::heap_options{.heap_bytes = bytes, .reserve_bytes = bytes},
                       options_.seed + walks);
        exec::buffer<Space, std::uint32_t> const set(space_, std::span<std::uint32_t const>(used));
        launch(space_, cover_threads(space_, used.size()),
               take_pages<store_type>{owner_->ref().store(), set.data(), used.size()});
        space_.synchronize();
    }
    void set_last_pages(std::vector<std::uint64_t> const& last_pages) override {
        if (last_pages.size() > own_hints()) throw std::invalid_argument("more threads than hints");
        exec::buffer<Space, std::uint64_t> const places(space_, std::span<std::uint64_t const>(last_pages));
        launch(space_, cover_threads(space_, last_pages.size()),
               place_hints<store_type>{owner_->ref().store(), places.data(), last_pages.size()});
        space_.synchronize();
    }
    [[nodiscard]] std::uint64_t own_hints() const override { return alloc::random_walk_hints(space_); }

    [[nodiscard]] walk_launch run(std::uint64_t threads) override {
        if (steps_.size() != threads) {
            steps_.discard_and_resize(threads);
            first_places_.discard_and_resize(threads);
        }
        lost_.fill_bytes(0);
        count_steps<ref_type> const kernel{owner_->ref(), threads, steps_.data(), first_places_.data(),
                                           lost_.data()};
        double const ms = time_of(watch_, [&] { launch(space_, one_thread_each(space_, threads), kernel); });
        return {steps_.to_host(), first_places_.to_host(), lost_.to_host()[0], ms};
    }

private:
    Space space_;
    walk_options options_;
    std::optional<owner_type> owner_;
    exec::buffer<Space, std::uint32_t> steps_;
    exec::buffer<Space, std::uint64_t> first_places_;
    exec::buffer<Space, std::uint64_t> lost_;
    exec::stopwatch<Space> watch_;
};

/// The queue of the paper, section V-A.
template <class Space>
class queue_subject_on final : public walk_subject {
public:
    explicit queue_subject_on(Space space)
        : space_(std::move(space)), next_(space_, 1), steps_(space_), watch_(space_) {}

    void set_used(page_set const&, std::uint64_t) override {}
    void set_last_pages(std::vector<std::uint64_t> const&) override {
        throw std::logic_error("a queue has no hints");
    }
    [[nodiscard]] std::uint64_t own_hints() const override { return 0; }
    [[nodiscard]] walk_launch run(std::uint64_t threads) override {
        if (steps_.size() != threads) steps_.discard_and_resize(threads);
        next_.fill_bytes(0);
        count_queue_steps const kernel{next_.data(), threads, steps_.data()};
        double const ms = time_of(watch_, [&] { launch(space_, one_thread_each(space_, threads), kernel); });
        return {steps_.to_host(), {}, 0, ms};
    }

private:
    Space space_;
    exec::buffer<Space, std::uint32_t> next_;
    exec::buffer<Space, std::uint32_t> steps_;
    exec::stopwatch<Space> watch_;
};

template <class Space>
class latency_subject_on final : public latency_subject {
public:
    explicit latency_subject_on(Space space) : space_(std::move(space)), words_(space_, 2), watch_(space_) {}

    [[nodiscard]] double run_ms(contended_operation operation, std::uint64_t threads,
                                std::uint32_t operations) override {
        words_.fill_bytes(0);
        std::uint32_t* const word = words_.data();
        double const ms = operation == contended_operation::add
                              ? launch_ms(threads, add_to_one_word{word, word + 1, threads, operations})
                              : launch_ms(threads, exchange_one_word{word, word + 1, threads, operations});
        std::vector<std::uint32_t> const found = words_.to_host();
        if (found[0] != found[1]) throw std::runtime_error("an atomic operation got lost");
        return ms;
    }

private:
    template <class Kernel>
    [[nodiscard]] double launch_ms(std::uint64_t threads, Kernel const& kernel) {
        return time_of(watch_, [&] { launch(space_, one_thread_each(space_, threads), kernel); });
    }

    Space space_;
    exec::buffer<Space, std::uint32_t> words_;
    exec::stopwatch<Space> watch_;
};

template <class Space>
std::unique_ptr<latency_subject> open_on(chosen_space const& where, latency_options const&) {
    return std::make_unique<latency_subject_on<Space>>(space_for<Space>(where, kernel_loading::lazy));
}

template <class Space>
std::unique_ptr<walk_subject> open_on(chosen_space const& where, walk_options const& options) {
    using namespace alloc;
    auto const space = space_for<Space>(where, kernel_loading::lazy);
    if (options.search == "flag")
        return std::make_unique<walk_subject_on<Space, flag_search>>(space, options);
    if (options.search == "bitmap")
        return std::make_unique<walk_subject_on<Space, bitmap_search>>(space, options);
    if (options.search == "bitmap-64")
        return std::make_unique<walk_subject_on<Space, wide_words<bitmap_search>>>(space, options);
    if (options.search == "collaborative")
        return std::make_unique<walk_subject_on<Space, collaborative_search>>(space, options);
    if (options.search == "claim")
        return std::make_unique<walk_subject_on<Space, claim_search>>(space, options);
    if (options.search == "clustered")
        return std::make_unique<walk_subject_on<Space, clustered_search<>>>(space, options);
    if (options.search == "clustered-flag")
        return std::make_unique<walk_subject_on<Space, clustered_search<flag_search>>>(space, options);
    if (options.search == "queue") return std::make_unique<queue_subject_on<Space>>(space);
    throw std::invalid_argument("no search '" + options.search + "'");
}

} // namespace rhizome::bench
