// SPDX-License-Identifier: Apache-2.0
// Refs that share memory among the threads of a block: kernels hand it over, decorators pass it on, and refs
// without it cost nothing.
#include "blocks.hpp"
#include "expectations.hpp"

#include <rhizome/alloc/block_storage.hpp>
#include <rhizome/alloc/decorators/counting.hpp>
#include <rhizome/alloc/decorators/failing.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

/// A block keeps a piece of the heap for its threads.
struct block_piece {
    std::byte* begin; ///< nullptr: none was left
    std::uint64_t used_bytes;
};

/// A bump allocator of which each block takes a piece with one request, and serves its threads from it.
class piecewise_ref : public alloc::bump_ref {
public:
    using block_storage = block_piece;
    static constexpr std::uint64_t piece_bytes = 16u << 10;

    piecewise_ref(alloc::bump_ref heap, std::uint64_t* claims) : alloc::bump_ref(heap), claims_(claims) {}

    template <class Thread>
    RZ_HD void use_block_storage(Thread const& thread, block_piece& storage) {
        if (thread.block().is_leader()) storage = {static_cast<std::byte*>(claim(thread, piece_bytes)), 0};
        thread.block().sync();
        piece_ = &storage;
    }

    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        if (piece_ == nullptr || piece_->begin == nullptr || bytes > piece_bytes) return claim(thread, bytes);
        std::uint64_t const rounded = usable_bytes(bytes);
        // relaxed: the piece has never been used before
        std::uint64_t const start =
            thread.shared(piece_->used_bytes).fetch_add(rounded, exec::order::relaxed);
        return start + rounded <= piece_bytes ? piece_->begin + start : claim(thread, bytes);
    }

private:
    template <class Thread>
    [[nodiscard]] RZ_HD void* claim(Thread const& thread, std::uint64_t bytes) const {
        thread.device(*claims_).fetch_add(1, exec::order::relaxed);
        return alloc::bump_ref::allocate(thread, bytes);
    }

    std::uint64_t* claims_; ///< of the heap
    block_piece* piece_ = nullptr;
};
static_assert(alloc::uses_block_storage<piecewise_ref>);

template <class Space>
class piecewise : public alloc::decorator<alloc::bump<Space>> {
public:
    using ref_type = piecewise_ref;

    explicit piecewise(Space space, alloc::heap_options const& options = {})
        : alloc::decorator<alloc::bump<Space>>(space, options), claims_(this->space_, 1) {
        claims_.fill_bytes(0);
    }
    [[nodiscard]] piecewise_ref ref() const {
        return {this->base_.ref(), const_cast<std::uint64_t*>(claims_.data())};
    }
    /// Requests to the heap since the last call.
    [[nodiscard]] std::uint64_t take_claims() {
        std::uint64_t const claims = claims_.to_host()[0];
        claims_.fill_bytes(0);
        return claims;
    }

private:
    exec::buffer<Space, std::uint64_t> claims_;
};

/// Requests of one thread, from a function that knows no kernel's storage.
template <class Ref, class Thread>
RZ_NOINLINE RZ_HD void take_some(Ref ref, Thread thread, std::uint64_t bytes, std::uint32_t count,
                                 void** blocks) {
    for (std::uint32_t i = 0; i < count; ++i)
        blocks[thread.rank() * count + i] = ref.allocate(thread, bytes);
}

/// Each thread makes `count` requests.
template <class Ref>
struct take_in_blocks {
    using shared = alloc::block_storage_of<Ref>;

    Ref ref;
    std::uint64_t bytes;
    std::uint32_t count;
    void** blocks;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& allocator = alloc::in_block(ref, thread, thread.block().storage());
        for (std::uint32_t i = 0; i < count; ++i)
            blocks[thread.rank() * count + i] = allocator.allocate(thread, bytes);
    }
};
/// The same, beside storage of the kernel's own, and through a function that is compiled once for all
/// kernels.
template <class Ref>
struct take_beside_own_storage {
    struct shared {
        std::uint64_t ranks;
        alloc::block_storage_of<Ref> allocator;
    };

    Ref ref;
    std::uint64_t bytes;
    std::uint32_t count;
    void** blocks;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const block = thread.block();
        if (block.is_leader()) block.storage().ranks = 0;
        auto const& allocator = alloc::in_block(ref, thread, block.storage().allocator);
        block.sync();
        thread.shared(block.storage().ranks).fetch_add(block.rank(), exec::order::relaxed);
        take_some(allocator, thread.without_storage(), bytes, count, blocks);
        block.sync();
        std::uint64_t const expected = std::uint64_t{block.size()} * (block.size() - 1) / 2;
        if (thread.shared(block.storage().ranks).load(exec::order::relaxed) != expected)
            blocks[thread.rank() * count] = nullptr; // its own storage was written over
    }
};
/// The same by a kernel that knows nothing of block storage.
template <class Ref>
struct take_without_storage {
    Ref ref;
    std::uint64_t bytes;
    std::uint32_t count;
    void** blocks;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        take_some(ref, thread.without_storage(), bytes, count, blocks);
    }
};

