#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ports a public program from CUDA's malloc to rhizome_malloc, and runs both: the simulation wa-tor (fish and sharks, an
# object each) of DynaSOAr, github.com/prg-titech/dynasoar, whose configuration `cuda` gives each object a block of
# CUDA's malloc.
#   malloc/port/dynasoar.sh CHECKOUT [BUILD] [RUNS]
# CHECKOUT: a clone of DynaSOAr (a4f956c was tried), which stays as it is. BUILD: a build of Rhizome with the component
# malloc; default: build/release. Prints the milliseconds of 500 steps, and a checksum of the cells, of each program.
# SIZE=1024 cells a side; CUDA_ARCHITECTURE=sm_90; BUILD_ONLY=FOLDER: builds the programs there and does not run them.
set -euo pipefail

[[ $# -ge 1 && -d "$1/example/wa-tor" ]] || { echo "usage: dynasoar.sh CHECKOUT [BUILD] [RUNS]" >&2; exit 2; }
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
build="$(realpath "${2:-$root/build/release}")"
library="$build/malloc/librhizome_malloc.a"
[[ -f "$library" ]] || { echo "dynasoar.sh: no $library: build rhizome_malloc" >&2; exit 1; }
size="${SIZE:-1024}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cp -r "$1/." "$work"
cd "$work"

# What nvcc 13 asks of this code, and a checksum at the end without its debug output.
adapter=example/configuration/allocator_interface_adapter.h
sed -Ei -e 's/(allocator_state_\.|allocator_->)(parallel_do|parallel_do_single_type|parallel_new|device_do|free|allocate_new)</\1template \2</' \
    -e 's/allocator->template free\(value/allocator->free(value/' "$adapter"
sed -i 's|^  // Print total running time.*|  print_stats();|' example/wa-tor/dynasoar/wator.cu

# The port.
mkdir example/configuration/rhizome
sed -e 's|^#include "../allocator_interface_adapter.h"|#include <rhizome/malloc.cuh>\n&|' \
    -e 's|{ free(ptr); }|{ rhizome_free(ptr); }|' \
    -e 's|= malloc(|= rhizome_malloc(|' \
    -e 's|cudaDeviceSetLimit(cudaLimitMallocHeapSize, \(.*\));|rhizome_malloc_options options;\n    options.heap_bytes = \1;\n    if (rhizome_malloc_init(options) != cudaSuccess) abort();|' \
    example/configuration/cuda/allocator_config.h >example/configuration/rhizome/allocator_config.h
diff example/configuration/cuda/allocator_config.h example/configuration/rhizome/allocator_config.h || true

out="${BUILD_ONLY:-$work}"
mkdir -p "$out"
for allocator in cuda rhizome; do
    more=()
    [[ $allocator = cuda ]] || more=(-rdc=true "-I$build/include" "$library")
    nvcc -std=c++17 -O3 -DNDEBUG "-arch=${CUDA_ARCHITECTURE:-sm_90}" --expt-extended-lambda -Xcudafe --diag_suppress=1427 -w \
        -maxrregcount=64 "-DPARAM_SIZE_X=$size" "-DPARAM_SIZE_Y=$size" -DPARAM_HEAP_SIZE=2147483648 \
        "-DPARAM_MAX_OBJ=$((4 * size * size))" "-Iexample/configuration/$allocator" -I. \
        example/wa-tor/dynasoar/wator.cu "${more[@]}" -o "$out/wator_$allocator"
done
[[ -z "${BUILD_ONLY:-}" ]] || exit 0
for ((run = 0; run < ${3:-3}; ++run)); do
    for allocator in cuda rhizome; do
        # checksum, fish, their slots, sharks, their slots; then microseconds of the steps, and of listing objects
        "$out/wator_$allocator" | awk -v name="$allocator" -F', *' \
            'NR == 1 { found = $1 } NR == 2 { printf "%s: %.1f ms, checksum %s\n", name, $1 / 1000, found }' FS='[, ]+'
    done
done
