#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a fuzzing program for some seconds on each reader, from the seeds:
#   all_readers.sh PROGRAM SEEDS SECONDS FOLDER [READER...]
# New inputs go to FOLDER/corpus and stay there; one that breaks a reader goes to FOLDER, and ends the run.
set -euo pipefail

[[ $# -ge 4 ]] || { echo "usage: all_readers.sh PROGRAM SEEDS SECONDS FOLDER [READER...]" >&2; exit 2; }
program="$1" seeds="$2" seconds="$3" folder="$4"
shift 4
readers=("$@")
[[ ${#readers[@]} -gt 0 ]] || mapfile -t readers < <(RHIZOME_FUZZ_READER=list "$program")
[[ ${#readers[@]} -gt 0 ]] || { echo "all_readers.sh: $program names no reader" >&2; exit 1; }
for reader in "${readers[@]}"; do
    echo "rhizome: fuzzing $reader for $seconds s"
    found="$folder/corpus/$reader"
    mkdir -p "$found"
    corpora=("$found")
    [[ -d "$seeds/$reader" ]] && corpora+=("$seeds/$reader")
    # A reader must not allocate for what a header promises: 64 MiB are far more than any input needs. libzstd
    # and liblzma allocate the window that a packed file names, up to 128 MiB.
    most_mib=64
    [[ "$reader" == packed ]] && most_mib=192
    RHIZOME_FUZZ_READER="$reader" "$program" -max_total_time="$seconds" -max_len=8192 -timeout=10 \
        -malloc_limit_mb="$most_mib" -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
        -artifact_prefix="$folder/broken-$reader-" "${corpora[@]}"
done
