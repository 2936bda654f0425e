// SPDX-License-Identifier: Apache-2.0
// Three growable arrays. A static_array takes primes, of which there are less than numbers. A gg_array takes
// prime factors: how many there are shows once they are found, so it grows in the kernel. A region_array gets
// them side by side. Prints how many elements there are, and their sums.
#include "space.hpp"

#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/container/gg_array.hpp>
#include <rhizome/container/region_array.hpp>
#include <rhizome/container/static_array.hpp>

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {
using namespace rhizome;
using heap_type = alloc::ouroboros<examples::space, alloc::page_based>;
using primes_type = container::static_array<examples::space, std::uint32_t>;
using factors_type = container::gg_array<examples::space, std::uint32_t, heap_type>;

struct factorise {
    struct shared { // what the threads of a block share
        container::atomic::storage for_primes;
        container::warp_scan::storage for_factors;
    };
    primes_type::ref_type primes;
    factors_type::ref_type factors;
    std::uint32_t limit;
    std::uint64_t* refused;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const block = thread.block();
        // All threads of a block insert together, so all of them make the same number of rounds.
        for (std::uint64_t first = thread.rank() - block.rank(); first < limit; first += thread.size()) {
            auto const number = static_cast<std::uint32_t>(first + block.rank());
            std::uint32_t found[32]; // no number of 32 bits has more prime factors
            std::uint32_t count = 0;
            std::uint32_t rest = number > 1 && number < limit ? number : 1;
            for (std::uint32_t divisor = 2; divisor * divisor <= rest; ++divisor)
                for (; rest % divisor == 0; rest /= divisor)
                    found[count++] = divisor;
            if (rest > 1) found[count++] = rest;
            auto const placed = factors.insert<container::warp_scan>(
                thread, block.storage().for_factors, count, [&](std::uint32_t i) { return found[i]; });
            if (count == 1) // a prime; each thread inserts by itself
                (void)primes.insert<container::atomic>(thread, block.storage().for_primes, 1,
                                                       [&](std::uint32_t) { return number; });
            if (placed.refused != 0) // no memory: insert() says so, and keeps what was inserted
                thread.device(*refused).fetch_add(placed.refused, exec::order::relaxed);
        }
    }
};
} // namespace

int main() {
    examples::space space = examples::open_space();
    constexpr std::uint32_t limit = 20'000;
    heap_type heap(space, {.heap_bytes = 4u << 20});
    primes_type primes(space, limit);
    factors_type factors(space, heap, {.vectors = 64, .first_bucket = 32});
    exec::buffer<examples::space, std::uint64_t> refused(space, std::vector<std::uint64_t>{0});
    launch(space, cover_threads(space, limit), factorise{primes.ref(), factors.ref(), limit, refused.data()});

    container::region_array<examples::space, std::uint32_t> side_by_side(space);
    side_by_side.reserve(factors.size());
    factors.flatten(side_by_side.data());
    side_by_side.set_size(factors.size());
    factors.shrink_to(0); // gives its memory back to the heap
    auto const print = [](char const* what, std::vector<std::uint32_t> const& elements) {
        std::printf("%zu %s, sum %llu\n", elements.size(), what,
                    std::accumulate(elements.begin(), elements.end(), 0ull));
    };
    print("primes", primes.to_host());
    print("prime factors", side_by_side.to_host());
    std::printf("refused %d, in use on the heap %d bytes\n", static_cast<int>(refused.to_host()[0]),
                static_cast<int>(heap.audit().live_bytes));
    return 0;
}
