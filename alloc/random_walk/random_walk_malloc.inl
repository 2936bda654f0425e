// SPDX-License-Identifier: Apache-2.0
// The owner of a random_walk_malloc: bodies of random_walk_malloc.hpp.
#pragma once

namespace rhizome::alloc {

template <class Space, std::uint32_t PageBytes, class Search>
random_walk_malloc<Space, PageBytes, Search>::random_walk_malloc(Space space, heap_options const& options,
                                                                 std::uint64_t seed)
    : space_(std::move(space)), heap_(space_, options, word_bytes),
      words_(space_, words_for(heap_.reserved_bytes()), "allocator page words", fresh_elements::zero),
      groups_(space_, store_type::groups_for(words_for(heap_.reserved_bytes())), "allocator word groups",
              fresh_elements::zero),
      lengths_(space_, heap_.reserved_bytes() / PageBytes, "allocator block lengths",
               fresh_elements::undefined),
      long_lengths_(space_, long_lengths_for(heap_.reserved_bytes()), "allocator lengths of long blocks",
                    fresh_elements::zero),
      hints_(space_, random_walk_hints(space_)), proof_(space_, 1), counts_(space_, 1),
      seed_(exec::scramble(seed)) {
    hints_.fill_bytes(0);
    proof_.fill_bytes(0);
    grow_to(options.heap_bytes);
}

template <class Space, std::uint32_t PageBytes, class Search>
void random_walk_malloc<Space, PageBytes, Search>::grow_to(std::uint64_t bytes) {
    heap_.grow_to(bytes, [&](std::uint64_t heap_bytes) {
        words_.grow_to(words_for(heap_bytes));
        groups_.grow_to(store_type::groups_for(words_for(heap_bytes)));
        lengths_.grow_to(heap_bytes / PageBytes);
        long_lengths_.grow_to(long_lengths_for(heap_bytes));
    });
}

template <class Space, std::uint32_t PageBytes, class Search>
audit_result random_walk_malloc<Space, PageBytes, Search>::audit() {
    return audit_random_walk(space_, ref().store(), words_.committed_bytes(), nullptr, 0, counts_, PageBytes,
                             "random_walk_malloc");
}

} // namespace rhizome::alloc
