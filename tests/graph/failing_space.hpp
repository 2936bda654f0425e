// SPDX-License-Identifier: Apache-2.0
// A space whose n-th allocation, or n-th call, fails: for tests of what its user is left with.
#pragma once

#include <rhizome/exec/copy_lane.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/event.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::tests {

/// What a launch, a copy, a fill or a wait throws by plan.
class space_failed : public std::runtime_error {
public:
    space_failed() : std::runtime_error("the space has failed by plan") {}
};

enum class failure : std::uint8_t {
    none,
    out_of_memory_once, ///< the n-th allocation
    out_of_memory_on,   ///< ... and all that follow it
    launch_refused,     ///< the n-th launch: it lacks resources, does nothing, and throws
    call_refused,       ///< the n-th launch, copy, fill or wait does nothing and throws
    call_done,          ///< ... does what it is for and throws
    lost,               ///< from the n-th on each one throws, and so does each allocation
};

class failure_plan {
public:
    /// From now on, number `number` fails, counted from 1.
    void arm(failure how, std::uint64_t number) {
        how_ = how;
        number_ = number;
        seen_ = 0;
    }
    /// Whether the plan came to its failure. Nothing fails from now on.
    bool disarm() { return std::exchange(how_, failure::none) != failure::none && seen_ >= number_; }

    /// From now on larger blocks are refused, which is not the failure that arm() plans. A batch that needs
    /// one is applied in pieces.
    void refuse_larger_than(std::uint64_t bytes) { most_bytes_ = bytes; }

    /// The next launches, so many behind `others`, are refused for lack of resources.
    void refuse_launches(std::uint64_t count, std::uint64_t others = 0) {
        refused_launches_ = count;
        other_launches_ = others;
    }
    [[nodiscard]] std::uint64_t launches_to_refuse() const { return refused_launches_; }
    void launch() {
        if (how_ == failure::launch_refused && ++seen_ == number_) refuse_launch();
        if (refused_launches_ == 0) return;
        if (other_launches_ != 0) {
            --other_launches_;
            return;
        }
        --refused_launches_;
        refuse_launch();
    }
    void wait() { has_waited_ = true; }
    /// Whether the host has waited for the space since the last launch that was refused.
    [[nodiscard]] bool has_waited() const { return has_waited_; }

    /// From now on address space for this is refused.
    void refuse_region(std::string what) { refused_region_ = std::move(what); }
    void reserve(std::string const& what, std::uint64_t bytes) const {
        if (what == refused_region_) throw exec::out_of_memory("by plan, " + what, bytes, 0);
    }

    void allocate(std::uint64_t bytes) {
        if (bytes > most_bytes_) throw exec::out_of_memory("by plan, too large", bytes, most_bytes_);
        if (how_ == failure::lost && seen_ >= number_) throw space_failed();
        if (how_ != failure::out_of_memory_once && how_ != failure::out_of_memory_on) return;
        ++seen_;
        if (seen_ == number_ || (how_ == failure::out_of_memory_on && seen_ > number_))
            throw exec::out_of_memory("by plan", bytes, 0);
    }
    /// What prepare_scan() has taken: `scratch` serves scans of up to `count` elements. 0: of none.
    void prepare(void const* scratch, std::uint64_t count) { prepared_[scratch] = count; }
    [[nodiscard]] std::uint64_t prepared(void const* scratch) { return prepared_[scratch]; }

    template <class Work>
    void call(Work const& work) {
        bool const counts =
            how_ == failure::call_refused || how_ == failure::call_done || how_ == failure::lost;
        if (counts) ++seen_;
        bool const fails = counts && (seen_ == number_ || (how_ == failure::lost && seen_ > number_));
        if (!fails || how_ == failure::call_done) work();
        if (fails) throw space_failed();
    }

private:
    [[noreturn]] void refuse_launch() {
        has_waited_ = false;
        throw exec::launch_refused("by plan");
    }

    failure how_ = failure::none;
    std::uint64_t number_ = 0;
    std::uint64_t seen_ = 0;
    std::uint64_t most_bytes_ = ~std::uint64_t{0};
    std::uint64_t refused_launches_ = 0;
    std::uint64_t other_launches_ = 0; ///< before those
    bool has_waited_ = false;
    std::string refused_region_;
    std::map<void const*, std::uint64_t> prepared_;
};

/// Base, a space of the host's memory, with failures by plan. Handles share the plan. Giving back never
/// fails.
template <class Base>
class failing_space : public Base {
public:
    explicit failing_space(Base base) : Base(std::move(base)), plan_(std::make_shared<failure_plan>()) {}

    [[nodiscard]] failure_plan& plan() const { return *plan_; }

    [[nodiscard]] void* allocate(std::uint64_t bytes) {
        plan_->allocate(bytes);
        return Base::allocate(bytes);
    }
    void copy_in(void* to, void const* from, std::uint64_t bytes) {
        plan_->call([&] { Base::copy_in(to, from, bytes); });
    }
    void copy_out(void* to, void const* from, std::uint64_t bytes) {
        plan_->call([&] { Base::copy_out(to, from, bytes); });
    }
    void copy(void* to, void const* from, std::uint64_t bytes) {
        plan_->call([&] { Base::copy(to, from, bytes); });
    }
    void fill(void* to, std::uint8_t byte, std::uint64_t bytes) {
        plan_->call([&] { Base::fill(to, byte, bytes); });
    }
    void synchronize() {
        plan_->call([&] { Base::synchronize(); });
        plan_->wait();
    }
    void record(exec::event<failing_space>&) {
        plan_->call([] {});
    }
    void wait_for(exec::event<failing_space> const&) {
        plan_->call([] {});
    }

