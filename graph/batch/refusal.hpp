// SPDX-License-Identifier: Apache-2.0
// Why a batch cannot be applied: it lacks pages. If it lacks scratch, the space's own exec::out_of_memory
// says so.
#pragma once

#include <rhizome/exec/errors.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// The heap has no pages that serve a batch, and cannot grow. The batch has changed nothing.
class lacks_pages : public exec::out_of_memory {
public:
    using exec::out_of_memory::out_of_memory;
};

/// The allocator refuses pages although its heap is several times as large as the batch needs. Neither
/// smaller pieces nor more memory would help.
class refuses_pages : public lacks_pages {
public:
    using lacks_pages::lacks_pages;
};

} // namespace rhizome::graph::batch
