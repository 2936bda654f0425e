// SPDX-License-Identifier: Apache-2.0
// A device-side allocator in a kernel of your own: for each number, a thread allocates a list of its
// divisors. If the heap is used up, allocate() returns nullptr (it never traps or hangs), so the kernel tests
// for it. Prints how many lists were made, what the audit finds in use, and the sum of all divisors.
#include "space.hpp"

#include <rhizome/alloc/ouroboros/ouroboros.hpp>

#include <cstdint>
#include <cstdio>

namespace {
using allocator = rhizome::alloc::ouroboros<examples::space, rhizome::alloc::page_based>;

struct divisor_list {
    std::uint32_t* divisors; ///< in memory of the allocator; nullptr: refused
    std::uint32_t size;
};

struct list_divisors {
    allocator::ref_type pages; // trivially copyable: goes to the kernel by value
    divisor_list* lists;       // of the numbers 1 to `count`
    std::uint64_t count;
    std::uint64_t* refused;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t unserved = 0;
        rhizome::exec::for_each_item(thread, count, [&](std::uint64_t i) {
            auto const number = static_cast<std::uint32_t>(i + 1);
            std::uint32_t size = 0;
            for (std::uint32_t d = 1; d <= number; ++d)
                size += number % d == 0 ? 1 : 0;
            auto* page = static_cast<std::uint32_t*>(pages.allocate(thread, size * sizeof(std::uint32_t)));
            lists[i] = {page, size};
            if (page == nullptr) ++unserved;
            for (std::uint32_t d = 1; page != nullptr && d <= number; ++d)
                if (number % d == 0) *page++ = d;
        });
        rhizome::exec::add_to_total(thread, *refused, unserved);
    }
};

struct sum_and_free {
    allocator::ref_type pages;
    divisor_list const* lists;
    std::uint64_t count;
    std::uint64_t* total;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t sum = 0;
        rhizome::exec::for_each_item(thread, count, [&](std::uint64_t i) {
            for (std::uint32_t k = 0; lists[i].divisors != nullptr && k < lists[i].size; ++k)
                sum += lists[i].divisors[k];
            pages.deallocate(thread, lists[i].divisors); // ignores nullptr
        });
        rhizome::exec::add_to_total(thread, *total, sum);
    }
};

} // namespace

int main() {
    examples::space space = examples::open_space();
    allocator pages(space, {.heap_bytes = 4u << 20});
    constexpr std::uint64_t count = 5000;
    rhizome::exec::buffer<examples::space, divisor_list> lists(space, count);
    rhizome::exec::buffer<examples::space, std::uint64_t> numbers(space, 2); // refused; sum
    numbers.fill_bytes(0);
    auto const shape = cover_threads(space, count);
    launch(space, shape, list_divisors{pages.ref(), lists.data(), count, numbers.data()});
    auto const live = pages.audit().live_bytes;
    launch(space, shape, sum_and_free{pages.ref(), lists.data(), count, numbers.data() + 1});
    auto const found = numbers.to_host();
    auto const number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    std::printf("%llu lists in %llu bytes\n", number(count - found[0]), number(live));
    std::printf("sum of all divisors %llu\n", number(found[1]));
    std::printf("in use after freeing: %llu bytes\n", number(pages.audit().live_bytes));
    return 0;
}
