// SPDX-License-Identifier: Apache-2.0
// The device side of arrays whose elements lie side by side.
#pragma once

#include <rhizome/container/concept.hpp>
#include <rhizome/container/insertion.hpp>
#include <rhizome/container/runs.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::container {

/// The ref of static_array and region_array. Invariant, while no kernel inserts: elements [0, min(claimed,
/// capacity)) are inserted. Claims beyond the capacity got no place; settle() takes them back.
template <array_element T>
class contiguous_ref {
public:
    using value_type = T;

    RZ_HD contiguous_ref(T* data, std::uint64_t* claimed, std::uint64_t capacity)
        : data_(data), claimed_(claimed), capacity_(capacity) {}

    /// As container/concept.hpp has it. Elements beyond the capacity are refused.
    template <insertion_policy Insertion, class Thread, class ElementOf>
    RZ_HD placement insert(Thread const& thread, typename Insertion::storage& storage, std::uint32_t count,
                           ElementOf&& element_of) const {
        count = insertion_count<Insertion>(count);
        granted_share const own =
            Insertion::place(thread, storage, count, [&](std::uint64_t wanted) -> granted_places {
                // relaxed: no thread reads through this number what another has written
                std::uint64_t const begin = thread.device(*claimed_).fetch_add(wanted, exec::order::relaxed);
                std::uint64_t const left = begin < capacity_ ? capacity_ - begin : 0;
                auto const granted = static_cast<std::uint32_t>(wanted < left ? wanted : left);
                return {begin, data_ + begin, granted, granted};
            });
        std::uint64_t const place = own.all.place + own.before;
        detail::store_elements(data_ + place, own.count, element_of);
        return {place, 0, own.count, count - own.count};
    }

    [[nodiscard]] RZ_HD std::uint64_t size() const { return *claimed_ < capacity_ ? *claimed_ : capacity_; }
    [[nodiscard]] RZ_HD std::uint64_t capacity() const { return capacity_; }
    /// The address of element 0.
    [[nodiscard]] RZ_HD T* data() const { return data_; }
    [[nodiscard]] RZ_HD T& operator[](std::uint64_t index) const { return data_[index]; }
    [[nodiscard]] RZ_HD T& at(std::uint32_t, std::uint64_t place) const { return data_[place]; }

    template <class Thread, class Function>
    RZ_HD void for_each_run(Thread const& thread, Function&& function) const {
        detail::block_share const share(thread.block(), size());
        if (share.begin < share.end)
            function(array_run<T>{data_ + share.begin, share.begin, share.end - share.begin});
    }
    template <class Thread, class Function>
    RZ_HD void for_each(Thread const& thread, Function&& function) const {
        for_each_run(thread,
                     [&](array_run<T> run) { detail::for_each_in_run<true>(thread.block(), run, function); });
    }
    template <class Thread, class Function>
    RZ_HD void read_each(Thread const& thread, Function&& function) const {
        for_each_run(
            thread, [&](array_run<T> run) { detail::for_each_in_run<false>(thread.block(), run, function); });
    }

private:
    T* data_;
    std::uint64_t* claimed_;
    std::uint64_t capacity_;
};

static_assert(array_ref<contiguous_ref<std::uint32_t>>);

} // namespace rhizome::container
