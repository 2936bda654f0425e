// SPDX-License-Identifier: Apache-2.0
// Compactions under measurement on one space.
#pragma once

#include <rhizome/bench/harness/subject_on.hpp>
#include <rhizome/bench/papers/space/kernels.hpp>
#include <rhizome/bench/papers/space/subject.hpp>
#include <rhizome/compaction/select.hpp>
#include <rhizome/compaction/space/space_compactor.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/workspace.hpp>

#if defined(__CUDACC__)
#include <rhizome/compaction/cub_compactor.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace rhizome::bench {

template <class Space, class Word>
class compaction_subject_on final : public compaction_subject {
public:
    compaction_subject_on(Space space, compaction_options const& options)
        : space_(space), options_(options), watch_(space), own_(space), input_(space, options.items),
          output_(space, options.items), words_(space, compaction::words_for(options.items)),
          count_(space, 1), total_(space, 1) {
        if (options.method == "default" || options.method == "in-place") {
            own_.set_launch_options(
                {.block_threads = options.block_threads, .write_blocks = options.write_blocks});
        } else if (options.method.starts_with("space-")) {
            auto const variant = static_cast<std::size_t>(options.method.back() - '1');
            compaction::space_options shape{.chunk_items = options.chunk_items,
                                            .write_threads = options.write_threads,
                                            .streams = options.streams};
            if (options.block_threads != 0) shape.block_threads = options.block_threads;
            variant_.emplace(space, compaction::space_variants.at(variant), shape);
        }
#if defined(__CUDACC__)
        if (options.method.starts_with("cub")) cub_.emplace(space);
#endif
        launch(space_, cover_threads(space_, options.items), fill_input<Word>{input_.data(), options.items});
    }

    compaction_traffic set_mask(mask_shape const& shape) override {
        total_.fill_bytes(0);
        double const range =
            shape.clusters == 0
                ? 0x1p64
                : std::ceil(static_cast<double>(options_.items) / static_cast<double>(shape.clusters));
        double const below = shape.share * range;
        constexpr std::uint64_t sector_bytes = 32;
        launch(space_, cover_threads(space_, words_.size()),
               draw_mask{words_.data(), options_.items, shape.clusters,
                         below >= 0x1p64 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(below), shape.seed,
                         static_cast<std::uint32_t>(sector_bytes / sizeof(Word)), total_.data()});
        count_mask();
        compaction_traffic traffic;
        traffic.mask_bytes = words_.size_bytes();
        traffic.read_bytes = total_.to_host().front() * sector_bytes;
        traffic.selected = selected_;
        traffic.written_bytes = selected_ * sizeof(Word);
#if defined(__CUDACC__)
        if (options_.method == "cub-bytes") cub_->unpack(mask());
#endif
        return traffic;
    }

    double select_ms() override {
        bool const in_place = options_.method == "in-place";
        if (in_place) space_.copy(output_.data(), input_.data(), input_.size_bytes());
        watch_.start();
        if (in_place)
            own_.select_in_place(output_.data(), mask(), count_.data());
        else if (variant_)
            variant_->select(input_.data(), mask(), output_.data(), count_.data());
#if defined(__CUDACC__)
        else if (options_.method == "cub-bytes") {
            if constexpr (sizeof(Word) == 4)
                cub_->select_flagged(input_.data(), output_.data(), count_.data());
        } else if (cub_)
            cub_->select(input_.data(), mask(), output_.data(), count_.data());
#endif
        else
            own_.select(input_.data(), mask(), output_.data(), count_.data());
        watch_.stop();
        return watch_.elapsed_ms();
    }

    double copy_bytes_per_ms() override {
        double best = 0;
        for (int round = 0; round < 5; ++round) {
            double const ms =
                time_of(watch_, [&] { space_.copy(output_.data(), input_.data(), input_.size_bytes()); });
            best = std::max(best, 2 * static_cast<double>(input_.size_bytes()) / ms);
        }
        return best;
    }

    void verify() override {
        std::uint64_t const found = count_.to_host().front();
        if (found != selected_)
            throw std::runtime_error("the count is " + std::to_string(found) + " instead of " +
                                     std::to_string(selected_));
        total_.fill_bytes(0);
        launch(space_, cover_threads(space_, words_.size()),
               count_wrong_elements<Word>{words_.data(), words_.size(), before_->data(), output_.data(),
                                          total_.data()});
        std::uint64_t const differences = total_.to_host().front();
        if (differences != 0)
            throw std::runtime_error(std::to_string(differences) + " of " + std::to_string(selected_) +
                                     " elements are wrong");
        // The next check sees what the next run wrote.
        space_.fill(output_.data(), 0xee, output_.size_bytes());
        count_.fill_bytes(0xff);
    }

private:
    [[nodiscard]] compaction::bit_mask mask() const { return {words_.data(), options_.items}; }

    /// How many items are selected before each word, and in all.
    void count_mask() {
        exec::buffer<Space, std::uint32_t> counts(space_, words_.size() + 1);
        exec::workspace<Space> scratch(space_);
        before_.emplace(space_, words_.size() + 1);
        launch(space_, cover_threads(space_, counts.size()),
               count_words{words_.data(), words_.size(), counts.data()});
        exclusive_scan(space_, scratch, counts.data(), before_->data(), counts.size());
        space_.copy_out(&selected_, before_->data() + words_.size(), sizeof(selected_));
    }

    Space space_;
    compaction_options options_;
    exec::stopwatch<Space> watch_;
    compaction::compactor<Space> own_;
    std::optional<compaction::space_compactor<Space>> variant_;
#if defined(__CUDACC__)
    std::optional<compaction::cub_compactor> cub_;
#endif
    exec::buffer<Space, Word> input_;
    exec::buffer<Space, Word> output_;
    exec::buffer<Space, std::uint32_t> words_;
    exec::buffer<Space, std::uint64_t> count_;
    exec::buffer<Space, std::uint64_t> total_;
    std::optional<exec::buffer<Space, std::uint64_t>> before_;
    std::uint64_t selected_ = 0;
};

template <class Space>
std::unique_ptr<compaction_subject> open_on(chosen_space const& where, compaction_options const& options) {
#if !defined(__CUDACC__)
    if (options.method.starts_with("cub")) return nullptr;
#endif
    if (options.method == "cub-bytes" && options.element_bytes != 4) return nullptr;
    auto const space = space_for<Space>(where);
    switch (options.element_bytes) {
    case 1:
        return std::make_unique<compaction_subject_on<Space, std::uint8_t>>(space, options);
    case 2:
        return std::make_unique<compaction_subject_on<Space, std::uint16_t>>(space, options);
    case 4:
        return std::make_unique<compaction_subject_on<Space, std::uint32_t>>(space, options);
    default:
        return std::make_unique<compaction_subject_on<Space, std::uint64_t>>(space, options);
    }
}

} // namespace rhizome::bench
