// The floor of every allocator: one counter, nothing is ever given back.
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/region.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace rhizome::alloc {

class bump_ref {
public:
    struct traits {
        static constexpr std::uint64_t alignment_bytes = 16;
        static constexpr std::uint64_t smallest_bytes = 16;
        static constexpr std::uint64_t largest_bytes = std::uint64_t{1} << 48;
        static constexpr bool reuses = false;
        static constexpr bool bounded = true;
    };

    bump_ref(std::byte* heap, std::uint64_t* used_bytes, std::uint64_t heap_bytes)
        : heap_(heap), used_bytes_(used_bytes), heap_bytes_(heap_bytes) {}

    /// Cost: one atomic for the lanes that arrive together.
    template <class Thread>
    [[nodiscard]] RZ_HD void* allocate(Thread const& thread, std::uint64_t bytes) const {
        if (bytes > traits::largest_bytes) return nullptr;
        std::uint64_t const rounded = usable_bytes(bytes);
        auto const group = thread.coalesced();
        std::uint64_t const before = group.exclusive_scan(rounded);
        std::uint64_t const total = group.sum(rounded);
        std::uint64_t start = 0;
        if (group.is_leader()) start = thread.device(*used_bytes_).fetch_add(total, exec::order::relaxed);
        start = group.broadcast(start, 0);
        if (start + total <= heap_bytes_) return heap_ + start + before;
        // The warp's sum does not fit: give it back, and let each lane try for itself.
        if (group.is_leader()) thread.device(*used_bytes_).fetch_sub(total, exec::order::relaxed);
        std::uint64_t held = thread.device(*used_bytes_).load(exec::order::relaxed);
        while (held + rounded <= heap_bytes_)
            if (thread.device(*used_bytes_).compare_exchange(held, held + rounded, exec::order::relaxed))
                return heap_ + held;
        return nullptr;
    }
    template <class Thread>
    RZ_HD void deallocate(Thread const&, void*) const {}

    [[nodiscard]] RZ_HD std::uint64_t usable_bytes(std::uint64_t bytes) const {
        return bytes == 0 ? 16 : (bytes + 15) / 16 * 16;
    }

private:
    std::byte* heap_;
    std::uint64_t* used_bytes_;
    std::uint64_t heap_bytes_;
};

template <class Space>
class bump {
public:
    using ref_type = bump_ref;

    explicit bump(Space space, heap_options const& options = {})
        : space_(std::move(space)),
          heap_(space_,
                std::max(options.heap_bytes,
                         options.reserve_bytes != 0 ? options.reserve_bytes : space_.memory_bytes()),
                "allocator heap"),
          used_bytes_(space_, 1) {
        used_bytes_.fill_bytes(0);
        heap_.grow_to(options.heap_bytes);
    }

    [[nodiscard]] bump_ref ref() const {
        return {heap_.data(), const_cast<std::uint64_t*>(used_bytes_.data()), heap_.committed_bytes()};
    }
    void grow_to(std::uint64_t bytes) { heap_.grow_to(bytes); }
    void trim() {}
    [[nodiscard]] std::uint64_t heap_bytes() const { return heap_.committed_bytes(); }
    [[nodiscard]] std::uint64_t table_bytes() const { return used_bytes_.size_bytes(); }
    [[nodiscard]] audit_result audit() {
        std::uint64_t const used = used_bytes_.to_host()[0];
        audit_result result;
        if (used > heap_bytes())
            result.violations.push_back("bump: used <= heap: " + std::to_string(used) + " > " +
                                        std::to_string(heap_bytes()));
        result.live_bytes = used;
        result.free_bytes = heap_bytes() - std::min(used, heap_bytes());
        return result;
    }

private:
    Space space_;
    exec::region<Space> heap_;
    exec::buffer<Space, std::uint64_t> used_bytes_;
};

} // namespace rhizome::alloc