    struct region_storage : Base::region_storage {
        region_storage(failing_space const& space, std::uint64_t reserve_bytes, std::string const& what)
            : Base::region_storage(space, reserve_bytes, what), plan(space.plan_) {
            plan->reserve(what, reserve_bytes);
        }
        void commit_to(std::uint64_t bytes) {
            plan->allocate(bytes);
            Base::region_storage::commit_to(bytes);
        }
        std::shared_ptr<failure_plan> plan;
    };

private:
    /// Hides Base's: batches are copied in, as to a device, and each copy may fail.
    static constexpr bool shares_host_memory = false;

    std::shared_ptr<failure_plan> plan_;
};

template <class Base, class Kernel>
void launch(failing_space<Base>& space, exec::launch_shape shape, Kernel const& kernel) {
    space.plan().launch();
    space.plan().call([&] { launch(static_cast<Base&>(space), shape, kernel); });
}

namespace detail {
template <class Base>
void take_scratch(failing_space<Base>& space, exec::workspace<failing_space<Base>>& scratch,
                  std::uint64_t prepared) {
    space.plan().prepare(&scratch, 0);
    scratch.give_back();
    static_cast<void>(scratch.at_least(64));
    space.plan().prepare(&scratch, prepared);
}
template <class Base>
[[nodiscard]] bool is_prepared(failing_space<Base>& space,
                               exec::workspace<failing_space<Base>> const& scratch, std::uint64_t count) {
    return scratch.held_bytes() != 0 && space.plan().prepared(&scratch) >= count;
}
template <class Base, class Primitive>
void run_in_scratch(failing_space<Base>& space, Primitive const& primitive) {
    exec::workspace<Base> own(space);
    space.plan().launch();
    space.plan().call([&] { primitive(static_cast<Base&>(space), own); });
}
/// A primitive allocates its scratch, as one of a device may, and is a call.
template <class Base, class Primitive>
void run_primitive(failing_space<Base>& space, exec::workspace<failing_space<Base>>& scratch,
                   Primitive const& primitive) {
    take_scratch(space, scratch, 0);
    run_in_scratch(space, primitive);
}
} // namespace detail

template <class Base>
void prepare_scan(failing_space<Base>& space, exec::workspace<failing_space<Base>>& scratch,
                  std::uint64_t count) {
    if (!detail::is_prepared(space, scratch, count)) detail::take_scratch(space, scratch, count);
}
template <class Base, class In, class Out>
void exclusive_scan(failing_space<Base>& space, exec::workspace<failing_space<Base>>& scratch, In const* in,
                    Out* out, std::uint64_t count) {
    if (sizeof(Out) != sizeof(std::uint32_t) || !detail::is_prepared(space, scratch, count))
        detail::take_scratch(space, scratch, 0);
    detail::run_in_scratch(space, [&](Base& base, auto& own) { exclusive_scan(base, own, in, out, count); });
}
template <class Base, class Key>
Key* sort_keys(failing_space<Base>& space, exec::workspace<failing_space<Base>>& scratch, Key* keys,
               Key* alternate, std::uint64_t count, unsigned bits) {
    Key* sorted = nullptr;
    detail::run_primitive(space, scratch, [&](Base& base, auto& own) {
        sorted = sort_keys(base, own, keys, alternate, count, bits);
    });
    return sorted;
}
template <class Base, class Key>
std::uint64_t sort_into_bytes(failing_space<Base>&, Key const*, std::uint64_t count, unsigned, unsigned) {
    return count * sizeof(std::uint64_t) + count * sizeof(Key);
}
template <class Base, class Key>
void sort_keys_into(failing_space<Base>& space, exec::workspace<failing_space<Base>>& scratch,
                    Key const* keys, Key* sorted, void* temporary, std::uint64_t count, unsigned first,
                    unsigned bits) {
    detail::run_primitive(space, scratch, [&](Base& base, auto& own) {
        sort_keys_into(base, own, keys, sorted, temporary, count, first, bits);
    });
}
template <class Base, class Pairs>
Pairs sort_pairs(failing_space<Base>& space, exec::workspace<failing_space<Base>>& scratch, Pairs pairs,
                 Pairs alternate, std::uint64_t count, unsigned bits) {
    Pairs sorted{};
    detail::run_primitive(space, scratch, [&](Base& base, auto& own) {
        sorted = sort_pairs(base, own, pairs, alternate, count, bits);
    });
    return sorted;
}

} // namespace rhizome::tests

/// Its orders are one, as Base's are; recording and awaiting a point are calls, as on a device.
template <class Base>
class rhizome::exec::copy_lane<rhizome::tests::failing_space<Base>> {
public:
    struct point {};

    explicit copy_lane(tests::failing_space<Base> space) : space_(std::move(space)) {}
    copy_lane(copy_lane&&) noexcept = default;
    copy_lane& operator=(copy_lane&&) = delete;

    void copy(void* to, void const* from, std::uint64_t bytes) { space_.copy_in(to, from, bytes); }
    void copy_written(void* to, std::uint64_t bytes, part_writer const& write) {
        std::vector<std::byte> made(bytes);
        write(made.data(), 0, bytes);
        space_.copy_in(to, made.data(), bytes);
    }
    void lend(void* to, void const* from, std::uint64_t bytes) { space_.copy_in(to, from, bytes); }
    void record_copies(point&) { call(); }
    void record_work(point&) { call(); }
    void work_awaits(point const&) { call(); }
    void copies_await(point const&) { call(); }
    void synchronize() { call(); }

private:
    void call() {
        space_.plan().call([] {});
    }

    tests::failing_space<Base> space_;
};
