#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the tool as build/release/cli/rhizome, after installing the packages that are missing: the core, the components
# that an earlier build there had, and those that are named:
#   scripts/build.sh [COMPONENT...]      `rhizome info` lists them; all: every one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh
components="$(sed -n 's/^RHIZOME_COMPONENTS:[A-Z]*=//p' build/release/CMakeCache.txt 2>/dev/null || true)"
for name in "$@"; do
    components+="${components:+;}$name"
done
cmake --preset release -DRHIZOME_BUILD_TESTS=OFF -DRHIZOME_COMPONENTS="${components:-core}"
cmake --build --preset release --target rhizome_cli
