// SPDX-License-Identifier: Apache-2.0
// array_subject over the structures of container/, and over a plain buffer.
#pragma once

#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/bench/harness/subject_on.hpp>
#include <rhizome/bench/papers/ggarray/kernels.hpp>
#include <rhizome/bench/papers/ggarray/subject.hpp>
#include <rhizome/container/gg_array.hpp>
#include <rhizome/container/insertion.hpp>
#include <rhizome/container/region_array.hpp>
#include <rhizome/container/static_array.hpp>

#if defined(__CUDACC__)
#include <rhizome/bench/papers/ggarray/thrust_vector.hpp>
#else
#include <rhizome/bench/papers/ggarray/standard_vector.hpp>
#endif

#include <stdexcept>
#include <utility>

namespace rhizome::bench {

/// What the arrays below need of their space.
template <class Space>
class array_on_space {
protected:
    explicit array_on_space(Space space) : space_(std::move(space)), watch_(space_), sum_(space_, 1) {}

    template <class Kernel>
    [[nodiscard]] std::uint64_t sum_by(exec::launch_shape shape, Kernel kernel) {
        sum_.fill_bytes(0);
        kernel.sum = sum_.data();
        launch(space_, shape, kernel);
        return sum_.to_host()[0];
    }

    Space space_;
    exec::stopwatch<Space> watch_;
    exec::buffer<Space, std::uint64_t> sum_;
};

/// One of the growable arrays, with whatever it needs to live in `Held`.
template <class Space, class Held>
class array_subject_on : public array_subject, private array_on_space<Space> {
    using array_type = typename Held::array_type;
    using ref = typename array_type::ref_type;

public:
    array_subject_on(Space space, array_subject_options const& options)
        : array_on_space<Space>(space), insertion_(options.insertion),
          items_per_call_(options.items_per_call), held_(space, options) {}

    double grow_ms(std::uint64_t elements) override {
        return time_of(this->watch_, [&] { held_.grow(elements); });
    }
    double insert_ms(std::uint64_t items, std::uint32_t each) override {
        if (insertion_ == container::atomic::name) return insert<container::atomic>(items, each);
        if (insertion_ == container::warp_scan::name) return insert<container::warp_scan>(items, each);
        if (insertion_ == container::tensor_scan::name) return insert<container::tensor_scan>(items, each);
        throw std::invalid_argument("no insertion policy '" + insertion_ + "'");
    }
    double read_write_ms() override { return visit(add_to_runs<ref, 30>{held_.array.ref()}); }
    double read_write_by_index_ms() override { return visit(add_by_index<ref, 30>{held_.array.ref()}); }
    double add_one_ms() override { return visit(add_to_runs<ref, 1>{held_.array.ref()}); }
    double copy_to_ms(array_subject& other) override {
        std::uint64_t const elements = size();
        return time_of(this->watch_, [&] { held_.array.flatten(other.overwrite(elements)); });
    }
    std::int32_t* overwrite(std::uint64_t elements) override { return held_.overwrite(elements); }
    std::uint64_t size() override { return held_.array.size(); }
    std::uint64_t capacity_bytes() override { return held_.array.capacity() * sizeof(std::int32_t); }
    std::uint64_t sum() override {
        held_.array.settle();
        return this->sum_by(container::full_grid(this->space_),
                            sum_elements<ref>{held_.array.ref(), nullptr});
    }

private:
    template <class Insertion>
    double insert(std::uint64_t items, std::uint32_t each) {
        // Insertion ends with the index: without it nothing can be read.
        using kernel = insert_items<ref, Insertion>;
        std::uint32_t const per_call = kernel::items_for(each, items_per_call_);
        exec::launch_shape shape = cover_threads(this->space_, (items + per_call - 1) / per_call);
        if (shape.blocks > held_.vectors()) shape.blocks -= shape.blocks % held_.vectors(); // as many in each
        return time_of(this->watch_, [&] {
            launch(this->space_, shape, kernel{held_.array.ref(), items, each, per_call});
            held_.array.settle();
        });
    }
    template <class Kernel>
    double visit(Kernel kernel) {
        return time_of(this->watch_,
                       [&] { launch(this->space_, container::full_grid(this->space_), kernel); });
    }

