#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a compiler and writes the processor time that it took beside its output, OBJECT.times: timed.sh COMMAND... -o OBJECT
# Line 2 of that file has the compiler's user and system time, as the shell's `times` prints them.
"$@" || exit
while [ $# -gt 1 ]; do
    if [ "$1" = -o ]; then
        times >"$2.times"
        exit
    fi
    shift
done
