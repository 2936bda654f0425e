// SPDX-License-Identifier: Apache-2.0
// An allocator on a space, behind its interface.
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/runtime/any_allocator.hpp>
#include <rhizome/runtime/detail/allocator_kernels.hpp>

#include <limits>
#include <optional>

namespace rhizome::runtime::detail {

/// What does not depend on the allocator.
template <class Space>
class allocator_base : public any_allocator {
public:
    explicit allocator_base(Space space)
        : space_(space), slots_(space), found_(space, 1), span_(space, 1), watch_(space) {}

    [[nodiscard]] std::uint64_t request_count(std::uint64_t threads, bool one_a_warp) const override {
        std::uint64_t const lanes = one_a_warp ? space_.tile_lanes(full_warp) : 1;
        return (threads + lanes - 1) / lanes;
    }
    void set_slots(std::uint64_t count) override {
        slots_.discard_and_resize(count);
        slots_.fill_bytes(0);
    }
    void shuffle(std::uint64_t first_slot, std::uint64_t count, std::uint64_t seed) override {
        exec::buffer<Space, void*> before(space_, count);
        space_.copy(before.data(), slots_.data() + first_slot, before.size_bytes());
        launch(space_, cover_threads(space_, count),
               shuffle_blocks{before.data(), slots_.data() + first_slot, count, seed});
        space_.synchronize();
    }
    void stamp(requests const& wanted, std::uint64_t first_slot) override {
        launch(space_, cover_threads(space_, wanted.count), stamp_blocks{wanted, slots_.data(), first_slot});
        space_.synchronize();
    }
    [[nodiscard]] findings check(requests const& wanted, std::uint64_t first_slot, bool stamped) override {
        found_.fill_bytes(0);
        launch(space_, cover_threads(space_, wanted.count),
               check_blocks{wanted, slots_.data(), first_slot, alignment_bytes(), stamped, found_.data()});
        return found_.to_host()[0];
    }
    [[nodiscard]] address_span span(requests const& wanted, std::uint64_t first_slot) override {
        address_span const none{std::numeric_limits<std::uint64_t>::max(), 0, 0};
        space_.copy_in(span_.data(), &none, sizeof none);
        launch(space_, cover_threads(space_, wanted.count),
               span_blocks{wanted, slots_.data(), first_slot, span_.data()});
        return span_.to_host()[0];
    }

protected:
    [[nodiscard]] virtual std::uint64_t alignment_bytes() const = 0;

    template <class Kernel>
    double measure_ms(requests const& wanted, Kernel const& kernel) {
        std::uint64_t const lanes = wanted.one_a_warp ? space_.tile_lanes(full_warp) : 1;
        exec::launch_shape const shape = one_thread_each(space_, wanted.count * lanes);
        watch_.start();
        launch(space_, shape, kernel);
        watch_.stop();
        return watch_.elapsed_ms();
    }

    static constexpr std::uint32_t full_warp = 32;

    Space space_;
    exec::buffer<Space, void*> slots_;

private:
    exec::buffer<Space, findings> found_;
    exec::buffer<Space, address_span> span_;
    exec::stopwatch<Space> watch_;
};

template <class Space, class Allocator>
class allocator_on final : public allocator_base<Space> {
    using ref_type = typename Allocator::ref_type;
    using ref_traits = typename ref_type::traits;

public:
    allocator_on(Space space, std::uint64_t heap_bytes)
        : allocator_base<Space>(space), heap_bytes_(heap_bytes) {
        renew_heap();
    }

    [[nodiscard]] allocator_traits traits() const override {
        return {ref_traits::largest_bytes, ref_traits::reuses, ref_traits::bounded};
    }
    void renew_heap() override {
        owner_.reset(); // first, so that two heaps never exist together
        owner_.emplace(this->space_,
                       alloc::heap_options{.heap_bytes = heap_bytes_, .reserve_bytes = heap_bytes_});
        this->space_.synchronize();
    }
    double allocate_ms(requests const& wanted, std::uint64_t first_slot) override {
        return this->measure_ms(
            wanted, allocate_blocks<ref_type>{owner_->ref(), wanted, this->slots_.data(), first_slot});
    }
    double deallocate_ms(requests const& wanted, std::uint64_t first_slot) override {
        return this->measure_ms(
            wanted, deallocate_blocks<ref_type>{owner_->ref(), wanted, this->slots_.data(), first_slot});
    }

private:
    [[nodiscard]] std::uint64_t alignment_bytes() const override { return ref_traits::alignment_bytes; }

    std::uint64_t heap_bytes_;
    std::optional<Allocator> owner_;
};

} // namespace rhizome::runtime::detail
