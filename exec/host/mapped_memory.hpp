// SPDX-License-Identifier: Apache-2.0
// Address space of this process, reserved once and committed as needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rhizome::exec {

/// Asks for large pages if that many fresh bytes will likely be filled from one end to the other: with small
/// pages, page faults take as long as the filling. Not beyond a gigabyte, of which few bytes may ever be
/// used.
void prefer_large_pages(void* begin, std::uint64_t bytes);

/// `mmap` without access, made accessible step by step with `mprotect`. The storage of exec::region where the
/// space is the host's memory. Move-only.
class mapped_memory {
public:
    /// Throws out_of_memory where the address space cannot be had.
    mapped_memory(std::uint64_t reserve_bytes, std::string const& name);
    mapped_memory(mapped_memory const&) = delete;
    mapped_memory& operator=(mapped_memory const&) = delete;
    mapped_memory(mapped_memory&& other) noexcept;
    mapped_memory& operator=(mapped_memory&&) = delete;
    ~mapped_memory();

    /// Aligned to step_bytes(), so that chunks of an allocator are aligned to their size, as on the device.
    [[nodiscard]] std::byte* data() const { return data_; }
    [[nodiscard]] std::uint64_t committed_bytes() const { return committed_bytes_; }
    [[nodiscard]] std::uint64_t reserved_bytes() const { return reserved_bytes_; }
    static constexpr bool starts_as_zeros = true;
    [[nodiscard]] static constexpr std::uint64_t step_bytes() { return 64u << 10; }

    /// `bytes` is a multiple of the step, within the reservation. Throws out_of_memory, changing nothing.
    void commit_to(std::uint64_t bytes);
    /// What decommit_to() leaves.
    [[nodiscard]] std::uint64_t shrunk_bytes(std::uint64_t bytes) const {
        return bytes < committed_bytes_ ? bytes : committed_bytes_;
    }
    /// Gives the memory beyond `bytes`, a multiple of the step, back to the operating system. Where the
    /// operating system refuses, the memory stays committed, and may keep its contents.
    void decommit_to(std::uint64_t bytes) noexcept;

private:
    std::byte* data_ = nullptr;
    std::uint64_t reserved_bytes_ = 0;
    std::uint64_t committed_bytes_ = 0;
};

} // namespace rhizome::exec
