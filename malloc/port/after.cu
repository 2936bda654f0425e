// SPDX-License-Identifier: Apache-2.0
// The program with rhizome_malloc. These three lines, and rhizome_malloc_init() in main(), are the whole
// port.
#include "port.hpp"

#include <rhizome/malloc.cuh>
#define malloc rhizome_malloc
#define free rhizome_free

namespace {
#include "word_index.cuh"
} // namespace

index_times index_after(index_size const& size) { return index_once(size); }
