#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a compiler that checks and writes nothing, and then makes the file that the build expects: check_only.sh COMMAND...
"$@" || exit
while [ $# -gt 1 ]; do
    if [ "$1" = -o ]; then
        : >"$2"
        exit
    fi
    shift
done
