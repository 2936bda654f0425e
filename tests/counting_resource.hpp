// SPDX-License-Identifier: Apache-2.0
// A memory resource for tests: counts what it lends, and refuses from a chosen call on.
#pragma once

#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/memory_resource.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <new>
#include <optional>

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>
#endif

namespace rhizome::tests {

/// How a resource says that it has no memory.
enum class refusal { bad_alloc, null_pointer, out_of_memory };

/// Lends device memory if nvcc compiles it, otherwise host memory. Its destructor fails the test if memory
/// was not given back.
class counting_resource : public exec::memory_resource {
public:
    ~counting_resource() override { EXPECT_TRUE(lent_.empty()) << "memory was not given back"; }
    [[nodiscard]] void* allocate(std::uint64_t bytes, void* stream) override {
        ++calls_;
        if (refuse_from_ && calls_ >= *refuse_from_) {
            ++refused_;
            if (how_ == refusal::bad_alloc) throw std::bad_alloc();
            if (how_ == refusal::out_of_memory) throw exec::out_of_memory("pool", bytes, 0);
            return nullptr;
        }
        EXPECT_GT(bytes, 0u);
        void* pointer = nullptr;
#if defined(__CUDACC__)
        EXPECT_EQ(cudaMallocAsync(&pointer, bytes, static_cast<cudaStream_t>(stream)), cudaSuccess);
#else
        EXPECT_EQ(stream, nullptr);
        pointer = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
#endif
        lent_[pointer] = bytes;
        held_bytes_ += bytes;
        return pointer;
    }
    void deallocate(void* pointer, std::uint64_t bytes, [[maybe_unused]] void* stream) noexcept override {
        auto const found = lent_.find(pointer);
        if (found == lent_.end() || found->second != bytes) {
            ADD_FAILURE() << "not lent: " << bytes << " bytes";
            return;
        }
        lent_.erase(found);
        held_bytes_ -= bytes;
#if defined(__CUDACC__)
        EXPECT_EQ(cudaFreeAsync(pointer, static_cast<cudaStream_t>(stream)), cudaSuccess);
#else
        std::free(pointer);
#endif
    }

    void refuse_from(std::uint64_t call, refusal how) {
        refuse_from_ = call;
        how_ = how;
        calls_ = refused_ = 0;
    }
    void refuse_no_more() { refuse_from_.reset(); }
    [[nodiscard]] std::uint64_t calls() const { return calls_; }
    [[nodiscard]] std::uint64_t refused() const { return refused_; }
    [[nodiscard]] std::uint64_t held_bytes() const { return held_bytes_; }

private:
    std::map<void*, std::uint64_t> lent_;
    std::uint64_t held_bytes_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t refused_ = 0;
    std::optional<std::uint64_t> refuse_from_;
    refusal how_ = refusal::bad_alloc;
};

} // namespace rhizome::tests
