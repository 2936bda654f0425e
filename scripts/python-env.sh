#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a Python environment that builds and tests the Python package: scripts/python-env.sh FOLDER. Prints the path of
# its interpreter. Does nothing if it is there. Downloads packages of Python with pip.
set -euo pipefail

[[ $# -eq 1 ]] || { echo "usage: python-env.sh FOLDER" >&2; exit 2; }
packages=('nanobind>=3.1' 'nanobind-backend>=1.0,<2' numpy scipy networkx pytest mypy)
if [[ "$(cat "$1/packages" 2>/dev/null)" != "${packages[*]}" ]]; then
    rm -rf "$1"
    { python3 -m venv "$1" && "$1/bin/python" -m pip install -q "${packages[@]}"; } >&2
    echo "${packages[*]}" >"$1/packages"
fi
(cd "$1" && echo "$PWD/bin/python")
