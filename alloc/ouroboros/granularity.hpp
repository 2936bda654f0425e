// What the queues of an ouroboros hold (Ouroboros, sections 4.1 and 4.2).
#pragma once

namespace rhizome::alloc {

/// Free pages: one entry a page. A request is one entry.
struct page {
    static constexpr bool queues_pages = true;
    static constexpr char const* name = "page";
};

/// Chunks with free pages: one entry a chunk, whether one of its pages is free or all. A request takes a mark
/// out of a chunk, and an entry where it knows of none.
struct chunk {
    static constexpr bool queues_pages = false;
    static constexpr char const* name = "chunk";
};

} // namespace rhizome::alloc
