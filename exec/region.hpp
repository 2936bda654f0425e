// SPDX-License-Identifier: Apache-2.0
// Memory that grows and shrinks in place: address space reserved once, committed as needed.
#pragma once

#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/sizes.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace rhizome::exec {

/// Memory that grows and shrinks in place: reserved_bytes() of address space, of which the first
/// committed_bytes() can be used. Growing and shrinking move nothing, so pointers stay valid. Move-only.
/// Committed memory is charged to the budget of the space. It starts uninitialised, unless starts_as_zeros.
/// Cost of growing: on CUDA three driver calls and one physical allocation for each piece of memory, on the
/// host one mprotect. The first growth is one piece. A later one of device memory has pieces of about 1/16
/// of the memory then, smaller ones at its end, so that most of what is no longer needed can be given
/// back.
template <class Space>
class region {
public:
    /// Whether committed memory reads as 0 until it is written; also memory that is committed again.
    static constexpr bool starts_as_zeros = Space::region_storage::starts_as_zeros;

    /// Reserves address space for at least `reserve_bytes` (rounded up to the space's step); commits nothing.
    /// `name` says in error messages whose memory it is. Throws out_of_memory if the address space cannot be
    /// reserved.
    region(Space space, std::uint64_t reserve_bytes, std::string name)
        : space_(std::move(space)), name_(std::move(name)), storage_(space_, reserve_bytes, name_) {}
    region(region const&) = delete;
    region& operator=(region const&) = delete;
    region(region&&) noexcept = default;
    region& operator=(region&& other) = delete;
    /// Frees memory and address space. On CUDA it waits for all work of the device (cudaDeviceSynchronize);
    /// The counter space.waits() does not include this wait.
    ~region() {
        if (storage_.committed_bytes() != 0) space_.budget().refund(storage_.committed_bytes());
    }

    /// The start of the address range, in the memory of the space; the same for the region's lifetime.
    [[nodiscard]] std::byte* data() const { return storage_.data(); }
    /// Bytes from data() on that can be used.
    [[nodiscard]] std::uint64_t committed_bytes() const { return storage_.committed_bytes(); }
    /// Bytes of address space.
    [[nodiscard]] std::uint64_t reserved_bytes() const { return storage_.reserved_bytes(); }
    /// committed_bytes() is a multiple of this.
    [[nodiscard]] std::uint64_t step_bytes() const { return storage_.step_bytes(); }

    /// Makes the first `bytes` bytes usable, rounded up to step_bytes(). Throws out_of_memory and changes
    /// nothing if the reservation, the budget or the device is too small.
    void grow_to(std::uint64_t bytes) {
        std::uint64_t const wanted = whole_steps(bytes, storage_.step_bytes());
        std::uint64_t const held = committed_bytes();
        if (wanted <= held) return;
        if (wanted > reserved_bytes()) throw out_of_memory(name_, wanted - held, reserved_bytes() - held);
        space_.budget().charge(wanted - held, name_);
        try {
            storage_.commit_to(wanted);
        } catch (...) {
            space_.budget().refund(wanted - committed_bytes());
            throw;
        }
    }

    /// The value of committed_bytes() after shrink_to(bytes): memory is given back in whole pieces.
    [[nodiscard]] std::uint64_t shrunk_bytes(std::uint64_t bytes) const {
        return storage_.shrunk_bytes(whole_steps(bytes, storage_.step_bytes()));
    }
    /// Gives memory at the end back to the device or the operating system: keeps the first `bytes` bytes, and
    /// up to the end of their piece. The contents of the rest are lost. Pointers to the kept bytes stay
    /// valid. Does nothing if no whole piece lies beyond. Waits: on CUDA for all work of the device, of which
    /// some may read the memory; the counter space.waits() does not include this wait. Needs no memory.
    void shrink_to(std::uint64_t bytes) {
        std::uint64_t const held = committed_bytes();
        if (shrunk_bytes(bytes) == held) return;
        storage_.decommit_to(whole_steps(bytes, storage_.step_bytes()));
        space_.budget().refund(held - committed_bytes());
    }

private:
    Space space_;
    std::string name_;
    /// Made of (space, bytes, name). Has data(), committed_bytes(), reserved_bytes(), step_bytes(),
    /// commit_to(), shrunk_bytes(), decommit_to().
    typename Space::region_storage storage_;
};

} // namespace rhizome::exec
