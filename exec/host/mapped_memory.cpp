// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/host/mapped_memory.hpp>
#include <rhizome/exec/sizes.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace rhizome::exec {

namespace {

constexpr std::uint64_t least_bytes = 4u << 20;
constexpr std::uint64_t most_bytes = 1u << 30;

void advise_large_pages(void* begin, std::uint64_t bytes) {
    constexpr std::uint64_t page_bytes = 4096;
    std::uint64_t const skipped = -reinterpret_cast<std::uint64_t>(begin) % page_bytes;
    // Only advice: without it the memory works, and is filled more slowly.
    static_cast<void>(::madvise(static_cast<std::byte*>(begin) + skipped, bytes - skipped, MADV_HUGEPAGE));
}

} // namespace

void prefer_large_pages(void* begin, std::uint64_t bytes) {
    if (bytes >= least_bytes && bytes <= most_bytes) advise_large_pages(begin, bytes);
}

mapped_memory::mapped_memory(std::uint64_t reserve_bytes, std::string const& name) {
    reserved_bytes_ = whole_steps(std::max<std::uint64_t>(reserve_bytes, 1), step_bytes());
    void* const place = reserved_bytes_ == endless_bytes
                            ? MAP_FAILED
                            : ::mmap(nullptr, reserved_bytes_ + step_bytes(), PROT_NONE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) throw out_of_memory(name + " (address space)", reserved_bytes_, 0);
    // mmap aligns to 4 KiB: what is in front of the first multiple of the step, and behind the end, goes
    // back.
    std::uint64_t const skipped = -reinterpret_cast<std::uintptr_t>(place) % step_bytes();
    data_ = static_cast<std::byte*>(place) + skipped;
    if (skipped != 0) ::munmap(place, skipped);
    ::munmap(data_ + reserved_bytes_, step_bytes() - skipped);
}

mapped_memory::mapped_memory(mapped_memory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), reserved_bytes_(std::exchange(other.reserved_bytes_, 0)),
      committed_bytes_(std::exchange(other.committed_bytes_, 0)) {}

mapped_memory::~mapped_memory() {
    if (data_ != nullptr) ::munmap(data_, reserved_bytes_);
}

void mapped_memory::commit_to(std::uint64_t bytes) {
    std::uint64_t const more = bytes - committed_bytes_;
    if (::mprotect(data_ + committed_bytes_, more, PROT_READ | PROT_WRITE) != 0)
        throw out_of_memory("host memory", more, 0);
    // Memory that grows in small steps becomes large, too. A large page may begin in an earlier step.
    constexpr std::uint64_t large_page_bytes = 2u << 20;
    std::uint64_t const before = std::min(committed_bytes_, large_page_bytes);
    if (bytes >= least_bytes && more <= most_bytes)
        advise_large_pages(data_ + committed_bytes_ - before, more + before);
    committed_bytes_ = bytes;
}

void mapped_memory::decommit_to(std::uint64_t bytes) noexcept {
    if (bytes >= committed_bytes_) return;
    std::uint64_t const less = committed_bytes_ - bytes;
    // Drops the contents first: memory that is committed again must read as 0.
    if (::madvise(data_ + bytes, less, MADV_DONTNEED) != 0) return;
    if (::mprotect(data_ + bytes, less, PROT_NONE) != 0) return;
    committed_bytes_ = bytes;
}

} // namespace rhizome::exec
