// What all decorators of an owner share: they hold it, and hand on what they do not change.
#pragma once

#include <rhizome/alloc/concept.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace rhizome::alloc {

namespace detail {
/// The space of an owner: Owner::space_type, or else its first template argument.
template <class Owner>
struct space_of;
template <class Owner>
    requires requires { typename Owner::space_type; }
struct space_of<Owner> {
    using type = typename Owner::space_type;
};
template <template <class, class, class, std::uint32_t> class Owner, class Space, class A, class B,
          std::uint32_t Bytes>
struct space_of<Owner<Space, A, B, Bytes>> {
    using type = Space;
};
template <template <class, class, class, class, std::uint32_t> class Owner, class Space, class A, class B,
          class C, std::uint32_t Bytes>
struct space_of<Owner<Space, A, B, C, Bytes>> {
    using type = Space;
};
} // namespace detail

/// Base of decorators: owns the decorated allocator.
template <class Owner>
class decorator {
public:
    using space_type = typename detail::space_of<Owner>::type;

    /// The allocator underneath.
    [[nodiscard]] Owner& base() { return base_; }
    [[nodiscard]] Owner const& base() const { return base_; }

    void grow_to(std::uint64_t bytes) { base_.grow_to(bytes); }
    void trim() { base_.trim(); }
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
