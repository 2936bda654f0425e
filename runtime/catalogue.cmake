# SPDX-License-Identifier: Apache-2.0
# The one list of what can be chosen: components, allocators, layouts, and the graph types that the run-time library
# holds. The first of each list of names is the default. A component that a build leaves out (RHIZOME_COMPONENTS) costs
# it nothing: none of its lines is compiled.

# rhizome_component(NAME "one line for help texts" [NEEDS component...])
rhizome_component(bench "rhizome bench, with the benchmarks of allocators and graphs")
rhizome_component(ouroboros "the other variants of the allocator Ouroboros")
rhizome_component(page-queue "pages of one size from an index queue, as in faimGraph")
rhizome_component(random-walk "random walks, and the figures of their paper")
rhizome_component(coalescing "threads that share blocks of memory, and the figures of the paper")
rhizome_component(baselines "an allocator that never frees, and the malloc of CUDA and of the host")
rhizome_component(graph-types "graphs with values of 4 and 16 bytes, and with ids of 64 bits, compiled into the library")
rhizome_component(weight-types "graphs with weights of type float and int32 for the Python package")
rhizome_component(layouts "graphs with the layouts linked-pages and buckets")
rhizome_component(linked-pages-64 "graphs in linked pages of 64 bytes, the size of faimGraph, and their allocator")
rhizome_component(ranks "graphs over several devices, and their benchmarks")
rhizome_component(compaction "stream compaction compiled into the library, and its benchmarks")
rhizome_component(arrays "benchmarks of arrays that grow" NEEDS bench)
rhizome_component(hash-join "benchmarks of hash joins that allocate in kernels" NEEDS bench)
rhizome_component(malloc "rhizome_malloc: malloc for kernels of any CUDA program, a library of its own")
rhizome_component(coalesce "rhizome-coalesce, which rewrites allocation calls; needs the libraries of Clang")
rhizome_choose_components()

# rhizome_allocator(COMPONENT NAME "TYPE, where Space stands for the space" HEADER "one line for help texts"
#                   [CONFORMANCE always|plain|never])
# Tests have each as catalogued::NAME (tests/allocators.hpp). CONFORMANCE: whether the conformance suite runs over it.
# always is the default; plain: not with sanitizers, where allocators with the same parts are tested; never: tests of its
# own run over it, with pages of several sizes or over several backings, and the suite over another of its kind.
rhizome_allocator(core ouroboros-page-virtual-array
    "alloc::ouroboros<Space, alloc::page_based, alloc::virtual_array_queue, alloc::fine_classes<>>" alloc/ouroboros/ouroboros.hpp
    "Ouroboros, pages in queues that lie in chunks of the heap, named by an array; fine size classes" CONFORMANCE never)
rhizome_allocator(ouroboros ouroboros-page-array
    "alloc::ouroboros<Space, alloc::page_based, alloc::array_queue, alloc::fine_classes<>>" alloc/ouroboros/ouroboros.hpp
    "pages in queues that are arrays of their own" CONFORMANCE plain)
rhizome_allocator(ouroboros ouroboros-page-array-pow2
    "alloc::ouroboros<Space, alloc::page_based, alloc::array_queue, alloc::power_of_two_classes<>>" alloc/ouroboros/ouroboros.hpp
    "the same with the paper's power-of-two size classes" CONFORMANCE plain)
rhizome_allocator(ouroboros ouroboros-page-virtual-linked
    "alloc::ouroboros<Space, alloc::page_based, alloc::virtual_linked_queue, alloc::fine_classes<>>" alloc/ouroboros/ouroboros.hpp
    "pages in queues that lie in chunks, each chunk naming the next")
rhizome_allocator(ouroboros ouroboros-chunk-array
    "alloc::ouroboros<Space, alloc::chunk_based, alloc::array_queue, alloc::fine_classes<>>" alloc/ouroboros/ouroboros.hpp
    "Ouroboros, chunks in array queues, fine size classes")
rhizome_allocator(ouroboros ouroboros-chunk-virtual-array
    "alloc::ouroboros<Space, alloc::chunk_based, alloc::virtual_array_queue, alloc::fine_classes<>>" alloc/ouroboros/ouroboros.hpp
    "chunks in queues that lie in chunks of the heap, named by an array" CONFORMANCE plain)
