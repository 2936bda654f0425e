// Indices beyond 2^32, with elements of one byte.
#include "cases.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace rhizome::tests {
namespace {

constexpr std::uint64_t many = (std::uint64_t{1} << 32) + (3u << 20) + 17;
constexpr std::uint64_t needed_bytes = 8ull << 30; ///< the elements, and what else the machine is doing

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

RZ_HD std::uint8_t byte_of(std::uint64_t index) {
    return static_cast<std::uint8_t>(index * 131 + (index >> 32));
}

/// One thread inserts `count` elements.
template <class Ref>
struct insert_many {
    struct shared {
        container::atomic::storage insertion;
    };
    Ref ref;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() != 0) return;
        for (std::uint64_t done = 0; done < count;) {
            std::uint64_t const left = count - done;
            std::uint32_t const now =
                left < (1u << 20) ? static_cast<std::uint32_t>(left) : std::uint32_t{1} << 20;
            std::uint32_t const inserted =
                ref.template insert<container::atomic>(thread, thread.block().storage().insertion, now,
                                                       [&](std::uint32_t i) { return byte_of(done + i); })
                    .count;
            done += inserted;
            if (inserted < now) return; // then the size is wrong
        }
    }
};
/// Adds up how many elements are not those of their index, and how many there are.
template <class Ref>
struct check_bytes {
    Ref ref;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t seen = 0;
        std::uint64_t bad = 0;
        ref.read_each(thread, [&](std::uint8_t element, std::uint64_t index) {
            ++seen;
            bad += element != byte_of(index) ? 1 : 0;
        });
        thread.device(wrong[0]).fetch_add(bad, exec::order::relaxed);
        thread.device(wrong[1]).fetch_add(seen, exec::order::relaxed);
    }
};

template <class Array>
void insert_and_read(exec::host_space space, Array& array) {
    using ref = typename Array::ref_type;
    launch(space, {1, 1}, insert_many<ref>{array.ref(), many});
    EXPECT_EQ(array.size(), many);
    exec::buffer<exec::host_space, std::uint64_t> counts(space, 2);
    counts.fill_bytes(0);
    launch(space, container::full_grid(space), check_bytes<ref>{array.ref(), counts.data()});
    EXPECT_EQ(counts.to_host()[0], 0u);
    EXPECT_EQ(counts.to_host()[1], many);
    for (std::uint64_t const index :
         {std::uint64_t{0}, (std::uint64_t{1} << 32) - 1, std::uint64_t{1} << 32, many - 1})
        EXPECT_EQ(array.ref()[index], byte_of(index)) << index;
}

class beyond_32_bits : public ::testing::Test {
protected:
    void SetUp() override {
        if (available_bytes() < needed_bytes)
            GTEST_SKIP() << "needs " << needed_bytes << " bytes of memory, " << available_bytes()
                         << " are available";
    }
    exec::host_space space_{{.threads = 2}};
};

TEST_F(beyond_32_bits, a_region_array_finds_its_bytes) {
    container::region_array<exec::host_space, std::uint8_t> array(space_, {.capacity = many});
    insert_and_read(space_, array);
}
TEST_F(beyond_32_bits, one_vector_of_a_gg_array_finds_its_bytes) {
    using heap = alloc::bump<exec::host_space>;
    std::uint64_t const reserve = 9ull << 30; // the last bucket is used in part; the rest is never touched
    heap memory(space_, {.heap_bytes = reserve, .reserve_bytes = reserve});
    container::gg_array<exec::host_space, std::uint8_t, heap> array(space_, memory,
                                                                    {.vectors = 1, .first_bucket = 1u << 20});
    insert_and_read(space_, array);
}

} // namespace
} // namespace rhizome::tests
