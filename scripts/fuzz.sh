#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
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
tests/fuzz/all_readers.sh build/fuzz/tests/fuzz/readers_fuzz tests/fuzz/corpus "$seconds" build/fuzz "$@"
