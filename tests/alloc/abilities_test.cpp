// SPDX-License-Identifier: Apache-2.0
// The concepts of what an allocator may be able to do: each accepts what has the ability and refuses what has
// it wrong or not at all; and decorators have exactly the abilities of their base.
#include <rhizome/alloc/abilities.hpp>
#include <rhizome/alloc/decorators/checked.hpp>
#include <rhizome/alloc/decorators/counting.hpp>
#include <rhizome/alloc/decorators/failing.hpp>
#include <rhizome/alloc/moved_chunks.hpp>

#include <allocators.hpp>
#include <gtest/gtest.h>

#include <cstdint>

namespace rhizome::tests {
namespace {

// ---- Owners that have every ability, and owners with one mistake ----

struct able_owner {
    bool requeue() { return true; }
    void restock(std::uint64_t) {}
    std::uint64_t* spilled_bytes() const { return nullptr; }
    std::uint64_t* free_chunks() const { return nullptr; }
    std::uint64_t withhold_sparse_chunks(std::uint64_t, std::uint64_t = 0) { return 0; }

    using space_type = exec::host_space;
    alloc::moved_chunks<space_type> pack_chunks(std::uint64_t);
};
static_assert(alloc::requeueing_owner<able_owner>);
static_assert(alloc::restocking_owner<able_owner>);
static_assert(alloc::spill_counting_owner<able_owner>);
static_assert(alloc::chunk_counting_owner<able_owner>);
static_assert(alloc::withholding_owner<able_owner>);
static_assert(alloc::limited_withholding_owner<able_owner>);
static_assert(alloc::packing_owner<able_owner>);

struct plain_owner {};
static_assert(!alloc::requeueing_owner<plain_owner>);
static_assert(!alloc::restocking_owner<plain_owner>);
static_assert(!alloc::spill_counting_owner<plain_owner>);
static_assert(!alloc::chunk_counting_owner<plain_owner>);
static_assert(!alloc::withholding_owner<plain_owner>);
static_assert(!alloc::limited_withholding_owner<plain_owner>);
static_assert(!alloc::packing_owner<plain_owner>);

struct requeues_in_silence : able_owner {
    void requeue(); // whether the heap is too full is lost
};
static_assert(!alloc::requeueing_owner<requeues_in_silence>);
struct restocks_without_a_number : able_owner {
    void restock();
};
static_assert(!alloc::restocking_owner<restocks_without_a_number>);
struct restock_that_answers : able_owner {
    bool restock(std::uint64_t);
};
static_assert(!alloc::restocking_owner<restock_that_answers>);
struct spilled_bytes_by_value : able_owner {
    std::uint64_t spilled_bytes() const; // kernels read the word
};
static_assert(!alloc::spill_counting_owner<spilled_bytes_by_value>);
struct spilled_bytes_of_what_changes : able_owner {
    std::uint64_t* spilled_bytes(); // not const
};
static_assert(!alloc::spill_counting_owner<spilled_bytes_of_what_changes>);
struct signed_free_chunks : able_owner {
    std::int64_t* free_chunks() const;
};
static_assert(!alloc::chunk_counting_owner<signed_free_chunks>);
struct withholds_whatever_it_brings : able_owner {
    std::uint64_t withhold_sparse_chunks(); // without least_bytes
};
static_assert(!alloc::withholding_owner<withholds_whatever_it_brings>);
struct withholds_however_much_moves : able_owner {
    std::uint64_t withhold_sparse_chunks(std::uint64_t); // without most_moved_bytes
};
static_assert(alloc::withholding_owner<withholds_however_much_moves>, "rows are moved together without it");
static_assert(!alloc::limited_withholding_owner<withholds_however_much_moves>);
struct withholds_with_a_limit_alone : able_owner {
    std::uint64_t withhold_sparse_chunks(std::uint64_t, std::uint64_t);
};
static_assert(!alloc::withholding_owner<withholds_with_a_limit_alone>);
static_assert(!alloc::limited_withholding_owner<withholds_with_a_limit_alone>);
struct withholds_in_silence : able_owner {
    void withhold_sparse_chunks(std::uint64_t, std::uint64_t = 0);
};
static_assert(!alloc::withholding_owner<withholds_in_silence>);
struct limits_in_silence : able_owner {
    std::uint64_t withhold_sparse_chunks(std::uint64_t);
    void withhold_sparse_chunks(std::uint64_t, std::uint64_t);
};
static_assert(alloc::withholding_owner<limits_in_silence>);
static_assert(!alloc::limited_withholding_owner<limits_in_silence>);
struct packs_in_silence : able_owner {
    void pack_chunks(std::uint64_t); // blocks have new addresses
};
static_assert(!alloc::packing_owner<packs_in_silence>);
struct packs_however_much_moves : able_owner {
    alloc::moved_chunks<space_type> pack_chunks(); // without most_moved_bytes
};
static_assert(!alloc::packing_owner<packs_however_much_moves>);
struct packs_for_another_space : able_owner {
    alloc::moved_chunks<exec::simt_space> pack_chunks(std::uint64_t);
};
static_assert(!alloc::packing_owner<packs_for_another_space>);

// ---- Refs ----

struct able_ref {
    template <class Thread, class Group>
    void* allocate_together(Thread const&, Group const&, std::uint64_t) const;
    template <class Thread, class Group>
    alloc::page_run allocate_run(Thread const&, Group const&, std::uint64_t, std::uint32_t) const;
    template <class Thread>
    void* allocate_in_warp(Thread const&, std::uint64_t) const;
    template <class Thread>
    void* allocate_in_block(Thread const&, std::uint64_t) const;
    template <class Thread>
    std::uint64_t bytes_of(Thread const&, void const*) const;
    template <class Thread>
    bool is_withheld(Thread const&, void const*) const;
    template <class Thread>
    void leave_withheld(Thread const&, void*) const;
};
static_assert(alloc::allocates_together<able_ref>);
static_assert(alloc::allocates_uniform<able_ref>);
static_assert(alloc::gives_runs<able_ref>);
static_assert(alloc::knows_block_bytes<able_ref>);
static_assert(alloc::moves_withheld_blocks<able_ref>);

struct plain_ref {};
static_assert(!alloc::allocates_together<plain_ref>);
static_assert(!alloc::allocates_uniform<plain_ref>);
struct uniform_in_warps_alone {
    template <class Thread>
    void* allocate_in_warp(Thread const&, std::uint64_t) const;
};
static_assert(!alloc::allocates_uniform<uniform_in_warps_alone>);
static_assert(!alloc::gives_runs<plain_ref>);
static_assert(!alloc::knows_block_bytes<plain_ref>);
static_assert(!alloc::moves_withheld_blocks<plain_ref>);

struct together_without_group : able_ref {
    template <class Thread>
    void* allocate_together(Thread const&, std::uint64_t) const;
};
static_assert(!alloc::allocates_together<together_without_group>);
struct together_that_changes_itself : able_ref {
    template <class Thread, class Group>
    void* allocate_together(Thread const&, Group const&, std::uint64_t); // kernels hold it by value
};
static_assert(!alloc::allocates_together<together_that_changes_itself>);
struct run_without_block_bytes {
    template <class Thread, class Group>
    alloc::page_run allocate_run(Thread const&, Group const&, std::uint64_t, std::uint32_t) const;
};
static_assert(!alloc::gives_runs<run_without_block_bytes>);
struct run_of_a_pointer : able_ref {
    template <class Thread, class Group>
    void* allocate_run(Thread const&, Group const&, std::uint64_t, std::uint32_t) const;
};
static_assert(!alloc::gives_runs<run_of_a_pointer>);
struct bytes_that_may_be_less : able_ref {
    template <class Thread>
    std::uint32_t bytes_of(Thread const&, void const*) const;
};
static_assert(!alloc::knows_block_bytes<bytes_that_may_be_less>);
template <bool Has>
struct block_storage_if {};
template <>
struct block_storage_if<true> {
    struct block_storage {
        std::uint32_t word;
    };
    template <class Thread>
    void use_block_storage(Thread const&, block_storage&) {}
};
struct storage_that_constructs {
    struct block_storage {
        std::uint32_t word = 0; // the shared memory of a block is uninitialised
    };
    template <class Thread>
    void use_block_storage(Thread const&, block_storage&);
};
static_assert(!alloc::uses_block_storage<storage_that_constructs>);
struct storage_that_is_not_taken {
    struct block_storage {
        std::uint32_t word;
    };
};
static_assert(!alloc::uses_block_storage<storage_that_is_not_taken>);
static_assert(alloc::uses_block_storage<block_storage_if<true>>);
static_assert(!alloc::uses_block_storage<plain_ref>);
struct never_leaves {
    template <class Thread>
    bool is_withheld(Thread const&, void const*) const;
};
static_assert(!alloc::moves_withheld_blocks<never_leaves>);

// ---- Decorators have what their base has ----

constexpr std::uint32_t packing = 4096;
/// One bit for each ability.
template <class Owner>
constexpr std::uint32_t abilities_of() {
    using ref = typename Owner::ref_type;
    std::uint32_t bits = 0;
    bits |= alloc::requeueing_owner<Owner> ? 1u : 0u;
    bits |= alloc::restocking_owner<Owner> ? 2u : 0u;
    bits |= alloc::spill_counting_owner<Owner> ? 4u : 0u;
    bits |= alloc::chunk_counting_owner<Owner> ? 8u : 0u;
    bits |= alloc::withholding_owner<Owner> ? 16u : 0u;
    bits |= alloc::allocates_together<ref> ? 32u : 0u;
    bits |= alloc::gives_runs<ref> ? 64u : 0u;
    bits |= alloc::knows_block_bytes<ref> ? 128u : 0u;
    bits |= alloc::moves_withheld_blocks<ref> ? 256u : 0u;
    bits |= alloc::uses_block_storage<ref> ? 512u : 0u;
    bits |= alloc::allocates_uniform<ref> ? 1024u : 0u;
    bits |= alloc::limited_withholding_owner<Owner> ? 2048u : 0u;
    bits |= alloc::packing_owner<Owner> ? packing : 0u;
    return bits;
}
/// Without block storage and uniform requests. Only one chunk size can be packed.
constexpr std::uint32_t ouroboros_combined_abilities = 511 + 2048;
constexpr std::uint32_t ouroboros_abilities = ouroboros_combined_abilities + packing;
constexpr std::uint32_t block_bytes_alone = 128;
/// What its backing, the default, has as an owner, but for withheld chunks; block storage and uniform
/// requests.
constexpr std::uint32_t coalescing_abilities = 1 + 2 + 4 + 8 + 512 + 1024;

/// A decorator that changes nothing.
template <class Owner>
class passing_on : public alloc::decorator<Owner> {
public:
    using ref_type = alloc::ref_decorator<typename Owner::ref_type>;
    using typename alloc::decorator<Owner>::space_type;

