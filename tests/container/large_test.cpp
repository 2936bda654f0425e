// SPDX-License-Identifier: Apache-2.0
// Indices beyond 2^32, with elements of one byte.
#include "cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

constexpr std::uint64_t beyond = std::uint64_t{1} << 32;
constexpr std::uint32_t bytes_per_call = 1u << 16;

/// Element number `number` of all that are inserted.
RZ_HD std::uint8_t byte_of(std::uint64_t number) {
    return static_cast<std::uint8_t>(number * 0x9e37'79b9'7f4a'7c15ull >> 56);
}

/// Call c inserts the elements from number c * each on, `each` of them or what is left of `total`. All
/// threads of a block make the same number of calls.
template <class Ref, class Insertion>
struct insert_bytes {
    struct shared {
        typename Insertion::storage insertion;
    };
    Ref ref;
    container::placement* placed; ///< per call
    std::uint64_t total;
    std::uint32_t each;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const block = thread.block();
        for (std::uint64_t first = thread.rank() - block.rank(); first * each < total;
             first += thread.size()) {
            std::uint64_t const number = (first + block.rank()) * each;
            std::uint64_t const left = number < total ? total - number : 0;
            container::placement const own = ref.template insert<Insertion>(
                thread, block.storage().insertion, left < each ? static_cast<std::uint32_t>(left) : each,
                [&](std::uint32_t i) { return byte_of(number + i); });
            if (left != 0) placed[first + block.rank()] = own;
        }
    }
};

/// counts[0]: inserted elements. counts[1]: of those, looked at in steps of `step`, the ones that are not
/// where insert() said.
template <class Ref>
struct check_placed_bytes {
    Ref ref;
    container::placement const* placed;
    std::uint64_t calls;
    std::uint32_t each;
    std::uint32_t step;
    std::uint64_t* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint64_t inserted = 0;
        std::uint64_t wrong = 0;
        exec::for_each_group_item(warp, calls, [&](std::uint64_t call) {
            container::placement const own = placed[call];
            if (warp.rank() == 0) inserted += own.count;
            for (std::uint64_t i = warp.rank() * std::uint64_t{step}; i < own.count; i += warp.size() * step)
                wrong += ref.at(own.vector, own.place + i) != byte_of(call * each + i) ? 1 : 0;
        });
        // relaxed: the host reads the sums after the launch
        thread.device(counts[0]).fetch_add(inserted, exec::order::relaxed);
        thread.device(counts[1]).fetch_add(wrong, exec::order::relaxed);
    }
};

template <class Ref>
struct write_bytes_by_index {
    Ref ref;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        ref.for_each(thread, [](std::uint8_t& element, std::uint64_t index) { element = byte_of(index); });
    }
};

/// counts[0]: elements. counts[1], counts[2]: those that are not those of their index, seen by runs, and by
/// index in steps of `step`.
template <class Ref>
struct check_bytes {
    Ref ref;
    std::uint32_t step;
    std::uint64_t* counts;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t seen[3] = {0, 0, 0};
        ref.read_each(thread, [&](std::uint8_t element, std::uint64_t index) {
            ++seen[0];
            seen[1] += element != byte_of(index) ? 1 : 0;
        });
        exec::for_each_item(thread, ref.size() / step,
                            [&](std::uint64_t i) { seen[2] += ref[i * step] != byte_of(i * step) ? 1 : 0; });
        for (int i = 0; i < 3; ++i) // relaxed: the host reads the sums after the launch
            thread.device(counts[i]).fetch_add(seen[i], exec::order::relaxed);
    }
};

template <class Space, class Kernel>
[[nodiscard]] std::vector<std::uint64_t> counts_of(Space space, Kernel kernel) {
    exec::buffer<Space, std::uint64_t> counts(space, 3);
    counts.fill_bytes(0);
    kernel.counts = counts.data();
    launch(space, container::full_grid(space), kernel);
    return counts.to_host();
}
using numbers = std::vector<std::uint64_t>;

// ---- arrays of that size: on the GPU, and on a host with enough memory ----

constexpr std::uint64_t many = beyond + (3u << 20) + 17;

/// MemAvailable of this machine, in bytes.
[[nodiscard]] std::uint64_t available_bytes() {
    std::ifstream file("/proc/meminfo");
    std::string name;
    std::uint64_t kib = 0;
    while (file >> name >> kib) {
        if (name == "MemAvailable:") return kib << 10;
        file.ignore(100, '\n');
    }
    return 0;
}

template <class Space>
class beyond_32_bits : public space_test {
protected:
    void SetUp() override {
        space_test::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        // The elements, a copy of them on the GPU, and what else the machine is doing.
        std::uint64_t const needed_bytes = (is_gpu<Space> ? 20ull : 8ull) << 30;
        std::uint64_t const held_bytes =
            is_gpu<Space> ? make_space<Space>().memory_bytes() : available_bytes();
        if (held_bytes < needed_bytes)
            end_without(is_gpu<Space> && gpu_memory_is_required(),
                        "needs " + std::to_string(needed_bytes) + " bytes of memory, " +
                            std::to_string(held_bytes) + " are available");
    }

