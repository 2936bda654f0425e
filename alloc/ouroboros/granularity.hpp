// SPDX-License-Identifier: Apache-2.0
// What the queues of an ouroboros hold (Ouroboros, sections 4.1 and 4.2).
#pragma once

namespace rhizome::alloc {

/// Queues hold free pages, one entry per page. A request takes one entry.
struct page_based {
    static constexpr bool queues_pages = true;
    static constexpr char const* name = "page";
};

/// Queues hold chunks with free pages, one entry per chunk, whether one of its pages is free or all. A
/// request takes a mark from a chunk, and an entry only if it knows no chunk.
struct chunk_based {
    static constexpr bool queues_pages = false;
    static constexpr char const* name = "chunk";
};

} // namespace rhizome::alloc
