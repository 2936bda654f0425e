// SPDX-License-Identifier: Apache-2.0
// In files that rhizome-coalesce rewrote as one program: they free each other's pointers, so they share the
// registry of superblocks (rhizome_coalesced_registry.cuh).
#pragma once

#if defined(__CUDACC__) && !defined(__CUDACC_RDC__) && !defined(RHIZOME_COALESCE_READS)
#error "rhizome-coalesce rewrote several files as one program: compile them with nvcc -rdc=true"
#endif
