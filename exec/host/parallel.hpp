// The host's loop over a range on several OS threads.
#pragma once

#include <cstdint>
#include <type_traits>

namespace rhizome::exec {

/// Calls body(context, begin, end) so that the ranges cover 0 to `count` once each, on up to `threads` OS
/// threads; returns when all are done. The first exception of a body is rethrown.
/// oneTBB; plain threads under ThreadSanitizer, to which TBB's own synchronisation is opaque.
void parallel_ranges(unsigned threads, std::uint64_t count, void (*body)(void*, std::uint64_t, std::uint64_t),
                     void* context);

template <class Function>
void parallel_for(unsigned threads, std::uint64_t count, Function&& function) {
    parallel_ranges(
        threads, count,
        [](void* context, std::uint64_t begin, std::uint64_t end) {
            auto& call = *static_cast<std::remove_reference_t<Function>*>(context);
            for (std::uint64_t item = begin; item < end; ++item)
                call(item);
        },
        const_cast<void*>(static_cast<void const*>(&function)));
}

} // namespace rhizome::exec
