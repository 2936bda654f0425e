#!/usr/bin/env bash
# Random streams over every layout with every allocator, value of edges and space. scripts/test.sh runs a set of them
# that covers each pair.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh
cmake --preset release -DRHIZOME_BUILD_TESTS=ON -DRHIZOME_WHOLE_PRODUCT=ON
cmake --build --preset release --target graph_product_test
build/release/tests/graph/graph_product_test
