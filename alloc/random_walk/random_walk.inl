// SPDX-License-Identifier: Apache-2.0
// The owner of a random_walk: bodies of random_walk.hpp.
#pragma once

namespace rhizome::alloc {

template <class Space, class Search, std::uint32_t PageBytes>
random_walk<Space, Search, PageBytes>::random_walk(Space space, heap_options const& options,
                                                   std::uint64_t seed)
    : space_(std::move(space)), heap_(space_, options, step_bytes),
      words_(space_, words_for(heap_.reserved_bytes()), "allocator page words", fresh_elements::zero),
      full_lines_(space_, full_words_for(heap_.reserved_bytes()), "allocator full lines",
                  fresh_elements::zero),
      locks_(space_, lock_words_for(heap_.reserved_bytes()), "allocator word locks", fresh_elements::zero),
      hints_(space_, random_walk_hints(space_)), counts_(space_, 1), seed_(exec::scramble(seed)) {
    hints_.fill_bytes(0);
    grow_to(options.heap_bytes);
}

template <class Space, class Search, std::uint32_t PageBytes>
void random_walk<Space, Search, PageBytes>::grow_to(std::uint64_t bytes) {
    std::uint64_t const before = heap_.heap_bytes();
    bool const grew = heap_.grow_to(bytes, [&](std::uint64_t heap_bytes) {
        if (words_for(heap_bytes) > store_type::most_words)
            throw exec::out_of_memory("allocator page words", heap_bytes,
                                      store_type::most_words * word_bytes);
        words_.grow_to(words_for(heap_bytes));
        full_lines_.grow_to(full_words_for(heap_bytes));
        if (Search::locks) locks_.grow_to(lock_words_for(heap_bytes));
    });
    // The last line may have got more words.
    if (grew && before != 0)
        space_.fill(full_lines_.data() + full_words_for(before) - 1, 0, sizeof(full_lines_ref::word));
}

template <class Space, class Search, std::uint32_t PageBytes>
audit_result random_walk<Space, Search, PageBytes>::audit() {
    return audit_random_walk(space_, ref().store(), words_.committed_bytes(), locks_.data(),
                             locks_.committed_bytes() / sizeof(std::uint32_t), counts_, PageBytes,
                             "random_walk");
}

} // namespace rhizome::alloc
