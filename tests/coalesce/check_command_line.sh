#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What rhizome-coalesce prints, writes and refuses: check_command_line.sh TOOL HEADERS
set -uo pipefail
tool=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*"; exit 1; }
cat > k.cu <<'SOURCE'
// a kernel
__global__ void k(int n) {
    void* p = malloc(n);
    free(p);
}
SOURCE
cp k.cu before.cu

"$tool" --dry-run k.cu > diff 2> report || fail "--dry-run"
cmp -s k.cu before.cu || fail "--dry-run wrote"
cp k.cu patched.cu
patch -s patched.cu diff || fail "the diff does not apply"
"$tool" -o written.cu k.cu 2> /dev/null || fail "-o"
cmp -s patched.cu written.cu || fail "diff and -o differ"
cmp -s k.cu before.cu || fail "-o changed the source"
grep -q 'k.cu:3:15: rewritten (block): ' report || fail "no line for the call: $(cat report)"
grep -q '1 of 1 allocation calls rewritten' report || fail "no count"
"$tool" --bookkeeping table --scope warp k.cu 2> /dev/null | grep -q 'warp_table_malloc(n)' || fail "options"
"$tool" --in-place k.cu 2> /dev/null || fail "--in-place"
cmp -s k.cu written.cu || fail "--in-place and -o differ"
"$tool" --dry-run k.cu -- -isystem "$2" > diff 2> report || fail "a rewritten source: $(cat report)"
[[ ! -s diff ]] || fail "a rewritten source is rewritten again: $(cat diff)"

refuses() { # words of the message, then the command
    local words=$1 lines
    shift
    "$@" > out 2> report && fail "accepted: $*"
    grep -q -- "$words" report || fail "$*: $(cat report)"
    [[ ! -s out ]] || fail "$* printed a source"
}
refuses 'no such file: none.cu' "$tool" none.cu
refuses 'give one of' "$tool" --in-place --dry-run before.cu
refuses 'cannot write' "$tool" -o "$work/none/out.cu" before.cu
echo '__global__ void k() { undeclared(); }' > broken.cu
cp broken.cu broken_before.cu
refuses 'does not parse; nothing is rewritten' "$tool" --in-place broken.cu
cmp -s broken.cu broken_before.cu || fail "a broken source was written"
exit 0
