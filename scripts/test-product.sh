#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs random streams of updates on every combination of layout, allocator, edge value and space. scripts/test.sh runs
# fewer combinations, which cover each pair.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh
cmake --preset release -DRHIZOME_COMPONENTS=all -DRHIZOME_BUILD_TESTS=ON -DRHIZOME_WHOLE_PRODUCT=ON
cmake --build --preset release --target graph_product_test
build/release/tests/graph/graph_product_test
