// SPDX-License-Identifier: Apache-2.0
// The direct output buffer of the random-walk paper (section VI, DO): pages from a counter, which are never
// given back.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace rhizome::bench {

class counter_pages_ref {
public:
    counter_pages_ref(std::byte* pool, std::uint64_t* next, std::uint64_t pages, std::uint64_t page_bytes)
        : pool_(pool), next_(next), pages_(pages), page_bytes_(page_bytes) {}

    /// The next page, or nullptr once all were handed out. Cost: an atomic per thread.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t) const {
        std::uint64_t const page = thread.device(*next_).fetch_add(1, exec::order::relaxed);
        return page < pages_ ? pool_ + page * page_bytes_ : nullptr;
    }
    /// Does nothing.
    template <class Thread>
    RZ_HD void deallocate(Thread const&, void*) const {}

private:
    std::byte* pool_;
    std::uint64_t* next_;
    std::uint64_t pages_;
    std::uint64_t page_bytes_;
};

template <class Space>
class counter_pages {
public:
    using ref_type = counter_pages_ref;

    /// page_bytes: a multiple of 16. Throws out_of_memory.
    counter_pages(Space space, std::uint64_t pages, std::uint64_t page_bytes)
        : pool_(space, pages * page_bytes), next_(space, 1), pages_(pages), page_bytes_(page_bytes) {
        next_.fill_bytes(0);
    }
    [[nodiscard]] ref_type ref() { return {pool_.data(), next_.data(), pages_, page_bytes_}; }

private:
    exec::buffer<Space, std::byte> pool_;
    exec::buffer<Space, std::uint64_t> next_;
    std::uint64_t pages_;
    std::uint64_t page_bytes_;
};

} // namespace rhizome::bench
