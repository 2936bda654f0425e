#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What rhizome-coalesce prints, writes and refuses: check_command_line.sh TOOL HEADERS
set -uo pipefail
tool=$(realpath "$1") headers=$(realpath "$2")
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
for time in first next; do
    "$tool" --header-cache headers --dry-run k.cu > cached_diff 2> cached_report || fail "--header-cache, the $time time"
    cmp -s diff cached_diff && cmp -s report cached_report || fail "--header-cache changes what is said, the $time time"
done
[[ $(ls headers/*.pch | wc -l) -eq 1 ]] || fail "--header-cache keeps $(ls headers)"
"$tool" --header-cache headers --dry-run k.cu -- -DN=4 > /dev/null 2>&1
[[ $(ls headers/*.pch | wc -l) -eq 2 ]] || fail "--header-cache takes headers of other arguments: $(ls headers)"
"$tool" --header-cache /proc/none --dry-run k.cu 2>&1 > cached_diff | grep -q '1 of 1' || fail "a cache that cannot be written"
cmp -s diff cached_diff || fail "a cache that cannot be written changes the source"
# The rest with the cache, to save time.
plain=$tool
tool=with_cache
with_cache() { "$plain" --header-cache "$work/headers" "$@"; }
cmp -s k.cu before.cu || fail "--dry-run wrote"
cp k.cu patched.cu
patch -s patched.cu diff || fail "the diff does not apply"
"$tool" -o written.cu k.cu 2> /dev/null || fail "-o"
cmp -s patched.cu written.cu || fail "diff and -o differ"
cmp -s k.cu before.cu || fail "-o changed the source"
grep -q 'k.cu:3:15: rewritten (block): ' report || fail "no line for the call: $(cat report)"
grep -q '1 of 1 allocation calls rewritten' report || fail "no count"
"$tool" --scope warp k.cu 2> /dev/null | grep -q 'warp_malloc(n)' || fail "options"
"$tool" --in-place k.cu 2> /dev/null || fail "--in-place"
cmp -s k.cu written.cu || fail "--in-place and -o differ"
"$tool" --dry-run k.cu > diff 2> report || fail "a rewritten source: $(cat report)"
[[ ! -s diff ]] || fail "a rewritten source is rewritten again: $(cat diff)"
sed 's/block_malloc/block_header_malloc/' k.cu > earlier.cu
[[ $("$tool" earlier.cu 2> /dev/null) == "$(cat written.cu)" ]] || fail "a source that an earlier version rewrote"
"$tool" --dry-run k.cu -- -I"$headers" > diff 2> report || fail "a rewritten source with -I: $(cat report)"
[[ ! -s diff ]] || fail "a rewritten source is rewritten again with -I: $(cat diff)"

# An edited source is rewritten anew: its places are those of the file, and what no longer holds is taken back.
sed 's/void\* p = rhiz/if (threadIdx.x < 3) return; void* p = rhiz/' k.cu > edited.cu
"$tool" -o again.cu edited.cu 2> report || fail "an edited source: $(cat report)"
grep -q '^edited.cu:4:44: left alone: .*(edited.cu:4:19)$' report || fail "the place in an edited source: $(cat report)"
grep -q 'return; void\* p = ::malloc(n);' again.cu || fail "a static call stayed: $(cat again.cu)"
grep -q rhizome again.cu && fail "traces stayed: $(cat again.cu)"
"$tool" --dry-run edited.cu 2> /dev/null > diff || fail "a diff of an edited source"
patch -s edited.cu diff || fail "the diff of an edited source does not apply"
cmp -s edited.cu again.cu || fail "diff and -o of an edited source differ"

# A summary of each kernel; paths are relative to the working folder.
mkdir -p folder
cp before.cu folder/k.cu
"$tool" --dry-run "$work/folder/k.cu" > /dev/null 2> report || fail "an absolute path"
grep -q "^folder/k.cu:2:17: kernel 'k': 1 of 1 allocation calls rewritten: 3:15 block$" report || fail "summary: $(cat report)"

# For CI.
"$tool" --check before.cu > out 2> report
[[ $? -eq 3 && ! -s out ]] || fail "--check of what could be rewritten"
"$tool" --check k.cu > out 2> report || fail "--check of a rewritten source"
cmp -s k.cu written.cu || fail "--check wrote"
[[ $("$tool" --version) == "rhizome-coalesce "[0-9]* ]] || fail "--version: $("$tool" --version)"
"$tool" --check --sarif k.sarif before.cu 2> /dev/null
python3 - <<'PYTHON' || fail "--sarif"
import json
run = json.load(open("k.sarif"))["runs"][0]
place = run["results"][0]["locations"][0]["physicalLocation"]
assert run["tool"]["driver"]["name"] == "rhizome-coalesce"
assert run["results"][0]["ruleId"] == "block"
assert place == {"artifactLocation": {"uri": "before.cu"}, "region": {"startLine": 3, "startColumn": 15}}, place
PYTHON

# Bytes in front of the text, and ends of lines, stay.
printf '\xEF\xBB\xBF__global__ void k(int n) {\r\n    free(malloc(n));\r\n}\r\n' > dos.cu
"$tool" -o dos_written.cu dos.cu 2> report || fail "a file of Windows: $(cat report)"
[[ $(head -c 3 dos_written.cu) == $'\xEF\xBB\xBF' ]] || fail "the byte order mark is not first"
[[ $(grep -c $'\r$' dos_written.cu) -eq 4 ]] || fail "ends of lines differ"
"$tool" --check dos_written.cu 2> report || fail "a rewritten file of Windows: $(cat report)"

# Functions that the user registers.
cat > library.cu <<'SOURCE'
#include <rhizome_coalesced_malloc.cuh>
__device__ int rank(int* result);
__device__ int most();
__device__ void lock();
namespace lib { __device__ void publish(void*); }
__device__ void all_to_all(void*, int, rhizome::coalesced::reached = rhizome::coalesced::reached::by_some);
__global__ void asks(int n) {
    int own = 0;
    rank(&own);
    void* p = malloc(most() + n);
    all_to_all(p, 4);
    all_to_all(p, own);
    if (own > 0) all_to_all(p, 4);
    free(p);
}
__global__ void waits() { lock(); free(malloc(8)); }
__global__ void publishes() { lib::publish(malloc(8)); }
SOURCE
cat > known.txt <<'KNOWN'
# what the library does
rank:
most: block
lock: waits
lib::publish: keeps
all_to_all: told
KNOWN
"$tool" --known-functions known.txt -o told.cu library.cu 2> report || fail "known functions: $(cat report)"
grep -q '^library.cu:10:15: rewritten (block)' report || fail "a function that does not wait: $(cat report)"
grep -q "^library.cu:16:40: left alone: .*'lock', which may wait" report || fail "a function that waits: $(cat report)"
grep -q "^library.cu:17:44: left alone: .*'publish', which keeps it" report || fail "a function that keeps: $(cat report)"
grep -q '^    all_to_all(p, 4, rhizome::coalesced::reached::by_all);$' told.cu || fail "a told function: $(cat told.cu)"
grep -q '^    all_to_all(p, own);$' told.cu || fail "a told function with a value of the thread"
grep -q 'if (own > 0) all_to_all(p, 4);' told.cu || fail "a told function in a branch"
"$tool" --known-functions known.txt --check told.cu 2> report || fail "told again: $(cat report)"
"$tool" --check library.cu 2> report || fail "without the registry: $(cat report)"

refuses() { # words of the message, then the command
    local words=$1 lines
    shift
    "$@" > out 2> report && fail "accepted: $*"
    grep -q -- "$words" report || fail "$*: $(cat report)"
    [[ ! -s out ]] || fail "$* printed a source"
}
refuses 'no such file: none.cu' "$tool" none.cu
refuses 'give one of' "$tool" --in-place --dry-run before.cu
refuses 'give one of' "$tool" --check --dry-run before.cu
refuses 'is a CUDA source: --bookkeeping is for' "$tool" --bookkeeping table before.cu
printf 'a:\nb: sleeps\n' > wrong.txt
refuses "wrong.txt:2: 'sleeps' is none of" "$tool" --known-functions wrong.txt before.cu
refuses 'cannot read' "$tool" --known-functions none.txt before.cu
refuses 'cannot write' "$tool" -o "$work/none/out.cu" before.cu
echo '__global__ void k() { undeclared(); }' > broken.cu
cp broken.cu broken_before.cu
refuses 'does not parse; nothing is rewritten' "$tool" --in-place broken.cu
cmp -s broken.cu broken_before.cu || fail "a broken source was written"

# The call that gets the argument would find another function.
cat > hidden.cu <<'SOURCE'
namespace a { template <class A, class B> __device__ void* make(A, B) { return nullptr; } }
__device__ void* make(short n) { return malloc(n); }
__global__ void k(int n) {
    using a::make;
    using ::make;
    free(make(n));
}
SOURCE
refuses 'the rewritten source does not parse' "$tool" --whole-program hidden.cu
exit 0