    explicit passing_on(space_type space, alloc::heap_options const& options = {})
        : alloc::decorator<Owner>(space, options) {}
    [[nodiscard]] ref_type ref() const { return ref_type(this->base_.ref()); }
};

/// Whether each decorator, and stacks of them, have the base's abilities. `checked` and `counting` can tell
/// what a block has over any base. `checked` knows the addresses of blocks: they must not move.
template <class Owner>
constexpr bool decorators_keep_abilities() {
    constexpr std::uint32_t own = abilities_of<Owner>();
    constexpr std::uint32_t of_checked = (own & ~packing) | block_bytes_alone;
    return abilities_of<passing_on<Owner>>() == own && abilities_of<passing_on<passing_on<Owner>>>() == own &&
           abilities_of<alloc::failing<Owner>>() == own &&
           abilities_of<alloc::counting<Owner>>() == (own | block_bytes_alone) &&
           abilities_of<alloc::checked<Owner>>() == of_checked &&
           abilities_of<alloc::failing<alloc::counting<Owner>>>() == (own | block_bytes_alone) &&
           abilities_of<alloc::counting<alloc::failing<alloc::checked<Owner>>>>() == of_checked &&
           abilities_of<alloc::checked<alloc::counting<alloc::failing<passing_on<Owner>>>>>() == of_checked;
}

template <class Space>
constexpr bool decorators_keep_abilities_on() {
    return abilities_of<ouroboros_default::owner<Space>>() == ouroboros_abilities &&
           abilities_of<ouroboros_combined::owner<Space>>() == ouroboros_combined_abilities &&
           abilities_of<catalogued::page_queue::owner<Space>>() == block_bytes_alone &&
           abilities_of<catalogued::bump::owner<Space>>() == 0 &&
           abilities_of<catalogued::coalescing_warp_table::owner<Space>>() == coalescing_abilities &&
           decorators_keep_abilities<catalogued::coalescing_warp_table::owner<Space>>() &&
           abilities_of<catalogued::device_malloc::owner<Space>>() == 0 &&
           decorators_keep_abilities<ouroboros_default::owner<Space>>() &&
           decorators_keep_abilities<ouroboros_combined::owner<Space>>() &&
           decorators_keep_abilities<catalogued::page_queue::owner<Space>>() &&
           decorators_keep_abilities<catalogued::bump::owner<Space>>() &&
           decorators_keep_abilities<catalogued::device_malloc::owner<Space>>();
}
static_assert(decorators_keep_abilities_on<exec::host_space>());
static_assert(decorators_keep_abilities_on<exec::simt_space>());

/// An owner of some abilities alone, so that none comes with another.
template <std::uint32_t Abilities>
struct partly_able {
    using space_type = exec::host_space;
    struct ref_type : alloc::bump_ref, block_storage_if<(Abilities & 512) != 0> {
        using alloc::bump_ref::bump_ref;
        template <class Thread, class Group>
        void* allocate_together(Thread const&, Group const&, std::uint64_t) const
            requires((Abilities & 32) != 0) {
            return nullptr;
        }
        template <class Thread, class Group>
        alloc::page_run allocate_run(Thread const&, Group const&, std::uint64_t, std::uint32_t) const
            requires((Abilities & 64) != 0) {
            return {};
        }
        template <class Thread>
        void* allocate_in_warp(Thread const&, std::uint64_t) const requires((Abilities & 1024) != 0) {
            return nullptr;
        }
        template <class Thread>
        void* allocate_in_block(Thread const&, std::uint64_t) const requires((Abilities & 1024) != 0) {
            return nullptr;
        }
        template <class Thread>
        std::uint64_t bytes_of(Thread const&, void const*) const requires((Abilities & 128) != 0) {
            return 0;
        }
        template <class Thread>
        bool is_withheld(Thread const&, void const*) const requires((Abilities & 256) != 0) {
            return false;
        }
        template <class Thread>
        void leave_withheld(Thread const&, void*) const requires((Abilities & 256) != 0) {}
    };
    bool requeue() requires((Abilities & 1) != 0) { return true; }
    void restock(std::uint64_t) requires((Abilities & 2) != 0) {}
    std::uint64_t* spilled_bytes() const requires((Abilities & 4) != 0) { return nullptr; }
    std::uint64_t* free_chunks() const requires((Abilities & 8) != 0) { return nullptr; }
    std::uint64_t withhold_sparse_chunks(std::uint64_t) requires((Abilities & 16) != 0) { return 0; }
    std::uint64_t withhold_sparse_chunks(std::uint64_t, std::uint64_t) requires((Abilities & 2048) != 0) {
        return 0;
    }
    alloc::moved_chunks<space_type> pack_chunks(std::uint64_t) requires((Abilities & packing) != 0) {
        return alloc::moved_chunks<space_type>(exec::host_space());
    }
};
/// Each ability alone; runs come with block bytes, and so does packing through a decorator. Over another base
/// `counting` keeps the addresses of blocks.
template <std::uint32_t... Abilities>
constexpr bool each_is_passed_on_alone() {
    return ((abilities_of<partly_able<Abilities>>() == Abilities) && ...) &&
           ((abilities_of<passing_on<partly_able<Abilities>>>() == Abilities) && ...) &&
           ((abilities_of<alloc::failing<partly_able<Abilities>>>() == Abilities) && ...) &&
           ((abilities_of<alloc::counting<partly_able<Abilities>>>() == (Abilities | 128)) && ...) &&
           ((abilities_of<alloc::checked<partly_able<Abilities>>>() == ((Abilities & ~packing) | 128)) &&
            ...);
}
static_assert(each_is_passed_on_alone<0, 1, 2, 4, 8, 16, 32, 64 + 128, 128, 256, 512, 1024, 16 + 2048,
                                      packing + 128, 8191>());
static_assert(abilities_of<partly_able<packing>>() == packing);
static_assert(!alloc::packing_owner<passing_on<partly_able<packing>>>);
static_assert(!alloc::packing_owner<alloc::counting<partly_able<packing>>>);

TEST(abilities, are_checked_by_the_compiler) { SUCCEED(); }

/// The calls of a decorator return what the base returns.
TEST(abilities, of_an_owner_reach_the_base) {
    exec::host_space space = make_space<exec::host_space>();
    alloc::counting<alloc::failing<alloc::checked<ouroboros_default::owner<exec::host_space>>>> owner(
        space, {.heap_bytes = 4u << 20});
    auto& base = owner.base().base().base();
    EXPECT_EQ(owner.spilled_bytes(), base.spilled_bytes());
    EXPECT_EQ(owner.free_chunks(), base.free_chunks());
    EXPECT_TRUE(owner.requeue());
    EXPECT_EQ(owner.withhold_sparse_chunks(1), 0u) << "nothing is live";
    EXPECT_EQ(owner.withhold_sparse_chunks(1, 1u << 20), 0u) << "nothing is live";
    owner.restock(100);
    owner.trim();
    EXPECT_EQ(owner.heap_bytes(), base.heap_bytes());
}

} // namespace
} // namespace rhizome::tests