    /// On the host one thread inserts, so that the element of index i is number i, and one in `step_`
    /// elements is also accessed by itself.
    template <class Array>
    void insert_and_read(Array& array) {
        using ref = typename Array::ref_type;
        std::uint64_t const calls = (many + bytes_per_call - 1) / bytes_per_call;
        exec::buffer<Space, container::placement> placed(space_, calls);
        launch(space_, is_gpu<Space> ? exec::launch_shape{257, 256} : exec::launch_shape{1, 1},
               insert_bytes<ref, container::warp_scan>{array.ref(), placed.data(), many, bytes_per_call});
        ASSERT_EQ(array.size(), many);
        EXPECT_EQ(counts_of(space_, check_placed_bytes<ref>{array.ref(), placed.data(), calls, bytes_per_call,
                                                            step_, nullptr}),
                  (numbers{many, 0, 0}));
        if (is_gpu<Space>)
            launch(space_, container::full_grid(space_), write_bytes_by_index<ref>{array.ref()});
        EXPECT_EQ(counts_of(space_, check_bytes<ref>{array.ref(), step_, nullptr}), (numbers{many, 0, 0}));
        if (!is_gpu<Space>) return; // no memory for a copy
        container::region_array<Space, std::uint8_t> flat(space_, {.capacity = many});
        array.flatten(flat.data());
        flat.set_size(many);
        EXPECT_EQ(counts_of(space_,
                            check_bytes<container::contiguous_ref<std::uint8_t>>{flat.ref(), step_, nullptr}),
                  (numbers{many, 0, 0}));
    }
    void insert_into_gg_array(container::gg_array_options const& options) {
        using heap = alloc::bump<Space>;
        std::uint64_t const reserve = 9ull << 30; // the last buckets are used in part
        heap memory(space_, {.heap_bytes = reserve, .reserve_bytes = reserve});
        container::gg_array<Space, std::uint8_t, heap> array(space_, memory, options);
        insert_and_read(array);
    }

    Space space_ = make_space<Space>({.threads = 2});
    std::uint32_t const step_ = is_gpu<Space> ? 1 : 4099;
};
using large_spaces = detail::as_types<fast_space_list>::type;
TYPED_TEST_SUITE(beyond_32_bits, large_spaces, space_names);

TYPED_TEST(beyond_32_bits, a_region_array_finds_its_bytes) {
    container::region_array<TypeParam, std::uint8_t> array(this->space_, {.capacity = many});
    this->insert_and_read(array);
}
TYPED_TEST(beyond_32_bits, one_vector_of_a_gg_array_finds_its_bytes) {
    this->insert_into_gg_array({.vectors = 1, .first_bucket = 1u << 20});
}
#if defined(__CUDACC__) // the host takes ten seconds for each, and inserts with one block
TYPED_TEST(beyond_32_bits, a_static_array_finds_its_bytes) {
    container::static_array<TypeParam, std::uint8_t> array(this->space_, many);
    this->insert_and_read(array);
}
TYPED_TEST(beyond_32_bits, vectors_of_a_gg_array_find_their_bytes) {
    this->insert_into_gg_array({.vectors = 7, .first_bucket = 1u << 20});
}
#endif

// ---- arrays that say that they are nearly that long: in every space ----

template <class Space>
class across_32_bits : public space_test {
protected:
    /// Inserts 2,500 elements or more at the index 2^32 - 1000. Memory before it is never touched.
    template <class Insertion>
    void insert() {
        SCOPED_TRACE(Insertion::name);
        using array_type = container::region_array<Space, std::uint8_t>;
        using ref = typename array_type::ref_type;
        constexpr std::uint64_t start = beyond - 1000;
        constexpr std::uint32_t each = 37;
        constexpr std::uint64_t total = 68 * each + 5;
        array_type array(space_, {.capacity = start + total - 3, .most = start + total});
        array.set_size(start);
        exec::buffer<Space, container::placement> placed(space_, 69);
        launch(space_, grid_of(space_, 2, 32),
               insert_bytes<ref, Insertion>{array.ref(), placed.data(), total, each});
        std::uint64_t const taken = std::min(total, array.capacity() - start); // memory grows in steps
        EXPECT_EQ(array.size(), start + taken);
        EXPECT_EQ(
            counts_of(space_, check_placed_bytes<ref>{array.ref(), placed.data(), 69, each, 1, nullptr}),
            (numbers{taken, 0, 0}));
        std::vector<std::uint64_t> places(1, start + taken);
        for (container::placement const& own : placed.to_host())
            if (own.count != 0) places.push_back(own.place);
        std::sort(places.begin(), places.end());
        EXPECT_EQ(places.front(), start);
        for (std::size_t i = 1; i < places.size(); ++i) {
            EXPECT_GT(places[i], places[i - 1]);
            EXPECT_LE(places[i] - places[i - 1], each);
        }
        array.shrink_to(beyond + 1);
        EXPECT_EQ(array.size(), beyond + 1);
    }

    Space space_ = make_space<Space>();
};
TYPED_TEST_SUITE(across_32_bits, all_spaces, space_names);

TYPED_TEST(across_32_bits, every_policy_inserts) {
    this->template insert<container::atomic>();
    this->template insert<container::warp_scan>();
    this->template insert<container::tensor_scan>();
}

} // namespace
} // namespace rhizome::tests