rhizome_allocator(ouroboros ouroboros-chunk-virtual-linked
    "alloc::ouroboros<Space, alloc::chunk_based, alloc::virtual_linked_queue, alloc::fine_classes<>>" alloc/ouroboros/ouroboros.hpp
    "the same, each chunk naming the next" CONFORMANCE plain)
rhizome_allocator(page-queue page-queue "alloc::page_queue<Space, 128>" alloc/page_queue/page_queue.hpp
    "pages of 128 bytes from an index queue, as in faimGraph")
rhizome_allocator(linked-pages-64 page-queue-64 "alloc::page_queue<Space, 64>" alloc/page_queue/page_queue.hpp
    "the same with pages of 64 bytes" CONFORMANCE never)
rhizome_allocator(random-walk random-walk-claim "alloc::random_walk<Space, alloc::claim_search>" alloc/random_walk/random_walk.hpp
    "pages of 256 bytes found at random places, those of a warp taken with one atomic" CONFORMANCE never)
rhizome_allocator(random-walk random-walk-claim-128 "alloc::random_walk<Space, alloc::claim_search, 128>" alloc/random_walk/random_walk.hpp
    "the same with pages of 128 bytes")
rhizome_allocator(random-walk random-walk-flag "alloc::random_walk<Space, alloc::flag_search>" alloc/random_walk/random_walk.hpp
    "RW of Pham et al.: a flag per page of 256 bytes, each lane walks by itself" CONFORMANCE never)
rhizome_allocator(random-walk random-walk-bitmap "alloc::random_walk<Space, alloc::bitmap_search>" alloc/random_walk/random_walk.hpp
    "RW-BM: a bit per page, words are locked" CONFORMANCE never)
rhizome_allocator(random-walk random-walk-bitmap-64 "alloc::random_walk<Space, alloc::wide_words<alloc::bitmap_search>>"
    alloc/random_walk/random_walk.hpp "the same with 64 pages a word" CONFORMANCE plain)
rhizome_allocator(random-walk random-walk-collaborative "alloc::random_walk<Space, alloc::collaborative_search>" alloc/random_walk/random_walk.hpp
    "CoRW: the lanes of a warp share the pages that they find" CONFORMANCE never)
rhizome_allocator(random-walk random-walk-clustered "alloc::random_walk<Space, alloc::clustered_search<>>" alloc/random_walk/random_walk.hpp
    "CRW: beside the last page first" CONFORMANCE never)
rhizome_allocator(random-walk random-walk-malloc "alloc::random_walk_malloc<Space>" alloc/random_walk/random_walk_malloc.hpp
    "RW_malloc: neighbouring pages of 16 bytes for requests of any size" CONFORMANCE never)
rhizome_allocator(random-walk random-walk-segments
    "alloc::page_sharing<alloc::random_walk_malloc<Space, 256, alloc::own_segments>>" alloc/random_walk/page_sharing.hpp
    "RW_malloc as published: pages of 256 bytes, a segment for each lane out of one window; small requests share pages"
    CONFORMANCE plain)
rhizome_allocator(coalescing coalescing-block-header
    "alloc::coalescing_ouroboros<Space, alloc::block_wide, alloc::by_header>" alloc/coalescing/backings.hpp
    "HB of Blach et al.: the threads of a block share a block of the default allocator; headers" CONFORMANCE never)
rhizome_allocator(coalescing coalescing-block-table
    "alloc::coalescing_ouroboros<Space, alloc::block_wide, alloc::by_table>" alloc/coalescing/backings.hpp
    "NB: the same with a table instead of headers" CONFORMANCE never)
rhizome_allocator(coalescing coalescing-warp-header
    "alloc::coalescing_ouroboros<Space, alloc::warp_wide, alloc::by_header>" alloc/coalescing/backings.hpp
    "HW: the lanes of a warp share one; headers" CONFORMANCE never)
rhizome_allocator(coalescing coalescing-warp-table
    "alloc::coalescing_ouroboros<Space, alloc::warp_wide, alloc::by_table>" alloc/coalescing/backings.hpp
    "NW: the same with a table instead of headers" CONFORMANCE plain)
