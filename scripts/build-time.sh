#!/usr/bin/env bash
# Prints how long a build took, from the log that ninja writes: scripts/build-time.sh BUILD_FOLDER [LONGEST]
# Core-seconds are the times of all steps added up. The LONGEST (10) steps are listed. Use it on builds from an empty
# folder without a compiler cache: if a step ran more than once, only its last run counts.
set -euo pipefail

[[ $# -ge 1 && $# -le 2 ]] || { echo "usage: build-time.sh BUILD_FOLDER [LONGEST]" >&2; exit 2; }
log="$1/.ninja_log"
longest="${2:-10}"
[[ -r "$log" ]] || { echo "build-time.sh: no log of ninja at $log" >&2; exit 1; }

# Columns: begin and end in ms since ninja started, time stamp, output, hash of the command. A step with several outputs
# has one line per output, with the same times and hash.
steps="$(awk -F '\t' '!/^#/ { step[$5] = $2 - $1 " " $1 " " $2 " " $4 }
                      END { for (s in step) print step[s] }' "$log" | sort -rn)"
[[ -n "$steps" ]] || { echo "build-time.sh: nothing was built in $1" >&2; exit 1; }
awk '{ sum += $1; if (NR == 1 || $2 < begin) begin = $2; if ($3 > end) end = $3 }
     END { printf "%d steps, %.0f core-seconds, %.0f seconds from the first to the last\n", NR, sum / 1000, (end - begin) / 1000 }' \
    <<<"$steps"
head -n "$longest" <<<"$steps" | awk '{ printf "%8.1f s  %s\n", $1 / 1000, $4 }'
