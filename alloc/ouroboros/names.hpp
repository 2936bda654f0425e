// SPDX-License-Identifier: Apache-2.0
// The names of the variants of Ouroboros, for code that names an allocator without using it.
#pragma once

#include <cstdint>

namespace rhizome::alloc {

struct page_based;
struct chunk_based;
struct array_queue;
struct virtual_array_queue;
struct virtual_linked_queue;
template <std::uint32_t Smallest = 16, std::uint32_t Largest = 8192>
struct power_of_two_classes;
template <std::uint32_t ChunkBytes = 8192>
struct fine_classes;

/// The policies of an instance: what its queues hold (page_based, chunk_based), where they lie (array_queue,
/// virtual_array_queue, virtual_linked_queue), its size classes, and the size of its chunks.
template <class Granularity = page_based, class Queue = array_queue, class Classes = power_of_two_classes<>,
          std::uint32_t ChunkBytes = 8192>
struct instance;

template <class Space, class... Instances>
class combined_ouroboros;

/// An allocator with one instance and its own heap. The six variants of Winter et al., Ouroboros (ICS 2020),
/// are {page, chunk} x {array_queue, virtual_array_queue, virtual_linked_queue}.
template <class Space, class Granularity = page_based, class Queue = array_queue,
          class Classes = power_of_two_classes<>, std::uint32_t ChunkBytes = 8192>
using ouroboros = combined_ouroboros<Space, instance<Granularity, Queue, Classes, ChunkBytes>>;

} // namespace rhizome::alloc
