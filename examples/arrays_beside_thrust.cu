// SPDX-License-Identifier: Apache-2.0
// Growable arrays, each at what it is best at, beside thrust::device_vector and a plain buffer (numbers.hpp).
// Prints how many elements each has and their sum, and to stderr the times and the memory. CUDA only.
#include "numbers.hpp"

#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/container/gg_array.hpp>
#include <rhizome/container/region_array.hpp>
#include <rhizome/container/static_array.hpp>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>

namespace {
using namespace examples;
using number = std::uint32_t;
constexpr number all = 1u << 24;
thrust::counting_iterator<number> const from_0(0);

// Each number inserts itself or not. The host knows a bound: a static_array. Thrust has copy_if.
void insert_some(space where, bool reports) {
    wish const times{0, 1};
    rhizome::container::static_array<space, number> array(where, all);
    thrust::device_vector<number> vector(all);
    plain_buffer plain(where, all);
    double const ms = ms_of([&] { insert(where, array.ref(), times, 0, all); });
    auto end = vector.begin();
    double const vector_ms = ms_of([&] { end = thrust::copy_if(from_0, from_0 + all, end, times); });
    double const plain_ms = ms_of([&] { insert(where, plain.ref(), times, 0, all); });
    vector.erase(end, vector.end());
    if (reports) report("static_array", {ms, array}, {vector_ms, vector}, {plain_ms, plain});
}
// The host knows before each round how much comes: a region_array. The others copy as they grow.
void insert_in_rounds(space where, bool reports) {
    rhizome::container::region_array<space, number> array(where);
    thrust::device_vector<number> vector;
    plain_buffer plain(where, 0);
    double ms[3] = {0, 0, 0};
    for (number begin = 0, end = all >> 4; begin < all; begin = end, end *= 2) {
        ms[0] += ms_of([&] { array.reserve(end), insert(where, array.ref(), {1, 1}, begin, end); });
        ms[1] += ms_of([&] {
            vector.resize(end);
            thrust::sequence(vector.begin() + begin, vector.end(), begin);
        });
        ms[2] += ms_of([&] { plain.grow_to(end), insert(where, plain.ref(), {1, 1}, begin, end); });
    }
    if (reports) report("region_array", {ms[0], array}, {ms[1], vector}, {ms[2], plain});
}
// Only the kernel finds out how much there is: a gg_array. Thrust counts first; the buffer is very large.
void insert_unknown(space where, bool reports) {
    wish const times{0, 7};
    rhizome::alloc::ouroboros<space, rhizome::alloc::page_based> heap(where, {.heap_bytes = 1u << 30});
    rhizome::container::gg_array<space, number, decltype(heap)> array(where, heap);
    thrust::device_vector<number> places(all), vector;
    plain_buffer plain(where, std::uint64_t{all} * times.most);
    double const ms = ms_of([&] { insert(where, array.ref(), times, 0, all); });
    double const vector_ms = ms_of([&] {
        thrust::transform(from_0, from_0 + all, places.begin(), times);
        thrust::exclusive_scan(places.begin(), places.end(), places.begin());
        vector.resize(places.back() + times(all - 1));
        thrust::for_each(from_0, from_0 + all, repeat(times, places, vector));
    });
    double const plain_ms = ms_of([&] { insert(where, plain.ref(), times, 0, all); });
    if (reports) report("gg_array", {ms, array}, {vector_ms, vector}, {plain_ms, plain});
}
} // namespace

int main() {
    space const where = open_space({.stream = cudaStreamLegacy}); // on which Thrust works
    for (bool const reports : {false, true}) {                    // the first run loads the kernels
        insert_some(where, reports);
        insert_in_rounds(where, reports);
        insert_unknown(where, reports);
    }
    return 0;
}
