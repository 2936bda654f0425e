// SPDX-License-Identifier: Apache-2.0
// Whether chunks that are cut into pages may be wholly free, and which group of lanes returns them to the
// store.
#pragma once

#include <rhizome/alloc/chunk_counts.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Where queues hold chunks, a chunk may lie in a queue with all its pages free. A thread that would be
/// refused returns such chunks to the store. The counters say whether a search for them can find any.
class whole_chunks_ref {
public:
    RZ_HD explicit whole_chunks_ref(chunk_store_state* state) : state_(state) {}

    /// Called after the last page of a chunk was marked. release: the marks are seen by the search.
    template <class Thread>
    RZ_HD void note(Thread const& thread) const {
        thread.device(state_->became_whole).fetch_add(1, exec::order::release);
    }
    /// While nothing else runs: the next search looks at all chunks.
    template <class Thread>
    RZ_HD void reset(Thread const& thread) const {
        thread.device(state_->became_whole).store(1, exec::order::relaxed);
        thread.device(state_->searched_whole).store(0, exec::order::relaxed);
        thread.device(state_->whole_search).store(0, exec::order::relaxed);
    }

    /// What a search begins with: `noted`, for end(). acquire: pairs with note().
    struct look {
        std::uint64_t noted;
        bool may_find; ///< a chunk has become whole since the last complete search began
    };
    template <class Thread>
    [[nodiscard]] RZ_HD look read(Thread const& thread) const {
        std::uint64_t const noted = thread.device(state_->became_whole).load(exec::order::acquire);
        return {noted, noted != thread.device(state_->searched_whole).load(exec::order::relaxed)};
    }
    /// Tries to become the only searcher; whether the caller did. Searches at the same time would hide chunks
    /// from each other. acquire: pairs with end().
    template <class Thread>
    [[nodiscard]] RZ_HD bool begin(Thread const& thread) const {
        return thread.device(state_->whole_search).exchange(1, exec::order::acquire) == 0;
    }
    /// Ends the search. `complete`: it has left no wholly free chunk of those that were noted.
    template <class Thread>
    RZ_HD void end(Thread const& thread, std::uint64_t noted, bool complete) const {
        if (complete) thread.device(state_->searched_whole).store(noted, exec::order::relaxed);
        thread.device(state_->whole_search).store(0, exec::order::release);
    }

private:
    chunk_store_state* state_;
};

} // namespace rhizome::alloc
