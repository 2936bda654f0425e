// SPDX-License-Identifier: Apache-2.0
// Device memory that is shown as a file descriptor, and opened by another object. On one GPU; between
// several, tests/comm/nccl_gpus_test.cpp.
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/cuda.hpp>
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/shareable_memory.hpp>
#include <rhizome/exec/workspace.hpp>

#include <cuda_runtime.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spaces.hpp>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <vector>

using namespace rhizome;
using exec::check_cuda;
using exec::cuda_shareable_memory;

namespace {

class cuda_shareable : public tests::space_test {
protected:
    static constexpr std::uint64_t words = std::uint64_t{1} << 20;
    static constexpr std::uint64_t bytes = words * sizeof(std::uint32_t);

    static std::ptrdiff_t open_descriptors() {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                             std::filesystem::directory_iterator());
    }
    static std::int64_t free_bytes() {
        std::size_t free = 0;
        std::size_t total = 0;
        check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
        return static_cast<std::int64_t>(free);
    }
    /// Shows an allocation of one object and opens it by the other.
    static void* opened(cuda_shareable_memory& owner, cuda_shareable_memory& other, void* pointer) {
        auto const shown = owner.show(pointer);
        EXPECT_GE(shown.descriptor, 0);
        EXPECT_NE(::fcntl(shown.descriptor, F_GETFD) & FD_CLOEXEC, 0);
        EXPECT_GE(shown.bytes, 1u);
        void* const address = other.open(shown.descriptor, shown.bytes);
        ::close(shown.descriptor);
        EXPECT_NE(address, nullptr);
        EXPECT_NE(address, pointer);
        return address;
    }
    static std::vector<std::uint32_t> words_at(exec::cuda_space& space, void const* pointer) {
        std::vector<std::uint32_t> copy(words);
        space.copy_out(copy.data(), pointer, bytes);
        return copy;
    }
};

struct write_number {
    std::uint32_t* to;
    std::uint32_t number;
    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for (std::uint64_t i = thread.rank(); i < std::uint64_t{1} << 20; i += thread.size())
            to[i] = number;
    }
};

TEST_F(cuda_shareable, two_objects_write_the_same_memory) {
    exec::cuda_space space;
    cuda_shareable_memory owner(space);
    cuda_shareable_memory other(space);
    ASSERT_TRUE(owner.is_usable());
    void* const mine = owner.allocate(bytes, space.stream());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mine) % 256, 0u);
    void* const theirs = opened(owner, other, mine);
    auto const shape = exec::cover_threads(space, words);
    launch(space, shape, write_number{static_cast<std::uint32_t*>(theirs), 7});
    EXPECT_EQ(words_at(space, mine), std::vector<std::uint32_t>(words, 7));
    launch(space, shape, write_number{static_cast<std::uint32_t*>(mine), 8});
    EXPECT_EQ(words_at(space, theirs), std::vector<std::uint32_t>(words, 8));
    other.close(theirs);
    EXPECT_EQ(words_at(space, mine), std::vector<std::uint32_t>(words, 8));
    owner.deallocate(mine, bytes, space.stream());
}

TEST_F(cuda_shareable, memory_lives_until_the_last_has_closed_it) {
    // More than other processes on the GPU take and give back meanwhile.
    constexpr std::uint64_t large = std::uint64_t{4} << 30;
    exec::cuda_space space;
    cuda_shareable_memory owner(space);
    cuda_shareable_memory other(space);
    void* const mine = owner.allocate(large, space.stream());
    void* const theirs = opened(owner, other, mine);
    std::int64_t const before = free_bytes();
    launch(space, exec::cover_threads(space, words), write_number{static_cast<std::uint32_t*>(theirs), 5});
    owner.deallocate(mine, large, space.stream());
    EXPECT_LT(free_bytes() - before, static_cast<std::int64_t>(large / 2)) << "the other still has it";
    launch(space, exec::cover_threads(space, words), write_number{static_cast<std::uint32_t*>(theirs), 6});
    EXPECT_EQ(words_at(space, theirs), std::vector<std::uint32_t>(words, 6));
    other.close(theirs);
    EXPECT_GT(free_bytes() - before, static_cast<std::int64_t>(large / 2));
}

/// Work that was given to the stream before may still use it.
TEST_F(cuda_shareable, it_is_freed_and_closed_once_the_work_of_the_space_is_done) {
    exec::cuda_space space;
    cuda_shareable_memory owner(space);
    cuda_shareable_memory other(space);
    for (int round = 0; round < 20; ++round) {
        void* const mine = owner.allocate(bytes, space.stream());
        void* const theirs = opened(owner, other, mine);
        for (std::uint32_t i = 0; i < 50; ++i)
            launch(space, exec::launch_shape{1, 32},
                   write_number{static_cast<std::uint32_t*>(i % 2 == 0 ? mine : theirs), i});
        if (round % 2 == 0) {
            other.close(theirs);
            owner.deallocate(mine, bytes, space.stream());
        } else {
            owner.deallocate(mine, bytes, space.stream());
            other.close(theirs);
        }
    }
    space.synchronize();
}

TEST_F(cuda_shareable, what_is_not_known_is_refused_and_ignored) {
    exec::cuda_space space;
    cuda_shareable_memory memory(space);
    exec::buffer<exec::cuda_space, std::uint32_t> plain(space, 100);
    EXPECT_EQ(memory.show(plain.data()).descriptor, -1);
    EXPECT_EQ(memory.show(nullptr).descriptor, -1);
    int const no_memory = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    EXPECT_EQ(memory.open(no_memory, 2u << 20), nullptr);
    ::close(no_memory);
    memory.close(plain.data());
    memory.close(nullptr);
    plain.fill_bytes(1);
    space.synchronize();
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(cuda_shareable, more_than_the_device_has_is_out_of_memory_and_changes_nothing) {
    exec::cuda_space space;
    cuda_shareable_memory memory(space);
    std::int64_t const before = free_bytes();
    for (std::uint64_t const many : {std::uint64_t{1} << 41, ~std::uint64_t{0}})
        EXPECT_THROW(static_cast<void>(memory.allocate(many, space.stream())), exec::out_of_memory);
    EXPECT_GT(free_bytes() - before, -(std::int64_t{1} << 30));
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    exec::workspace<exec::cuda_space> scratch(space, &memory);
    EXPECT_THROW(static_cast<void>(scratch.at_least(std::uint64_t{1} << 41)), exec::out_of_memory);
    EXPECT_EQ(space.budget().held_bytes(), 0u);
    EXPECT_NE(scratch.at_least(100), nullptr);
}

TEST_F(cuda_shareable, no_descriptors_and_no_memory_are_left) {
    exec::cuda_space space;
    std::ptrdiff_t descriptors = 0;
    std::int64_t free_before = 0;
    for (int round = 0; round < 100; ++round) {
        cuda_shareable_memory owner(space);
        cuda_shareable_memory other(space);
        ASSERT_TRUE(owner.is_usable());
        void* const mine = owner.allocate(std::uint64_t{64} << 20, space.stream());
        static_cast<void>(opened(owner, other, mine)); // closed by its destructor
        owner.deallocate(mine, std::uint64_t{64} << 20, space.stream());
        if (round != 0) continue;
        descriptors = open_descriptors();
        free_before = free_bytes();
    }
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_LT(free_before - free_bytes(), std::int64_t{2} << 30) << "6.4 GB were allocated";
}

} // namespace
