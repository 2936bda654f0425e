// SPDX-License-Identifier: Apache-2.0
// The concepts accept the allocators of the house, and refuse what lacks a part.
#include <rhizome/alloc/concept.hpp>
#include <rhizome/alloc/decorators/checked.hpp>

#include <allocators.hpp>
#include <gtest/gtest.h>

#include <cstdint>

namespace rhizome::tests {
namespace {

template <class Owner, class Thread>
constexpr bool is_allocator =
    alloc::allocator_owner<Owner>&& alloc::device_allocator<typename Owner::ref_type, Thread>;

template <class Space, class Thread, class... Allocators>
constexpr bool all_are_allocators_of(type_list<Allocators...>) {
    return (is_allocator<typename Allocators::template owner<Space>, Thread> && ...);
}
template <class Space, class Thread>
constexpr bool all_are_allocators = all_are_allocators_of<Space, Thread>(conformance_list{});

static_assert(all_are_allocators<exec::host_space, exec::host_thread<exec::no_shared>>);
static_assert(all_are_allocators<exec::simt_space, exec::simt_thread<exec::no_shared>>);

template <class Space, class Thread>
constexpr bool decorated_are_allocators = is_allocator<counting_failing_ouroboros::owner<Space>, Thread>&&
    is_allocator<alloc::checked<catalogued::device_malloc::owner<Space>>, Thread>&&
        is_allocator<alloc::counting<alloc::checked<catalogued::page_queue::owner<Space>>>, Thread>;

static_assert(decorated_are_allocators<exec::host_space, exec::host_thread<exec::no_shared>>);
static_assert(decorated_are_allocators<exec::simt_space, exec::simt_thread<exec::no_shared>>);

static_assert(alloc::knows_block_bytes<catalogued::page_queue::owner<exec::host_space>::ref_type>);
static_assert(
    alloc::knows_block_bytes<alloc::failing<catalogued::page_queue::owner<exec::host_space>>::ref_type>);
static_assert(alloc::knows_block_bytes<alloc::checked<catalogued::bump::owner<exec::host_space>>::ref_type>);
static_assert(!alloc::knows_block_bytes<catalogued::bump::owner<exec::host_space>::ref_type>);
static_assert(!alloc::knows_block_bytes<alloc::failing<catalogued::bump::owner<exec::host_space>>::ref_type>);

using thread = exec::host_thread<exec::no_shared>;

struct good_ref : alloc::bump_ref {
    using alloc::bump_ref::bump_ref;
};
static_assert(alloc::device_allocator<good_ref, thread>);

struct without_traits {
    template <class Thread>
    void* allocate(Thread const&, std::uint64_t) const;
    template <class Thread>
    void deallocate(Thread const&, void*) const;
    std::uint64_t usable_bytes(std::uint64_t) const;
};
static_assert(!alloc::device_allocator<without_traits, thread>);

struct good_by_hand : without_traits {
    using traits = alloc::bump_ref::traits;
};
static_assert(alloc::device_allocator<good_by_hand, thread>);

struct traits_without_bounded {
    static constexpr std::uint64_t alignment_bytes = 16;
    static constexpr std::uint64_t smallest_bytes = 16;
    static constexpr std::uint64_t largest_bytes = 4096;
    static constexpr bool reuses = true;
};
static_assert(!alloc::allocator_traits<traits_without_bounded>);
static_assert(alloc::allocator_traits<alloc::bump_ref::traits>);

struct without_deallocate {
    using traits = alloc::bump_ref::traits;
    template <class Thread>
    void* allocate(Thread const&, std::uint64_t) const;
    std::uint64_t usable_bytes(std::uint64_t) const;
};
static_assert(!alloc::device_allocator<without_deallocate, thread>);

struct deallocate_that_answers : good_by_hand {
    template <class Thread>
    bool deallocate(Thread const&, void*) const;
};
static_assert(!alloc::device_allocator<deallocate_that_answers, thread>);

struct changes_itself : good_by_hand {
    template <class Thread>
    void* allocate(Thread const&, std::uint64_t); // not const: kernels hold it by value
};
static_assert(!alloc::device_allocator<changes_itself, thread>);

struct not_trivially_copyable : good_by_hand {
    not_trivially_copyable(not_trivially_copyable const&) {}
};
static_assert(!alloc::device_allocator<not_trivially_copyable, thread>);

struct copyable_owner {
    using space_type = exec::host_space;
    using ref_type = alloc::bump_ref;
    alloc::bump_ref ref() const;
    void grow_to(std::uint64_t);
    void trim();
    std::uint64_t heap_bytes() const;
    std::uint64_t table_bytes() const;
    alloc::audit_result audit();
};
static_assert(!alloc::allocator_owner<copyable_owner>);

struct move_only_owner : copyable_owner {
    move_only_owner(move_only_owner&&) = default;
};
static_assert(alloc::allocator_owner<move_only_owner>);

struct owner_of_no_space {
    using ref_type = alloc::bump_ref;
    owner_of_no_space(owner_of_no_space&&) = default;
    alloc::bump_ref ref() const;
    void grow_to(std::uint64_t);
    void trim();
    std::uint64_t heap_bytes() const;
    std::uint64_t table_bytes() const;
    alloc::audit_result audit();
};
static_assert(!alloc::allocator_owner<owner_of_no_space>);

struct owner_of_another_ref : move_only_owner {
    using ref_type = good_ref;
    owner_of_another_ref(owner_of_another_ref&&) = default;
};
static_assert(!alloc::allocator_owner<owner_of_another_ref>);

struct owner_without_audit {
    using space_type = exec::host_space;
    using ref_type = alloc::bump_ref;
    owner_without_audit(owner_without_audit&&) = default;
    alloc::bump_ref ref() const;
    void grow_to(std::uint64_t);
    void trim();
    std::uint64_t heap_bytes() const;
    std::uint64_t table_bytes() const;
};
static_assert(!alloc::allocator_owner<owner_without_audit>);

TEST(concepts, are_checked_by_the_compiler) { SUCCEED(); }

} // namespace
} // namespace rhizome::tests
