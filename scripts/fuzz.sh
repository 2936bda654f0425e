#!/usr/bin/env bash
# Feeds each reader of files with rubbish for some time (libFuzzer with AddressSanitizer and
# UndefinedBehaviorSanitizer), and stops at the first input that breaks one.
#   scripts/fuzz.sh [SECONDS] [READER...]    60 seconds per reader, and all readers, if nothing else is said
# New inputs are kept in build/fuzz/corpus, one that breaks a reader in build/fuzz/broken-READER-*.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds="${1:-60}"
shift || true
[[ "$seconds" =~ ^[0-9]+$ ]] || { echo "usage: scripts/fuzz.sh [SECONDS] [READER...]" >&2; exit 2; }
scripts/install-dependencies.sh --sanitizers
cmake --preset fuzz
cmake --build --preset fuzz --target readers_fuzz --parallel "${RHIZOME_FUZZ_JOBS:-$(nproc)}"

program=build/fuzz/tests/fuzz/readers_fuzz
readers=("$@")
[[ ${#readers[@]} -gt 0 ]] || mapfile -t readers < <(RHIZOME_FUZZ_READER=list "$program")
for reader in "${readers[@]}"; do
    echo "rhizome: fuzzing $reader for $seconds s"
    found="build/fuzz/corpus/$reader"
    seeds="tests/fuzz/corpus/$reader"
    mkdir -p "$found"
    corpora=("$found")
    [[ -d "$seeds" ]] && corpora+=("$seeds")
    # A reader must not allocate for what a header promises: 64 MiB are far more than any input needs. libzstd
    # and liblzma allocate the window that a packed file names, up to 128 MiB.
    most_mib=64
    [[ "$reader" == packed ]] && most_mib=192
    RHIZOME_FUZZ_READER="$reader" "$program" -max_total_time="$seconds" -max_len=8192 -timeout=10 \
        -malloc_limit_mb="$most_mib" -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/broken-$reader-" "${corpora[@]}"
done