rhizome_allocator(coalescing coalescing-dynamic
    "alloc::coalescing_ouroboros<Space, alloc::lane_wise, alloc::by_header>" alloc/coalescing/backings.hpp
    "the lanes that ask together share one; headers")
rhizome_allocator(coalescing coalescing-block-header-device-malloc
    "alloc::coalescing_malloc<Space, alloc::block_wide, alloc::by_header>" alloc/coalescing/backings.hpp
    "coalescing-block-header over device-malloc, as in the paper" CONFORMANCE never)
rhizome_allocator(coalescing coalescing-block-table-device-malloc
    "alloc::coalescing_malloc<Space, alloc::block_wide, alloc::by_table>" alloc/coalescing/backings.hpp
    "coalescing-block-table over device-malloc, as in the paper" CONFORMANCE never)
rhizome_allocator(coalescing coalescing-warp-header-device-malloc
    "alloc::coalescing_malloc<Space, alloc::warp_wide, alloc::by_header>" alloc/coalescing/backings.hpp
    "coalescing-warp-header over device-malloc, as in the paper" CONFORMANCE never)
rhizome_allocator(coalescing coalescing-warp-table-device-malloc
    "alloc::coalescing_malloc<Space, alloc::warp_wide, alloc::by_table>" alloc/coalescing/backings.hpp
    "coalescing-warp-table over device-malloc, as in the paper" CONFORMANCE never)
rhizome_allocator(coalescing coalescing-dynamic-device-malloc
    "alloc::coalescing_malloc<Space, alloc::lane_wise, alloc::by_header>" alloc/coalescing/backings.hpp
    "coalescing-dynamic over device-malloc, as in the paper" CONFORMANCE never)
rhizome_allocator(baselines bump "alloc::bump<Space>" alloc/baselines/bump.hpp
    "an atomic counter that never frees: a baseline")
rhizome_allocator(baselines device-malloc "alloc::device_malloc<Space>" alloc/baselines/device_malloc.hpp
    "CUDA's own heap, std::malloc on the host: a baseline")

# rhizome_layout(COMPONENT NAME TYPE HEADER "one line for help texts")
rhizome_layout(core contiguous "graph::contiguous" graph/layout/contiguous.hpp "one page a vertex, neighbours sorted")
rhizome_layout(layouts linked-pages "graph::linked_pages<128>" graph/layout/linked_pages.hpp
    "pages of 128 bytes in a list, never copied, as in faimGraph")
rhizome_layout(linked-pages-64 linked-pages-64 "graph::linked_pages<64>" graph/layout/linked_pages.hpp
    "the same with pages of 64 bytes, the size that faimGraph has in its comparison with Ouroboros")
rhizome_layout(layouts buckets "graph::buckets<>" graph/layout/buckets.hpp
    "each twice as large as the one before, never copied, as in GGArray")

# rhizome_graphs(LAYOUT VALUES ALLOCATOR... [COMPONENT component] [NOT_EMULATED]): each is a file per space, compiled on its
# own, in builds that have the layout, the allocator and the component. NOT_EMULATED: not for the emulator.
rhizome_graphs(contiguous none ouroboros-page-virtual-array ouroboros-page-array ouroboros-page-array-pow2
    ouroboros-page-virtual-linked ouroboros-chunk-array ouroboros-chunk-virtual-array ouroboros-chunk-virtual-linked
    random-walk-malloc bump device-malloc)
rhizome_graphs(contiguous double ouroboros-page-virtual-array)
rhizome_graphs(contiguous float ouroboros-page-virtual-array COMPONENT weight-types NOT_EMULATED)
rhizome_graphs(contiguous int32 ouroboros-page-virtual-array COMPONENT weight-types NOT_EMULATED)
rhizome_graphs(linked-pages none page-queue ouroboros-page-virtual-array random-walk-claim-128)
rhizome_graphs(linked-pages-64 none page-queue-64)
rhizome_graphs(buckets none ouroboros-page-virtual-array)

# rhizome_maintained(SPACES space... LAYOUTS layout...): whose graphs keep results of algorithms up to date
# (runtime/graph_results.hpp). A file per space and type of values. In C++ every graph does (algorithms/maintained/).
rhizome_maintained(SPACES host cuda LAYOUTS contiguous)
