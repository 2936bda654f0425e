#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that Rhizome needs to build, if they are missing. Installing needs root or sudo. Options, of
# which several may be given:
#   --sanitizers   also clang, which compiles the sanitizer builds
#   --coalesce     also Clang's libraries, on which the tool rhizome-coalesce is built, and what its tests call
#   --tests        also what tests call: without it they are skipped
#   --mpi          also Open MPI, for the test of ranks that meet through MPI
#   --nccl-header  what scripts/fetch-nccl-header.sh calls
#   --python       what the Python package is built with
#   --reference    Doxygen, which writes the API reference from the sources
# It never installs the CUDA Toolkit.
set -euo pipefail

packages=(g++ cmake ninja-build libboost-dev libboost-context-dev libboost-iostreams-dev libtbb-dev libfmt-dev
          libcxxopts-dev nlohmann-json3-dev libgtest-dev zlib1g-dev)
[[ "$*" != --reference ]] || packages=() # the reference is made from the sources alone
for option in "$@"; do
    case "$option" in
        --sanitizers) packages+=(clang libclang-rt-dev llvm) ;;
        --coalesce) packages+=(libclang-14-dev llvm-14-dev patch python3) ;;
        --tests) packages+=(python3 python3-matplotlib curl wget git clang-format clang-tidy-14) ;;
        --mpi) packages+=(libopenmpi-dev openmpi-bin) ;;
        --nccl-header) packages+=(python3-pip) ;;
        --python) packages+=(python3 python3-dev python3-venv) ;;
        --reference) packages+=(doxygen) ;;
        *) echo "rhizome: $0 does not know the option $option" >&2; exit 2 ;;
    esac
done

missing=()
for package in "${packages[@]}"; do
    if [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]]; then
        missing+=("$package")
    fi
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

echo "rhizome: installing ${missing[*]}"
as_root=()
if [[ "$(id -u)" -ne 0 ]]; then
    command -v sudo >/dev/null || { echo "rhizome: install as root: apt-get install ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