struct piecewise_bump {
    static std::string name_of() { return "piecewise"; }
    template <class Space>
    using owner = piecewise<Space>;
};
struct counting_failing_piecewise {
    static std::string name_of() { return "counting_failing_piecewise"; }
    template <class Space>
    using owner = alloc::counting<alloc::failing<piecewise<Space>>>;
};

template <class Owner>
[[nodiscard]] auto& undecorated(Owner& owner) {
    if constexpr (requires { owner.take_claims(); }) {
        return owner;
    } else {
        return undecorated(owner.base());
    }
}

template <class Case>
class block_storage : public space_test {
protected:
    static constexpr std::uint64_t bytes = 48;
    static constexpr std::uint32_t count = 4;
    struct outcome {
        std::uint64_t blocks;
        std::uint64_t requests;
        std::uint64_t claims;
    };
    /// All requests are served with blocks that are apart.
    template <template <class> class Kernel>
    [[nodiscard]] outcome take(std::uint32_t requests_a_thread = count) {
        using ref_type = typename Case::owner::ref_type;
        heap<Case> tested(8u << 20);
        exec::launch_shape const shape = cover_threads(tested.space(), 256, 64);
        std::uint64_t const requests = std::uint64_t{shape.blocks} * shape.block_threads * requests_a_thread;
        exec::buffer<typename Case::space, void*> blocks(tested.space(), requests);
        blocks.fill_bytes(0);
        launch(tested.space(), shape,
               Kernel<ref_type>{tested.owner().ref(), bytes, requests_a_thread, blocks.data()});
        block_set set{std::vector<std::uint64_t>(requests, bytes), blocks.to_host(), {}};
        for (std::uint64_t i = 0; i < requests; ++i)
            set.owners.push_back(i);
        EXPECT_EQ(set.served(), requests);
        expect_apart(tested, set);
        tested.fill(set);
        EXPECT_EQ(tested.wrong_words(set), 0u);
        return {shape.blocks, requests, undecorated(tested.owner()).take_claims()};
    }
};
using block_storage_cases =
    cross_types<allocator_on, type_list<piecewise_bump, counting_failing_piecewise>, space_list>;
TYPED_TEST_SUITE(block_storage, block_storage_cases, named_types);

TYPED_TEST(block_storage, is_handed_over_by_kernels) {
    auto const found = this->template take<take_in_blocks>();
    EXPECT_EQ(found.claims, found.blocks) << "a piece for each block, and no more";
}
TYPED_TEST(block_storage, lies_beside_what_a_kernel_shares_itself) {
    auto const found = this->template take<take_beside_own_storage>();
    EXPECT_EQ(found.claims, found.blocks);
}
TYPED_TEST(block_storage, may_run_out) {
    // On the host a block has one thread: 400 requests of 48 bytes are more than a piece, too.
    auto const found = this->template take<take_in_blocks>(400);
    EXPECT_GT(found.claims, found.blocks);
    EXPECT_LT(found.claims, found.requests);
}
TYPED_TEST(block_storage, is_not_needed) {
    auto const found = this->template take<take_without_storage>();
    EXPECT_EQ(found.claims, found.requests) << "no thread has a piece";
}

template <class Case>
class without_block_storage : public space_test {};
using plain_cases =
    cross_types<allocator_on, type_list<catalogued::bump, counting_failing_ouroboros>, space_list>;
TYPED_TEST_SUITE(without_block_storage, plain_cases, named_types);

TYPED_TEST(without_block_storage, kernels_hand_over_nothing_and_pay_nothing) {
    using ref_type = typename TypeParam::owner::ref_type;
    static_assert(!alloc::uses_block_storage<ref_type>);
    static_assert(std::is_same_v<exec::shared_of<take_in_blocks<ref_type>>, exec::no_shared>);
    heap<TypeParam> tested(2u << 20);
    ref_type const ref = tested.owner().ref();
    EXPECT_EQ(&alloc::in_block(ref, 0, exec::no_shared{}), &ref) << "no copy";
    exec::launch_shape const shape = cover_threads(tested.space(), 64, 64);
    exec::buffer<typename TypeParam::space, void*> blocks(tested.space(),
                                                          std::uint64_t{shape.blocks} * shape.block_threads);
    launch(tested.space(), shape, take_in_blocks<ref_type>{ref, 48, 1, blocks.data()});
    auto const found = blocks.to_host();
    EXPECT_EQ(std::count(found.begin(), found.end(), nullptr), 0);
}

} // namespace
} // namespace rhizome::tests
