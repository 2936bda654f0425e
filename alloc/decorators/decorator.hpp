// What all decorators of an owner share: they hold it, and hand on what they do not change.
#pragma once

#include <rhizome/alloc/concept.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::alloc {

/// Base of decorators: owns the decorated allocator.
template <class Owner>
class decorator {
public:
    using space_type = typename Owner::space_type;

    /// The allocator underneath.
    [[nodiscard]] Owner& base() { return base_; }
    [[nodiscard]] Owner const& base() const { return base_; }

    void grow_to(std::uint64_t bytes) { base_.grow_to(bytes); }
    void trim() { base_.trim(); }
    [[nodiscard]] bool requeue() requires requires(Owner& owner) { owner.requeue(); }
    { return base_.requeue(); }
    void restock(std::uint64_t requests) requires requires(Owner& owner) { owner.restock(requests); }
    { base_.restock(requests); }
    [[nodiscard]] std::uint64_t* spilled_bytes() const requires requires(Owner& owner) {
        owner.spilled_bytes();
    }
    { return base_.spilled_bytes(); }
    [[nodiscard]] std::uint64_t* free_chunks() const requires requires(Owner& owner) { owner.free_chunks(); }
    { return base_.free_chunks(); }
    [[nodiscard]] std::uint64_t heap_bytes() const { return base_.heap_bytes(); }
    [[nodiscard]] std::uint64_t table_bytes() const { return base_.table_bytes(); }
    [[nodiscard]] audit_result audit() { return base_.audit(); }

protected:
    decorator(space_type space, heap_options const& options)
        : space_(std::move(space)), base_(space_, options) {}

    space_type space_;
    Owner base_;
};

} // namespace rhizome::alloc