    std::string insertion_;
    std::uint32_t items_per_call_;
    Held held_;
};

template <class Space>
struct held_static {
    using array_type = container::static_array<Space, std::int32_t>;
    array_type array;
    held_static(Space space, array_subject_options const& options) : array(space, options.most_elements) {}
    void grow(std::uint64_t elements) { array.reserve(elements); }
    [[nodiscard]] static std::uint32_t vectors() { return 1; }
    std::int32_t* overwrite(std::uint64_t) { throw std::logic_error("a static array is not copied to"); }
};
template <class Space>
struct held_region {
    using array_type = container::region_array<Space, std::int32_t>;
    array_type array;
    held_region(Space space, array_subject_options const& options)
        : array(space, {.most = options.most_elements}) {}
    void grow(std::uint64_t elements) { array.reserve(elements); }
    [[nodiscard]] static std::uint32_t vectors() { return 1; }
    std::int32_t* overwrite(std::uint64_t elements) {
        array.reserve(elements);
        array.set_size(elements);
        return array.data();
    }
};
template <class Space>
struct held_gg {
    using heap_type =
        alloc::ouroboros<Space, alloc::page_based, alloc::virtual_array_queue, alloc::fine_classes<>>;
    using array_type = container::gg_array<Space, std::int32_t, heap_type>;
    heap_type heap;
    array_type array;
    held_gg(Space space, array_subject_options const& options)
        : heap(space, {.heap_bytes = heap_bytes(options), .reserve_bytes = heap_bytes(options)}),
          array(space, heap, {.vectors = options.vectors, .first_bucket = options.first_bucket}) {}
    void grow(std::uint64_t elements) { array.request_capacity(elements); }
    [[nodiscard]] std::uint32_t vectors() const { return array.vectors(); }
    std::int32_t* overwrite(std::uint64_t) { throw std::logic_error("a gg_array is not contiguous"); }

    /// Buckets have at most twice the room of the elements, and vectors are not filled equally.
    [[nodiscard]] static std::uint64_t heap_bytes(array_subject_options const& options) {
        std::uint64_t const least = options.vectors * options.first_bucket;
        return (options.most_elements + least) * sizeof(std::int32_t) * 5 / 2 + (16u << 20);
    }
};

/// A plain array in an exec::buffer.
template <class Space>
class buffer_subject : public array_subject, private array_on_space<Space> {
public:
    buffer_subject(Space space, array_subject_options const&)
        : array_on_space<Space>(space), elements_(space) {}

    double grow_ms(std::uint64_t elements) override {
        return time_of(this->watch_, [&] {
            exec::buffer<Space, std::int32_t> larger(this->space_, elements);
            if (size_ != 0) this->space_.copy(larger.data(), elements_.data(), size_ * sizeof(std::int32_t));
            elements_ = std::move(larger);
        });
    }
    double insert_ms(std::uint64_t items, std::uint32_t each) override {
        std::int32_t* const end = elements_.data() + size_;
        size_ += items * each;
        return run(items, plain_insert{end, items, each});
    }
    double read_write_ms() override { return run(size_ / 4, plain_add<30>{elements_.data(), size_}); }
    double read_write_by_index_ms() override {
        return run(size_, plain_add_by_index<30>{elements_.data(), size_});
    }
    double add_one_ms() override { return run(size_ / 4, plain_add<1>{elements_.data(), size_}); }
    double copy_to_ms(array_subject& other) override {
        return time_of(this->watch_, [&] {
            this->space_.copy(other.overwrite(size_), elements_.data(), size_ * sizeof(std::int32_t));
        });
    }
    std::int32_t* overwrite(std::uint64_t elements) override {
        if (elements > elements_.size()) elements_.discard_and_resize(elements);
        size_ = elements;
        return elements_.data();
    }
    std::uint64_t size() override { return size_; }
    std::uint64_t capacity_bytes() override { return elements_.size_bytes(); }
    std::uint64_t sum() override {
        return this->sum_by(cover_threads(this->space_, size_), plain_sum{elements_.data(), size_, nullptr});
    }

private:
    template <class Kernel>
    double run(std::uint64_t items, Kernel kernel) {
        return time_of(this->watch_,
                       [&] { launch(this->space_, cover_threads(this->space_, items), kernel); });
    }

    exec::buffer<Space, std::int32_t> elements_;
    std::uint64_t size_ = 0;
};

template <class Space>
std::unique_ptr<array_subject> open_on(chosen_space const& where, array_subject_options const& options) {
#if defined(__CUDACC__)
    if (options.structure == "vector") return std::make_unique<thrust_vector>();
#else
    if (options.structure == "vector") return std::make_unique<standard_vector>();
#endif
    auto const space = space_for<Space>(where, kernel_loading::lazy);
    if (options.structure == "static")
        return std::make_unique<array_subject_on<Space, held_static<Space>>>(space, options);
    if (options.structure == "region")
        return std::make_unique<array_subject_on<Space, held_region<Space>>>(space, options);
    if (options.structure == "gg")
        return std::make_unique<array_subject_on<Space, held_gg<Space>>>(space, options);
    if (options.structure == "buffer") return std::make_unique<buffer_subject<Space>>(space, options);
    throw std::invalid_argument("no array '" + options.structure + "'");
}

} // namespace rhizome::bench
