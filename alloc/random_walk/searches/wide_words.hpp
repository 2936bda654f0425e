// SPDX-License-Identifier: Apache-2.0
// Search: any that marks pages by bits, over words of 64 bits.
#pragma once

#include <rhizome/alloc/random_walk/page_marks.hpp>

#include <type_traits>

namespace rhizome::alloc {

/// Search as it is, but a word stands for 64 pages instead of 32: a step looks at twice as many. Source:
/// section IV-A of the paper. Expected steps of bitmap_search: Eq. 5 with w = 64.
template <class Search>
struct wide_words : Search {
    static_assert(std::is_same_v<typename Search::marks, bitmap_marks>);
    using marks = wide_bitmap_marks;
};

} // namespace rhizome::alloc
