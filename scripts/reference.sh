#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes the API reference as HTML: build/reference/html/index.html. Installs Doxygen if it is missing.
# Fails if a comment in a public header (docs/Doxyfile lists them) names something that does not exist.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-dependencies.sh --reference
rm -rf build/reference
mkdir -p build/reference
doxygen docs/Doxyfile
echo "build/reference/html/index.html"
